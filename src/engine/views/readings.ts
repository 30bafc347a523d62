/**
 * The monitors in the engine's memory as plain numbers, for callers that read all of them every few seconds without a
 * query of the store.
 *
 * @module
 */

import { responseOf } from '../../checkers/response-time.ts'
import type { LocationRecord } from '../../model.ts'
import type { MonitorReading } from '../api/readings.ts'
import type { CachedMonitor } from '../monitors/monitor-cache.ts'

export function readingOf(
  { record, locations, type }: CachedMonitor,
  known: readonly LocationRecord[],
  stale: boolean,
): MonitorReading {
  const { machine, common } = record
  return {
    account_id: record.account_id,
    id: record.id,
    name: common.name,
    type: record.type,
    state: machine.state,
    flapping: machine.flapping === true,
    degraded: machine.degraded !== undefined,
    stale,
    incident_open: machine.incident !== null,
    incident_suppressed: machine.incident?.suppression !== undefined,
    locations: known.flatMap(({ id, name }) => {
      const last = common.location_ids.includes(id) ? locations.get(id)?.last : null
      if (last == null) return []
      const { verdict, duration_ms, started_at } = last
      const checked_at = Date.parse(started_at)
      const response_ms = responseOf(type.checker, last)
      return [{ location_id: id, name, verdict, checked_at, duration_ms, response_ms }]
    }),
  }
}
