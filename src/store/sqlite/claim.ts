/**
 * Selects and claims the rows to send next. The rules are in the contract. Rows behind others are not read, so that a
 * backlog does not affect the cost of a claim.
 *
 * @module
 */

import type { EpochMs, NotificationRecord } from '../../model.ts'
import { toNotification } from '../rows.ts'
import {
  datesAnew,
  hostsWithRoom,
  INTERRUPTED,
  pickReadable,
  sharedByAccount,
  REDATED_AFTER_MS,
  UNREADABLE,
} from '../rules.ts'
import type { Claim } from '../store.ts'
import type { Connection, Row } from './connection.ts'
import { ofNoneRemoved } from './account-removal.ts'

export function claim(db: Connection, wanted: Claim): NotificationRecord[] {
  redate(db, wanted.now)
  const picked = pickReadable(
    () => pick(db, wanted),
    (row) => setAside(db, row, wanted.now),
  )
  return picked.map((row) => take(db, row, wanted))
}

/**
 * Re-dates rows whose `created_at` is far after `now`, which happens when the clock is set back: their delay counts from
 * `now`.
 */
function redate(db: Connection, now: EpochMs): void {
  db.run(
    `UPDATE notifications SET created_at = ?,
     due_at = CASE WHEN due_at < created_at THEN due_at ELSE ? + due_at - created_at END
     WHERE status = 'queued' AND created_at > ?`,
    [now, now, now + REDATED_AFTER_MS],
  )
}

const UNDER_WAY = `
  SELECT account_id, contact_id, COUNT(*) AS under_way FROM notifications
  WHERE status = 'sending' AND lease_until > ? GROUP BY account_id, contact_id`

function pick(db: Connection, wanted: Claim): readonly NotificationRecord[] {
  const { now, hosts } = wanted
  const under_way = db.all(UNDER_WAY, [now])
  const by_contact = under_way.map(countBy('contact_id'))
  const free = candidates(db, wanted, new Map(by_contact))
    .toSorted(byDueTime)
    .filter(hostsWithRoom(hosts, by_contact))
  return sharedByAccount(free, under_way.map(countBy('account_id')), wanted)
    .flatMap(({ id }) => db.all('SELECT * FROM notifications WHERE id = ?', [id]))
    .map(toNotification)
}

function countBy(column: 'contact_id' | 'account_id') {
  return (row: Row): [id: number, count: number] => [Number(row[column]), Number(row['under_way'])]
}

function take(db: Connection, row: NotificationRecord, wanted: Claim): NotificationRecord {
  const { now, lease_until } = wanted
  const interrupted = row.status === 'sending'
  if (interrupted) {
    db.run(
      `INSERT INTO attempts (notification_id, claim, at, duration_ms, http_status, error, answer)
       VALUES (?, ?, ?, 0, NULL, ?, NULL)`,
      [row.id, row.claims, now, INTERRUPTED],
    )
  }
  const taken = {
    ...row,
    status: 'sending',
    lease_until,
    claims: row.claims + 1,
    interruptions: row.interruptions + (interrupted ? 1 : 0),
    sent_at: datesAnew(row) ? now : row.sent_at,
  } as const
  db.run(
    `UPDATE notifications SET status = 'sending', lease_until = ?, claims = ?, interruptions = ?,
     sent_at = ? WHERE id = ?`,
    [taken.lease_until, taken.claims, taken.interruptions, taken.sent_at, row.id],
  )
  return taken
}

function setAside(db: Connection, row: NotificationRecord, now: number): void {
  db.run(
    `UPDATE notifications SET status = 'failed', error = ?, lease_until = NULL, finished_at = ?
     WHERE id = ?`,
    [UNREADABLE, now, row.id],
  )
}

type Candidate = Pick<NotificationRecord, 'id' | 'account_id' | 'contact_id' | 'due_at'>

/** How many due rows of a contact are tested one by one; if they are blocked, its lanes are searched instead. */
const FRONT = 32

const WAITING = "status IN ('queued', 'sending')"
const FIELDS = 'id, account_id, contact_id, due_at'
const HOLDS_UP = "(status = 'sending' OR due_at <= ? OR claims > 0)"

/** Whether no earlier row blocks the row with the alias `n`. */
const FREE = `(n.monitor_id IS NULL OR NOT EXISTS (
  SELECT 1 FROM notifications WHERE contact_id = n.contact_id AND monitor_id = n.monitor_id
    AND id < n.id AND ${WAITING} AND ${HOLDS_UP}))`

