/** The schedule of an engine's monitors, without the rest of it: checks answer as the test says. */
import { onTestFinished } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { createBaselines } from '../../src/engine/rounds/baselines.ts'
import { createPushMonitors } from '../../src/engine/rounds/push.ts'
import { nextDueAt } from '../../src/engine/scheduling/cadence.ts'
import { createMaintenanceSchedule } from '../../src/engine/scheduling/maintenance.ts'
import { createMonitorSchedule } from '../../src/engine/scheduling/monitor-schedule.ts'
import { createStaleness } from '../../src/engine/scheduling/staleness.ts'
import type { StarvationChange } from '../../src/engine/scheduling/staleness.ts'
import type {
  CommonSettings,
  LocationState,
  MachineState,
  MaintenanceWindow,
  MonitorRecord,
} from '../../src/model.ts'
import type { Change, ClockSet } from '../../src/store/store.ts'
import { machine, outcome } from '../../src/testing/store-suite/case.ts'
import { NOON } from './cached-monitor.ts'
import { FAILED, roundsRig } from './rounds-rig.ts'

const SECOND = 1000
export const MINUTE = 60 * SECOND

/** Seconds after noon. */
export const after = (ms: number) => (ms - NOON) / SECOND
/** When a monitor with an interval of a minute is due next, in seconds after noon. */
export const grid = (id: number, from: number) => after(nextDueAt(id, MINUTE, from))

/** From and to so many minutes after noon. */
export function window(from: number, to: number, skip_checks = false): MaintenanceWindow {
  const [start, end] = [from, to].map((minutes) => new Date(NOON + minutes * MINUTE).toISOString())
  return { start: start!, end: end!, skip_checks }
}

const define = (type: string) =>
  defineChecker({
    ...{ type, title: type, description: 'Any', fields: {}, target: () => 'x' },
    run: () => Promise.resolve(up()),
  })

/** Waits for a signal until the time that it remembers. */
const job = {
  ...define('job'),
  push: {
    dueAt: (due: number | undefined, after: number) =>
      due === undefined || due <= after ? null : due,
    resetDeadline: (due: number | undefined, { at }: { readonly at: number }) =>
      due === undefined ? undefined : at + 10 * MINUTE,
  },
} as unknown as AnyChecker
/** Is made of others. */
const group = {
  ...define('group'),
  composite: { judge: () => ({ verdict: 'ok', findings: {} }) },
} as unknown as AnyChecker

/** What a job remembers. */
export const due = (monitor_id: number, memo: number): LocationState => ({
  ...{ monitor_id, location_id: 1, last: null, consecutive_fails: 0, memo },
})

export async function scheduled() {
  const rig = await roundsRig(job, group)
  const { core, clock, monitorCache, changeBus, rounds, store } = rig
  const clocksSet: ClockSet[] = []
  const judged: number[] = []
  const foreign = new Set<number>()
  const push = createPushMonitors({
    ...{ ...rig, baselines: createBaselines(rig) },
    run({ monitor_id }) {
      judged.push(monitor_id)
      const started_at = new Date(clock.now()).toISOString()
      return Promise.resolve({ outcome: outcome({ ...FAILED, started_at }), memo: NOON })
    },
  })
  const staleness = createStaleness({ core, monitorCache, remote: false })
  const schedule = createMonitorSchedule({
    ...{ core, monitorCache, rounds, push, staleness },
    owns: (id) => !foreign.has(id),
    maintenance: createMaintenanceSchedule(rig),
    onClockSet: (set) => void clocksSet.push(set),
  })
  changeBus.subscribe(schedule.follow)
  const starved: string[] = []
  staleness.start((change: StarvationChange) =>
    starved.push(`${change.cached.record.id} ${change.starved}`),
  )
  onTestFinished(() => {
    schedule.stop()
    staleness.stop()
  })
  return {
    ...{ ...rig, schedule, staleness, clocksSet, judged, foreign, starved },
    unscheduled: rig.add,
    /** A monitor that is up, as the engine reads it at its start. */
    async add(
      common: Partial<CommonSettings> = {},
      state: Partial<MachineState> = {},
      of: Partial<MonitorRecord> = {},
    ) {
      const cached = await rig.add(common, {
        machine: machine({ state: 'up', since: NOON, last_round_at: NOON, ...state }),
        ...of,
      })
      schedule.add(cached)
      return cached
    },
    /** A job that is due at this time. */
    async addJob(at: number, state: Partial<MachineState> = {}) {
      const { record } = await rig.add(
        { interval_sec: 600 },
        { type: 'job', machine: machine({ state: 'up', since: NOON, ...state }) },
      )
      await change(record.id, { locations: [due(record.id, at)] })
      schedule.add(monitorCache.peek(record.id)!)
      return record.id
    },
    change,
    /** Seconds after noon at which the orders so far were due. */
    ticks: () => rig.orders.map(({ round }) => after(round)),
    /** Seconds after noon; `null` if never. */
    next(id = 1) {
      const at = schedule.nextDue(id)
      return at === null ? null : after(at)
    },
    gone: () => monitorCache.drop(Array.from({ length: 256 }, (_, shard) => shard)),
    unreadable(error: Error) {
      Object.assign(store.monitors, { get: () => Promise.reject(error) })
    },
  }

  /** Commits a change and publishes it, as the rest of the engine does. */
  async function change(id: number, of: Partial<Change>, { silent = false } = {}) {
    const changed = await monitorCache.change(id, ({ record: { revision } }) => ({
      change: { monitor_id: id, revision, at: clock.now(), ...of },
    }))
    if (!silent) await changeBus.publish(changed!)
    return changed!
  }
}
export type Scheduled = Awaited<ReturnType<typeof scheduled>>
