import { readable, readablePage } from '../readable.ts'
import { toChanges, toDaily, toHourly, toIncident, toResult } from '../rows.ts'
import { accountAsked } from '../rules.ts'
import { where } from '../sql.ts'
import type { IncidentQuery, ResultQuery, FullStore } from '../store.ts'
import type { Database } from './database.ts'

const RESULT_COLUMNS = `id, monitor_id, location_id, round, started_at, lag_ms, duration_ms, verdict,
  cause_code, cause_text, phase, phases, remote_ip, details`

export function results(db: Database): FullStore['results'] {
  return {
    list(query: ResultQuery, onUnreadable) {
      const { order = 'desc', limit, after_id: after } = query
      const rising = order === 'asc'
      // Prepared: planning over a month of partitions takes longer than reading.
      const rows = (after: number | undefined, limit: number) => {
        const { text, params } = where([
          ['monitor_id = ?', query.monitor_id],
          ['location_id = ?', query.location_id],
          ['verdict = ?', query.verdict],
          ['started_at >= ?', query.from],
          ['started_at < ?', query.to],
          [rising ? 'id > ?' : 'id < ?', after],
          // The results of a removed monitor are pruned in steps; until then no query returns them.
          ['EXISTS (SELECT 1 FROM watchpost.monitors WHERE id = ?)', query.monitor_id],
        ])
        const sql = `SELECT ${RESULT_COLUMNS} FROM watchpost.results${text}
        ORDER BY id ${rising ? 'ASC' : 'DESC'} LIMIT ?`
        return db.rows(sql, [...params, limit])
      }
      return readablePage({ order, limit, after, rows, read: toResult, onUnreadable })
    },
  }
}

export function incidents(db: Database): FullStore['incidents'] {
  return {
    async get(id) {
      const [row] = await db.rows('SELECT * FROM watchpost.incidents WHERE id = ?', [id])
      return row && toIncident(row)
    },
    list(query: IncidentQuery, onUnreadable) {
      const { limit, before_id: after } = query
      const order = 'desc'
      const rows = (after: number | undefined, limit: number) => {
        const { text, params } = where([
          ['account_id = ?', accountAsked(query)],
          ['monitor_id = ?', query.monitor_id],
          ['cause_code = ?', query.cause_code],
          ['started_at >= ?', query.from],
          ['started_at < ?', query.to],
          ['id < ?', after],
          [
            query.open === true ? 'ended_at IS NULL' : 'ended_at IS NOT NULL',
            query.open === undefined ? undefined : [],
          ],
        ])
        const sql = `SELECT * FROM watchpost.incidents${text} ORDER BY id DESC LIMIT ?`
        return db.search(sql, [...params, limit])
      }
      return readablePage({ order, limit, after, rows, read: toIncident, onUnreadable })
    },
  }
}

/** One statement, so that no change is lost between two reads. */
const AVAILABILITY = `
  (SELECT monitor_id, at, availability, id FROM watchpost.availability
   WHERE monitor_id = $1 AND at < $2 ORDER BY at DESC, id DESC LIMIT 1)
  UNION ALL
  (SELECT monitor_id, at, availability, id FROM watchpost.availability
   WHERE monitor_id = $1 AND at >= $2 AND at < $3 ORDER BY at, id LIMIT $4)
  ORDER BY at, id`

export function availability(db: Database): FullStore['availability'] {
  return {
    async list(...[monitor_id, from, to, limit, onUnreadable]) {
      const rows = await db.rows(AVAILABILITY, [monitor_id, from, to, limit ?? null])
      return toChanges(rows, onUnreadable)
    },
  }
}

export function daily(db: Database): FullStore['daily'] {
  return {
    async list(monitor_id, from_day, to_day, onUnreadable) {
      const sql = `SELECT * FROM watchpost.daily WHERE monitor_id = ? AND day >= ? AND day <= ? ORDER BY day`
      return readable(await db.rows(sql, [monitor_id, from_day, to_day]), toDaily, onUnreadable)
    },
  }
}

export function hourly(db: Database): FullStore['hourly'] {
  return {
    async list(monitor_id, from, to, onUnreadable) {
      const sql = `SELECT * FROM watchpost.hourly WHERE monitor_id = ? AND hour >= ? AND hour < ?
        ORDER BY hour, location_id`
      return readable(await db.rows(sql, [monitor_id, from, to]), toHourly, onUnreadable)
    },
  }
}
