/**
 * Selects and claims the rows to send next. The rules are in the contract. Rows behind others are not read, so that a
 * backlog does not affect the cost of a claim.
 *
 * @module
 */

import type { EpochMs, NotificationRecord } from '../../model.ts'
import { LAST_MS } from '../../model/time.ts'
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
import { createContactTurns } from '../contact-turns.ts'
import type { ContactTurns } from '../contact-turns.ts'
import type { Connection, Row } from './connection.ts'
import { ofNoneRemoved } from './account-removal.ts'
import { byDueTime, headsOfLanes, FIELDS, HOLDS_UP, toCandidate, WAITING } from './lane-heads.ts'
import type { Asked, Candidate, LaneHeads } from './lane-heads.ts'

export function createClaim(db: Connection): (wanted: Claim) => NotificationRecord[] {
  const source = { db, heads: headsOfLanes(db), turns: createContactTurns() }
  return (wanted) => {
    redate(db, wanted.now)
    const picked = pickReadable(
      () => pick(source, wanted),
      (row) => setAside(db, row, wanted.now),
    )
    return picked.map((row) => take(db, row, wanted))
  }
}

interface Source {
  readonly db: Connection
  readonly heads: LaneHeads
  readonly turns: ContactTurns
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

function pick(source: Source, wanted: Claim): readonly NotificationRecord[] {
  const { db } = source
  const { now, hosts } = wanted
  const under_way = db.all(UNDER_WAY, [now])
  const by_contact = under_way.map(countBy('contact_id'))
  const free = candidates(source, wanted, new Map(by_contact))
    .toSorted(byDueTime)
    .filter(hostsWithRoom(hosts, by_contact))
  const ids = sharedByAccount(free, under_way.map(countBy('account_id')), wanted)
  const rows = ids.flatMap(({ id }) => {
    const [condition, value] = withId(id)
    return db.all(`SELECT * FROM notifications WHERE ${condition} LIMIT 1`, [value])
  })
  // A damaged one is set aside.
  return rows as unknown as readonly NotificationRecord[]
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
  const [condition, value] = withId(row.id)
  db.run(
    `UPDATE notifications SET status = 'failed', error = ?, lease_until = NULL, finished_at = ?
     WHERE ${condition}`,
    [UNREADABLE, now, value],
  )
}

/** A row whose id JavaScript has not exactly is found, and set aside, with all others that have such an id. */
function withId(id: number): [condition: string, value: number] {
  return id > LAST_MS ? ["status IN ('queued', 'sending') AND id > ?", LAST_MS] : ['id = ?', id]
}

/**
 * How many due rows of a contact are tested one by one, or as many as there is room for; if they are blocked, its lanes
 * are searched instead.
 */
const FRONT = 4

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
  SELECT contact_id, account_id FROM (
    SELECT contact_id, (SELECT account_id FROM notifications
      WHERE contact_id = waiting.contact_id AND status = 'queued' AND due_at <= ? LIMIT 1) AS account_id
    FROM waiting WHERE contact_id IS NOT NULL)
  WHERE account_id IS NOT NULL`

const abandoned = (rest: string): string => `
  SELECT ${FIELDS} FROM notifications AS n
  WHERE status = 'sending' AND lease_until <= ?${rest} AND ${FREE}`

/** The number stands in the text: with a parameter for it SQLite reads them in another order, three times as long. */
const front = (rest: string, limit: number): string => `
  SELECT ${FIELDS}, ${FREE} AS free FROM (
    SELECT ${FIELDS}, monitor_id FROM notifications
    WHERE contact_id = ? AND status = 'queued' AND due_at <= ?${rest}
    ORDER BY due_at, id LIMIT ${limit}) AS n`

/** For each contact the rows that are due longest, up to its limit. */
function candidates(
  { db, heads, turns }: Source,
  { now, limit, per_contact, contact_id: only }: Claim,
  under_way: ReadonlyMap<number, number>,
): Candidate[] {
  const rest = ofNoneRemoved(db)
  const roomOf = (contact_id: number): number => {
    const isAsked = (only ?? contact_id) === contact_id
    return isAsked ? Math.min(limit, per_contact - (under_way.get(contact_id) ?? 0)) : 0
  }
  /** By contact and then by id: the front of a contact has heads of its lanes. */
  const found = new Map<number, Map<number, Candidate>>()
  const add = (row: Candidate): void => {
    const known = found.get(row.contact_id) ?? new Map<number, Candidate>()
    found.set(row.contact_id, known.set(row.id, row))
  }
  db.all(abandoned(rest), [now, now]).map(toCandidate).forEach(add)
  const blocked: Asked[] = []
  const due = db.all(DUE, [now]).map((row) => ({
    account_id: Number(row['account_id']),
    contact_id: Number(row['contact_id']),
  }))
  for (const { contact_id } of turns(due.filter((row) => roomOf(row.contact_id) > 0))) {
    const asked = { contact_id, now, room: roomOf(contact_id), rest }
    const { free, account_id } = frontOf(db, asked)
    free.forEach(add)
    if (account_id !== undefined) blocked.push({ ...asked, account_id })
  }
  heads(blocked).forEach(add)
  return [...found].flatMap(([contact_id, rows]) =>
    [...rows.values()].toSorted(byDueTime).slice(0, Math.max(0, roomOf(contact_id))),
  )
}

/** `account_id` is named if lanes behind the first rows may be free, and there is room for them. */
function frontOf(
  db: Connection,
  { contact_id, now, room, rest }: Omit<Asked, 'account_id'>,
): { readonly free: Candidate[]; readonly account_id?: number } {
  const limit = Math.max(FRONT, room)
  const rows = db.all(front(rest, limit), [now, contact_id, now])
  const free = rows.filter((row) => row['free'] === 1).map(toCandidate)
  if (rows.length < limit || free.length >= room) return { free }
  return { free, account_id: Number(rows[0]?.['account_id']) }
}
