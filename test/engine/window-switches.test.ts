/** When windows of planned work open and close: the monitors follow, without the rest of an engine. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { createMaintenanceSchedule } from '../../src/engine/scheduling/maintenance.ts'
import { createWindowSchedule } from '../../src/engine/scheduling/window-schedule.ts'
import type { MaintenanceWindow, MonitorRecord } from '../../src/model.ts'
import { anotherAccount, machine } from '../../src/testing/store-suite/case.ts'
import { NOON } from './cached-monitor.ts'
import { monitorsRig } from './monitors-rig.ts'

const MINUTE = 60_000

/** From and to so many minutes after noon. */
function window(from: number, to: number, skip_checks = false): MaintenanceWindow {
  const iso = (minutes: number): string => new Date(NOON + minutes * MINUTE).toISOString()
  return { start: iso(from), end: iso(to), skip_checks }
}
const HOURLY: MaintenanceWindow = {
  ...{ cron: '30 * * * *', duration_min: 10, time_zone: 'UTC', skip_checks: false },
}

async function schedules() {
  const rig = await monitorsRig(heartbeat())
  const { store, accountWindows, monitorCache } = rig
  const maintenance = createMaintenanceSchedule(rig)
  onTestFinished(() => maintenance.stop())
  return {
    ...{ ...rig, maintenance },
    /** A monitor that is up, with these windows of its own, as an engine adds it. */
    async add(windows: readonly MaintenanceWindow[] = [], of: Partial<MonitorRecord> = {}) {
      const cached = await rig.add({ maintenance: windows }, of)
      maintenance.reschedule(cached)
      return cached
    },
    /** A window of an account. */
    async plan(window: MaintenanceWindow, account_id = 1) {
      const covers = { monitor_ids: [], tags: [], all_monitors: true }
      const settings = { name: 'Move', window, ...covers }
      const times = { created_at: 0, updated_at: 0 }
      const record = await store.maintenance.create({ account_id, settings, ...times }, 999)
      accountWindows.put(record.id, record)
      return record
    },
    /** Of every monitor. */
    states: () => [...monitorCache.all()].map(({ record }) => record.machine.state),
  }
}

