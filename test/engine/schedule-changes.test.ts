/** How a change of a monitor, or of those that it waits for, moves the time at which it is due. */
import { describe, expect, it } from 'vitest'
import type { CachedMonitor } from '../../src/engine/monitors/cached-monitor.ts'
import { nextDueAt, retryDueAt } from '../../src/engine/scheduling/cadence.ts'
import type { CommonSettings, MachineState } from '../../src/model.ts'
import type { Change } from '../../src/store/store.ts'
import { machine } from '../../src/testing/store-suite/case.ts'
import { NOON } from './cached-monitor.ts'
import { after, grid, MINUTE, scheduled, window } from './schedule-rig.ts'
import type { Scheduled } from './schedule-rig.ts'

const SECOND = 1000

/** The change of these settings. */
const settings = ({ record }: CachedMonitor, common: Partial<CommonSettings>): Partial<Change> => ({
  settings: {
    ...{ settings: record.settings, target: record.target },
    common: { ...record.common, ...common },
  },
})

describe('a change', () => {
  /** A monitor with an order that waits for its answer. */
  async function checking(): Promise<Scheduled & { readonly cached: CachedMonitor }> {
    const all = await scheduled()
    all.schedule.start()
    const cached = await all.add()
    await all.clock.advance(grid(1, NOON) * SECOND)
    expect(all.orders).toHaveLength(1)
    return { ...all, cached }
  }

  it('that pauses a monitor, or removes it, ends its checks', async () => {
    for (const [of, code] of [
      [{ machine: machine({ state: 'paused' }) }, 'paused'],
      [{ remove: true }, 'changed'],
    ] as const) {
      const { change, next, cancelled, clock, starved, rounds, cached } = await checking()
      const round = rounds.run(cached, NOON).then(undefined, (error: unknown) => error)
      await change(1, of)
      expect([next(), cancelled, await round]).toMatchObject([null, [1], { code }])
      await clock.advance(10 * MINUTE)
      expect([starved, next()]).toEqual([[], null])
    }
  })

  it('of settings begins the round that runs anew', async () => {
    const { change, cached, cancelled, orders, clock } = await checking()
    await change(1, settings(cached, { fail_threshold: 5 }))
    expect(cancelled).toEqual([1])
    await clock.advance(0)
    expect(orders.map(({ version }) => version)).toEqual([1, 2])
  })

  it('of settings delays no check, and waits for the next one', async () => {
    const { schedule, add, change, next, orders } = await scheduled()
    schedule.start()
    const cached = await add()
    const at = next()
    await change(1, settings(cached, { interval_sec: 3600 }))
    expect([next(), orders]).toEqual([at, []])
    await change(1, settings(cached, { interval_sec: 10 }))
    expect(next()).toBe(after(nextDueAt(1, 10 * SECOND, NOON)))
  })

  it('of settings with which the monitor starts over is followed by a check at once', async () => {
    const { add, change, next } = await scheduled()
    const cached = await add()
    await change(1, { ...settings(cached, {}), machine: machine({ state: 'pending' }) })
    expect(next()).toBe(0)
  })

  it('into maintenance and out of it is followed by a check at once', async () => {
    const { add, change, next, clock } = await scheduled()
    await add()
    await change(1, { machine: machine({ state: 'maintenance' }) })
    expect(next()).toBe(0)
    await clock.advance(SECOND)
    await change(1, { machine: machine({ state: 'up' }) })
    expect(next()).toBe(1)
  })

  it('out of maintenance ends the check that began in it, unless somebody waits for it', async () => {
    for (const [state, asked, ended] of [
      ['maintenance', false, [1]],
      ['maintenance', true, []],
      ['up', false, []],
    ] as const) {
      const { add, change, schedule, rounds, clock, orders, cancelled } = await scheduled()
      schedule.start()
      const maintenance = state === 'maintenance' ? [window(0, 10)] : []
      const cached = await add({ maintenance }, { state })
      if (asked) rounds.run(cached, NOON).catch(() => undefined)
      else await clock.advance(grid(1, NOON) * SECOND)
      expect(orders).toHaveLength(1)
      const other = state === 'up' ? 'maintenance' : 'up'
      await change(1, { machine: machine({ state: other }) })
      expect([state, asked, cancelled]).toEqual([state, asked, ended])
    }
  })

  it('of who runs a monitor ends its checks, unless somebody waits for one', async () => {
    for (const [asked, ended] of [
      [false, [1]],
      [true, []],
    ] as const) {
      const { add, schedule, rounds, clock, orders, cancelled, next } = await scheduled()
      schedule.start()
      const cached = await add()
      if (asked) rounds.run(cached, NOON).catch(() => undefined)
      else await clock.advance(grid(1, NOON) * SECOND)
      expect(orders).toHaveLength(1)
      schedule.release(1)
      expect([asked, cancelled, next()]).toEqual([asked, ended, null])
    }
  })

  it('that removes a monitor elsewhere ends each of its checks', async () => {
    const { add, schedule, rounds, cancelled, next } = await scheduled()
    schedule.start()
    const round = rounds.run(await add(), NOON).then(undefined, (error: unknown) => error)
    schedule.remove(1)
    expect(await round).toMatchObject({ code: 'changed' })
    expect([cancelled, next()]).toEqual([[1], null])
  })

  it('that confirms a failure makes the next check come early, and a later one does not', async () => {
    const { add, change, next } = await scheduled()
    await add({ interval_sec: 3600 })
    const regular = after(nextDueAt(1, 3600 * SECOND, NOON))
    const early = after(retryDueAt(1, 3600 * SECOND, NOON))
    expect(early).toBeLessThan(regular)
    await change(1, { machine: machine({ state: 'confirming' }) })
    expect(next()).toBe(early)
    // Neither a round nor a signal: nothing that the schedule follows.
    await change(1, { token: { token_hash: 'h', token: 't' } })
    expect(next()).toBe(early)
    await change(1, { machine: machine({ state: 'down' }) })
    expect(next()).toBe(regular)
  })

  it('of a monitor that this engine does not run leaves it alone', async () => {
    const { schedule, add, change, next, gone } = await scheduled()
    const cached = await add()
    gone()
    await change(1, { machine: machine({ state: 'confirming' }) })
    expect(next()).toBe(null)
    schedule.reschedule(cached, 'now')
    expect(next()).toBe(null)
  })

  it('counts a check that was stored here once', async () => {
    const { add, change, clock, starved } = await scheduled()
    await add()
    await clock.advance(MINUTE)
    const last = NOON + MINUTE
    await change(1, {
      machine: machine({ state: 'up', last_round_at: last, last_check_ended_at: last }),
    })
    await clock.advance(MINUTE + 16 * SECOND)
    expect(starved).toEqual(['1 true'])
  })
})

