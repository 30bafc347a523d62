/**
 * Runs rounds: one tick of a monitor at all its locations, decided by their reports alone. At most one round of a
 * monitor is open; late reports have no effect. A round that could not be stored is retried, unless another round of
 * its monitor has started.
 *
 * @module
 */

import { yieldingQueueOf } from '../../clock.ts'
import type { Timer } from '../../clock.ts'
import { ClosedError, ConflictError, NotFoundError, StorageError } from '../../errors.ts'
import type { EpochMs, LocationRecord, Notice } from '../../model.ts'
import { REPORT_SLACK_MS } from '../../probes/transport.ts'
import type { CheckAnswer, CheckOrder, ProbeTransport } from '../../probes/transport.ts'
import { isOfOneChange } from '../commit/committer.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { checkOrder } from '../checks/check-order.ts'
import type { Baselines } from './baselines.ts'
import type { MachineInput } from './plan-change.ts'
import { compositeReport } from './composite.ts'
import type { CompositeContext } from './composite.ts'
import { planRound } from './plan-round.ts'
import type { RoundContext } from './plan-round.ts'
import type { Reported } from './round-records.ts'
import { effectiveSettings } from '../registry/registry.ts'
import type { CachedMonitor, Changed, Planned } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import type { ChangeBus } from '../monitors/change-bus.ts'
import { readAnswer } from './read-answer.ts'
import { roundEvent, missingReport } from './round-event.ts'
import { createRetryQueue } from './retry-queue.ts'
import { withWarnings } from './warnings.ts'

export interface OpenRound {
  readonly cached: CachedMonitor
  readonly tick: EpochMs
  readonly locations: readonly LocationRecord[]
  readonly reports: Map<number, Reported>
  readonly timer: Timer
  readonly ended: Promise<Changed | null>
  /** No caller waits for its end. */
  deferrable: boolean
  readonly end: (changed: Changed | null) => void
  readonly fail: (error: unknown) => void
}

/** Open rounds by monitor: started and not stored yet. */
export type OpenRounds = Map<number, OpenRound>

export interface Rounds {
  /**
   * Starts a round, or joins the open one. Resolves when it is stored; `null` if a change of the monitor overtook it.
   * `deferrable`: no caller waits for it.
   */
  run(
    cached: CachedMonitor,
    tick: EpochMs,
    options?: { readonly deferrable?: boolean },
  ): Promise<Changed | null>
  underWay(monitor_id: number): boolean
  answer(this: void, answer: CheckAnswer): void
  /** Drops the round of a monitor that was paused or changed. Returns whether there was one. */
  cancel(monitor_id: number, reason: 'paused' | 'changed'): boolean
  /** Drops a round that no caller waits for. */
  cancelScheduled(monitor_id: number): void
  /** Drops rounds that still wait for reports; resolves when complete ones are stored. */
  abandon(): Promise<void>
}

export interface RoundsOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly accountWindows: RoundContext['accountWindows']
  readonly probes: ProbeTransport
  /** The open rounds, shared with readers that count them. */
  readonly openRounds: OpenRounds
  readonly changeBus: ChangeBus
  readonly baselines: Baselines
  readonly isStale: CompositeContext['isStale']
  /** A location reported a check of the monitor. */
  readonly onCheck: (monitor_id: number) => void
  /** A round was stored, or could not be. */
  readonly onEnd: (monitor_id: number, stored: boolean) => void
}

