/**
 * Keeps the rounds going: which monitor is due when, what follows from a round, and what is told of it.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import { NotFoundError } from '../../errors.ts'
import type { EpochMs } from '../../model.ts'
import type { ProbeTransport } from '../../probes/transport.ts'
import type { ClockSet } from '../../store/store.ts'
import { firstSlot, nextSlot, retrySlot } from './cadence.ts'
import { logError, emit } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { createDependencies } from './dependencies.ts'
import { createMaintenance } from './maintenance.ts'
import { incidentView, monitorSummary, resultView } from '../views/views.ts'
import type { Outlined, Watched } from '../views/views.ts'
import type { ShardLeases } from './shard-leases.ts'
import { monitorOf } from '../rounds/plan-notifications.ts'
import { memoOf, termsOf } from '../rounds/push.ts'
import { createRounds } from '../rounds/rounds.ts'
import type { RoundResult, Rounds } from '../rounds/rounds.ts'
import type { Changed, CachedMonitor, MonitorCache } from '../monitors/monitor-cache.ts'
import { createScheduler } from './scheduler.ts'
import { createStaleness } from './staleness.ts'
import type { Staleness } from './staleness.ts'

/** From a monitor that could not be read, or a silence that could not be judged or stored, to the next try. */
const RETRY_MS = 5_000

const OF_A_MONITOR = ['round', 'notice', 'state', 'down', 'up', 'acknowledged'] as const

export interface Watch {
  readonly rounds: Rounds
  /** Begins with what has been adopted. */
  start(): void
  /** Schedules a monitor that was not watched here so far. */
  adopt(this: void, cached: CachedMonitor): void
  /** Leaves a monitor to another engine. */
  release(monitor_id: number): void
  /** Nothing new begins. */
  stop(): void
  /** Schedules a monitor anew after it was created or changed. */
  reschedule(cached: CachedMonitor, when: 'now' | 'next'): void
  forget(monitor_id: number): void
  nextDue(monitor_id: number): EpochMs | null
  /** Nobody knows how the monitor is; also of one that another engine watches. */
  isStale(cached: Outlined): boolean
  /** How many of the monitors that this engine watches are stale, a second ago at most. */
  countStale(): number
  factsOf(cached: Outlined): Watched
  /** `run`, which is noticed to look at a monitor. */
  countingChecks: Staleness['countingChecks']
  /** Tells what a change of a monitor brought about. */
  announce(changed: Changed, fresh: RoundResult['fresh']): Promise<void>
  /** Judges a monitor that is fed by signals out of turn. */
  judgeNow(cached: CachedMonitor): Promise<RoundResult | null>
  /** Schedules and tells what follows from a round that was not run here (a signal). */
  concluded(result: RoundResult | null): void
  /** How late the last checks began, in ms. */
  readonly lag_ms: number
}

export interface WatchOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly shardLeases: Pick<ShardLeases, 'owns'>
  readonly probes: ProbeTransport
  /** Judges a monitor that is fed by signals. */
  readonly judge: (cached: CachedMonitor) => Promise<RoundResult | null>
  /** Notifications were queued. */
  readonly onNotifications: () => void
  /** The wall clock was set. */
  readonly onClockSet: (set: ClockSet) => void
}

