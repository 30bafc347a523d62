/**
 * Rules that all stores share.
 *
 * @module
 */

import { ConflictError, NotFoundError } from '../errors.ts'
import { isAccountId } from '../model.ts'
import { fold } from '../model/fold.ts'
import type {
  DailyStats,
  EpochMs,
  HourlyStats,
  JsonObject,
  MonitorRecord,
  NotificationRecord,
  NotificationStatus,
  ResultRecord,
} from '../model.ts'
import type { ContactChange } from './contacts.ts'
import { SHARDS, withIncident } from './store.ts'
import type { Change, Claim, FinishedAttempt, OfAccount } from './store.ts'
import { unfitColumn } from './readable.ts'

export function externalIdTaken(): ConflictError {
  return new ConflictError('external_id_taken', 'Another account has this external_id')
}

/** The account of a query, `undefined` for all. @throws NotFoundError for an invalid one */
export function accountAsked({ account_id }: OfAccount): number | undefined {
  if (account_id === 'all') return undefined
  if (isAccountId(account_id)) return account_id
  throw new NotFoundError('account')
}

/** All leases are equally long: one that ends so much later is that of an engine whose clock was wrong. Milliseconds. */
export const LEASE_AHEAD_MS = 60_000

/**
 * Shards in the order in which they are distributed. Neighbouring ids are in neighbouring shards, and also a few
 * monitors should be shared evenly. (Multiplying by an odd factor permutes a power of two.)
 */
export function dealt(shards: readonly number[]): number[] {
  const place = (shard: number): number => (shard * 167) % SHARDS
  return shards.toSorted((a, b) => place(a) - place(b))
}