export function createRounds(options: RoundsOptions): Rounds {
  const { core, monitorCache, probes, openRounds, changeBus, onCheck, onEnd } = options
  const { clock } = core
  const retryQueue = createRetryQueue(clock, conclude)
  /** A judgement reads up to a thousand members, and hundreds of composites may be due in one turn. */
  const nextComposite = yieldingQueueOf(clock)
  let stopped = false

  function begin(cached: CachedMonitor, tick: EpochMs, deferrable: boolean): OpenRound {
    const { record } = cached
    const { location_ids, interval_sec, timeout_ms } = effectiveSettings(cached.type, record.common)
    const locations = core.locations.filter(({ id }) => location_ids.includes(id))
    // A round that could not start within its interval gives way to the next.
    const expires_at = clock.now() + interval_sec * 1000
    const deferred = defer<Changed | null>()
    const round: OpenRound = {
      cached,
      tick,
      locations,
      reports: new Map(),
      timer: clock.timer(interval_sec * 1000 + timeout_ms + REPORT_SLACK_MS, () => conclude(round)),
      ended: deferred.promise,
      end: deferred.resolve,
      fail: deferred.reject,
      deferrable,
    }
    openRounds.set(record.id, round)
    retryQueue.forget(record.id)
    if (cached.type.checker.composite !== undefined) void compose(round)
    else for (const location of locations) dispatch(round, location, expires_at)
    if (locations.length === 0) conclude(round)
    return round
  }

  /** Decided from the states of its members, here. */
  async function compose(round: OpenRound): Promise<void> {
    await nextComposite()
    for (const { id: location_id } of round.locations) {
      const report = await compositeReport(options, round.cached).catch((err: unknown) => {
        logError(core, err, 'the members of a monitor could not be read')
        return missingReport(clock.now())
      })
      take(round, { location_id, report, lag_ms: 0 })
    }
  }

  function dispatch(round: OpenRound, location: LocationRecord, expires_at: EpochMs): void {
    const { record, locations } = round.cached
    const order = checkOrder(round.cached, {
      location,
      round: round.tick,
      expires_at,
      memo: locations.get(location.id)?.memo ?? null,
    })
    void handOver(order).catch((err: unknown) => {
      core.log.error(
        { err, monitor_id: record.id, location: location.name },
        'an order could not be sent',
      )
      take(round, { location_id: location.id, report: missingReport(clock.now()), lag_ms: 0 })
    })
  }

  /** A custom transport may throw synchronously. */
  async function handOver(order: CheckOrder): Promise<void> {
    await probes.send(order)
  }

  function take(round: OpenRound, reported: Reported): void {
    // The report of a location that got no order in this round is ignored.
    if (!round.locations.some(({ id }) => id === reported.location_id)) return
    if (openRounds.get(round.cached.record.id) !== round || round.reports.has(reported.location_id))
      return
    round.reports.set(reported.location_id, reported)
    if (reported.report.begun !== false) onCheck(round.cached.record.id)
    if (round.reports.size === round.locations.length) conclude(round)
  }

  function conclude(round: OpenRound): void {
    round.timer.cancel()
    const { deferrable } = round
    const { id, version } = round.cached.record
    const work = (cached: CachedMonitor): Promise<Planned | null> | null => {
      if (cached.record.version !== version || cached.record.machine.state === 'paused') return null
      if (isOvertaken(round, cached)) return null
      const input = machineInputOf(options, round)
      return planRound(options, cached, input, round.cached.record.machine.state)
    }
    monitorCache
      .change(id, work, { deferrable })
      .then((changed) => {
        close(round)
        onEnd(id, true)
        if (changed !== null) void changeBus.publish(changed)
        round.end(changed)
        retryQueue.release()
      })
      .catch((error: unknown) => {
        close(round)
        // The monitor was removed while its checks ran: nothing is lost.
        if (!(error instanceof NotFoundError)) {
          onEnd(id, false)
          logError(core, error, 'a round could not be stored')
        }
        round.fail(error)
        // A failure of the store does not lose the reports, unless another round has started.
        if (isPassing(error) && !stopped && !openRounds.has(id)) retryQueue.keep(id, round)
      })
  }

  function close(round: OpenRound): void {
    if (openRounds.get(round.cached.record.id) === round) openRounds.delete(round.cached.record.id)
  }

  function cancel(monitor_id: number, reason: 'paused' | 'changed'): boolean {
    retryQueue.forget(monitor_id)
    const round = openRounds.get(monitor_id)
    if (round === undefined) return false
    round.timer.cancel()
    openRounds.delete(monitor_id)
    probes.cancel(monitor_id)
    round.fail(
      reason === 'paused'
        ? new ConflictError('paused', 'The monitor was paused while the check ran')
        : new ConflictError('changed', 'The monitor was changed while the check ran; ask again'),
    )
    return true
  }

  return {
    run(cached, tick, { deferrable = false } = {}) {
      const known = openRounds.get(cached.record.id)
      const round = known ?? begin(cached, tick, deferrable)
      if (known !== undefined && !deferrable) {
        known.deferrable = false
        monitorCache.flush()
      }
      // Callers that only started it do not wait for it; a failure was logged already.
      round.ended.catch(() => undefined)
      return round.ended
    },
    underWay: (monitor_id) => openRounds.has(monitor_id),
    answer(given) {
      const answer = readAnswer(given, core.clock.now())
      if (answer === undefined) {
        logError(core, new TypeError('The transport gave no answer'), 'an answer cannot be read')
        return
      }
      const { order, report, lag_ms } = answer
      const round = openRounds.get(order.monitor_id)
      if (
        round === undefined ||
        round.tick !== order.round ||
        round.cached.record.version !== order.version
      )
        return
      take(round, { location_id: order.location_id, report, lag_ms })
    },
    cancel,
    cancelScheduled(monitor_id) {
      if (openRounds.get(monitor_id)?.deferrable !== false) cancel(monitor_id, 'changed')
    },
    async abandon() {
      stopped = true
      retryQueue.clear()
      for (const [id, round] of openRounds) {
        if (round.reports.size === round.locations.length) continue
        round.timer.cancel()
        openRounds.delete(id)
        round.fail(new ClosedError('The engine stops'))
      }
      monitorCache.flush()
      while (openRounds.size > 0)
        await Promise.allSettled([...openRounds.values()].map(({ ended }) => ended))
    },
  }
}