describe('a monitor that others wait for', () => {
  const waiting = (by: number | null): Partial<MachineState> => ({
    ...{ state: 'down', last_round_at: NOON },
    incident: {
      ...{ id: 7, started_at: NOON + 1, cause_code: 'timeout' },
      suppression: { reason: 'dependency', by, rounds: 0 },
    },
  })

  it('is checked at once, and then those that wait', async () => {
    const { add, change, next, clock } = await scheduled()
    await add()
    await add({ depends_on: [1] })
    await change(2, { machine: machine(waiting(null)), results: [] })
    expect(next(1)).toBe(0)
    await clock.advance(2 * SECOND)
    await change(1, { machine: machine({ state: 'up' }), results: [] })
    expect(next(2)).toBe(2)
  })

  it('is known from the start to have some', async () => {
    const { add, change, next, schedule, clock } = await scheduled()
    await add()
    await add({ depends_on: [1] }, waiting(1))
    await clock.advance(SECOND)
    await change(1, { machine: machine({ state: 'up' }), results: [] })
    expect(next(2)).toBe(1)
    schedule.release(2)
    await change(1, { machine: machine({ state: 'up' }), results: [] })
    expect(next(2)).toBe(null)
  })

  it('is known where another process has made one wait for it', async () => {
    const { add, change, next, schedule, monitorCache, clock } = await scheduled()
    await add()
    await add({}, waiting(1))
    await clock.advance(SECOND)
    const { record, ...rest } = monitorCache.peek(2)!
    const common = { ...record.common, depends_on: [1] }
    schedule.reschedule({ ...rest, record: { ...record, common } }, 'next')
    await change(1, { machine: machine({ state: 'up' }), results: [] })
    expect(next(2)).toBe(1)
  })

  it('is not judged before its deadline', async () => {
    const { add, addJob, change, next } = await scheduled()
    await addJob(NOON + 5 * MINUTE)
    await add({ depends_on: [1] })
    await change(2, { machine: machine(waiting(null)), results: [] })
    expect(next(1)).toBe(300)
  })
})