describe('a window of a monitor', () => {
  it('begins and ends at its times, each once', async () => {
    const { clock, add, maintenance, published, logged } = await schedules()
    maintenance.start()
    await add([window(10, 30)])
    await add([window(20, 30), window(25, 40)])
    await add()
    await clock.advance(60 * MINUTE)
    expect(published).toEqual([
      ...['1 maintenance 10', '2 maintenance 20'],
      ...['1 pending 30', '2 pending 40'],
    ])
    expect(logged).toEqual([])
  })

  it('leaves an open incident as it is', async () => {
    const { clock, add, maintenance, monitorCache, logged } = await schedules()
    maintenance.start()
    const incident = { id: 1, started_at: NOON, cause_code: 'timeout' }
    await add([window(10, 30)], { machine: machine({ state: 'down', incident }) })
    await clock.advance(10 * MINUTE)
    expect(logged).toEqual([])
    expect(monitorCache.peek(1)?.record.machine).toMatchObject({ state: 'maintenance', incident })
  })

  it('is no error where the monitor is gone by then, with its account or by itself', async () => {
    const { clock, add, maintenance, published, store, logged } = await schedules()
    maintenance.start()
    const { record } = await add([window(10, 30)])
    const { id: monitor_id, revision } = record
    await store.commit([{ monitor_id, revision, at: NOON, remove: true }])
    await clock.advance(60 * MINUTE)
    expect([published, logged]).toEqual([[], []])
  })

  it('has no effect on a monitor that another engine has taken over', async () => {
    const { clock, add, maintenance, monitorCache, published, store } = await schedules()
    maintenance.start()
    await add([window(10, 30)])
    await add([window(15, 30)])
    await clock.advance(MINUTE)
    monitorCache.drop(Array.from({ length: 256 }, (_, shard) => shard))
    await clock.advance(10 * MINUTE)
    clock.jump(10 * MINUTE)
    await clock.advance(20 * MINUTE)
    expect(published).toEqual([])
    expect((await store.monitors.get(1))?.machine.state).toBe('up')
  })

  it('has no effect on one that is paused, and taken over, while it waits for its turn', async () => {
    const { clock, add, maintenance, monitorCache, logged, store } = await schedules()
    maintenance.start()
    const { record } = await add([window(10, 30)])
    let pause = (): void => undefined
    const paused = monitorCache.change(record.id, async ({ record: { id, revision, machine } }) => {
      await new Promise<void>((resolve) => (pause = resolve))
      return {
        change: { monitor_id: id, revision, at: NOON, machine: { ...machine, state: 'paused' } },
      }
    })
    await clock.advance(10 * MINUTE)
    monitorCache.drop(Array.from({ length: 256 }, (_, shard) => shard))
    pause()
    await paused
    await clock.advance(MINUTE)
    expect([(await store.monitors.get(record.id))?.machine.state, logged]).toEqual(['paused', []])
  })

  it('comes again', async () => {
    const { clock, add, maintenance, published } = await schedules()
    maintenance.start()
    await add([HOURLY])
    await clock.advance(100 * MINUTE)
    expect(published).toEqual([
      '1 maintenance 30',
      '1 pending 40',
      '1 maintenance 90',
      '1 pending 100',
    ])
  })

  it('that is open already begins at once, also before the start', async () => {
    const { clock, add, maintenance, published } = await schedules()
    await add([window(-10, 30)])
    await clock.advance(1000)
    expect(published).toEqual([])
    maintenance.start()
    await clock.settle()
    await add([window(-10, 40)])
    await clock.advance(0)
    expect(published.map((each) => each.slice(0, 13))).toEqual(['1 maintenance', '2 maintenance'])
  })

  it('has no effect on a monitor that is paused, or forgotten', async () => {
    const { clock, add, maintenance, published } = await schedules()
    maintenance.start()
    await add([window(10, 30)], { machine: machine({ state: 'paused' }) })
    const { record } = await add([window(10, 30)])
    maintenance.forget(record.id)
    expect(clock.pending).toBeLessThanOrEqual(1)
    await clock.advance(60 * MINUTE)
    expect(published).toEqual([])
  })

  it('has no effect once the schedule has stopped, which leaves no timer behind', async () => {
    const { clock, add, maintenance, published } = await schedules()
    maintenance.start()
    await add([window(10, 30)])
    await clock.advance(MINUTE)
    maintenance.stop()
    await clock.advance(60 * MINUTE)
    expect([published, clock.pending]).toEqual([[], 0])
  })

  it('follows a clock that was set', async () => {
    const { clock, add, maintenance, published } = await schedules()
    maintenance.start()
    await add([window(60, 90)])
    await clock.advance(MINUTE)
    clock.jump(59 * MINUTE)
    await clock.advance(6000)
    expect(published.map((each) => each.slice(0, 13))).toEqual(['1 maintenance'])
    clock.jump(-40 * MINUTE)
    await clock.advance(6000)
    expect(published.map((each) => each.split(' ')[1])).toEqual(['maintenance', 'pending'])
  })

  it('is tried again after five seconds where it cannot be stored', async () => {
    const { clock, add, maintenance, published, logged, fail } = await schedules()
    maintenance.start()
    await add([window(10, 30)])
    fail(true)
    await clock.advance(10 * MINUTE + 9_999)
    const text = 'error: a maintenance window could not be stored: the disk is full'
    expect(logged).toEqual([text, text])
    fail(false)
    await clock.advance(1)
    expect(published.map((each) => each.slice(0, 13))).toEqual(['1 maintenance'])
  })

  it('of many monitors at once is followed by all, twenty in a turn', async () => {
    const { clock, add, maintenance, states, published, foreground } = await schedules()
    maintenance.start()
    for (let n = 0; n < 40; n++) await add([window(10, 30)])
    foreground.length = 0
    await clock.advance(10 * MINUTE)
    // One pause between two turns.
    expect(foreground.filter((ms) => ms === 0)).toHaveLength(1)
    expect(new Set(states())).toEqual(new Set(['maintenance']))
    expect(published).toHaveLength(40)
    await clock.advance(20 * MINUTE)
    expect(published).toHaveLength(80)
  })

  it('gives a job its whole time again when it ends, and leaves its deadline until then', async () => {
    const { clock, add, maintenance, monitorCache } = await schedules()
    maintenance.start()
    const { record } = await add([window(10, 30)], {
      ...{ type: 'heartbeat', settings: { grace_sec: 60 }, token_hash: 'h', token: 't' },
    })
    await clock.advance(20 * MINUTE)
    expect(monitorCache.peek(record.id)?.locations.size).toBe(0)
    await clock.advance(10 * MINUTE)
    const memo = monitorCache.peek(record.id)?.locations.get(1)?.memo
    expect(JSON.stringify(memo)).toContain(String(NOON + 30 * MINUTE))
  })
})

