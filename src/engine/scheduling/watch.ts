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
import { complain, emit } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { createDependencies } from './dependencies.ts'
import { createMaintenance } from './maintenance.ts'
import { incidentView, monitorSummary, resultView } from '../views/views.ts'
import type { Outlined, Watched } from '../views/views.ts'
import type { Ownership } from './shard-leases.ts'
import { monitorOf } from '../rounds/plan-notifications.ts'
import { memoOf, termsOf } from '../rounds/push.ts'
import { createRounds } from '../rounds/rounds.ts'
import type { Concluded, Rounds } from '../rounds/rounds.ts'
import type { Changed, Entry, Roster } from '../monitors/monitor-cache.ts'
import { createScheduler } from './scheduler.ts'
import { createStaleness } from './staleness.ts'
import type { Staleness } from './staleness.ts'

/** From a monitor that could not be read, or a silence that could not be judged or stored, to the next try. */
const AGAIN_MS = 5_000

const OF_A_MONITOR = ['round', 'notice', 'state', 'down', 'up', 'acknowledged'] as const

export interface Watch {
  readonly rounds: Rounds
  /** Begins with what has been adopted. */
  start(): void
  /** Schedules a monitor that was not watched here so far. */
  adopt(this: void, entry: Entry): void
  /** Leaves a monitor to another engine. */
  release(monitor_id: number): void
  /** Nothing new begins. */
  stop(): void
  /** Schedules a monitor anew after it was created or changed. */
  reschedule(entry: Entry, when: 'now' | 'next'): void
  forget(monitor_id: number): void
  nextDue(monitor_id: number): EpochMs | null
  /** Nobody knows how the monitor is; also of one that another engine watches. */
  isStale(entry: Outlined): boolean
  /** How many of the monitors that this engine watches are stale, a second ago at most. */
  countStale(): number
  factsOf(entry: Outlined): Watched
  /** `run`, which is noticed to look at a monitor. */
  looking: Staleness['looking']
  /** Tells what a change of a monitor brought about. */
  announce(changed: Changed, fresh: Concluded['fresh']): Promise<void>
  /** Judges a monitor that is fed by signals out of turn. */
  judgeNow(entry: Entry): Promise<Concluded | null>
  /** Schedules and tells what follows from a round that was not run here (a signal). */
  concluded(result: Concluded | null): void
  /** How late the last checks began, in ms. */
  readonly lag_ms: number
}

export interface WatchOptions {
  readonly core: Core
  readonly roster: Roster
  readonly ownership: Pick<Ownership, 'owns'>
  readonly probes: ProbeTransport
  /** Judges a monitor that is fed by signals. */
  readonly judge: (entry: Entry) => Promise<Concluded | null>
  /** Notifications were queued. */
  readonly onNotifications: () => void
  /** The wall clock was set. */
  readonly onClockSet: (set: ClockSet) => void
}

