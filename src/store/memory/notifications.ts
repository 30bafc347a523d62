import type { EpochMs, NotificationRecord } from '../../model.ts'
import type { Sync } from '../promised.ts'
import {
  accountAsked,
  datesAnew,
  hostsWithRoom,
  INTERRUPTED,
  isFinal,
  isReadable,
  queuedRow,
  sharedByAccount,
  UNREADABLE,
} from '../rules.ts'
import type { AttemptEnd, Claim, ClockSet, NotificationQuery, Store } from '../store.ts'
import { copy, isOf, isThere, listAt, putNotification, requireAccount, rowsOf } from './tables.ts'
import type { Tables } from './tables.ts'

export function notifications(tables: Tables): Sync<Store['notifications']> {
  return {
    create(fields) {
      requireAccount(tables, fields)
      const row = { ...queuedRow(copy(fields)), id: tables.nextId('notification') }
      putNotification(tables, row)
      return copy(row)
    },
    get: (id) => copy(tables.notifications.get(id)),
    list: (query) => copy(list(tables, query)),
    attempts: (ids) =>
      copy([...new Set(ids)].toSorted(byNumber).flatMap((id) => tables.attempts.get(id) ?? [])),
    claim: (wanted) => copy(claim(tables, wanted)),
    finish: (end) => finish(tables, copy(end)),
    nextDue() {
      let least = Infinity
      for (const row of tables.waiting.values())
        if (isThere(tables, row))
          least = Math.min(least, row.status === 'queued' ? row.due_at : (row.lease_until ?? 0))
      return least === Infinity ? null : least
    },
    depth() {
      if (tables.removing.size === 0) return tables.waiting.size
      return [...tables.waiting.values()].filter((row) => isThere(tables, row)).length
    },
  }
}

function list(tables: Tables, query: NotificationQuery): NotificationRecord[] {
  const account_id = accountAsked(query)
  const rows =
    query.incident_id === undefined
      ? [...tables.notifications.values()]
      : rowsOf(tables, query.incident_id)
  return rows
    .filter(
      (row) =>
        isOf(account_id, row) &&
        (query.monitor_id ?? row.monitor_id) === row.monitor_id &&
        (query.contact_id ?? row.contact_id) === row.contact_id &&
        (query.statuses?.includes(row.status) ?? true) &&
        row.id < (query.before_id ?? Infinity),
    )
    .toReversed()
    .slice(0, query.limit)
}

function claim(tables: Tables, { now, lease_until, limit, per_contact, hosts }: Claim) {
  const under_way = new Map<number, number>()
  const by_account = new Map<number, number>()
  for (const row of tables.waiting.values()) {
    if (row.status !== 'sending' || isClaimable(row, now)) continue
    count(under_way, row.contact_id)
    count(by_account, row.account_id)
  }
  const hostHasRoom = hostsWithRoom(hosts, under_way)
  const free = claimable(tables, now).filter((row) => {
    if ((under_way.get(row.contact_id) ?? 0) >= per_contact || !hostHasRoom(row)) return false
    count(under_way, row.contact_id)
    return true
  })
  return sharedByAccount(free, by_account, limit).map((row) =>
    take(tables, row, { now, lease_until }),
  )
}

/** Every row that may be claimed now, in the order of claiming. Rows that cannot be read are set aside on the way. */
function claimable(tables: Tables, now: EpochMs): NotificationRecord[] {
  const held = new Set<string>()
  const ready: NotificationRecord[] = []
  for (const row of tables.waiting.values()) {
    if (!isThere(tables, row)) continue
    const lane = row.monitor_id === null ? undefined : `${row.monitor_id}:${row.contact_id}`
    const free = lane === undefined || !held.has(lane)
    if (free && isClaimable(row, now)) {
      if (!isReadable(row.payload)) {
        setAside(tables, row, now)
        continue
      }
      ready.push(row)
    }
    if (lane !== undefined && holdsUp(row, now)) held.add(lane)
  }
  return ready.toSorted((a, b) => a.due_at - b.due_at || a.id - b.id)
}

function isClaimable(row: NotificationRecord, now: EpochMs): boolean {
  if (row.status === 'queued') return row.due_at <= now
  return row.status === 'sending' && (row.lease_until ?? 0) <= now
}

function holdsUp(row: NotificationRecord, now: EpochMs): boolean {
  return row.status === 'sending' || row.due_at <= now || row.claims > 0
}

function take(
  tables: Tables,
  row: NotificationRecord,
  { now, lease_until }: Pick<Claim, 'now' | 'lease_until'>,
): NotificationRecord {
  const interrupted = row.status === 'sending'
  if (interrupted) {
    listAt(tables.attempts, row.id).push({
      notification_id: row.id,
      claim: row.claims,
      at: now,
      duration_ms: 0,
      http_status: null,
      error: INTERRUPTED,
      answer: null,
    })
  }
  const taken: NotificationRecord = {
    ...row,
    status: 'sending',
    lease_until,
    claims: row.claims + 1,
    interruptions: row.interruptions + (interrupted ? 1 : 0),
    sent_at: datesAnew(row) ? now : row.sent_at,
  }
  putNotification(tables, taken)
  return taken
}

function setAside(tables: Tables, row: NotificationRecord, now: EpochMs): void {
  putNotification(tables, {
    ...row,
    status: 'failed',
    error: UNREADABLE,
    lease_until: null,
    finished_at: now,
  })
}

/** After the wall clock was set: what waits, waits as long as before. */
export function moveWaiting(tables: Tables, { by_ms, after, before }: ClockSet): void {
  for (const row of tables.waiting.values()) {
    const name = row.status === 'queued' ? 'due_at' : 'lease_until'
    const at = row[name]
    if (at === null || at <= after || at >= before) continue
    putNotification(tables, { ...row, [name]: at + by_ms })
  }
}

function finish(tables: Tables, end: AttemptEnd): boolean {
  const row = tables.notifications.get(end.id)
  if (row === undefined || row.status !== 'sending' || row.claims !== end.claim) return false
  putNotification(tables, {
    ...row,
    status: end.status,
    due_at: end.due_at ?? row.due_at,
    attempts: end.attempts,
    interruptions: end.interruptions,
    error: end.error,
    lease_until: null,
    finished_at: isFinal(end.status) ? end.at : null,
  })
  if (end.attempt !== undefined) {
    const attempt = { ...end.attempt, notification_id: row.id, claim: end.claim }
    listAt(tables.attempts, row.id).push(attempt)
  }
  const incident = row.incident_id === null ? undefined : tables.incidents.get(row.incident_id)
  if (end.then !== undefined && incident?.ended_at === null && incident.acknowledged_at === null) {
    const next = queuedRow({ ...row, ...end.then, created_at: end.at })
    putNotification(tables, { ...next, id: tables.nextId('notification') })
  }
  return true
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function byNumber(a: number, b: number): number {
  return a - b
}