describe('checks', () => {
  it('pause in a window that says so, of the monitor or of its account', async () => {
    const { clock, add, plan, maintenance, monitorCache } = await schedules()
    maintenance.start()
    const { record } = await add([window(10, 50), window(20, 30, true)])
    await plan(window(40, 60, true))
    const skips = () => maintenance.skipsChecks(monitorCache.peek(record.id)!)
    const seen: (readonly [number, boolean])[] = []
    for (let minutes = 0; minutes <= 65; minutes++) {
      if (seen.at(-1)?.[1] !== skips()) seen.push([minutes, skips()])
      await clock.advance(MINUTE)
    }
    expect(seen).toEqual([
      ...([
        [0, false],
        [20, true],
        [30, false],
        [40, true],
        [60, false],
      ] as const),
    ])
  })

  it('go on where the state does not say so yet', async () => {
    const { add, maintenance } = await schedules()
    const cached = await add([window(-10, 30, true)])
    expect(maintenance.skipsChecks(cached)).toBe(false)
  })
})

describe('a window of an account', () => {
  it('takes its monitors in and out, and nobody else', async () => {
    const { clock, add, plan, maintenance, published, store } = await schedules()
    const other = await anotherAccount(store)
    maintenance.start()
    for (const account_id of [1, other, 1]) await add([], { account_id })
    await plan(window(10, 30))
    await plan(HOURLY, other)
    await clock.advance(45 * MINUTE)
    expect(published).toEqual([
      ...['1 maintenance 10', '3 maintenance 10'],
      ...['1 pending 30', '2 maintenance 30', '3 pending 30', '2 pending 40'],
    ])
    await clock.advance(60 * MINUTE)
    expect(published.slice(6)).toEqual(['2 maintenance 90', '2 pending 100'])
  })

  it('does not take out who has a window of its own, nor in who is paused', async () => {
    const { clock, add, plan, maintenance, states } = await schedules()
    maintenance.start()
    await add([window(20, 40)])
    await add([], { machine: machine({ state: 'paused' }) })
    await plan(window(10, 30))
    const seen: unknown[] = []
    for (const minutes of [11, 20, 10]) {
      await clock.advance(minutes * MINUTE)
      seen.push(states())
    }
    expect(seen).toEqual([
      ['maintenance', 'paused'],
      ['maintenance', 'paused'],
      ['pending', 'paused'],
    ])
  })

  it('comes after more than a year, and is not open before', async () => {
    const { clock, add, plan, maintenance, monitorCache, states } = await schedules()
    maintenance.start()
    const { record } = await add()
    const rule = { at: '12:00', duration_min: 60, time_zone: 'UTC', skip_checks: true }
    // The first Wednesday the 31st is in March 2027.
    await plan({ ...rule, weekdays: ['wed'], days: [31] })
    const seen: unknown[] = []
    let day = 0
    for (const next of [399, 453, 454, 455]) {
      clock.jump((next - day) * 24 * 60 * MINUTE)
      day = next
      await clock.advance(6000)
      seen.push(states(), maintenance.skipsChecks(monitorCache.peek(record.id)!))
    }
    const [up, open] = [
      [['up'], false],
      [['maintenance'], true],
    ]
    expect(seen).toEqual([up, up, open, [['pending'], false]].flat())
  })

  it('that is open at the start takes its monitors in then', async () => {
    const { clock, add, plan, maintenance, states } = await schedules()
    await add()
    await plan(window(-10, 30))
    await clock.advance(1000)
    expect(states()).toEqual(['up'])
    maintenance.start()
    await clock.advance(1)
    expect(states()).toEqual(['maintenance'])
  })

  it('that changes, or is removed, is followed at once', async () => {
    const all = await schedules()
    const { clock, add, plan, maintenance, states, store, accountWindows } = all
    maintenance.start()
    await add()
    const record = await plan(window(60, 90))
    const change = async (window: MaintenanceWindow, version: number) => {
      const settings = { ...record.settings, window }
      const changed = await store.maintenance.update(record.id, version, {
        settings,
        updated_at: 0,
      })
      accountWindows.put(record.id, changed)
      await clock.advance(1)
      return states()
    }
    expect(await change(window(-5, 30), 1)).toEqual(['maintenance'])
    expect(await change(window(-30, -5), 2)).toEqual(['pending'])
    expect(await change(window(-5, 30), 3)).toEqual(['maintenance'])
    accountWindows.put(record.id, undefined)
    await clock.advance(1)
    expect(states()).toEqual(['pending'])
    // Neither time of the removed one.
    await clock.advance(100 * MINUTE)
    expect([states(), all.logged]).toEqual([['pending'], []])
  })

  it('is not followed after a stop', async () => {
    const { clock, add, plan, maintenance, states } = await schedules()
    maintenance.start()
    await add()
    await plan(window(10, 30))
    await clock.advance(MINUTE)
    maintenance.stop()
    await plan(window(-10, 30))
    await clock.advance(60 * MINUTE)
    expect([states(), clock.pending]).toEqual([['up'], 0])
  })

  it('is one of hundreds: all that open in a minute are followed, with many monitors', async () => {
    const { clock, add, plan, maintenance, states } = await schedules()
    maintenance.start()
    for (let n = 0; n < 45; n++) await add()
    for (let n = 0; n < 25; n++) await plan(window(10, 30 + n))
    await clock.advance(10 * MINUTE)
    expect(new Set(states())).toEqual(new Set(['maintenance']))
    await clock.advance(43 * MINUTE)
    expect(new Set(states())).toEqual(new Set(['maintenance']))
    await clock.advance(MINUTE)
    expect(new Set(states())).toEqual(new Set(['pending']))
  })

  it('follows a clock that was set', async () => {
    const { clock, add, plan, maintenance, states } = await schedules()
    maintenance.start()
    await add()
    await plan(HOURLY)
    await clock.advance(MINUTE)
    clock.jump(30 * MINUTE)
    await clock.advance(6000)
    expect(states()).toEqual(['maintenance'])
    clock.jump(-25 * MINUTE)
    await clock.advance(6000)
    expect(states()).toEqual(['pending'])
    await clock.advance(24 * MINUTE)
    expect(states()).toEqual(['maintenance'])
  })
})

