import { toAvailability, toDaily, toHourly, toIncident, toResults } from '../rows.ts'
import { accountAsked } from '../rules.ts'
import { where } from '../sql.ts'
import type { IncidentQuery, ResultQuery, FullStore } from '../store.ts'
import type { Database } from './database.ts'

const RESULT_COLUMNS = `id, monitor_id, location_id, round, started_at, lag_ms, duration_ms, verdict,
  cause_code, cause_text, phase, phases, remote_ip, details`

export function results(db: Database): FullStore['results'] {
  return {
    async list(query: ResultQuery) {
      const rising = query.order === 'asc'
      const { text, params } = where([
        ['monitor_id = ?', query.monitor_id],
        ['location_id = ?', query.location_id],
        ['verdict = ?', query.verdict],
        ['started_at >= ?', query.from],
        ['started_at < ?', query.to],
        [rising ? 'id > ?' : 'id < ?', query.after_id],
        // The results of a removed monitor are pruned in steps; until then no query returns them.
        ['EXISTS (SELECT 1 FROM watchpost.monitors WHERE id = ?)', query.monitor_id],
      ])
      const sql = `SELECT ${RESULT_COLUMNS} FROM watchpost.results${text}
        ORDER BY id ${rising ? 'ASC' : 'DESC'} LIMIT ?`
      // Prepared: planning over a month of partitions takes longer than reading.
      return toResults(await db.rows(sql, [...params, query.limit]))
    },
  }
}

export function incidents(db: Database): FullStore['incidents'] {
  return {
    async get(id) {
      const [row] = await db.rows('SELECT * FROM watchpost.incidents WHERE id = ?', [id])
      return row && toIncident(row)
    },
    async list(query: IncidentQuery) {
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
      const sql = `SELECT * FROM watchpost.incidents${text} ORDER BY id DESC LIMIT ?`
      return (await db.search(sql, [...params, query.limit])).map(toIncident)
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
    async list(monitor_id, from, to, limit) {
      const rows = await db.rows(AVAILABILITY, [monitor_id, from, to, limit ?? null])
      return rows.map(({ id: _id, ...row }) => toAvailability(row))
    },
  }
}

export function daily(db: Database): FullStore['daily'] {
  return {
    async list(monitor_id, from_day, to_day) {
      const sql = `SELECT * FROM watchpost.daily WHERE monitor_id = ? AND day >= ? AND day <= ? ORDER BY day`
      return (await db.rows(sql, [monitor_id, from_day, to_day])).map(toDaily)
    },
  }
}

export function hourly(db: Database): FullStore['hourly'] {
  return {
    async list(monitor_id, from, to) {
      const sql = `SELECT * FROM watchpost.hourly WHERE monitor_id = ? AND hour >= ? AND hour < ?
        ORDER BY hour, location_id`
      return (await db.rows(sql, [monitor_id, from, to])).map(toHourly)
    },
  }
}
