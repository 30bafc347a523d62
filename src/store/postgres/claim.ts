/**
 * Claims the rows to send next. The rules are in the contract; this file adds how several engines claim at the same
 * time.
 *
 * Skipping locked rows alone would break the order and the limits: two concurrent claims would both see a contact
 * below its limit, and both see the same first row. So a claim first takes an advisory lock on each contact it
 * serves, and on the contact's host if hosts are limited, and then reads again, so that it sees what another claim
 * committed under that lock. It never waits for a lock; a contact that another engine serves at this moment is
 * skipped.
 *
 * @module
 */

import { systemClock } from '../../clock.ts'
import { LAST_MS } from '../../model/time.ts'
import type { NotificationRecord } from '../../model.ts'
import {
  hostsWithRoom,
  INTERRUPTED,
  isSendable,
  REDATED_AFTER_MS,
  sharedByAccount,
  UNREADABLE,
} from '../rules.ts'
import type { ContactTurns } from '../contact-turns.ts'
import { toNotification } from '../rows.ts'
import type { Claim } from '../store.ts'
import { ofNoneRemoved } from './account-removal.ts'
import { arraysOf, given, numbers } from './bulk.ts'
import type { Columns } from './bulk.ts'
import type { Database, Session } from './database.ts'

/** Another engine holds a contact's lock for milliseconds; rows that it left may be free on the next try. */
const TRIES = 4
const PAUSE_MS = 20

export async function claim(
  db: Database,
  turns: ContactTurns,
  wanted: Claim,
): Promise<readonly NotificationRecord[]> {
  const taken: NotificationRecord[] = []
  while ((await db.run(REDATE, [wanted.now])) === REDATED) continue
  for (let tries = 1; ; tries++) {
    const rest = { ...wanted, limit: wanted.limit - taken.length }
    // Mostly nothing is due, and finding that out takes no lock.
    const contacts = contactsOf(await candidates(db, turns, rest))
    if (contacts.length === 0) break
    const { rows, contended } = await db.transaction((session) =>
      claimFrom(session, rest, contacts),
    )
    taken.push(...rows)
    if (!contended || taken.length >= wanted.limit || tries === TRIES) break
    await systemClock.sleep(PAUSE_MS)
  }
  return taken.toSorted(byDueTime)
}

/** Maximum number of rows per statement, ordered, so that the planner uses the index regardless of its statistics. */
const REDATED = 1000
/**
 * Re-dates rows whose `created_at` is far after `now`, which happens when the clock is set back: their delay counts from
 * `now`. Rows that another engine has locked are skipped.
 */
const REDATE = `UPDATE watchpost.notifications SET created_at = $1,
    due_at = CASE WHEN due_at < created_at THEN due_at ELSE $1 + due_at - created_at END
  WHERE id = ANY (ARRAY (SELECT id FROM watchpost.notifications
    WHERE status = 'queued' AND created_at > $1::bigint + ${REDATED_AFTER_MS}
    ORDER BY created_at DESC LIMIT ${REDATED} FOR UPDATE SKIP LOCKED))`

type Candidate = Pick<NotificationRecord, 'id' | 'account_id' | 'contact_id' | 'due_at'>

async function claimFrom(session: Session, wanted: Claim, contacts: readonly number[]) {
  const own = await lockContacts(session, wanted, contacts)
  const contended = own.length < contacts.length
  let rows = own.length === 0 ? [] : await pick(session, wanted, own)
  for (;;) {
    const unreadable = rows.filter((row) => !isSendable(row))
    if (unreadable.length === 0) break
    await setAside(session, unreadable, wanted.now)
    rows = await pick(session, wanted, own)
  }
  return { rows: rows.length === 0 ? [] : await take(session, rows, wanted), contended }
}

const ACTIVE = "status IN ('queued', 'sending')"
const READY = `((n.status = 'queued' AND n.due_at <= $1) OR (n.status = 'sending' AND n.lease_until <= $1))`
/** Of two rows of one monitor, whether the earlier one blocks the later. */
const holdsUp = (row: string): string =>
  `(${row}.status = 'sending' OR ${row}.due_at <= $1 OR ${row}.claims > 0)`
/** How many due rows of a contact are tested one by one. */
const FRONT = 100

/**
 * The claimable rows of each contact: due or abandoned, with no earlier row of the same monitor in front, and no more
 * than the contact's limit allows. Mostly they are among the first rows that are due. If those are blocked by others,
 * because a backlog has grown behind them, the first row of each monitor is searched instead: testing every row of a
 * backlog for one in front would cost each claim as much as the whole backlog.
 */