describe('what follows a window', () => {
  it('is told the accounts of all windows that switch together, and again after a failure', async () => {
    const { core, clock, plan, accountWindows, store, logged } = await schedules()
    const other = await anotherAccount(store)
    const told: (readonly [number, readonly number[]])[] = []
    let fails = false
    await plan(window(10, 30))
    await plan(window(10, 20), other)
    const gone = await plan(window(12, 14))
    const schedule = createWindowSchedule({
      ...{ core, accountWindows },
      onSwitch: (account_ids) => {
        told.push([(clock.now() - NOON) / MINUTE, [...account_ids]])
        return fails ? Promise.reject(new Error('no')) : Promise.resolve()
      },
    })
    schedule.start()
    await clock.advance(1)
    accountWindows.put(gone.id, undefined)
    await clock.advance(15 * MINUTE)
    expect(told).toEqual([
      [0, [1, other]],
      [1 / MINUTE, [1]],
      [10, [1, other]],
    ])
    fails = true
    await clock.advance(5 * MINUTE)
    expect(logged).toEqual(['error: maintenance windows could not be evaluated: no'])
    fails = false
    await clock.advance(20 * MINUTE)
    expect(told.slice(3)).toEqual([
      [20, [other]],
      [30, [1]],
    ])
    schedule.stop()
    expect(clock.pending).toBe(0)
  })

  it('is told of one after the other', async () => {
    const { core, clock, plan, accountWindows, store } = await schedules()
    const other = await anotherAccount(store)
    const told: (readonly number[])[] = []
    const ends: (() => void)[] = []
    const onSwitch = (account_ids: ReadonlySet<number>) => {
      told.push([...account_ids])
      return new Promise<void>((resolve) => ends.push(resolve))
    }
    const schedule = createWindowSchedule({ core, accountWindows, onSwitch })
    await plan(window(10, 30))
    await plan(window(11, 30), other)
    schedule.start()
    await clock.settle()
    ends[0]?.()
    await clock.advance(12 * MINUTE)
    expect(told.slice(1)).toEqual([[1]])
    ends[1]?.()
    await clock.settle()
    expect(told.slice(1)).toEqual([[1], [other]])
    schedule.stop()
  })

  it('is told after short turns, of ten windows each', async () => {
    const { core, clock, plan, accountWindows, foreground } = await schedules()
    for (let n = 0; n < 25; n++) await plan(window(10, 30))
    const onSwitch = () => Promise.resolve()
    const schedule = createWindowSchedule({ core, accountWindows, onSwitch })
    schedule.start()
    foreground.length = 0
    await clock.advance(10 * MINUTE)
    expect(foreground.filter((ms) => ms === 0)).toHaveLength(2)
    schedule.stop()
  })

  it('are all monitors of the account, by turns of twenty', async () => {
    const { clock, add, plan, maintenance, foreground } = await schedules()
    maintenance.start()
    await plan(window(10, 30))
    for (let n = 0; n < 45; n++) await add([], { machine: machine({ state: 'paused' }) })
    foreground.length = 0
    await clock.advance(10 * MINUTE)
    expect(foreground.filter((ms) => ms === 0)).toHaveLength(2)
  })
})
