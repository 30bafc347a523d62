/**
 * The next `repeat` of an incident that is still open, planned with the end of the notification before it.
 *
 * @module
 */

import { isTransient, unlessGone } from '../../errors.ts'
import { nextRepeat } from '../../incident/notices.ts'
import type { EpochMs, NotificationRecord } from '../../model.ts'
import { repeatPayload } from '../../webhook/payload.ts'
import type { Core } from '../core/core.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import { isFollowUp } from './outcome.ts'
import type { AttemptOutcome } from './outcome.ts'

/** How long reading the monitor is tried: as long as recording the attempt. */
const READ_MS = 300_000
const RETRY_MS = 1_000

/**
 * What follows a row that is final: nothing, or a repeat. The store adds it only while the incident is open. While the
 * monitor cannot be read it is tried again, until the signal aborts.
 */
export type Repetition = (
  row: NotificationRecord,
  at: EpochMs,
  signal: AbortSignal,
) => Promise<Pick<AttemptOutcome, 'then'>>

export function createRepetition(
  { log, clock }: Pick<Core, 'log' | 'clock'>,
  monitorCache: Pick<MonitorCache, 'get'>,
): Repetition {
  return async (row, at, signal) => {
    const about = { notification_id: row.id }
    const from = clock.monotonic()
    for (;;) {
      try {
        return await nextRepetition(monitorCache, row, at)
      } catch (err) {
        // A notification that was sent must not be sent again because its repeat could not be planned.
        if (!isTransient(err) || signal.aborted || clock.monotonic() - from >= READ_MS) {
          log.error({ err, ...about }, 'a repeat could not be planned')
          return {}
        }
        log.warn({ err, ...about }, 'a repeat could not be planned yet')
        await clock.sleep(RETRY_MS, signal).catch(() => undefined)
      }
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
