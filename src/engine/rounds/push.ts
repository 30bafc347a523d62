/**
 * Push types: a signal is folded into the memo and judged at once; a missing signal is judged when its deadline
 * passes. Both happen inside a change of the monitor, which serializes a signal and a deadline at the same time.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { Signal, Terms } from '../../checkers/push.ts'
import { NotFoundError, StorageError } from '../../errors.ts'
import type { CheckReport, CommonSettings, EpochMs, Json, MonitorState } from '../../model.ts'
import type { Change } from '../../store/store.ts'
import type { CheckOrder } from '../../probes/transport.ts'
import type { SignalInput } from '../api/engine.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { checkOrder } from '../checks/check-order.ts'
import type { Baselines } from './baselines.ts'
import { planRound } from './plan-round.ts'
import type { RoundContext } from './plan-round.ts'
import { effectiveSettings } from '../registry/registry.ts'
import { roundEvent } from './round-event.ts'
import { withWarnings } from './warnings.ts'
import type { CachedMonitor, Changed, Planned } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import type { ChangeBus } from '../monitors/change-bus.ts'
import { slidingLog } from '../core/sliding-log.ts'
import { hashOf } from '../core/tokens.ts'

/** Signals of one monitor per minute, and lines for its log; more are answered and not recorded. */
const SIGNALS = { limit: 60, window_ms: 60_000 }

export interface SignalAnswer {
  readonly state: MonitorState
  readonly next_expected_at: string | null
  readonly ignored?: 'rate_limited'
}

export interface PushMonitors {
  /** @throws NotFoundError for an unknown token */
  signal(token: string, input: SignalInput): Promise<SignalAnswer>
  /** Judges a monitor whose deadline has passed. */
  judge(cached: CachedMonitor): Promise<Changed | null>
  /** Deadlines that passed since `alive_at`, while no engine ran, start again: a new period and grace. */
  resetMissedDeadlines(alive_at: EpochMs): Promise<void>
  /** The wall clock was set: moves every deadline by the same amount. */
  clockSet(by_ms: number, owns?: (monitor_id: number) => boolean): void
}

export interface PushOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly accountWindows: RoundContext['accountWindows']
  readonly run: (order: CheckOrder, signal: AbortSignal) => Promise<CheckReport>
  readonly changeBus: ChangeBus
  readonly baselines: Baselines
}

export function createPushMonitors({
  core,
  monitorCache,
  accountWindows,
  run,
  changeBus,
  baselines,
}: PushOptions): PushMonitors {
  const { clock } = core
  /** Drops idle monitors by itself, including removed ones. */
  const signalLog = slidingLog(clock)

  /** Judges the memo at this time, as a round of one location. */
  async function planJudgement(
    cached: CachedMonitor,
    memo: Json | undefined,
    at: EpochMs,
  ): Promise<Planned | null> {
    const location_id = locationOf(cached)
    const report = await run(
      orderFor(core, cached, { memo, at, location_id }),
      new AbortController().signal,
    )
    const reported = {
      location_id,
      report: { ...(memo === undefined ? {} : { memo }), ...report },
      lag_ms: 0,
    }
    const reports = withWarnings(cached, [reported], { baselines, tick: at })
    const event = roundEvent(cached, reports, at)
    return planRound({ core, monitorCache, accountWindows }, cached, {
      event,
      reports,
      notices: report.notices ?? [],
    })
  }

  async function changeAndPublish(
    id: number,
    work: Parameters<MonitorCache['change']>[1],
  ): Promise<Changed | null> {
    const changed = await monitorCache.change(id, work)
    if (changed !== null) void changeBus.publish(changed)
    return changed
  }

  return {
    async signal(token, input) {
      const found = await monitorCache.byTokenHash(hashOf(token))
      const { push } = found.type.checker
      if (push === undefined) throw new NotFoundError('monitor')
      const { id } = found.record
      // A job that logs a lot is still heard when it fails.
      const counted = input.kind === 'log' ? `log ${id}` : String(id)
      if (!signalLog.take(counted, SIGNALS).allowed)
        return { ...answerOf(found), ignored: 'rate_limited' }
      const changed = await changeAndPublish(id, (cached) => {
        const at = clock.now()
        const memo = push.receive(
          memoOf(cached),
          { ...input, at } satisfies Signal,
          termsOf(cached),
        )
        const isOnlyRecorded = input.kind === 'log' || cached.record.machine.state === 'paused'
        return isOnlyRecorded
          ? { change: memoChange(cached, memo, at) }
          : planJudgement(cached, memo, at)
      })
      return answerOf(changed?.after ?? found)
    },

    judge: ({ record }) =>
      changeAndPublish(record.id, (cached) => {
        const { version, machine } = cached.record
        if (version !== record.version || machine.state === 'paused') return null
        // Judges the current memo: a signal that arrived just before the deadline was judged counts.
        return planJudgement(cached, memoOf(cached), clock.now())
      }),

    async resetMissedDeadlines(alive_at) {
      const yieldIfLong = yielderOf(clock)
      for (const { record, type } of [...monitorCache.all()]) {
        await yieldIfLong()
        if (type.checker.push === undefined) continue
        try {
          await monitorCache.change(record.id, (cached) =>
            planMissedReset(cached, alive_at, clock.now()),
          )
        } catch (err) {
          // What the checker cannot read is of one monitor; what the store cannot do is of all.
          if (err instanceof StorageError) throw err
          logError(core, err, 'a deadline could not be set again')
        }
      }
    },

    clockSet(by_ms, owns = () => true) {
      // All start at once: a deadline that seems to have passed is judged after its change.
      for (const { record, type } of [...monitorCache.all()]) {
        if (type.checker.push === undefined || !owns(record.id)) continue
        changeAndPublish(record.id, (cached) => planClockSet(cached, by_ms, clock.now())).catch(
          (err: unknown) => logError(core, err, 'a deadline could not follow the clock'),
        )
      }
    },
  }
}

