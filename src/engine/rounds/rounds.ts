/**
 * A round asks all locations of a monitor at one tick and is decided by their answers alone. At most one
 * round of a monitor is under way; what comes too late changes nothing. A round that could not be stored
 * is stored later, as long as no other one of its monitor has begun.
 *
 * @module
 */

import type { Timer } from '../../clock.ts'
import { ClosedError, ConflictError, StorageError } from '../../errors.ts'
import type { EpochMs, LocationRecord, Notice } from '../../model.ts'
import type { CheckAnswer, CheckOrder, ProbeTransport } from '../../probes/transport.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { hostOf } from '../../net/host-of.ts'
import { planChange } from './plan-change.ts'
import type { MachineInput } from './plan-change.ts'
import type { Reported } from './recording.ts'
import { effective } from '../registry/registry.ts'
import type { Planned } from '../monitors/cached-monitor.ts'
import type { CommittedChanges } from '../monitors/committed.ts'
import type { Changed, CachedMonitor, MonitorCache } from '../monitors/monitor-cache.ts'
import { isAnswer } from './read-answer.ts'
import { roundEvent, silence } from './round-event.ts'
import { createRetryQueue } from './retry-queue.ts'

/** For the way of an answer back to the engine. */
const SLACK_MS = 5_000

export interface OpenRound {
  readonly cached: CachedMonitor
  readonly tick: EpochMs
  readonly locations: readonly LocationRecord[]
  readonly reports: Map<number, Reported>
  readonly timer: Timer
  readonly ended: Promise<Changed | null>
  /** Nobody waits for its end. */
  deferrable: boolean
  readonly end: (changed: Changed | null) => void
  readonly fail: (error: unknown) => void
}

/** Rounds under way, by monitor: begun and not stored yet. */
export type OpenRounds = Map<number, OpenRound>

export interface Rounds {
  /**
   * Begins a round, or joins the one under way. Resolves when it is in the store; `null` when it was overtaken by
   * a change of the monitor. `patient`: nobody waits for it.
   */
  run(
    cached: CachedMonitor,
    tick: EpochMs,
    options?: { readonly deferrable?: boolean },
  ): Promise<Changed | null>
  underWay(monitor_id: number): boolean
  answer(this: void, answer: CheckAnswer): void
  /** Drops the round of a monitor that is no longer to be checked, or not as it was. Tells whether there was one. */
  cancel(monitor_id: number, reason: 'paused' | 'changed'): boolean
  /** Gives up rounds that still wait for answers; resolves when those that have them all are stored. */
  abandon(): Promise<void>
}

export interface RoundsOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly probes: ProbeTransport
  /** Where the rounds under way are kept; whoever counts them reads along. */
  readonly open: OpenRounds
  readonly committed: CommittedChanges
  /** A check has been made of a monitor. */
  readonly onCheck: (monitor_id: number) => void
}