export function createWatch(options: WatchOptions): Watch {
  const { core, monitorCache, shardLeases, probes, judge, onNotifications, onClockSet } = options
  const { clock } = core
  let lag_ms = 0

  const scheduler = createScheduler({
    clock,
    onDue(id, due_at) {
      lag_ms = Math.max(0, clock.now() - due_at)
      monitorCache.get(id).then(
        (cached) => due(cached, due_at),
        (err: unknown) => {
          logError(core, err, 'a due monitor could not be read')
          if (!(err instanceof NotFoundError)) scheduler.set(id, clock.now() + RETRY_MS)
        },
      )
    },
    onClockSet,
    onJump(id, now) {
      const cached = monitorCache.peek(id)
      return cached === undefined ? null : nextAfter(cached, now)
    },
  })

  const staleness = createStaleness({
    core,
    monitorCache,
    remote: probes.remote === true,
    onTurn({ cached, stale, since }) {
      const monitor = monitorSummary(cached, { ...watch.factsOf(cached), stale })
      emit(core, 'starved', { monitor, stale, since: iso(since) })
    },
  })
  const onCheck = (id: number): void => staleness.checkBegun(id)
  const rounds = createRounds({ core, monitorCache, probes, onResult: concluded, onCheck })
  const dependencies = createDependencies({ monitorCache, onWanted: checkSoon })
  const maintenance = createMaintenance({
    core,
    monitorCache,
    onChanged(changed) {
      if (changed.after !== undefined) watch.reschedule(changed.after, 'now')
      tell(changed, [])
    },
  })

  /** A round beyond the grid, for a monitor that another one waits for. */
  function checkSoon(cached: CachedMonitor): void {
    if (cached.type.checker.push === undefined) scheduler.set(cached.record.id, clock.now())
  }

  function tell(changed: Changed, fresh: RoundResult['fresh']): void {
    watch
      .announce(changed, fresh)
      .catch((err: unknown) => logError(core, err, 'a change of a monitor could not be announced'))
  }

  function due(cached: CachedMonitor, due_at: EpochMs): void {
    if (!checked(cached)) return
    const now = clock.now()
    const { push } = cached.type.checker
    const next = nextAfter(cached, now)
    // A silence stays due until it is judged: where that fails, it is not tried again at once.
    const not_before = push === undefined ? now : now + RETRY_MS
    if (next !== null) scheduler.set(cached.record.id, Math.max(next, not_before))
    if (push !== undefined) {
      judge(cached).then(concluded, (err: unknown) =>
        logError(core, err, 'a silence could not be judged'),
      )
      return
    }
    if (!shardLeases.owns(cached.record.id)) return
    // The round before has not ended: this one is skipped, not queued behind it.
    if (rounds.underWay(cached.record.id) || maintenance.skipsChecks(cached)) return
    // Nobody waits for it; a failure was complained of already.
    void rounds.run(cached, due_at, { deferrable: true }).catch(() => undefined)
  }

  function concluded(result: RoundResult | null): void {
    if (result === null) return
    const { after } = result.changed
    if (after === undefined) return
    staleness.stored(after)
    const soon = result.changed.change.machine?.state === 'confirming'
    scheduleNext(after, soon)
    dependencies.follow(result.changed)
    tell(result.changed, result.fresh)
  }

  /** What another engine watches is not scheduled here, though it may be checked or changed here. */
  function held(id: number): boolean {
    return monitorCache.peek(id) !== undefined
  }

  function scheduleNext(cached: CachedMonitor, soon: boolean): void {
    const { id, common } = cached.record
    const now = clock.now()
    const at =
      soon && cached.type.checker.push === undefined
        ? retrySlot(id, common.interval_sec * 1000, now)
        : nextAfter(cached, now)
    if (at === null || !checked(cached) || !held(id)) scheduler.delete(id)
    else scheduler.set(id, at)
  }

  function nextAfter(cached: CachedMonitor, now: EpochMs): EpochMs | null {
    const { id, common, machine } = cached.record
    const { push } = cached.type.checker
    if (push === undefined) return nextSlot(id, common.interval_sec * 1000, now)
    // From the last judgement on, not from now: what fell due while the engine was down is due at once.
    return push.dueAt(memoOf(cached), machine.last_round_at ?? 0, termsOf(cached))
  }

  async function announce(
    { before, after, committed, change }: Changed,
    fresh: RoundResult['fresh'],
  ): Promise<void> {
    if (committed.notification_ids.length > 0) onNotifications()
    // Of a monitor that was removed, the end of its incident is told.
    const cached = after ?? before
    const isHeard = (event: (typeof OF_A_MONITOR)[number]): boolean =>
      core.events.listenerCount(event) > 0
    // What nobody listens to need not be composed, round by round.
    if (!OF_A_MONITOR.some(isHeard)) return
    const monitor = monitorSummary(cached, watch.factsOf(cached))
    if (isHeard('round') && change.results !== undefined && change.results.length > 0) {
      const { id: monitor_id } = cached.record
      const results = change.results.map((result, index) =>
        resultView(
          { ...result, id: committed.result_ids[index] ?? 0, monitor_id },
          cached.type.checker,
        ),
      )
      emit(core, 'round', { monitor, results })
    }
    for (const { event, data } of fresh) emit(core, 'notice', { monitor, event, data })
    const [from, to] = [before.record.machine.state, cached.record.machine.state]
    if (from !== to) emit(core, 'state', { monitor, from, to })
    const event = incidentEvent(change)
    if (event === undefined || committed.incident_id === null || !isHeard(event)) return
    const stored = await core.store.incidents.get(committed.incident_id)
    if (stored !== undefined)
      emit(core, event, { monitor, incident: incidentView(stored, monitorOf(cached), clock.now()) })
  }

  const watch: Watch = {
    rounds,
    start() {
      maintenance.start()
      scheduler.start()
      staleness.start()
    },
    adopt(cached) {
      dependencies.note(cached)
      maintenance.plan(cached)
      if (!checked(cached)) return
      staleness.watch(cached)
      const { id, common, machine } = cached.record
      const now = clock.now()
      const at =
        cached.type.checker.push === undefined
          ? firstSlot(id, common.interval_sec * 1000, machine.last_round_at, now)
          : nextAfter(cached, now)
      if (at !== null) scheduler.set(id, at)
    },
    release(id) {
      watch.forget(id)
      dependencies.forget(id)
      rounds.cancel(id, 'changed')
    },
    stop() {
      scheduler.stop()
      maintenance.stop()
      staleness.stop()
    },
    reschedule(cached, when) {
      const { id } = cached.record
      if (!held(id)) return
      maintenance.plan(cached)
      staleness.watch(cached)
      const due_at = scheduler.dueAt(id)
      scheduleNext(cached, false)
      if (cached.type.checker.push !== undefined || !checked(cached)) return
      if (when === 'now') scheduler.set(id, clock.now())
      // A change of other settings does not put off a check that is due sooner.
      else if (due_at !== undefined && due_at < (scheduler.dueAt(id) ?? due_at))
        scheduler.set(id, due_at)
    },
    forget(id) {
      scheduler.delete(id)
      maintenance.forget(id)
      staleness.forget(id)
    },
    nextDue: (id) => scheduler.dueAt(id) ?? null,
    isStale: staleness.isStale,
    countStale: staleness.count,
    factsOf: (cached) => ({
      checker: core.registry.get(cached.record.type)?.checker,
      next_due_at: watch.nextDue(cached.record.id),
      stale: staleness.isStale(cached),
    }),
    countingChecks: staleness.countingChecks,
    announce,
    concluded,
    async judgeNow(cached) {
      const result = await judge(cached)
      concluded(result)
      return result
    },
    get lag_ms() {
      return lag_ms
    },
  }
  return watch
}

/** Under maintenance nobody misses a signal; deadlines begin anew afterwards. */
function checked({ record: { machine }, type }: CachedMonitor): boolean {
  const { state } = machine
  return state !== 'paused' && !(state === 'maintenance' && type.checker.push !== undefined)
}

function incidentEvent({
  open_incident,
  update_incident,
}: Changed['change']): 'down' | 'up' | 'acknowledged' | undefined {
  if (open_incident !== undefined) return 'down'
  if (update_incident?.closed_reason !== undefined) return 'up'
  return update_incident?.acknowledged_at === undefined ? undefined : 'acknowledged'
}
