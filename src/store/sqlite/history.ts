import type { Sync } from '../promised.ts'
import { accountAsked } from '../rules.ts'
import type { IncidentQuery, ResultQuery, FullStore } from '../store.ts'
import type { Connection } from './connection.ts'
import { toAvailability, toIncident, toResult } from '../rows.ts'
import { where } from '../sql.ts'

export const RESULT_COLUMNS: string = `id, monitor_id, location_id, round, started_at, lag_ms, duration_ms, verdict,
  cause_code, cause_text, phase, phases, remote_ip, details`

export function results(db: Connection): Sync<FullStore['results']> {
  return {
    list(query: ResultQuery) {
      const rising = query.order === 'asc'
      const { text, params } = where([
        ['monitor_id = ?', query.monitor_id],
        ['location_id = ?', query.location_id],
        ['verdict = ?', query.verdict],
        ['started_at >= ?', query.from],
        ['started_at < ?', query.to],
        [rising ? 'id > ?' : 'id < ?', query.after_id],
        // The results of a removed monitor are pruned in steps; until then no query returns them.
        ['EXISTS (SELECT 1 FROM monitors WHERE id = ?)', query.monitor_id],
      ])
      const sql = `SELECT ${RESULT_COLUMNS} FROM results${text} ORDER BY id ${rising ? 'ASC' : 'DESC'} LIMIT ?`
      return db.all(sql, [...params, query.limit]).map(toResult)
    },
  }
}

export function incidents(db: Connection): Sync<FullStore['incidents']> {
  return {
    get(id) {
      const row = db.get('SELECT * FROM incidents WHERE id = ?', [id])
      return row && toIncident(row)
    },
    list(query: IncidentQuery) {
      const { text, params } = where([
        ['account_id = ?', accountAsked(query)],
        ['monitor_id = ?', query.monitor_id],
        ['cause_code = ?', query.cause_code],
        ['started_at >= ?', query.from],
        ['started_at < ?', query.to],
        ['id < ?', query.before_id],
        [
          query.open === true ? 'ended_at IS NULL' : 'ended_at IS NOT NULL',
          query.open === undefined ? undefined : [],
        ],
      ])
      const sql = `SELECT * FROM incidents${text} ORDER BY id DESC LIMIT ?`
      return db.all(sql, [...params, query.limit]).map(toIncident)
    },
  }
}

export function availability(db: Connection): Sync<FullStore['availability']> {
  const columns = 'monitor_id, at, availability'
  return {
    list(monitor_id, from, to, limit) {
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
      return [...before, ...within].map(toAvailability)
    },
  }
}
