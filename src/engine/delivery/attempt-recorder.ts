/**
 * Records the result of an attempt. If it is final, emits `notification` and resolves the waiting callers. If the store
 * fails, recording is retried, since a notification that was sent must not be sent again.
 *
 * @module
 */

import type { JsonObject, NotificationRecord } from '../../model.ts'
import type { FinishedAttempt } from '../../store/store.ts'
import { createBatchBarrier } from './batch-barrier.ts'
import { emit, logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { notificationView } from '../views/views.ts'
import type { AttemptsUnderWay } from './attempts-under-way.ts'
import type { AwaitedEnds } from './awaited-ends.ts'
import type { AttemptOutcome } from './outcome.ts'

/** How long recording is retried, and how long while the engine stops. */
const RECORD_MS = 300_000
const RECORD_STOPPING_MS = 15_000
const RETRY_MS = 1_000
/** Results within this time are recorded together. */
const GATHER_MS = 5

export interface AttemptRecorderOptions {
  readonly core: Core
  readonly underWay: AttemptsUnderWay
  readonly awaited: AwaitedEnds
}

export interface AttemptRecorder {
  start(): void
  /** Records remaining results, with a shorter limit for a store that fails. */
  stop(): void
  /** Rejects if the store has failed for too long. */
  record(row: NotificationRecord, outcome: AttemptOutcome): Promise<void>
}

export function createAttemptRecorder({
  core,
  underWay,
  awaited,
}: AttemptRecorderOptions): AttemptRecorder {
  const { clock, store } = core
  // Attempts that wait for a slow response are not about to end.
  const barrier = createBatchBarrier(clock, GATHER_MS, () => underWay.busy)
  let running = false

  /** Whether the claim was still valid: it prevents overwriting what another process recorded. */
  async function finish(end: Omit<FinishedAttempt, 'claim'>): Promise<boolean> {
    const from = clock.monotonic()
    // At the same time, so that the store can batch them; each result is still recorded by itself.
    if (running) await barrier.join()
    for (;;) {
      try {
        return await store.notifications.finish(underWay.underClaim(end))
      } catch (error) {
        if (clock.monotonic() - from >= (running ? RECORD_MS : RECORD_STOPPING_MS)) throw error
        core.log.warn(
          { err: error, notification_id: end.id },
          'a delivery could not be recorded yet',
        )
        await clock.sleep(RETRY_MS)
      }
    }
  }

  async function announceFinal(row: NotificationRecord): Promise<void> {
    if (!awaited.has(row.id) && core.events.listenerCount('notification') === 0) return
    const record = (await store.notifications.get(row.id)) ?? row
    const attempts = await store.notifications.attempts([row.id])
    if (core.events.listenerCount('notification') > 0) {
      const { account_id } = record
      const metadata = await metadataOf(record)
      emit(core, 'notification', { ...notificationView(record, attempts), account_id, metadata })
    }
    awaited.resolve(record)
  }

  async function metadataOf({ monitor_id }: NotificationRecord): Promise<JsonObject> {
    const monitor = monitor_id === null ? undefined : await store.monitors.get(monitor_id)
    return monitor?.common.metadata ?? {}
  }

  return {
    start: () => void (running = true),
    stop: () => void (running = false),
    async record(row, outcome) {
      const { id } = row
      if (!(await finish({ id, ...outcome })))
        core.log.warn({ notification_id: id }, 'a notification was taken over by another process')
      else if (outcome.status !== 'queued')
        await announceFinal(row).catch((err: unknown) =>
          logError(core, err, 'the end of a notification is recorded and could not be announced'),
        )
    },
  }
}
