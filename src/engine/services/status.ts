/**
 * The response of GET …/status.
 *
 * @module
 */

import { iso, isoOrNull } from '../../clock.ts'
import { maintenanceAt } from '../../incident/maintenance.ts'
import type { Maintenance } from '../../incident/maintenance.ts'
import { upcomingOf } from './occurrences.ts'
import { statusOf } from '../../incident/state.ts'
import { latest, locationStatuses, monitorSummary } from '../views/views.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import type { LocationStatus, StatusView } from '../api/views.ts'
import type { EpochMs, MachineState } from '../../model.ts'
import type { ServiceContext } from './service-context.ts'
import { uptimeBetween } from './uptime.ts'
import { DAY_MS } from '../../model/time.ts'

/** How much of what is planned is shown. */
const PLANNED_DAYS = 30
const MAX_PLANNED = 5

/** The current state of a monitor, for frequent polling. */
export async function statusView(
  { core, accountWindows, schedule, staleness }: ServiceContext,
  cached: CachedMonitor,
): Promise<StatusView> {
  const { record } = cached
  const { machine } = record
  const now = core.clock.now()
  const { cause_code, last_check_at, ...flags } = monitorSummary(cached, {
    next_due_at: null,
    checker: cached.type.checker,
    stale: staleness.isStale(cached),
  })
  const locations = locationStatuses(cached, core.locations)
  await accountWindows.ready(record.account_id)
  const planned_maintenance = await upcomingOf(core, {
    windows: [...accountWindows.covering(record)],
    own: { id: record.id, windows: record.common.maintenance },
    until: now + PLANNED_DAYS * DAY_MS,
    limit: MAX_PLANNED,
  })
  const seconds = await uptimeBetween(core, record.id, now - DAY_MS, now)
  return {
    state: machine.state,
    status: statusOf(machine.state),
    since: iso(machine.since),
    last_check_at,
    next_check_at: isoOrNull(schedule.nextDue(record.id)),
    stale: flags.stale,
    flapping: flags.flapping,
    degraded: flags.degraded,
    reduced_quorum: machine.reduced_quorum === true,
    degraded_locations: statusOf(machine.state) === 'up' ? failing(locations) : [],
    maintenance_changes_at: isoOrNull(
      earliest(maintenanceAt(record.common.maintenance, now, core), accountWindows.at(record, now)),
    ),
    planned_maintenance,
    cause_code,
    cause_text: cause_code === null ? null : (latest(cached)?.last?.cause_text ?? null),
    incident: openIncident(machine),
    locations,
    uptime_24h: seconds.uptime,
  }
}

function openIncident({ incident }: MachineState): StatusView['incident'] {
  return incident === null ? null : { id: incident.id, started_at: iso(incident.started_at) }
}

function earliest({ changes_at: a }: Maintenance, { changes_at: b }: Maintenance): EpochMs | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

function failing(locations: readonly LocationStatus[]): number[] {
  return locations.filter(({ status }) => status === 'down').map(({ location_id }) => location_id)
}
