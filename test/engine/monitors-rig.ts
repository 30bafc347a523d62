/** The monitors of an engine with their store, without what checks, schedules and delivers. */
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { createCommitter } from '../../src/engine/commit/committer.ts'
import { createAccountWindows } from '../../src/engine/monitors/account-windows.ts'
import { createChangeBus } from '../../src/engine/monitors/change-bus.ts'
import { createMonitorCache } from '../../src/engine/monitors/monitor-cache.ts'
import { createRegistry } from '../../src/engine/registry/registry.ts'
import { cronOccurrences } from '../../src/fields/cron.ts'
import { initialState } from '../../src/incident/state.ts'
import type { CommonSettings, MonitorRecord } from '../../src/model.ts'
import { timeZones } from '../../src/model/time.ts'
import type { Change, FullStore } from '../../src/store/store.ts'
import { monitor } from '../../src/testing/store-suite/case.ts'
import { NOON, plain } from './cached-monitor.ts'
import { outboxRig } from './outbox-rig.ts'

const MINUTE = 60_000

const LOCATIONS = [
  { id: 1, name: 'here' },
  { id: 2, name: 'there' },
]

/** At noon, with the type `plain` and these. */
export async function monitorsRig(...checkers: readonly AnyChecker[]) {
  const rig = await outboxRig()
  const { store, clock } = rig
  const zones = timeZones()
  const core = Object.assign(rig.core, {
    ...{ zones, nextOccurrence: cronOccurrences(zones) },
    ...{ registry: createRegistry([plain, ...checkers]), locations: LOCATIONS },
  })
  let failure: Error | undefined
  const changes: Change[] = []
  const committing: FullStore = {
    ...store,
    commit(given) {
      changes.push(...given)
      return failure === undefined ? store.commit(given) : Promise.reject(failure)
    },
  }
  const committer = createCommitter({ store: committing, clock, openRounds: () => 0 })
  const monitorCache = createMonitorCache(core, committer)
  const changeBus = createChangeBus(core)
  const accountWindows = createAccountWindows(core)
  const published: string[] = []
  changeBus.subscribe(({ after, change }) => {
    const minutes = (clock.now() - NOON) / MINUTE
    published.push(`${change.monitor_id} ${after?.record.machine.state} ${minutes}`)
  })
  await monitorCache.load(undefined)
  await accountWindows.start()
  return {
    ...{ ...rig, core, monitorCache, changeBus, accountWindows },
    /** `id state`, and the minutes since noon, of each change. */
    published,
    /** As they were to be stored. */
    changes,
    /** Whether no change can be stored, and why. */
    fail: (does: boolean, error = new Error('the disk is full')) =>
      void (failure = does ? error : undefined),
    /** A monitor that is up, in store and cache. */
    async add(common: Partial<CommonSettings> = {}, of: Partial<MonitorRecord> = {}) {
      const { common: usual, ...rest } = monitor()
      const record = await store.monitors.create({
        ...{
          ...rest,
          type: 'plain',
          settings: {},
          machine: { ...initialState(NOON), state: 'up' },
          ...of,
        },
        common: { ...usual, warn: {}, ...common },
      })
      return monitorCache.add(record)
    },
  }
}