/** A failure of the store, or continuous concurrent changes; a damaged row fails again. */
function isPassing(error: unknown): boolean {
  if (isOfOneChange(error)) return false
  return error instanceof StorageError || (error instanceof ConflictError && error.code === 'busy')
}

/**
 * Whether a later round of the monitor is stored than the one that this round started from: by another process, whose
 * state is newer; or it is this round, and only the result of the commit was lost. Neither may be counted twice.
 */
function isOvertaken(round: OpenRound, { record }: CachedMonitor): boolean {
  const { last_round_at } = record.machine
  return last_round_at !== null && last_round_at !== round.cached.record.machine.last_round_at
}

/** The machine input from the reports. Locations that did not answer are recorded as silent. */
function machineInputOf(
  { core, baselines }: Pick<RoundsOptions, 'core' | 'baselines'>,
  { cached, tick, locations, reports }: OpenRound,
): MachineInput {
  const at = core.clock.now()
  const all = withWarnings(
    cached,
    locations.map(
      ({ id }): Reported =>
        reports.get(id) ?? { location_id: id, report: missingReport(at), lag_ms: 0 },
    ),
    { baselines, tick },
  )
  return {
    event: roundEvent(cached, all, tick),
    reports: all,
    notices: all.flatMap((reported) => noticesOf(cached, reported, locations.length > 1)),
  }
}

/** Those that the type lists: a probe elsewhere cannot say `down`. With the location of each, if there are several. */
function noticesOf(
  { type: { checker } }: CachedMonitor,
  { location_id, report }: Reported,
  several: boolean,
): readonly Notice[] {
  const { events = [] } = checker
  const notices = report.notices?.filter(({ event }) => events.includes(event)) ?? []
  if (!several) return notices
  return notices.map((notice) => ({
    ...notice,
    data: { ...notice.data, locations: [location_id] },
  }))
}

/** `Promise.withResolvers` requires Node 22. */
function defer<T>(): {
  promise: Promise<T>
  resolve: (value: T) => void
  reject: (error: unknown) => void
} {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