/** What a push checker judges by. */
export function termsOf(cached: CachedMonitor): Terms<never> {
  const { interval_sec, fail_threshold } = cached.record.common
  return {
    settings: cached.settings as never,
    period_ms: interval_sec * 1000,
    missed_limit: fail_threshold,
  }
}

/** The memo with a new period, for a monitor that resumes. */
export function withDeadlineReset(cached: CachedMonitor, at: EpochMs): Partial<Change> {
  const memo = cached.type.checker.push?.resetDeadline(
    memoOf(cached),
    { at, reason: 'resumed' },
    termsOf(cached),
  )
  return memo === undefined ? {} : { locations: [stateWith(cached, memo)] }
}

/** What is known of the job, at the location that its new settings name first: signals come from none. */
export function movedState(cached: CachedMonitor, common: CommonSettings): Partial<Change> {
  const state = cached.locations.get(locationOf(cached))
  const location_id = firstLocation(cached.type, common)
  if (state === undefined || state.location_id === location_id) return {}
  return { forget_locations: true, locations: [{ ...state, location_id }] }
}

/** A new deadline, and the time in which no signal could be received as unknown; `null` if no deadline has passed. */
function planMissedReset(cached: CachedMonitor, alive_at: EpochMs, now: EpochMs): Planned | null {
  const { push } = cached.type.checker
  const { machine, id, revision } = cached.record
  const memo = memoOf(cached)
  if (push === undefined || memo === undefined || machine.state === 'paused') return null
  const due = push.dueAt(memo, alive_at, termsOf(cached))
  if (due === null || due > now) return null
  const memoWithDeadlineReset = push.resetDeadline(
    memo,
    { at: now, reason: 'absence' },
    termsOf(cached),
  )
  if (memoWithDeadlineReset === undefined) return null
  const from = Math.max(alive_at, machine.since, machine.known_since)
  const gap =
    machine.availability === 'unknown' || from >= now
      ? []
      : [
          { at: from, availability: 'unknown' as const },
          { at: now, availability: machine.availability },
        ]
  const change: Change = {
    monitor_id: id,
    revision,
    at: now,
    locations: [stateWith(cached, memoWithDeadlineReset)],
    availability: gap,
    machine: { ...machine, known_since: Math.max(machine.known_since, now) },
  }
  return { change }
}

function planClockSet(cached: CachedMonitor, by_ms: number, at: EpochMs): Planned | null {
  const { machine } = cached.record
  const memo = cached.type.checker.push?.resetDeadline(
    memoOf(cached),
    { at, reason: 'clock_set', by_ms },
    termsOf(cached),
  )
  if (memo === undefined) return null
  const last_round_at = machine.last_round_at === null ? null : machine.last_round_at + by_ms
  return { change: { ...memoChange(cached, memo, at), machine: { ...machine, last_round_at } } }
}

/** Stores the memo and changes nothing else. */
function memoChange(cached: CachedMonitor, memo: Json, at: EpochMs): Change {
  return {
    monitor_id: cached.record.id,
    revision: cached.record.revision,
    at,
    locations: [stateWith(cached, memo)],
  }
}

function stateWith(cached: CachedMonitor, memo: Json) {
  const location_id = locationOf(cached)
  const state = cached.locations.get(location_id)
  return {
    monitor_id: cached.record.id,
    location_id,
    last: state?.last ?? null,
    consecutive_fails: state?.consecutive_fails ?? 0,
    memo,
  }
}

export function memoOf(cached: CachedMonitor): Json | undefined {
  const memo = cached.locations.get(locationOf(cached))?.memo ?? undefined
  return memo ?? cached.type.checker.push?.begin?.(cached.record.created_at)
}

function locationOf({ type, record }: CachedMonitor): number {
  return firstLocation(type, record.common)
}

function firstLocation(type: CachedMonitor['type'], common: CommonSettings): number {
  return effectiveSettings(type, common).location_ids[0] ?? 0
}

function answerOf(cached: CachedMonitor): SignalAnswer {
  const expected = cached.locations.get(locationOf(cached))?.last?.details.next_expected_at
  return {
    state: cached.record.machine.state,
    next_expected_at: typeof expected === 'string' ? expected : null,
  }
}

function orderFor(
  core: Core,
  cached: CachedMonitor,
  {
    memo,
    at,
    location_id,
  }: { readonly memo: Json | undefined; readonly at: EpochMs; readonly location_id: number },
): CheckOrder {
  const { common } = cached.record
  const location = core.locations.find(({ id }) => id === location_id) ?? {
    id: location_id,
    name: 'local',
  }
  return {
    ...checkOrder(cached, {
      location,
      round: at,
      expires_at: at + common.timeout_ms,
      memo: memo ?? null,
    }),
    missed_limit: common.fail_threshold,
  }
}
