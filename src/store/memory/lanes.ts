/**
 * An index of the rows that are not final, by contact and lane: a claim reads only the first rows of each lane, not
 * the backlog behind them. A lane is the notifications of one monitor for one contact; a row without a monitor has a
 * lane of its own.
 *
 * @module
 */

import { dueQueue } from '../../due-queue.ts'
import type { DueQueue } from '../../due-queue.ts'
import type { NotificationRecord } from '../../model.ts'
import { isFinal } from '../rules.ts'

/** The rows of one lane, lowest id first. */
export type Lane = Map<number, NotificationRecord>

export interface Waiting {
  /** All of them, lowest id first. */
  readonly rows: Map<number, NotificationRecord>
  readonly sending: Map<number, NotificationRecord>
  /** Keyed by contact. */
  readonly lanes: Map<number, Map<number, Lane>>
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
  laneAt(waiting, row).set(row.id, row)
  const queued = row.status === 'queued'
  waiting.due.set(row.id, queued ? row.due_at : (row.lease_until ?? 0))
  if (queued) waiting.latest.set(row.id, -row.created_at)
  else waiting.latest.delete(row.id)
}

export function untrack(waiting: Waiting, row: NotificationRecord): void {
  const { rows, sending, lanes, due, latest } = waiting
  rows.delete(row.id)
  sending.delete(row.id)
  due.delete(row.id)
  latest.delete(row.id)
  const ofContact = lanes.get(row.contact_id)
  const lane = ofContact?.get(laneOf(row))
  lane?.delete(row.id)
  if (lane?.size === 0) ofContact?.delete(laneOf(row))
  if (ofContact?.size === 0) lanes.delete(row.contact_id)
}

function laneAt({ lanes }: Waiting, row: NotificationRecord): Lane {
  const ofContact = lanes.get(row.contact_id) ?? new Map<number, Lane>()
  lanes.set(row.contact_id, ofContact)
  const lane = ofContact.get(laneOf(row)) ?? new Map<number, NotificationRecord>()
  ofContact.set(laneOf(row), lane)
  return lane
}

function laneOf({ id, monitor_id }: NotificationRecord): number {
  return monitor_id ?? -id
}