/** Skips from one contact to the next. */
const DUE = `
  WITH RECURSIVE waiting (contact_id) AS (
    SELECT MIN(contact_id) FROM notifications WHERE status = 'queued'
    UNION ALL
    SELECT (SELECT MIN(contact_id) FROM notifications
      WHERE status = 'queued' AND contact_id > waiting.contact_id)
    FROM waiting WHERE contact_id IS NOT NULL)
  SELECT contact_id FROM waiting WHERE contact_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM notifications
    WHERE contact_id = waiting.contact_id AND status = 'queued' AND due_at <= ?)`

const abandoned = (rest: string): string => `
  SELECT ${FIELDS} FROM notifications AS n
  WHERE status = 'sending' AND lease_until <= ?${rest} AND ${FREE}`

const front = (rest: string): string => `
  SELECT ${FIELDS}, ${FREE} AS free FROM (
    SELECT ${FIELDS}, monitor_id FROM notifications
    WHERE contact_id = ? AND status = 'queued' AND due_at <= ?${rest}
    ORDER BY due_at, id LIMIT ${FRONT}) AS n`

const alone = (rest: string): string => `
  SELECT ${FIELDS} FROM notifications
  WHERE contact_id = ? AND status = 'queued' AND monitor_id IS NULL AND due_at <= ?${rest}
  ORDER BY due_at, id LIMIT ?`

/** Skips from the first row of one lane to that of the next. Abandoned rows have an index of their own. */
const heads = (rest: string): string => `
  WITH RECURSIVE lanes (contact_id, monitor_id) AS (
    SELECT contact_id, MIN(monitor_id) FROM notifications
    WHERE contact_id = ? AND ${WAITING} AND monitor_id > 0
    UNION ALL
    SELECT contact_id, (SELECT MIN(monitor_id) FROM notifications
      WHERE contact_id = lanes.contact_id AND ${WAITING} AND monitor_id > lanes.monitor_id)
    FROM lanes WHERE monitor_id IS NOT NULL)
  SELECT ${FIELDS} FROM notifications WHERE id IN (
    SELECT (SELECT id FROM notifications
      WHERE contact_id = lanes.contact_id AND monitor_id = lanes.monitor_id AND ${WAITING}
        AND ${HOLDS_UP} ORDER BY id LIMIT 1)
    FROM lanes WHERE monitor_id IS NOT NULL)
  AND status = 'queued' AND due_at <= ?${rest} ORDER BY due_at, id LIMIT ?`

/** For each contact the rows that are due longest, up to its limit. */
function candidates(
  db: Connection,
  { now, limit, per_contact, contact_id: only }: Claim,
  under_way: ReadonlyMap<number, number>,
): Candidate[] {
  const rest = ofNoneRemoved(db)
  const lapsed = db.all(abandoned(rest), [now, now]).map(toCandidate)
  const due = db.all(DUE, [now]).map((row) => Number(row['contact_id']))
  const contacts = new Set([...lapsed.map((row) => row.contact_id), ...due])
  return [...contacts].flatMap((contact_id) => {
    const room = Math.min(limit, per_contact - (under_way.get(contact_id) ?? 0))
    if (room <= 0 || (only ?? contact_id) !== contact_id) return []
    const queued = queuedOf(db, { contact_id, now, room, rest })
    return [...lapsed.filter((row) => row.contact_id === contact_id), ...queued]
      .toSorted(byDueTime)
      .slice(0, room)
  })
}

interface Asked {
  readonly contact_id: number
  readonly now: number
  readonly room: number
  readonly rest: string
}

function queuedOf(db: Connection, { contact_id, now, room, rest }: Asked): Candidate[] {
  const first = db.all(front(rest), [now, contact_id, now])
  const free = first.filter((row) => row['free'] === 1)
  if (first.length < FRONT || free.length >= room) return free.map(toCandidate)
  return [
    ...db.all(alone(rest), [contact_id, now, room]),
    ...db.all(heads(rest), [contact_id, now, now, room]),
  ].map(toCandidate)
}

function toCandidate(row: Row): Candidate {
  return {
    id: Number(row['id']),
    account_id: Number(row['account_id']),
    contact_id: Number(row['contact_id']),
    due_at: Number(row['due_at']),
  }
}

function byDueTime(a: Candidate, b: Candidate): number {
  return a.due_at - b.due_at || a.id - b.id
}
