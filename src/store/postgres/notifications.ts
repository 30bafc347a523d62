import type { NotificationRecord } from '../../model.ts'
import { accountAsked, isFinal, queuedRow, ATTEMPTED } from '../rules.ts'
import { createContactTurns } from '../contact-turns.ts'
import { readable, readablePage } from '../readable.ts'
import { toAttempt, toNotification } from '../rows.ts'
import { anyOf, where } from '../sql.ts'
import type { FinishedAttempt, NotificationQuery, FullStore } from '../store.ts'
import { ofNoneRemoved, requireAccount } from './account-removal.ts'
import { arraysOf, insertAll, numbers, texts } from './bulk.ts'
import type { Columns } from './bulk.ts'
import { claim } from './claim.ts'
import type { Database, Session } from './database.ts'

export function notifications(db: Database): FullStore['notifications'] {
  const turns = createContactTurns()
  return {
    create: (fields) =>
      db.transaction(async (session) => {
        await requireAccount(session, fields)
        return (await insert(session, fields)) as NotificationRecord
      }),
    async get(id) {
      const [row] = await db.rows('SELECT * FROM watchpost.notifications WHERE id = ?', [id])
      return row && toNotification(row)
    },
    list(query: NotificationQuery, onUnreadable) {
      const { limit, before_id: after } = query
      const rows = (before_id: number | undefined, limit: number) => {
        const { text, params } = where([
          ['account_id = ?', accountAsked(query)],
          ['monitor_id = ?', query.monitor_id],
          ['incident_id = ?', query.incident_id],
          ['contact_id = ?', query.contact_id],
          ['id < ?', before_id],
          anyOf('status', query.statuses),
        ])
        const sql = `SELECT * FROM watchpost.notifications${text} ORDER BY id DESC LIMIT ?`
        return db.search(sql, [...params, limit])
      }
      return readablePage({ order: 'desc', limit, after, rows, read: toNotification, onUnreadable })
    },
    async lastFinished(contact_ids, onUnreadable) {
      const sql = `SELECT last.* FROM unnest(?::bigint[]) AS asked (contact_id)
        CROSS JOIN LATERAL (SELECT * FROM watchpost.notifications
          WHERE contact_id = asked.contact_id AND status = ANY (?::text[])
          ORDER BY id DESC LIMIT 1) AS last`
      const asked = numbers([...new Set(contact_ids)])
      return readable(await db.rows(sql, [asked, texts(ATTEMPTED)]), toNotification, onUnreadable)
    },
    async attempts(ids, onUnreadable) {
      const sql = `SELECT * FROM watchpost.attempts WHERE notification_id = ANY (?::bigint[])
        ORDER BY notification_id, claim`
      return readable(await db.rows(sql, [numbers(ids)]), toAttempt, onUnreadable)
    },
    claim: (wanted) => claim(db, turns, wanted),
    finish: (end) => db.transaction((session) => finish(session, end)),
    async nextDue() {
      const [row] = await db.rows(
        `SELECT LEAST(
           (SELECT min(due_at) FROM watchpost.notifications WHERE status = 'queued' AND ${ofNoneRemoved()}),
           (SELECT min(lease_until) FROM watchpost.notifications WHERE status = 'sending' AND ${ofNoneRemoved()})) AS due`,
      )
      return (row?.['due'] ?? null) as number | null
    },
    async depth() {
      const [row] = await db.rows(
        `SELECT count(*) AS depth FROM watchpost.notifications
         WHERE status IN ('queued', 'sending') AND ${ofNoneRemoved()}`,
      )
      return Number(row?.['depth'])
    },
  }
}

/** A row to insert, without its id. */
export const NOTIFICATIONS = {
  account_id: 'bigint',
  monitor_id: 'bigint',
  incident_id: 'bigint',
  contact_id: 'bigint',
  event: 'text',
  status: 'text',
  due_at: 'bigint',
  attempts: 'bigint',
  claims: 'bigint',
  interruptions: 'bigint',
  lease_until: 'bigint',
  payload: 'text',
  sent_at: 'bigint',
  repeat: 'bigint',
  error: 'text',
  created_at: 'bigint',
  finished_at: 'bigint',
} as const satisfies Columns

export const INSERT_NOTIFICATIONS = `${insertAll('watchpost.notifications', NOTIFICATIONS)} RETURNING *`

async function insert(
  session: Session,
  fields: Parameters<typeof queuedRow>[0],
): Promise<NotificationRecord | undefined> {
  const values = arraysOf(NOTIFICATIONS, [queuedRow(fields)])
  const [row] = await session.rows(INSERT_NOTIFICATIONS, values)
  return row && toNotification(row)
}

const END = `UPDATE watchpost.notifications SET status = $3, due_at = COALESCE($4, due_at),
  attempts = $5, interruptions = $6, error = $7, lease_until = NULL, finished_at = $8
  WHERE id = $1 AND status = 'sending' AND claims = $2`
const FINISH = `${END} RETURNING *`
const FINISH_ATTEMPT = `WITH ended AS (${END} RETURNING *), noted AS (
    INSERT INTO watchpost.attempts
      (notification_id, claim, at, duration_ms, http_status, error, answer)
    SELECT id, $2, $9, $10, $11, $12, $13 FROM ended)
  SELECT * FROM ended`

async function finish(session: Session, end: FinishedAttempt): Promise<boolean> {
  // Locked before the row itself: a transaction that closes the incident locks it first and then cancels repeats.
  const { attempt } = end
  const next = end.then && (await holdOpenIncident(session, end.id)) ? end.then : undefined
  const ended = [
    end.id,
    end.claim,
    end.status,
    end.due_at,
    end.attempts,
    end.interruptions,
    end.error,
    isFinal(end.status) ? end.at : null,
  ]
  const [row] =
    attempt === undefined
      ? await session.rows(FINISH, ended)
      : await session.rows(FINISH_ATTEMPT, [
          ...ended,
          attempt.at,
          attempt.duration_ms,
          attempt.http_status,
          attempt.error,
          attempt.answer,
        ])
  if (row === undefined) return false
  if (next !== undefined) {
    await insert(session, { ...toNotification(row), ...next, created_at: end.at })
  }
  return true
}

/** Whether the row's incident is open and not acknowledged; locks it until the end of the transaction. */
async function holdOpenIncident(session: Session, id: number): Promise<boolean> {
  const rows = await session.rows(
    `SELECT i.id FROM watchpost.notifications AS n
     JOIN watchpost.incidents AS i ON i.id = n.incident_id
     WHERE n.id = $1 AND i.ended_at IS NULL AND i.acknowledged_at IS NULL FOR SHARE OF i`,
    [id],
  )
  return rows.length > 0
}
