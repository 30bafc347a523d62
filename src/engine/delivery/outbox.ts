/**
 * Sends what the store holds for sending, and nothing else: claim, attempt, record. A killed process
 * loses nothing, since what it was about to send is a row; what it was sending is sent again.
 *
 * @module
 */

import { setMaxListeners } from 'node:events'
import type { Timer } from '../../clock.ts'
import { ConflictError } from '../../errors.ts'
import type { ContactRecord, EpochMs, NotificationRecord } from '../../model.ts'
import type { FinishedAttempt, ClockSet } from '../../store/store.ts'
import { freezePayload } from '../../webhook/payload.ts'
import { createAwaitedEnds } from './awaited-ends.ts'
import { createContactHosts } from './contact-hosts.ts'
import { logError, emit } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { createDelivery } from './delivery.ts'
import { createBatchBarrier } from '../commit/batch-barrier.ts'
import { notificationView } from '../views/views.ts'
import type { Changed, MonitorCache } from '../monitors/monitor-cache.ts'
import type { Tracing } from '../core/tracing.ts'

/** Longer than any attempt lasts; after it another process may take the row over. */
const LEASE_MS = 30_000
/** An attempt that begins later after its claim might outlive it, and be made a second time by another process. */
const BEGIN_MS = 15_000
/** How long a finished attempt is tried to be recorded, and how long where the engine stops. */
const RECORD_MS = 300_000
const RECORD_STOPPING_MS = 15_000
/**
 * An attempt that has waited for this long costs a socket and no work: it leaves its place to another, or
 * a few receivers that hang would keep everybody else waiting.
 */
const SLOW_AFTER_MS = 100
/** What ends within this time is recorded together, and followed by one claim. */
const GATHER_MS = 5
/** Most attempts under way, in times of `concurrency`, those that wait included. */
const CROWD = 20
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 30_000
const POLL_MS = 5_000
/** The same on a store of our own: nothing turns up there unless the store failed. */
const POLL_ALONE_MS = 60_000

export interface OutboxOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  /** Attempts at the same time, default 50. Those that have waited for 100 ms leave their place to others; 20 times as many at most are under way. */
  readonly concurrency?: number
  /** Attempts at the same time to one contact, default 5. */
  readonly perContact?: number
  /** Attempts of one account at the same time to one host, default 10. */
  readonly perHost?: number
}

export interface Outbox {
  start(): void
  /** Claims nothing more; waits for attempts under way up to `drain_ms`, then ends them. */
  stop(drain_ms: number): Promise<void>
  /** Looks for what is due where a committed change has queued notifications. */
  follow(this: void, changed: Changed): void
  /** A contact was made or changed. */
  contactChanged(contact: ContactRecord): void
  /** The wall clock was set: what waits, waits as long as before. */
  clockSet(set: ClockSet): void
  /** One delivery of `test`; resolves when it is final. @throws ConflictError `not_running` */
  test(contact: ContactRecord): Promise<NotificationRecord>
  /** A copy of a final notification, under an id of its own. @throws ConflictError `not_final` */
  resend(record: NotificationRecord): Promise<NotificationRecord>
}

