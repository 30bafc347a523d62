/**
 * The next `repeat` of an incident that is still open, planned with the end of the notification before it.
 *
 * @module
 */

import { unlessGone } from '../../errors.ts'
import { nextRepeat } from '../../incident/notices.ts'
import type { EpochMs, NotificationRecord } from '../../model.ts'
import { repeatPayload } from '../../webhook/payload.ts'
import type { Core } from '../core/core.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import { isFollowUp } from './outcome.ts'
import type { AttemptOutcome } from './outcome.ts'

/** What follows a row that is final: nothing, or a repeat. The store adds it only while the incident is open. */
export type Repetition = (
  row: NotificationRecord,
  at: EpochMs,
) => Promise<Pick<AttemptOutcome, 'then'>>

export function createRepetition(
  { log }: Pick<Core, 'log'>,
  monitorCache: Pick<MonitorCache, 'get'>,
): Repetition {
  return async (row, at) => {
    try {
      return await nextRepetition(monitorCache, row, at)
    } catch (err) {
      // A notification that was sent must not be sent again because its repeat could not be planned.
      log.error({ err, notification_id: row.id }, 'a repeat could not be planned')
      return {}
    }
  }
}

async function nextRepetition(
  monitorCache: Pick<MonitorCache, 'get'>,
  row: NotificationRecord,
  at: EpochMs,
): Promise<Pick<AttemptOutcome, 'then'>> {
  if (row.incident_id === null || row.monitor_id === null || isFollowUp(row)) return {}
  const cached = await monitorCache.get(row.monitor_id).catch(unlessGone)
  // A suppressed incident is notified when the suppression ends.
  const isSuppressed = cached?.record.machine.incident?.suppression !== undefined
  const next =
    cached === undefined || isSuppressed ? null : nextRepeat(cached.record.common, row.repeat, at)
  if (cached === undefined || next === null) return {}
  const max = cached.record.common.notify_repeat_max
  const payload = repeatPayload(row.payload, { n: next.repeat, max })
  return { then: { event: 'repeat', due_at: next.due_at, payload, repeat: next.repeat } }
}
