import type { Requests } from '../store.ts'
import type { Database } from './database.ts'

/** The times of the requests admitted within the window; one row per key, and its lock makes the count exact. */
const ADMIT = `INSERT INTO watchpost.request_windows AS w (key_id, times, admitted, until)
  VALUES ($1, CASE WHEN $4 > 0 THEN ARRAY[$2::bigint] ELSE '{}' END, $4 > 0, $2 + $3)
  ON CONFLICT (key_id) DO UPDATE SET (times, admitted, until) = (
    SELECT CASE WHEN count(at) < $4 THEN COALESCE(array_agg(at ORDER BY at), '{}') || $2::bigint
                ELSE COALESCE(array_agg(at ORDER BY at), '{}') END,
           count(at) < $4, GREATEST(w.until, $2 + $3)
    FROM unnest(w.times) AS at WHERE at > $2 - $3)
  RETURNING array_to_string(times, ',') AS times, admitted::integer AS admitted`

export function requests(db: Database): Requests {
  return {
    async admit({ key_id, now, window_ms, limit }) {
      const [row] = await db.rows(ADMIT, [key_id, now, window_ms, limit])
      const text = String(row?.['times'] ?? '')
      const times =
        text === ''
          ? []
          : text
              .split(',')
              .map(Number)
              .toSorted((a, b) => a - b)
      const remaining = Math.max(0, limit - times.length)
      // The next request is admitted when enough requests have left the window.
      const first = times[times.length - limit] ?? now
      return {
        admitted: row?.['admitted'] === 1,
        remaining,
        retry_at: remaining > 0 ? null : first + window_ms,
      }
    },
  }
}