/** The members of a monitor's metadata that lists can be filtered by: texts, numbers and flags at its top level. */
export function metadataEntries(metadata: JsonObject): string[] {
  return Object.entries(metadata).flatMap(([key, value]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [JSON.stringify([key, String(value)])]
      : [],
  )
}

/** The text in which `q` is searched. */
export function searchText(name: string, target: string): string {
  return fold(`${name}\n${target}`)
}

export function isFinal(status: NotificationStatus): boolean {
  return status === 'sent' || status === 'failed' || status === 'cancelled'
}

/** A claimed notification after its attempt; the lease is returned. */
export function afterAttempt(row: NotificationRecord, end: FinishedAttempt): NotificationRecord {
  return {
    ...row,
    status: end.status,
    due_at: end.due_at ?? row.due_at,
    attempts: end.attempts,
    interruptions: end.interruptions,
    error: end.error,
    lease_until: null,
    finished_at: isFinal(end.status) ? end.at : null,
  }
}

/**
 * A row dated later than this after a claim was created before the clock was set back. One that is less ahead was
 * created while the claim was on its way to the store, and keeps its due time.
 */
export const REDATED_AFTER_MS = 60_000

/** The statuses of notifications with a finished attempt. */
export const ATTEMPTED: readonly NotificationStatus[] = ['sent', 'failed']

/** Whether a row's payload can be sent: a JSON object. */
export function isReadable(payload: string): boolean {
  try {
    const value: unknown = JSON.parse(payload)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** PostgreSQL's largest integer: a claim counts one more. */
const LARGEST_COUNT = 2_147_483_647

/** Whether a row can be sent: its payload is readable, and its times and counts can be computed with. */
export function isSendable(row: NotificationRecord): boolean {
  const isCounted = row.claims < LARGEST_COUNT
  return isCounted && unfitColumn({ ...row }) === undefined && isReadable(row.payload)
}

/** `error` of a row that cannot be sent because it is damaged. */
export const UNREADABLE = 'unreadable'

/** What `pick` finds once every found row that cannot be read is set aside. */
export function pickReadable(
  pick: () => readonly NotificationRecord[],
  setAside: (row: NotificationRecord) => void,
): readonly NotificationRecord[] {
  for (;;) {
    const picked = pick()
    const unreadable = picked.filter((row) => !isSendable(row))
    if (unreadable.length === 0) return picked
    for (const row of unreadable) setAside(row)
  }
}
/** `error` of an attempt without a recorded result. */
export const INTERRUPTED = 'interrupted'
/** `error` of the rows whose contact was removed. */
export const CONTACT_REMOVED = 'contact_removed'

/** `error` of a row that waits for the end of quiet hours. */
export const QUIET_HOURS = 'quiet_hours'

/** When rows that wait for the end of quiet hours become due by this change of their contact; `undefined`: they stay. */
export function endOfWait({ quiet, updated_at }: ContactChange): EpochMs | undefined {
  return quiet === undefined ? undefined : updated_at
}

/** Whether a row of the contact waits beyond `at` for the end of quiet hours. */
export function waitsQuietly(row: NotificationRecord, at: EpochMs): boolean {
  return row.status === 'queued' && row.error === QUIET_HOURS && row.due_at > at
}

/** The number of rows of each contact with status `sending`. */
type UnderWay = Iterable<readonly [contact_id: number, count: number]>

/** Returns a predicate for rows in claiming order: whether the row's host is still below its limit. */
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
 * The first `limit` rows of candidates in claiming order: accounts take turns, beginning with those that have the
 * fewest rows with status `sending`. The backlog of one account does not delay the others, and neither do its
 * receivers: it has at most `per_account` rows.
 */
export function sharedByAccount<R extends Pick<NotificationRecord, 'account_id'>>(
  rows: readonly R[],
  underWay: Iterable<readonly [account_id: number, count: number]>,
  { limit, per_account = Infinity }: Pick<Claim, 'limit' | 'per_account'>,
): readonly R[] {
  if (rows.length <= limit && per_account === Infinity) return rows
  const turns = new Map<number, number>()
  const next = (account_id: number, count = 1): number => {
    const turn = turns.get(account_id) ?? 0
    turns.set(account_id, turn + count)
    return turn
  }
  for (const [account_id, count] of underWay) next(account_id, count)
  const ranked = rows
    .map((row) => ({ row, turn: next(row.account_id) }))
    .filter(({ turn }) => turn < per_account)
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

/** A new row of the outbox; copies the fields one by one, so that no other property is stored. */
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

/** A new result of the monitor; copies the fields one by one, as {@link queuedRow} does. */
export function resultRow(
  { id, monitor_id }: Pick<ResultRecord, 'id' | 'monitor_id'>,
  result: NonNullable<Change['results']>[number],
): ResultRecord {
  return {
    id,
    monitor_id,
    location_id: result.location_id,
    round: result.round,
    started_at: result.started_at,
    lag_ms: result.lag_ms,
    duration_ms: result.duration_ms,
    verdict: result.verdict,
    cause_code: result.cause_code,
    cause_text: result.cause_text,
    phase: result.phase,
    phases: result.phases,
    remote_ip: result.remote_ip,
    details: result.details,
  }
}

/** The monitor after the change; `opened` is the incident that the change opens. */
export function changedMonitor(
  monitor: MonitorRecord,
  { machine, settings, token, at }: Change,
  opened: number | null,
): MonitorRecord {
  const { common, settings: own, target } = settings ?? monitor
  return {
    id: monitor.id,
    account_id: monitor.account_id,
    type: monitor.type,
    common,
    settings: own,
    target,
    machine: machine === undefined ? monitor.machine : withIncident(machine, opened),
    token_hash: (token ?? monitor).token_hash,
    token: (token ?? monitor).token,
    version: settings === undefined ? monitor.version : monitor.version + 1,
    revision: monitor.revision + 1,
    created_at: monitor.created_at,
    updated_at: settings === undefined && token === undefined ? monitor.updated_at : at,
  }
}

type Counted = Omit<DailyStats, 'monitor_id'>

/** Adds two totals of the same day. */
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

/** The order of hourly totals. */
export function byHour(a: HourlyStats, b: HourlyStats): number {
  return a.hour - b.hour || a.location_id - b.location_id
}

/**
 * Whether a claim gives the row a new `sent_at`: no attempt has left the process yet. After an outage of the own
 * network hours may have passed, and a receiver would reject the signature as too old.
 */
export function datesAnew(
  row: Pick<NotificationRecord, 'status' | 'attempts' | 'interruptions' | 'sent_at'>,
): boolean {
  const untouched = row.status === 'queued' && row.attempts === 0 && row.interruptions === 0
  return row.sent_at === null || untouched
}
