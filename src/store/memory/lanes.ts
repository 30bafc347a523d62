/**
 * An index of the rows that are not final, by contact and lane: a claim reads only the first rows of each lane, not
 * the backlog behind them. A lane is the notifications of one monitor for one contact; a row without a monitor has a
 * lane of its own.
 *
 * @module
 */

import { dueQueue } from '../../due-queue.ts'
import type { DueQueue } from '../../due-queue.ts'
import type { EpochMs, NotificationRecord } from '../../model.ts'
import { isFinal } from '../rules.ts'

/** The rows of one lane, lowest id first, and which of them makes it claimable first. */
interface Lane {
  readonly rows: Map<number, NotificationRecord>
  first?: number | undefined
}

interface ContactLanes {
  readonly lanes: Map<number, Lane>
  /** Lanes whose `first` is to be found again, by the next claim. */
  readonly changed: Set<number>
  /** The `first` of the other lanes, by the time at which it may be claimed. */
  readonly claimable: DueQueue
}

export interface Waiting {
  /** All of them, lowest id first. */
  readonly rows: Map<number, NotificationRecord>
  readonly sending: Map<number, NotificationRecord>
  /** Keyed by contact. */
  readonly lanes: Map<number, ContactLanes>
  /** When each row is due or its lease expires. */
  readonly due: DueQueue
  /** The queued rows by `-created_at`: the latest comes first. */
  readonly latest: DueQueue
}

export function createWaiting(): Waiting {
  return {
    rows: new Map(),
    sending: new Map(),
    lanes: new Map(),
    due: dueQueue(),
    latest: dueQueue(),
  }
}

/** Adds or updates a row; a final row is removed from the index. */
export function track(waiting: Waiting, row: NotificationRecord): void {
  if (isFinal(row.status)) {
    untrack(waiting, row)
    return
  }
  waiting.rows.set(row.id, row)
  if (row.status === 'sending') waiting.sending.set(row.id, row)
  else waiting.sending.delete(row.id)
  const ofContact = contactAt(waiting, row)
  laneAt(ofContact, row).rows.set(row.id, row)
  ofContact.changed.add(laneOf(row))
  waiting.due.set(row.id, claimableAt(row))
  if (row.status === 'queued') waiting.latest.set(row.id, -row.created_at)
  else waiting.latest.delete(row.id)
}

export function untrack(waiting: Waiting, row: NotificationRecord): void {
  const { rows, sending, lanes, due, latest } = waiting
  rows.delete(row.id)
  sending.delete(row.id)
  due.delete(row.id)
  latest.delete(row.id)
  const ofContact = lanes.get(row.contact_id)
  const lane = ofContact?.lanes.get(laneOf(row))
  if (ofContact === undefined || lane === undefined) return
  lane.rows.delete(row.id)
  ofContact.changed.add(laneOf(row))
  if (lane.rows.size > 0) return
  if (lane.first !== undefined) ofContact.claimable.delete(lane.first)
  ofContact.lanes.delete(laneOf(row))
  ofContact.changed.delete(laneOf(row))
  if (ofContact.lanes.size === 0) lanes.delete(row.contact_id)
}

/** The waiting rows of one contact. */
export function* rowsOfContact(
  { lanes }: Waiting,
  contact_id: number,
): Generator<NotificationRecord> {
  for (const lane of lanes.get(contact_id)?.lanes.values() ?? []) yield* lane.rows.values()
}

/** The waiting rows of one monitor. */
export function* rowsOfMonitor(
  { lanes }: Waiting,
  monitor_id: number,
): Generator<NotificationRecord> {
  for (const ofContact of lanes.values()) {
    const lane = ofContact.lanes.get(monitor_id)
    if (lane !== undefined) yield* lane.rows.values()
  }
}

/**
 * The rows of a contact that may be claimed, of each lane the one for which the later ones wait. Lanes with nothing to
 * claim are not read, however many there are.
 */
export function* claimableRows(
  { rows }: Waiting,
  ofContact: ContactLanes,
  now: EpochMs,
): Generator<NotificationRecord> {
  const { lanes, changed, claimable } = ofContact
  for (const key of changed) findFirst(ofContact, lanes.get(key))
  changed.clear()
  for (let next = claimable.peek(); (next?.due_at ?? Infinity) <= now; next = claimable.peek()) {
    const first = rows.get(claimable.pop()?.id ?? 0)
    if (first === undefined) continue
    // Whether it is claimed or not: the next claim finds the first of its lane again.
    changed.add(laneOf(first))
    const head = headOf(lanes.get(laneOf(first))?.rows.values() ?? [], now)
    if (head !== undefined && claimableAt(head) <= now) yield head
  }
}

/** Of several rows that are due, the earlier one of the lane goes out first. */
function headOf(rows: Iterable<NotificationRecord>, now: EpochMs): NotificationRecord | undefined {
  for (const row of rows) if (blocks(row) || row.due_at <= now) return row
  return undefined
}

function findFirst({ claimable }: ContactLanes, lane: Lane | undefined): void {
  if (lane === undefined) return
  if (lane.first !== undefined) claimable.delete(lane.first)
  let first: NotificationRecord | undefined
  for (const row of lane.rows.values()) {
    if (first === undefined || claimableAt(row) < claimableAt(first)) first = row
    if (blocks(row)) break
  }
  lane.first = first?.id
  if (first !== undefined) claimable.set(first.id, claimableAt(first))
}

/** When a row may be claimed, if no other of its lane holds it up. */
function claimableAt({ status, due_at, lease_until }: NotificationRecord): EpochMs {
  return status === 'queued' ? due_at : (lease_until ?? 0)
}

/** A row that was claimed holds up the later ones of its lane, also while it pauses. */
function blocks({ status, claims }: NotificationRecord): boolean {
  return status === 'sending' || claims > 0
}

function contactAt({ lanes }: Waiting, { contact_id }: NotificationRecord): ContactLanes {
  const known = lanes.get(contact_id)
  if (known !== undefined) return known
  const made = { lanes: new Map(), changed: new Set<number>(), claimable: dueQueue() }
  lanes.set(contact_id, made)
  return made
}

function laneAt({ lanes }: ContactLanes, row: NotificationRecord): Lane {
  const lane = lanes.get(laneOf(row)) ?? { rows: new Map() }
  lanes.set(laneOf(row), lane)
  return lane
}

function laneOf({ id, monitor_id }: NotificationRecord): number {
  return monitor_id ?? -id
}