export function createRounds(options: RoundsOptions): Rounds {
  const { core, monitorCache, probes, open, committed, onCheck } = options
  const { clock } = core
  const retryQueue = createRetryQueue(clock, conclude)
  let stopped = false

  function begin(cached: CachedMonitor, tick: EpochMs, deferrable: boolean): OpenRound {
    const { record } = cached
    const { location_ids, interval_sec, timeout_ms } = effective(cached.type, record.common)
    const locations = core.locations.filter(({ id }) => location_ids.includes(id))
    // A round that could not begin within its interval makes room for the next.
    const expires_at = clock.now() + interval_sec * 1000
    const deferred = defer<Changed | null>()
    const round: OpenRound = {
      cached,
      tick,
      locations,
      reports: new Map(),
      timer: clock.timer(interval_sec * 1000 + timeout_ms + SLACK_MS, () => conclude(round)),
      ended: deferred.promise,
      end: deferred.resolve,
      fail: deferred.reject,
      deferrable,
    }
    open.set(record.id, round)
    retryQueue.forget(record.id)
    for (const location of locations) dispatch(round, location, expires_at)
    if (locations.length === 0) conclude(round)
    return round
  }

  function dispatch(round: OpenRound, location: LocationRecord, expires_at: EpochMs): void {
    const { record, settings, locations } = round.cached
    const order: CheckOrder = {
      id: `${record.id}-${record.version}-${round.tick}-${location.id}`,
      account_id: record.account_id,
      monitor_id: record.id,
      version: record.version,
      type: record.type,
      settings,
      timeout_ms: record.common.timeout_ms,
      interval_sec: record.common.interval_sec,
      location,
      round: round.tick,
      expires_at,
      memo: locations.get(location.id)?.memo ?? null,
      host: hostOf(record.target),
    }
    void handOver(order).catch((err: unknown) => {
      core.log.error(
        { err, monitor_id: record.id, location: location.name },
        'an order could not be sent',
      )
      take(round, { location_id: location.id, report: silence(clock.now()), lag_ms: 0 })
    })
  }

  /** A transport of somebody's own may throw at once. */
  async function handOver(order: CheckOrder): Promise<void> {
    await probes.send(order)
  }

  function take(round: OpenRound, reported: Reported): void {
    if (open.get(round.cached.record.id) !== round || round.reports.has(reported.location_id))
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
      return planChange({ core, monitorCache }, cached, machineInputOf(core, round))
    }
    monitorCache
      .change(id, work, { deferrable })
      .then((changed) => {
        close(round)
        if (changed !== null) void committed.publish(changed)
        round.end(changed)
        retryQueue.release()
      })
      .catch((error: unknown) => {
        close(round)
        logError(core, error, 'a round could not be stored')
        round.fail(error)
        // What was seen is not lost for the store's trouble, unless somebody has begun to look again.
        if (isPassing(error) && !stopped && !open.has(id)) retryQueue.keep(id, round)
      })
  }

  function close(round: OpenRound): void {
    if (open.get(round.cached.record.id) === round) open.delete(round.cached.record.id)
  }

  return {
    run(cached, tick, { deferrable = false } = {}) {
      const known = open.get(cached.record.id)
      const round = known ?? begin(cached, tick, deferrable)
      if (known !== undefined && !deferrable) {
        known.deferrable = false
        monitorCache.flush()
      }
      // Who only set it off does not wait for it; a failure was logged already.
      round.ended.catch(() => undefined)
      return round.ended
    },
    underWay: (monitor_id) => open.has(monitor_id),
    answer(answer) {
      if (!isAnswer(answer)) {
        logError(core, new TypeError('The transport gave no answer'), 'an answer cannot be read')
        return
      }
      const { order, report, lag_ms } = answer
      const round = open.get(order.monitor_id)
      if (
        round === undefined ||
        round.tick !== order.round ||
        round.cached.record.version !== order.version
      )
        return
      take(round, { location_id: order.location_id, report, lag_ms })
    },
    cancel(monitor_id, reason) {
      retryQueue.forget(monitor_id)
      const round = open.get(monitor_id)
      if (round === undefined) return false
      round.timer.cancel()
      open.delete(monitor_id)
      probes.cancel(monitor_id)
      round.fail(
        reason === 'paused'
          ? new ConflictError('paused', 'The monitor was paused while the check ran')
          : new ConflictError('changed', 'The monitor was changed while the check ran; ask again'),
      )
      return true
    },
    async abandon() {
      stopped = true
      retryQueue.clear()
      for (const [id, round] of open) {
        if (round.reports.size === round.locations.length) continue
        round.timer.cancel()
        open.delete(id)
        round.fail(new ClosedError('The engine stops'))
      }
      monitorCache.flush()
      while (open.size > 0) await Promise.allSettled([...open.values()].map(({ ended }) => ended))
    },
  }
}

/** Trouble of the store, or others who change the monitor all the time. */
function isPassing(error: unknown): boolean {
  return error instanceof StorageError || (error instanceof ConflictError && error.code === 'busy')
}

/**
 * A round of the monitor has been stored since this one began: by another process, which knows better by
 * now; or it is this one, and only the answer of the store was lost. Neither is to count once more.
 */
function isOvertaken(round: OpenRound, { record }: CachedMonitor): boolean {
  const { last_round_at } = record.machine
  return last_round_at !== null && last_round_at !== round.cached.record.machine.last_round_at
}

/** What the answers come to. Locations that were asked and stayed silent are noted as such. */
function machineInputOf(core: Core, { cached, tick, locations, reports }: OpenRound): MachineInput {
  const at = core.clock.now()
  const all = locations.map(
    ({ id }): Reported => reports.get(id) ?? { location_id: id, report: silence(at), lag_ms: 0 },
  )
  return {
    event: roundEvent(cached, all, tick),
    round: tick,
    reports: all,
    notices: all.flatMap((reported) => noticesOf(reported, locations.length > 1)),
  }
}

/** With the location that saw them, where there are several. */
function noticesOf({ location_id, report }: Reported, several: boolean): readonly Notice[] {
  const { notices = [] } = report
  if (!several) return notices
  return notices.map((notice) => ({
    ...notice,
    data: { ...notice.data, locations: [location_id] },
  }))
}

/** `Promise.withResolvers` came with Node 22. */
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