describe('a group', () => {
  async function grouped() {
    const all = await scheduled()
    await all.add()
    const of = { type: 'group', settings: { monitor_ids: [1] } }
    const { record } = await all.add({ interval_sec: 3600 }, {}, of)
    const turn = (state: 'up' | 'down') => all.change(1, { machine: machine({ state }) })
    return { ...all, turn, id: record.id }
  }

  it('is judged once a member changes its state, a second apart', async () => {
    const { turn, next, id, schedule, clock } = await grouped()
    expect(next(id)).toBeGreaterThan(1)
    await turn('down')
    expect(next(id)).toBe(0)
    // No later than it is due anyway.
    await turn('up')
    expect(next(id)).toBe(0)
    schedule.start()
    await clock.advance(0)
    await turn('down')
    expect(next(id)).toBe(1)
    schedule.forget(id)
    await turn('up')
    expect(next(id)).toBe(1)
  })

  it('is not judged where another engine runs it from now on', async () => {
    const { turn, next, id, schedule } = await grouped()
    schedule.release(id)
    await turn('down')
    expect(next(id)).toBe(null)
  })

  it('follows its new members', async () => {
    const { next, id, schedule, monitorCache, add, change } = await grouped()
    await add()
    const cached = monitorCache.peek(id)!
    const changed: CachedMonitor = { ...cached, settings: { monitor_ids: [3] } }
    schedule.reschedule(changed, 'next')
    await change(3, { machine: machine({ state: 'down' }) })
    expect(next(id)).toBe(0)
  })
})

describe('a monitor that is created, or that another process has changed', () => {
  it('is checked now, or when it is due next', async () => {
    const { schedule, next, add } = await scheduled()
    const cached = await add()
    const at = next()
    schedule.reschedule(cached, 'next')
    expect(next()).toBe(at)
    schedule.reschedule(cached, 'now')
    expect(next()).toBe(0)
    schedule.reschedule(cached, 'next')
    expect(next()).toBe(0)
    schedule.forget(1)
    schedule.reschedule(cached, 'next')
    expect(next()).toBe(grid(1, NOON))
  })

  it('is not checked where it is paused', async () => {
    const { schedule, next, add, monitorCache, change } = await scheduled()
    await add()
    await change(1, { machine: machine({ state: 'paused' }) }, { silent: true })
    schedule.reschedule(monitorCache.peek(1)!, 'now')
    expect(next()).toBe(null)
  })

  it('follows its windows, and is watched for checks that do not come', async () => {
    const rig = await scheduled()
    const { schedule, clock, monitorCache, starved, foreign } = rig
    schedule.start()
    const usual = { machine: machine({ state: 'up', last_round_at: NOON }) }
    const plain = await rig.unscheduled({ maintenance: [window(5, 10)] }, usual)
    foreign.add(1)
    schedule.reschedule(plain, 'next')
    await clock.advance(4 * MINUTE)
    expect(starved).toEqual(['1 true'])
    await clock.advance(MINUTE)
    expect(monitorCache.peek(1)?.record.machine.state).toBe('maintenance')
    schedule.release(1)
    await clock.advance(10 * MINUTE)
    expect(monitorCache.peek(1)?.record.machine.state).toBe('maintenance')
  })
})