function rowsOf(contacts: string): string {
  return `SELECT picked.* FROM ${contacts}
    CROSS JOIN LATERAL (
      SELECT GREATEST(LEAST($2, $3 - count(*)), 0) AS room FROM watchpost.notifications
      WHERE contact_id = due.contact_id AND status = 'sending' AND lease_until > $1) AS contact
    CROSS JOIN LATERAL (
      WITH front AS MATERIALIZED (
        SELECT n.id, n.account_id, n.contact_id, n.monitor_id, n.due_at FROM watchpost.notifications AS n
        WHERE n.contact_id = due.contact_id AND n.${ACTIVE} AND ${READY}
          AND ${ofNoneRemoved('n.account_id')}
        ORDER BY n.due_at, n.id LIMIT ${FRONT}),
      free AS MATERIALIZED (
        SELECT id, account_id, contact_id, due_at FROM front
        WHERE monitor_id IS NULL OR NOT EXISTS (
          SELECT 1 FROM watchpost.notifications AS earlier
          WHERE earlier.monitor_id = front.monitor_id AND earlier.contact_id = front.contact_id
            AND earlier.id < front.id AND earlier.${ACTIVE} AND ${holdsUp('earlier')})),
      beyond AS (
        SELECT DISTINCT ON (COALESCE(n.monitor_id, -n.id))
          n.id, n.account_id, n.contact_id, n.due_at, n.status, n.lease_until
        FROM watchpost.notifications AS n
        WHERE n.contact_id = due.contact_id AND n.${ACTIVE} AND ${holdsUp('n')}
          AND ${ofNoneRemoved('n.account_id')}
          AND (SELECT count(*) FROM front) = ${FRONT} AND (SELECT count(*) FROM free) < contact.room
        ORDER BY COALESCE(n.monitor_id, -n.id), n.id)
      SELECT * FROM free
      UNION SELECT id, account_id, contact_id, due_at FROM beyond AS n WHERE ${READY}
      ORDER BY due_at, id LIMIT contact.room) AS picked`
}

/** The contacts with waiting rows, found by skipping from one contact to the next without reading their backlogs. */
const DUE = `WITH RECURSIVE waiting (contact_id) AS (
    SELECT min(contact_id) FROM watchpost.notifications WHERE ${ACTIVE}
    UNION ALL
    SELECT (SELECT min(contact_id) FROM watchpost.notifications
      WHERE ${ACTIVE} AND contact_id > waiting.contact_id)
    FROM waiting WHERE waiting.contact_id IS NOT NULL)
  SELECT contact_id, account_id FROM (
    SELECT contact_id, COALESCE(
      (SELECT account_id FROM watchpost.notifications WHERE contact_id = waiting.contact_id
        AND ${ACTIVE} AND status = 'queued' AND due_at <= $1 LIMIT 1),
      (SELECT account_id FROM watchpost.notifications WHERE contact_id = waiting.contact_id
        AND status = 'sending' AND lease_until <= $1 LIMIT 1)) AS account_id
    FROM waiting WHERE contact_id IS NOT NULL) AS due
  WHERE account_id IS NOT NULL`

async function candidates(
  session: Session,
  turns: ContactTurns,
  wanted: Claim,
): Promise<readonly Candidate[]> {
  const { now, limit, per_contact, contact_id } = wanted
  const due = (await session.rows(DUE, [now])) as unknown as readonly Candidate[]
  const own = turns(due.filter((row) => (contact_id ?? row.contact_id) === row.contact_id))
  if (own.length === 0) return []
  const asked = numbers(own.map((row) => row.contact_id))
  const rows = await session.rows(OF_OWN, [now, limit, per_contact, asked])
  return best(session, wanted, rows as unknown as readonly Candidate[])
}

const OF_OWN = rowsOf('unnest($4::bigint[]) AS due (contact_id)')
/** Tested again for the locked row: its contact may have been removed meanwhile. */
const PICK = `SELECT n.* FROM watchpost.notifications AS n
  WHERE n.id = ANY ($2::bigint[]) AND ${READY} AND ${ofNoneRemoved('n.account_id')}
  FOR UPDATE SKIP LOCKED`

