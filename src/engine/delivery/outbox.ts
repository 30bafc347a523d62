/**
 * Sends the stored notifications: claim, attempt, record. A killed process loses nothing, since every notification is
 * a row; an attempt that was running is repeated.
 *
 * @module
 */

import { setMaxListeners } from 'node:events'
import { ConflictError } from '../../errors.ts'
import type { ContactRecord, EpochMs, NotificationRecord } from '../../model.ts'
import type { ClockSet } from '../../store/store.ts'
import { freezePayload } from '../../webhook/payload.ts'
import { logError } from '../core/core.ts'
import type { Core, Tracing } from '../core/core.ts'
import { createIdleConnections } from '../../net/connection/idle-connections.ts'
import type { Changed } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import { createAttemptsUnderWay } from './attempts-under-way.ts'
import { createAwaitedEnds } from './awaited-ends.ts'
import { createClaiming } from './claiming.ts'
import type { DeliveryLimits } from './claiming.ts'
import { createContactHosts } from './contact-hosts.ts'
import { createAttempt } from './attempt.ts'
import { createAttemptRecorder } from './attempt-recorder.ts'

export interface OutboxOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly limits: DeliveryLimits
}

export interface Outbox {
  start(): void
  /** Stops claiming; waits for running attempts up to `drain_ms`, then aborts them. */
  stop(drain_ms: number): Promise<void>
  /** Claims after a committed change has queued notifications. */
  follow(this: void, changed: Changed): void
  /** A contact was created or changed. */
  contactChanged(contact: ContactRecord): void
  contactRemoved(id: number): void
  accountRemoved(account_id: number): void
  /** The wall clock was set: waiting rows keep their delays. */
  clockSet(set: ClockSet): void
  /** Sends one `test`; resolves when it is final. @throws ConflictError `not_running` */
  test(contact: ContactRecord): Promise<NotificationRecord>
  /** Queues a copy of a final notification with a new id. @throws ConflictError `not_final` */
  resend(record: NotificationRecord): Promise<NotificationRecord>
}

export function createOutbox({ core, monitorCache, limits }: OutboxOptions): Outbox {
  const { clock, store } = core
  const hosts = createContactHosts(core)
  const idle = createIdleConnections(clock, {
    perDestination: limits.deliveriesPerHost,
    total: limits.deliveries,
  })
  const attemptRows = createAttempt({ core, monitorCache, idle, onContact: hosts.update })
  const traced: Tracing['delivery'] = (row, work) =>
    core.tracing === undefined ? work() : core.tracing.delivery(row, work)
  const underWay = createAttemptsUnderWay()
  const awaited = createAwaitedEnds(core)
  const recorder = createAttemptRecorder({ core, underWay, awaited })
  const claiming = createClaiming({ core, limits, hosts, underWay, attempt })
  let stopping = new AbortController()
  let running = false

  /** Attempts claimed rows as one, and records the outcome of each. */
  async function attempt(rows: readonly NotificationRecord[], latest_start: number): Promise<void> {
    const { signal } = stopping
    const outcomeOf = attemptRows(rows, { latest_start, signal })
    const recorded = await Promise.allSettled(
      rows.map(async (row) => recorder.record(row, await traced(row, () => outcomeOf(row)))),
    )
    const failed = recorded.find((each) => each.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  return {
    start() {
      running = true
      recorder.start()
      claiming.start()
      stopping = new AbortController()
      // Every running attempt listens to it; Node warns of a leak beyond ten listeners.
      setMaxListeners(0, stopping.signal)
      hosts
        .load()
        .catch((err: unknown) => logError(core, err, 'the hosts of contacts are not all known'))
        .finally(claiming.wake)
    },
    async stop(drain_ms) {
      running = false
      claiming.stop()
      recorder.stop()
      const late = clock.timer(drain_ms, () =>
        stopping.abort(new ConflictError('stopped', 'The engine stops')),
      )
      await underWay.ended()
      idle.close()
      late.cancel()
      awaited.stop()
    },
    follow({ committed }) {
      if (committed.notification_ids.length > 0) claiming.wake()
    },
    contactChanged(contact) {
      hosts.update(contact)
      // The end of its quiet hours may have made rows due.
      if (contact.version > 1) claiming.wake()
    },
    contactRemoved: hosts.remove,
    accountRemoved: hosts.removeAccount,
    clockSet(set) {
      const moved = store.clockSet?.(set) ?? Promise.resolve()
      moved
        .catch((err: unknown) => logError(core, err, 'the outbox could not follow the clock'))
        .finally(claiming.wake)
    },
    async test(contact) {
      if (!running)
        throw new ConflictError('not_running', 'The engine is not running; start it first')
      const payload = freezePayload({ event: 'test', monitor: null, incident: null })
      const row = await store.notifications.create({
        ...newRow(contact.account_id, contact.id, clock.now()),
        event: 'test',
        payload,
        repeat: 0,
      })
      const final = awaited.of(row.id)
      claiming.wake()
      return final
    },
    async resend(record) {
      if (record.status === 'queued' || record.status === 'sending') {
        throw new ConflictError('not_final', 'The notification is still being delivered')
      }
      const { event, payload, repeat, monitor_id, incident_id } = record
      const row = await store.notifications.create({
        ...newRow(record.account_id, record.contact_id, clock.now()),
        event,
        payload,
        repeat,
        monitor_id,
        incident_id,
      })
      claiming.wake()
      return row
    },
  }
}

/** A row that is due now, of no monitor and no incident. */
function newRow(account_id: number, contact_id: number, now: EpochMs) {
  return {
    account_id,
    contact_id,
    monitor_id: null,
    incident_id: null,
    due_at: now,
    created_at: now,
  }
}