export function createWatch(options: WatchOptions): Watch {
  const { core, roster, ownership, probes, judge, onNotifications, onClockSet } = options
  const { clock } = core
  let lag_ms = 0

  const scheduler = createScheduler({
    clock,
    onDue(id, due_at) {
      lag_ms = Math.max(0, clock.now() - due_at)
      roster.get(id).then(
        (entry) => due(entry, due_at),
        (err: unknown) => {
          complain(core, err, 'a due monitor could not be read')
          if (!(err instanceof NotFoundError)) scheduler.set(id, clock.now() + AGAIN_MS)
        },
      )
    },
    onClockSet,
    onJump(id, now) {
      const entry = roster.peek(id)
      return entry === undefined ? null : nextAfter(entry, now)
    },
  })

  const staleness = createStaleness({
    core,
    roster,
    remote: probes.remote === true,
    onTurn({ entry, stale, since }) {
      const monitor = monitorSummary(entry, { ...watch.factsOf(entry), stale })
      emit(core, 'starved', { monitor, stale, since: iso(since) })
    },
  })
  const onLook = (id: number): void => staleness.looked(id)
  const rounds = createRounds({ core, roster, probes, onConcluded: concluded, onLook })
  const dependencies = createDependencies({ roster, onWanted: lookSoon })
  const maintenance = createMaintenance({
    core,
    roster,
    onChanged(changed) {
      if (changed.after !== undefined) watch.reschedule(changed.after, 'now')
      tell(changed, [])
    },
  })

  /** A round beyond the grid, for a monitor that another one waits for. */
  function lookSoon(entry: Entry): void {
    if (entry.type.checker.passive === undefined) scheduler.set(entry.record.id, clock.now())
  }

  function tell(changed: Changed, fresh: Concluded['fresh']): void {
    watch
      .announce(changed, fresh)
      .catch((err: unknown) => complain(core, err, 'a change of a monitor could not be announced'))
  }

  function due(entry: Entry, due_at: EpochMs): void {
    if (!checked(entry)) return
    const now = clock.now()
    const { passive } = entry.type.checker
    const next = nextAfter(entry, now)
    // A silence stays due until it is judged: where that fails, it is not tried again at once.
    const not_before = passive === undefined ? now : now + AGAIN_MS
    if (next !== null) scheduler.set(entry.record.id, Math.max(next, not_before))
    if (passive !== undefined) {
      judge(entry).then(concluded, (err: unknown) =>
        complain(core, err, 'a silence could not be judged'),
      )
      return
    }
    if (!ownership.owns(entry.record.id)) return
    // The round before has not ended: this one is skipped, not queued behind it.
    if (rounds.underWay(entry.record.id) || maintenance.skipsChecks(entry)) return
    // Nobody waits for it; a failure was complained of already.
    void rounds.run(entry, due_at, { patient: true }).catch(() => undefined)
  }

  function concluded(result: Concluded | null): void {
    if (result === null) return
    const { after } = result.changed
    if (after === undefined) return
    const soon = result.changed.change.machine?.state === 'confirming'
    scheduleNext(after, soon)
    dependencies.follow(result.changed)
    tell(result.changed, result.fresh)
  }

  /** What another engine watches is not scheduled here, though it may be checked or changed here. */
  function held(id: number): boolean {
    return roster.peek(id) !== undefined
  }

  function scheduleNext(entry: Entry, soon: boolean): void {
    const { id, common } = entry.record
    const now = clock.now()
    const at =
      soon && entry.type.checker.passive === undefined
        ? retrySlot(id, common.interval_sec * 1000, now)
        : nextAfter(entry, now)
    if (at === null || !checked(entry) || !held(id)) scheduler.delete(id)
    else scheduler.set(id, at)
  }

  function nextAfter(entry: Entry, now: EpochMs): EpochMs | null {
    const { id, common, machine } = entry.record
    const { passive } = entry.type.checker
    if (passive === undefined) return nextSlot(id, common.interval_sec * 1000, now)
    // From the last judgement on, not from now: what fell due while the engine was down is due at once.
    return passive.dueAt(memoOf(entry), machine.last_round_at ?? 0, termsOf(entry))
  }

  async function announce(
    { before, after, committed, change }: Changed,
    fresh: Concluded['fresh'],
  ): Promise<void> {
    if (committed.notification_ids.length > 0) onNotifications()
    // Of a monitor that was removed, the end of its incident is told.
    const entry = after ?? before
    const isHeard = (event: (typeof OF_A_MONITOR)[number]): boolean =>
      core.events.listenerCount(event) > 0
    // What nobody listens to need not be composed, round by round.
    if (!OF_A_MONITOR.some(isHeard)) return
    const monitor = monitorSummary(entry, watch.factsOf(entry))
    if (isHeard('round') && change.results !== undefined && change.results.length > 0) {
      const { id: monitor_id } = entry.record
      const results = change.results.map((result, index) =>
        resultView(
          { ...result, id: committed.result_ids[index] ?? 0, monitor_id },
          entry.type.checker,
        ),
      )
      emit(core, 'round', { monitor, results })
    }
    for (const { event, data } of fresh) emit(core, 'notice', { monitor, event, data })
    const [from, to] = [before.record.machine.state, entry.record.machine.state]
    if (from !== to) emit(core, 'state', { monitor, from, to })
    const event = incidentEvent(change)
    if (event === undefined || committed.incident_id === null || !isHeard(event)) return
    const stored = await core.store.incidents.get(committed.incident_id)
    if (stored !== undefined)
      emit(core, event, { monitor, incident: incidentView(stored, monitorOf(entry), clock.now()) })
  }

  const watch: Watch = {
    rounds,
    start() {
      maintenance.start()
      scheduler.start()
      staleness.start()
    },
    adopt(entry) {
      dependencies.note(entry)
      maintenance.plan(entry)
      if (!checked(entry)) return
      staleness.watch(entry)
      const { id, common, machine } = entry.record
      const now = clock.now()
      const at =
        entry.type.checker.passive === undefined
          ? firstSlot(id, common.interval_sec * 1000, machine.last_round_at, now)
          : nextAfter(entry, now)
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
    reschedule(entry, when) {
      const { id } = entry.record
      if (!held(id)) return
      maintenance.plan(entry)
      staleness.watch(entry)
      const due_at = scheduler.dueAt(id)
      scheduleNext(entry, false)
      if (entry.type.checker.passive !== undefined || !checked(entry)) return
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
    factsOf: (entry) => ({
      checker: core.registry.get(entry.record.type)?.checker,
      next_due_at: watch.nextDue(entry.record.id),
      stale: staleness.isStale(entry),
    }),
    looking: staleness.looking,
    announce,
    concluded,
    async judgeNow(entry) {
      const result = await judge(entry)
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
function checked({ record: { machine }, type }: Entry): boolean {
  const { state } = machine
  return state !== 'paused' && !(state === 'maintenance' && type.checker.passive !== undefined)
}

function incidentEvent({
  open_incident,
  update_incident,
}: Changed['change']): 'down' | 'up' | 'acknowledged' | undefined {
  if (open_incident !== undefined) return 'down'
  if (update_incident?.closed_reason !== undefined) return 'up'
  return update_incident?.acknowledged_at === undefined ? undefined : 'acknowledged'
}