async function pick(
  session: Session,
  wanted: Claim,
  contacts: readonly number[],
): Promise<readonly NotificationRecord[]> {
  const { now, limit, per_contact } = wanted
  const found = await session.rows(OF_OWN, [now, limit, per_contact, numbers(contacts)])
  const own = found.map((row) => Number(row['id']))
  if (own.some((id) => id > LAST_MS)) await setNamelessAside(session, now)
  const rows = own.length === 0 ? [] : await session.rows(PICK, [now, numbers(own)])
  // A damaged one is set aside.
  return best(session, wanted, rows as unknown as readonly NotificationRecord[])
}

const UNDER_WAY = `SELECT account_id, contact_id, count(*) AS under_way FROM watchpost.notifications
  WHERE status = 'sending' AND lease_until > $1 GROUP BY account_id, contact_id`

/** The candidates in claiming order, within the limits of their hosts, shared among accounts, at most `limit`. */
async function best<R extends Candidate>(
  session: Session,
  wanted: Claim,
  rows: readonly R[],
): Promise<readonly R[]> {
  const { now, contact_id, hosts } = wanted
  const busy = rows.length === 0 ? [] : await session.rows(UNDER_WAY, [now])
  const countBy = (column: 'account_id' | 'contact_id') =>
    busy.map((row) => [Number(row[column]), Number(row['under_way'])] as const)
  const free = rows
    .filter((row) => (contact_id ?? row.contact_id) === row.contact_id)
    .toSorted(byDueTime)
    .filter(hostsWithRoom(hosts, countBy('contact_id')))
  return sharedByAccount(free, countBy('account_id'), wanted)
}

function contactsOf(rows: readonly Candidate[]): number[] {
  return [...new Set(rows.map(({ contact_id }) => contact_id))]
}

const LOCKED = { contact_id: 'bigint', host: 'text' } as const satisfies Columns
const LOCK = `SELECT given.contact_id FROM ${given(LOCKED)}
  WHERE pg_try_advisory_xact_lock(hashtextextended('watchpost.contact', given.contact_id))
    AND (given.host IS NULL
      OR pg_try_advisory_xact_lock(hashtextextended('watchpost.host ' || given.host, 0)))`

/** The contacts whose lock no other engine holds. The locks last until the end of the transaction. */
async function lockContacts(
  session: Session,
  { hosts }: Claim,
  contacts: readonly number[],
): Promise<number[]> {
  const wanted = contacts.map((contact_id) => ({ contact_id, host: hosts?.of.get(contact_id) }))
  const rows = await session.rows(LOCK, arraysOf(LOCKED, wanted))
  return rows.map((row) => Number(row['contact_id']))
}

/** Both parts of the statement see the rows as they were before it. */
const TAKE = `WITH interrupted AS (
    INSERT INTO watchpost.attempts (notification_id, claim, at, duration_ms, error)
    SELECT id, claims, $3, 0, '${INTERRUPTED}' FROM watchpost.notifications
    WHERE id = ANY ($1::bigint[]) AND status = 'sending')
  UPDATE watchpost.notifications SET status = 'sending', lease_until = $2, claims = claims + 1,
    interruptions = interruptions + (status = 'sending')::integer,
    sent_at = CASE WHEN status = 'queued' AND attempts = 0 AND interruptions = 0 THEN $3
      ELSE COALESCE(sent_at, $3) END
  WHERE id = ANY ($1::bigint[]) RETURNING *`

async function take(
  session: Session,
  rows: readonly NotificationRecord[],
  { now, lease_until }: Claim,
): Promise<readonly NotificationRecord[]> {
  const taken = await session.rows(TAKE, [numbers(rows.map(({ id }) => id)), lease_until, now])
  return taken.map(toNotification)
}

const SET_ASIDE = `UPDATE watchpost.notifications SET status = 'failed', error = '${UNREADABLE}',
  lease_until = NULL, finished_at = $1 WHERE `

async function setAside(session: Session, rows: readonly NotificationRecord[], now: number) {
  await session.run(`${SET_ASIDE} id = ANY ($2::bigint[])`, [
    now,
    numbers(rows.map(({ id }) => id)),
  ])
}

/** Rows whose ids JavaScript has not exactly, so that they cannot be named. */
async function setNamelessAside(session: Session, now: number): Promise<void> {
  await session.run(`${SET_ASIDE} id > ${LAST_MS} AND ${ACTIVE}`, [now])
}

function byDueTime(a: Candidate, b: Candidate): number {
  return a.due_at - b.due_at || a.id - b.id
}
