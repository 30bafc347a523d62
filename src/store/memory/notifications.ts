import type { EpochMs, NotificationRecord } from '../../model.ts'
import type { Sync } from '../promised.ts'
import {
  accountAsked,
  afterAttempt,
  datesAnew,
  hostsWithRoom,
  INTERRUPTED,
  pickReadable,
  queuedRow,
  sharedByAccount,
  ATTEMPTED,
  REDATED_AFTER_MS,
  UNREADABLE,
} from '../rules.ts'
import type { FinishedAttempt, Claim, ClockSet, NotificationQuery, FullStore } from '../store.ts'
import { claimableRows } from './lanes.ts'
import { copy } from './copy.ts'
import { isOf, isThere, listAt, putNotification, requireAccount } from './tables.ts'
import type { Tables } from './tables.ts'

export function notifications(tables: Tables): Sync<FullStore['notifications']> {
  return {
    create(fields) {
      requireAccount(tables, fields)
      const row = { ...queuedRow(copy(fields)), id: tables.nextId('notification') }
      putNotification(tables, row)
      return copy(row)
    },
    get: (id) => copy(tables.notifications.get(id)),
    list: (query) => copy(list(tables, query)),
    lastFinished: (contact_ids) =>
      copy(
        [...new Set(contact_ids)].flatMap((contact_id) =>
          list(tables, { account_id: 'all', contact_id, statuses: ATTEMPTED, limit: 1 }),
        ),
      ),
    attempts: (ids) =>
      copy([...new Set(ids)].toSorted(byNumber).flatMap((id) => tables.attempts.get(id) ?? [])),
    claim: (wanted) => copy(claim(tables, wanted)),
    finish: (end) => finish(tables, copy(end)),
    nextDue() {
      const { due, rows } = tables.waiting
      for (;;) {
        const first = due.peek()
        if (first === undefined) return null
        if (isThere(tables, rows.get(first.id))) return first.due_at
        // The removal of an account is not undone: its rows are never claimed.
        due.pop()
      }
    },
    depth() {
      const { rows } = tables.waiting
      if (tables.removing.size === 0) return rows.size
      return [...rows.values()].filter((row) => isThere(tables, row)).length
    },
  }
}

function list(tables: Tables, query: NotificationQuery): NotificationRecord[] {
  const account_id = accountAsked(query)
  const found: NotificationRecord[] = []
  for (const row of newestFirst(tables, query)) {
    if (found.length >= query.limit) break
    const fits =
      isOf(account_id, row) &&
      (query.monitor_id ?? row.monitor_id) === row.monitor_id &&
      (query.contact_id ?? row.contact_id) === row.contact_id &&
      (query.statuses?.includes(row.status) ?? true) &&
      row.id < (query.before_id ?? Infinity)
    if (fits) found.push(row)
  }
  return found
}

/** The rows to filter, from the narrowest index that fits the query. */
function* newestFirst(tables: Tables, query: NotificationQuery): Generator<NotificationRecord> {
  const { incident_id, contact_id } = query
  const ids =
    incident_id !== undefined
      ? tables.ofIncident.get(incident_id)
      : contact_id !== undefined
        ? tables.ofContact.get(contact_id)
        : tables.notifications.keys()
  for (const id of [...(ids ?? [])].reverse()) {
    const row = tables.notifications.get(id)
    if (row !== undefined) yield row
  }
}

export function claim(tables: Tables, wanted: Claim): NotificationRecord[] {
  redate(tables, wanted.now)
  const picked = pickReadable(
    () => pick(tables, wanted),
    (row) => setAside(tables, row, wanted.now),
  )
  return picked.map((row) => take(tables, row, wanted))
}

/**
 * Re-dates rows whose `created_at` is far after `now`, which happens when the clock is set back: their delay counts from
 * `now`.
 */
function redate(tables: Tables, now: EpochMs): void {
  const { latest, rows } = tables.waiting
  for (;;) {
    const row = rows.get(latest.peek()?.id ?? 0)
    if (row === undefined || row.created_at <= now + REDATED_AFTER_MS) return
    const delay = row.due_at - row.created_at
    putNotification(tables, {
      ...row,
      created_at: now,
      due_at: delay < 0 ? row.due_at : now + delay,
    })
  }
}

function pick(tables: Tables, wanted: Claim) {
  const { now, limit, per_contact, contact_id: only, hosts } = wanted
  const by_contact = new Map<number, number>()
  const by_account = new Map<number, number>()
  for (const row of tables.waiting.sending.values()) {
    if (isClaimable(row, now)) continue
    count(by_contact, row.contact_id)
    count(by_account, row.account_id)
  }
  const free: NotificationRecord[] = []
  for (const [contact_id, ofContact] of tables.waiting.lanes) {
    let room = Math.min(limit, per_contact - (by_contact.get(contact_id) ?? 0))
    if (room <= 0 || (only ?? contact_id) !== contact_id) continue
    for (const row of claimableRows(tables.waiting, ofContact, now)) {
      if (!isThere(tables, row)) break
      free.push(row)
      if (--room === 0) break
    }
  }
  const withRoom = free.toSorted(byDueTime).filter(hostsWithRoom(hosts, by_contact))
  return sharedByAccount(withRoom, by_account, wanted)
}

function isClaimable(row: NotificationRecord, now: EpochMs): boolean {
  if (row.status === 'queued') return row.due_at <= now
  return row.status === 'sending' && (row.lease_until ?? 0) <= now
}

function byDueTime(a: NotificationRecord, b: NotificationRecord): number {
  return a.due_at - b.due_at || a.id - b.id
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

/** After the wall clock was set: moves due times and leases by the same amount, so that delays keep their length. */
export function moveWaiting(tables: Tables, { by_ms, after, before }: ClockSet): void {
  for (const row of tables.waiting.rows.values()) {
    const name = row.status === 'queued' ? 'due_at' : 'lease_until'
    const at = row[name]
    if (at === null || at <= after || at >= before) continue
    const { created_at } = row
    const isAhead = created_at > after + by_ms
    putNotification(tables, {
      ...row,
      [name]: at + by_ms,
      created_at: isAhead ? created_at + by_ms : created_at,
    })
  }
}

function finish(tables: Tables, end: FinishedAttempt): boolean {
  const row = tables.notifications.get(end.id)
  if (row === undefined || row.status !== 'sending' || row.claims !== end.claim) return false
  putNotification(tables, afterAttempt(row, end))
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
