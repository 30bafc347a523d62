import type { Sync } from '../promised.ts'
import { accountAsked } from '../rules.ts'
import type { IncidentQuery, ResultQuery, FullStore } from '../store.ts'
import type { Connection } from './connection.ts'
import { readablePage } from '../readable.ts'
import { toChanges, toIncident, toResult } from '../rows.ts'
import { createScan } from './scan.ts'

export const RESULT_COLUMNS: string = `id, monitor_id, location_id, round, started_at, lag_ms, duration_ms, verdict,
  cause_code, cause_text, phase, phases, remote_ip, details`

export function results(db: Connection): Sync<FullStore['results'], 'list'> {
  const scan = createScan(db)
  return {
    list(query: ResultQuery, onUnreadable) {
      const { order = 'desc', limit, after_id: after } = query
      const rows = (after: number | undefined, limit: number) =>
        scan({
          table: 'results',
          columns: RESULT_COLUMNS,
          of: [
            ['monitor_id = ?', query.monitor_id],
            // The results of a removed monitor are pruned in steps; until then no query returns them.
            ['EXISTS (SELECT 1 FROM monitors WHERE id = ?)', query.monitor_id],
          ],
          filters: [
            ['location_id = ?', query.location_id],
            ['verdict = ?', query.verdict],
            ['started_at >= ?', query.from],
            ['started_at < ?', query.to],
          ],
          after,
          order,
          limit,
        })
      return readablePage({ order, limit, after, rows, read: toResult, onUnreadable })
    },
  }
}

export function incidents(db: Connection): Sync<FullStore['incidents'], 'list'> {
  const scan = createScan(db)
  return {
    get(id) {
      const row = db.get('SELECT * FROM incidents WHERE id = ?', [id])
      return row && toIncident(row)
    },
    list(query: IncidentQuery, onUnreadable) {
      const { limit, before_id: after } = query
      const order = 'desc'
      const rows = (after: number | undefined, limit: number) =>
        scan({
          table: 'incidents',
          columns: '*',
          of: [
            // The unary plus disables the account's index: it would read the rows of all other monitors as well.
            [
              query.monitor_id === undefined ? 'account_id = ?' : '+account_id = ?',
              accountAsked(query),
            ],
            ['monitor_id = ?', query.monitor_id],
            // They have an index of their own.
            ['ended_at IS NULL', query.open === true ? [] : undefined],
          ],
          filters: [
            ['cause_code = ?', query.cause_code],
            ['started_at >= ?', query.from],
            ['started_at < ?', query.to],
            ['ended_at IS NOT NULL', query.open === false ? [] : undefined],
          ],
          after,
          order,
          limit,
        })
      return readablePage({ order, limit, after, rows, read: toIncident, onUnreadable })
    },
  }
}

export function availability(db: Connection): Sync<FullStore['availability']> {
  const columns = 'id, monitor_id, at, availability'
  return {
    list(...[monitor_id, from, to, limit, onUnreadable]) {
      const before = db.all(
        `SELECT ${columns} FROM availability WHERE monitor_id = ? AND at < ?
         ORDER BY at DESC, id DESC LIMIT 1`,
        [monitor_id, from],
      )
      const within = db.all(
        `SELECT ${columns} FROM availability WHERE monitor_id = ? AND at >= ? AND at < ?
         ORDER BY at, id LIMIT ?`,
        // In SQLite a negative number means no limit.
        [monitor_id, from, to, limit ?? -1],
      )
      return toChanges([...before, ...within], onUnreadable)
    },
  }
}
