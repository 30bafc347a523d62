/**
 * Emits the events of a committed change to the engine's listeners, and that a monitor is starved or checked again.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import { SOFT_EVENTS } from '../../model.ts'
import { payloadMonitorOf } from '../../webhook/payload.ts'
import { emit } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import type { Changed } from '../monitors/cached-monitor.ts'
import { announceAudit } from './audit.ts'
import { isSoft, softData } from '../rounds/soft-notices.ts'
import type { MonitorSchedule } from '../scheduling/monitor-schedule.ts'
import type { StarvationChange } from '../scheduling/staleness.ts'
import { incidentView, monitorSummary, resultView } from '../views/views.ts'

const MONITOR_EVENTS = [
  'round',
  'notice',
  'state',
  'down',
  'up',
  'acknowledged',
  ...SOFT_EVENTS,
] as const

export interface Announcer {
  /** Resolves when all events are emitted; this may read an incident from the store. */
  announce(this: void, changed: Changed): Promise<void>
  announceStarvation(this: void, change: StarvationChange): void
}

export interface AnnouncerOptions {
  readonly core: Core
  readonly schedule: Pick<MonitorSchedule, 'factsOf'>
}

export function createAnnouncer({ core, schedule }: AnnouncerOptions): Announcer {
  const isHeard = (event: (typeof MONITOR_EVENTS)[number]): boolean =>
    core.events.listenerCount(event) > 0

  return {
    async announce({ before, after, committed, change, fresh }) {
      const { audit } = change
      if (audit !== undefined) announceAudit(core, audit, before.record)
      // Views are only composed if an event has a listener.
      if (!MONITOR_EVENTS.some(isHeard)) return
      // The end of an incident is emitted for a removed monitor as well.
      const cached = after ?? before
      const monitor = monitorSummary(cached, schedule.factsOf(cached))
      const { account_id } = cached.record
      if (isHeard('round') && change.results !== undefined && change.results.length > 0) {
        const { id: monitor_id } = cached.record
        const results = change.results.map((result, index) =>
          resultView(
            { ...result, id: committed.result_ids[index] ?? 0, monitor_id },
            cached.type.checker,
          ),
        )
        emit(core, 'round', { account_id, monitor, results })
      }
      for (const { event, data } of fresh)
        if (isSoft(event)) emit(core, event, { account_id, monitor, ...softData(data) })
        else emit(core, 'notice', { account_id, monitor, event, data })
      const [from, to] = [before.record.machine.state, cached.record.machine.state]
      if (from !== to) emit(core, 'state', { account_id, monitor, from, to })
      const event = incidentEvent(change)
      if (event === undefined || committed.incident_id === null || !isHeard(event)) return
      const stored = await core.store.incidents.get(committed.incident_id)
      if (stored === undefined) return
      const incident = incidentView(stored, payloadMonitorOf(cached.record), core.clock.now())
      emit(core, event, { account_id, monitor, incident })
    },

    announceStarvation({ cached, starved: stale, since }) {
      // A monitor that is checked again stays stale while its rounds are inconclusive.
      const monitor = monitorSummary(cached, schedule.factsOf(cached))
      const { account_id } = cached.record
      emit(core, 'starved', { account_id, monitor, stale, since: iso(since) })
    },
  }
}

function incidentEvent({
  open_incident,
  update_incident,
}: Changed['change']): 'down' | 'up' | 'acknowledged' | undefined {
  if (open_incident !== undefined) return 'down'
  if (update_incident?.closed_reason !== undefined) return 'up'
  return update_incident?.acknowledged_at === undefined ? undefined : 'acknowledged'
}
