/**
 * Small decisions that every store makes in the same way.
 *
 * @module
 */

import { ConflictError, NotFoundError } from '../errors.ts'
import { isAccountId } from '../model.ts'
import type { DailyStats, NotificationRecord, NotificationStatus } from '../model.ts'
import { SHARDS } from './store.ts'
import type { Claim, OfAccount } from './store.ts'

export function externalIdTaken(): ConflictError {
  return new ConflictError('external_id_taken', 'Another account has this external_id')
}

/** The account that a query asks for, `undefined` for all. @throws NotFoundError for what is neither */
export function accountAsked({ account_id }: OfAccount): number | undefined {
  if (account_id === 'all') return undefined
  if (isAccountId(account_id)) return account_id
  throw new NotFoundError('account')
}

/**
 * Shards in the order in which they are dealt out. Neighbouring ids are neighbouring shards, and a few
 * monitors are to be shared evenly as well. (An odd factor makes a permutation of a power of two.)
 */
export function dealt(shards: readonly number[]): number[] {
  const place = (shard: number): number => (shard * 167) % SHARDS
  return shards.toSorted((a, b) => place(a) - place(b))
}

/** Text as it is compared in searches and tags: composed, lower case by Unicode's rules, the same in every locale. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** What `q` is looked for in. */
export function searchText(name: string, target: string): string {
  return fold(`${name}\n${target}`)
}

export function isFinal(status: NotificationStatus): boolean {
  return status === 'sent' || status === 'failed' || status === 'cancelled'
}

/** Of notifications whose contact was called. */
export const TOLD: readonly NotificationStatus[] = ['sent', 'failed']

/** Whether a row's payload can be sent at all: an object in JSON. */
export function isReadable(payload: string): boolean {
  try {
    const value: unknown = JSON.parse(payload)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** `error` of a row whose payload cannot be read. */
export const UNREADABLE = 'unreadable'
/** `error` of an attempt whose end nobody saw. */
export const INTERRUPTED = 'interrupted'
/** `error` of the rows that went with their contact. */
export const CONTACT_REMOVED = 'contact_removed'

/** How many rows of each contact are under way. */
type UnderWay = Iterable<readonly [contact_id: number, count: number]>

/** Tells, row by row in the order of claiming, whether its host may still have one. */
export function hostsWithRoom(
  hosts: Claim['hosts'],
  underWay: UnderWay,
): (row: Pick<NotificationRecord, 'contact_id'>) => boolean {
  if (hosts === undefined) return () => true
  const busy = new Map<string, number>()
  const add = (host: string, count: number): void =>
    void busy.set(host, (busy.get(host) ?? 0) + count)
  for (const [contact_id, count] of underWay) {
    const host = hosts.of.get(contact_id)
    if (host !== undefined) add(host, count)
  }
  return ({ contact_id }) => {
    const host = hosts.of.get(contact_id)
    if (host === undefined) return true
    if ((busy.get(host) ?? 0) >= hosts.limit) return false
    add(host, 1)
    return true
  }
}

/**
 * Of rows in the order of claiming the `limit` that go first: accounts take turns, and those with the fewest
 * rows under way have the first. A backlog of one account keeps no other one waiting.
 */
export function sharedByAccount<R extends Pick<NotificationRecord, 'account_id'>>(
  rows: readonly R[],
  underWay: Iterable<readonly [account_id: number, count: number]>,
  limit: number,
): readonly R[] {
  if (rows.length <= limit) return rows
  const turns = new Map<number, number>()
  const next = (account_id: number, count = 1): number => {
    const turn = turns.get(account_id) ?? 0
    turns.set(account_id, turn + count)
    return turn
  }
  for (const [account_id, count] of underWay) next(account_id, count)
  const ranked = rows.map((row) => ({ row, turn: next(row.account_id) }))
  const first = ranked.toSorted((a, b) => a.turn - b.turn).slice(0, limit)
  const chosen = new Set(first.map(({ row }) => row))
  return rows.filter((row) => chosen.has(row))
}

type QueuedFields = Pick<
  NotificationRecord,
  | 'account_id'
  | 'monitor_id'
  | 'incident_id'
  | 'contact_id'
  | 'event'
  | 'due_at'
  | 'payload'
  | 'repeat'
  | 'created_at'
>

/** A new row of the outbox; takes the fields one by one, so that nothing else gets in. */
export function queuedRow(fields: QueuedFields): Omit<NotificationRecord, 'id'> {
  return {
    account_id: fields.account_id,
    monitor_id: fields.monitor_id,
    incident_id: fields.incident_id,
    contact_id: fields.contact_id,
    event: fields.event,
    status: 'queued',
    due_at: fields.due_at,
    attempts: 0,
    claims: 0,
    interruptions: 0,
    lease_until: null,
    payload: fields.payload,
    sent_at: null,
    repeat: fields.repeat,
    error: null,
    created_at: fields.created_at,
    finished_at: null,
  }
}

type Counted = Omit<DailyStats, 'monitor_id'>

/** Two counts of the same day as one. */
export function addDaily(known: Counted, more: Counted): Counted {
  const latency: Record<string, number> = { ...known.latency }
  for (const [bucket, count] of Object.entries(more.latency)) {
    latency[bucket] = (latency[bucket] ?? 0) + count
  }
  return {
    day: known.day,
    ok: known.ok + more.ok,
    fail: known.fail + more.fail,
    unknown: known.unknown + more.unknown,
    ok_ms: known.ok_ms + more.ok_ms,
    latency,
  }
}

/**
 * Whether a claim gives the row a new `sent_at`: nothing of it has left yet. Where it was our own network that was
 * gone, hours may have passed, and a receiver would refuse it as too old.
 */
export function datesAnew(
  row: Pick<NotificationRecord, 'status' | 'attempts' | 'interruptions' | 'sent_at'>,
): boolean {
  const untouched = row.status === 'queued' && row.attempts === 0 && row.interruptions === 0
  return row.sent_at === null || untouched
}
