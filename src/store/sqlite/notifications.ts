import type { NotificationRecord } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { accountAsked, queuedRow, ATTEMPTED } from '../rules.ts'
import type { ClockSet, NotificationQuery, FullStore } from '../store.ts'
import { ofNoneRemoved, requireAccount } from './account-removal.ts'
import { createClaim } from './claim.ts'
import type { Connection } from './connection.ts'
import { readable, readablePage } from '../readable.ts'
import { toAttempt, toNotification } from '../rows.ts'
import { anyOf, idChunks, insertInto, marks, where } from '../sql.ts'

/** All functions but `finish`, which is batched (`createAttemptBatch`). */
export function notifications(
  db: Connection,
): Omit<Sync<FullStore['notifications'], 'list'>, 'finish'> {
  const claim = createClaim(db)
  const get = (id: number): NotificationRecord | undefined => {
    const row = db.get('SELECT * FROM notifications WHERE id = ?', [id])
    return row && toNotification(row)
  }
  return {
    create: (fields) =>
      db.transaction(() => {
        requireAccount(db, fields)
        return get(insertNotification(db, fields)) as NotificationRecord
      }),
    get,
    list(query: NotificationQuery, onUnreadable) {
      const { limit, before_id: after } = query
      // The unary plus disables the account's index: it would read the rows of all other contacts as well.
      const account = query.contact_id === undefined ? 'account_id = ?' : '+account_id = ?'
      const rows = (before_id: number | undefined, limit: number) => {
        const { text, params } = where([
          [account, accountAsked(query)],
          ['monitor_id = ?', query.monitor_id],
          ['incident_id = ?', query.incident_id],
          ['contact_id = ?', query.contact_id],
          ['id < ?', before_id],
          anyOf('status', query.statuses),
        ])
        const sql = `SELECT * FROM notifications${text} ORDER BY id DESC LIMIT ?`
        return db.all(sql, [...params, limit])
      }
      return readablePage({ order: 'desc', limit, after, rows, read: toNotification, onUnreadable })
    },
    lastFinished(contact_ids, onUnreadable) {
      const sql = `SELECT * FROM notifications WHERE contact_id = ? AND status IN (${marks(ATTEMPTED.length)})
        ORDER BY id DESC LIMIT 1`
      const rows = [...new Set(contact_ids)].flatMap((id) => db.all(sql, [id, ...ATTEMPTED]))
      return readable(rows, toNotification, onUnreadable)
    },
    attempts(ids, onUnreadable) {
      const rows = idChunks(ids).flatMap((chunk) =>
        db.all(
          `SELECT * FROM attempts WHERE notification_id IN (${marks(chunk.length)})
           ORDER BY notification_id, claim`,
          chunk,
        ),
      )
      return readable(rows, toAttempt, onUnreadable)
    },
    claim: (wanted) => db.transaction(() => claim(wanted)),
    nextDue() {
      const rest = ofNoneRemoved(db)
      const row = db.get(
        `SELECT MIN(due) AS due FROM (
           SELECT MIN(due_at) AS due FROM notifications WHERE status = 'queued'${rest}
           UNION ALL
           SELECT MIN(lease_until) FROM notifications WHERE status = 'sending'${rest})`,
      )
      return (row?.['due'] ?? null) as number | null
    },
    depth() {
      const rest = ofNoneRemoved(db)
      // Each count uses the partial index of the rows that are not final; the log is not read.
      const count = (status: string) =>
        `(SELECT COUNT(*) FROM notifications WHERE status = '${status}'${rest})`
      const row = db.get(`SELECT ${count('queued')} + ${count('sending')} AS depth`)
      return Number(row?.['depth'])
    },
  }
}

type NewRow = Omit<NotificationRecord, 'id'>

const COLUMNS = [
  'account_id',
  'monitor_id',
  'incident_id',
  'contact_id',
  'event',
  'status',
  'due_at',
  'attempts',
  'claims',
  'interruptions',
  'lease_until',
  'payload',
  'sent_at',
  'repeat',
  'error',
  'created_at',
  'finished_at',
] as const satisfies readonly (keyof NewRow)[]

const INSERT = insertInto('notifications', COLUMNS)

/** Queues a row; returns its id. */
export function insertNotification(
  db: Connection,
  fields: Parameters<typeof queuedRow>[0],
): number {
  const row = queuedRow(fields)
  return db.insert(
    INSERT,
    COLUMNS.map((column) => row[column]),
  )
}

/** After the wall clock was set: moves due times and leases by the same amount, so that delays keep their length. */
export function moveWaiting(db: Connection, { by_ms, after, before }: ClockSet): void {
  // SQLite has no parameter for Infinity.
  const params = [by_ms, after + by_ms, by_ms, after, Math.min(before, Number.MAX_SAFE_INTEGER)]
  const created_at = 'created_at = CASE WHEN created_at > ? THEN created_at + ? ELSE created_at END'
  db.transaction(() => {
    db.run(
      `UPDATE notifications SET due_at = due_at + ?, ${created_at}
       WHERE status = 'queued' AND due_at > ? AND due_at < ?`,
      params,
    )
    db.run(
      `UPDATE notifications SET lease_until = lease_until + ?, ${created_at}
       WHERE status = 'sending' AND lease_until > ? AND lease_until < ?`,
      params,
    )
  })
}