export function createOutbox({
  core,
  monitorCache,
  concurrency = 50,
  perContact = 5,
  perHost = 10,
}: OutboxOptions): Outbox {
  const { clock, store } = core
  const hosts = createContactHosts(core)
  const attempt = createDelivery({ core, monitorCache, onContact: hosts.learn })
  const traced: Tracing['delivery'] = (row, work) =>
    core.tracing === undefined ? work() : core.tracing.delivery(row, work)
  const underWay = new Map<number, Promise<void>>()
  /** The last claim of each row under way. */
  const claims = new Map<number, number>()
  /** Those of them that only wait for an answer. */
  const waiting = new Set<number>()
  const awaited = createAwaitedEnds(core)
  // Those that wait for a slow answer are not about to end.
  const barrier = createBatchBarrier(clock, GATHER_MS, () => underWay.size - waiting.size)
  let stopping = new AbortController()
  let running = false
  let pumping = false
  let again = false
  let timer: Timer | undefined
  let soon: Timer | undefined
  let failures = 0

  async function pump(): Promise<void> {
    if (pumping) {
      again = true
      return
    }
    pumping = true
    for (again = true; again;) {
      again = false
      await claimAll().then(
        () => (failures = 0),
        (err: unknown) => {
          logError(core, err, 'the outbox could not be read')
          rest(Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** failures++))
        },
      )
    }
    pumping = false
  }

  async function claimAll(): Promise<void> {
    for (let limit = room(); running && limit > 0; limit = room()) {
      const now = clock.now()
      const latest = clock.monotonic() + BEGIN_MS
      const rows = await store.notifications.claim({
        now,
        lease_until: now + LEASE_MS,
        limit,
        per_contact: perContact,
        hosts: { of: hosts.byContact, limit: perHost },
      })
      for (const row of rows) begin(row, latest)
      if (rows.length > 0) clock.timer(SLOW_AFTER_MS, () => leavePlaces(rows), { background: true })
      if (rows.length < limit) return restUntilDue()
    }
  }

  function room(): number {
    const busy = underWay.size - waiting.size
    return Math.min(concurrency - busy, CROWD * concurrency - underWay.size)
  }

  /** All that were begun together at once, so that one claim serves the places they leave. */
  function leavePlaces(rows: readonly NotificationRecord[]): void {
    const wanted = room() <= 0
    for (const { id, claims: claim } of rows) if (claims.get(id) === claim) waiting.add(id)
    if (wanted) void pump()
  }

  /** Attempts that end at about the same time are followed by one claim, not by one each. */
  function pumpSoon(): void {
    soon ??= clock.timer(GATHER_MS, () => {
      soon = undefined
      void pump()
    })
  }

  function begin(row: NotificationRecord, latest: number): void {
    claims.set(row.id, row.claims)
    // Claimed from ourselves, since the clock was set beyond its lease: the attempt that runs is the one.
    if (underWay.has(row.id)) return
    const done = deliver(row, latest)
      .catch((err: unknown) =>
        logError(core, err, 'a notification could not be recorded; it will be sent again'),
      )
      .finally(() => {
        waiting.delete(row.id)
        underWay.delete(row.id)
        claims.delete(row.id)
        pumpSoon()
      })
    underWay.set(row.id, done)
  }

  async function restUntilDue(): Promise<void> {
    const due_at = await store.notifications.nextDue()
    // Rows that are due and were not claimed wait for others under way, whose end wakes the pump.
    const wait_ms = due_at === null ? Infinity : Math.max(RETRY_MIN_MS, due_at - clock.now())
    // What another engine queued and did not live to send is found by looking; and what was queued by a
    // commit of ours whose answer was lost.
    rest(Math.min(wait_ms, store.shared ? POLL_MS : POLL_ALONE_MS))
  }

  function rest(ms: number): void {
    timer?.cancel()
    timer = running ? clock.timer(ms, () => void pump()) : undefined
  }

  async function deliver(row: NotificationRecord, latest: number): Promise<void> {
    const { signal } = stopping
    const ending = await traced(row, () => attempt(row, { latest, signal }))
    const recorded = await recordEnd({ id: row.id, ...ending })
    if (!recorded) {
      core.log.warn({ notification_id: row.id }, 'a notification was taken over by another process')
      return
    }
    if (ending.status === 'queued') return
    if (!awaited.has(row.id) && core.events.listenerCount('notification') === 0) return
    const record = (await store.notifications.get(row.id)) ?? row
    emit(
      core,
      'notification',
      notificationView(record, await store.notifications.attempts([row.id])),
    )
    awaited.settle(record)
  }

  /** A store that fails is asked again: what was sent must not be sent twice for that. The claim keeps it from writing over another's. */
  async function recordEnd(end: Omit<FinishedAttempt, 'claim'>): Promise<boolean> {
    const from = clock.monotonic()
    // In the same moment, so that the store can write them together; each end is recorded by itself.
    if (running) await barrier.join()
    for (;;) {
      try {
        return await store.notifications.finish({ ...end, claim: claims.get(end.id) ?? 0 })
      } catch (error) {
        if (clock.monotonic() - from >= (running ? RECORD_MS : RECORD_STOPPING_MS)) throw error
        core.log.warn(
          { err: error, notification_id: end.id },
          'a delivery could not be recorded yet',
        )
        await clock.sleep(RETRY_MIN_MS)
      }
    }
  }

  return {
    start() {
      running = true
      stopping = new AbortController()
      // Every attempt under way listens to it; beyond ten Node takes that for a leak and warns the host.
      setMaxListeners(0, stopping.signal)
      hosts
        .load()
        .catch((err: unknown) => logError(core, err, 'the hosts of contacts are not all known'))
        .finally(() => void pump())
    },
    async stop(drain_ms) {
      running = false
      timer?.cancel()
      soon?.cancel()
      const late = clock.timer(drain_ms, () =>
        stopping.abort(new ConflictError('stopped', 'The engine stops')),
      )
      while (underWay.size > 0) await Promise.allSettled([...underWay.values()])
      late.cancel()
      awaited.stop()
    },
    follow({ committed }) {
      if (committed.notification_ids.length > 0) void pump()
    },
    contactChanged: (contact) => hosts.learn(contact),
    clockSet(set) {
      const moved = store.clockSet?.(set) ?? Promise.resolve()
      moved
        .catch((err: unknown) => logError(core, err, 'the outbox could not follow the clock'))
        .finally(() => void pump())
    },
    async test(contact) {
      if (!running)
        throw new ConflictError('not_running', 'The engine is not running; start it first')
      const payload = freezePayload({ event: 'test', monitor: null, incident: null })
      const row = await store.notifications.create({
        ...outside(contact.account_id, contact.id, clock.now()),
        event: 'test',
        payload,
        repeat: 0,
      })
      const final = awaited.of(row.id)
      void pump()
      return final
    },
    async resend(record) {
      if (record.status === 'queued' || record.status === 'sending') {
        throw new ConflictError('not_final', 'The notification is still being delivered')
      }
      const { event, payload, repeat, monitor_id, incident_id } = record
      const row = await store.notifications.create({
        ...outside(record.account_id, record.contact_id, clock.now()),
        ...{ event, payload, repeat, monitor_id, incident_id },
      })
      void pump()
      return row
    },
  }
}

function outside(account_id: number, contact_id: number, now: EpochMs) {
  return {
    account_id,
    contact_id,
    monitor_id: null,
    incident_id: null,
    due_at: now,
    created_at: now,
  }
}
