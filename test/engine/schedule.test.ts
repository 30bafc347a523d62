import { describe, expect, it } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import { firstDueAt, nextDueAt, retryDueAt } from '../../src/engine/scheduling/cadence.ts'
import { dueQueue } from '../../src/due-queue.ts'
import { inProcessProbes } from '../../src/probes/in-process.ts'
import type { ProbeTransport } from '../../src/probes/transport.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOW = Date.UTC(2026, 0, 1)

const create = async (r: Awaited<ReturnType<typeof rig>>, host: string, more: object = {}) =>
  r.engine.monitors.create({ type: 'scripted', host, ...more })

describe('cadence', () => {
  it('gives each monitor a phase of its own that a restart does not change', () => {
    const ticks = Array.from({ length: 1000 }, (_, i) => nextDueAt(i + 1, MINUTE, NOW))
    expect(ticks.every((tick) => tick > NOW && tick <= NOW + MINUTE)).toBe(true)
    expect(ticks.map((tick, i) => nextDueAt(i + 1, MINUTE, tick) - tick)).toEqual(
      ticks.map(() => MINUTE),
    )
    // Spread: no tenth of the minute holds more than a fifth of the monitors.
    const tenths = new Map<number, number>()
    for (const tick of ticks)
      tenths.set(
        Math.floor((tick - NOW) / 6000),
        (tenths.get(Math.floor((tick - NOW) / 6000)) ?? 0) + 1,
      )
    expect(Math.max(...tenths.values())).toBeLessThan(200)
  })

  it('brings overdue monitors back within a minute, and those that are not overdue in their turn', () => {
    for (let id = 1; id <= 100; id++) {
      expect(firstDueAt(id, HOUR, NOW - 5 * HOUR, NOW)).toBeLessThan(NOW + MINUTE)
      const tick = nextDueAt(id, HOUR, NOW - MINUTE)
      const first = firstDueAt(id, HOUR, NOW - MINUTE, NOW)
      if (tick > NOW) expect(first).toBe(tick)
      else expect(first).toBeLessThan(NOW + MINUTE)
      expect(firstDueAt(id, HOUR, null, NOW)).toBeLessThan(NOW + 10_000)
    }
  })

  it('comes soon where the last round was noted by a clock that has been set back since', () => {
    for (let id = 1; id <= 100; id++)
      expect(firstDueAt(id, HOUR, NOW + 24 * HOUR, NOW)).toBeLessThan(NOW + MINUTE)
  })

  it('comes early to confirm a failure, never later than the next turn', () => {
    expect(retryDueAt(1, HOUR, NOW) - NOW).toBeLessThanOrEqual(15 * MINUTE)
    expect(retryDueAt(1, 20_000, NOW) - NOW).toBeLessThanOrEqual(10_000)
    expect(retryDueAt(1, 20_000, NOW)).toBeLessThanOrEqual(nextDueAt(1, 20_000, NOW))
  })
})

describe('the due queue', () => {
  it('gives ids in order of time, each at most once, whatever was set, moved and deleted', () => {
    const queue = dueQueue()
    const wanted = new Map<number, number>()
    let seed = 7
    const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31)
    for (let i = 0; i < 20_000; i++) {
      const id = random() % 500
      if (random() % 4 === 0) {
        queue.delete(id)
        wanted.delete(id)
      } else {
        const at = random() % 10_000
        queue.set(id, at)
        wanted.set(id, at)
      }
    }
    const popped = []
    for (let first = queue.pop(); first !== undefined; first = queue.pop()) popped.push(first)
    expect(popped.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
      [...wanted.keys()].sort((a, b) => a - b),
    )
    expect(popped.every(({ id, due_at }) => wanted.get(id) === due_at)).toBe(true)
    expect(popped.map(({ due_at }) => due_at)).toEqual([...wanted.values()].sort((a, b) => a - b))
  })
})

describe('the scheduler at work', () => {
  it('checks at a fixed rate, and reports how late a check began', async () => {
    const r = await rig()
    const { id } = await create(r, 'a.test')
    await r.clock.advance(10 * MINUTE)
    const { items } = await r.engine.results.list(id, { order: 'asc' })
    const rounds = items.map(({ round }) => Date.parse(round))
    expect(items).toHaveLength(11)
    for (let i = 2; i < rounds.length; i++) expect(rounds[i]! - rounds[i - 1]!).toBe(MINUTE)
    expect(items.every(({ lag_ms }) => lag_ms < 1000)).toBe(true)
  })

  it.each([10, 90, 3600])('checks every %i s where interval_sec says so', async (interval_sec) => {
    const r = await rig()
    const { id } = await create(r, 'a.test', { interval_sec })
    await r.clock.advance(5 * interval_sec * 1000)
    const { items } = await r.engine.results.list(id, { order: 'asc' })
    const rounds = items.map(({ round }) => Date.parse(round))
    const gaps = rounds.slice(2).map((round, i) => round - rounds[i + 1]!)
    expect(gaps.length).toBeGreaterThanOrEqual(3)
    expect(new Set(gaps)).toEqual(new Set([interval_sec * 1000]))
  })

  it('gives a check up after timeout_ms', async () => {
    const hanging = defineChecker({
      type: 'hanging',
      title: 'Hanging',
      description: 'Never answers',
      fields: {},
      target: () => 'nobody',
      run: (ctx) => ctx.phase('query', () => new Promise<never>(() => undefined)),
    })
    const r = await rig({ checkers: [hanging] as never })
    const settings = { type: 'hanging', timeout_ms: 7000 }
    const { id } = await r.engine.monitors.create(settings)
    await r.clock.advance(30_000)
    const [result] = (await r.engine.results.list(id, { order: 'asc' })).items
    expect(result).toMatchObject({ cause_code: 'query_timeout', duration_ms: 7000 })
  })

  it('a clock that jumps neither stops the checks nor sets off a burst', async () => {
    for (const jump of [HOUR, -HOUR, 24 * HOUR, -24 * HOUR]) {
      const r = await rig()
      for (let i = 0; i < 20; i++) await create(r, `m${i}.test`)
      await r.clock.advance(5 * MINUTE)
      r.checks.length = 0
      r.clock.jump(jump)
      await r.clock.advance(5_000)
      const soon = new Map<string, number>()
      for (const check of r.checks) soon.set(check, (soon.get(check) ?? 0) + 1)
      expect(Math.max(0, ...soon.values())).toBeLessThanOrEqual(1)
      r.checks.length = 0
      await r.clock.advance(3 * MINUTE)
      expect(new Set(r.checks).size).toBe(20)
      expect(r.checks.length).toBeLessThanOrEqual(80)
      await r.engine.stop()
    }
  })

  it('pause stops the checks, resume starts them at once', async () => {
    const r = await rig()
    const { id } = await create(r, 'a.test')
    await r.clock.advance(MINUTE)
    expect((await r.engine.monitors.pause(id)).state).toBe('paused')
    r.checks.length = 0
    await r.clock.advance(10 * MINUTE)
    expect(r.checks).toEqual([])
    await expect(r.engine.monitors.check(id)).rejects.toMatchObject({ code: 'paused' })
    expect((await r.engine.monitors.pause(id)).state).toBe('paused')
    expect((await r.engine.monitors.resume(id)).state).toBe('pending')
    await r.clock.advance(1000)
    expect((await r.engine.monitors.status(id)).state).toBe('up')
    expect((await r.engine.monitors.resume(id)).state).toBe('up')
  })

  it('pausing a monitor that is down closes its incident', async () => {
    const r = await rig()
    await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
    const { id } = await create(r, 'a.test', { fail_threshold: 1 })
    r.say('a.test', 'fail')
    await r.clock.advance(MINUTE)
    await r.engine.monitors.pause(id)
    await r.clock.advance(MINUTE)
    const [incident] = (await r.engine.incidents.list()).items
    expect(incident).toMatchObject({ state: 'closed', closed_reason: 'paused' })
    expect(r.told.map(({ event }) => event)).toEqual(['down', 'up'])
  })

  it('a check now counts as a round and does not shift the others', async () => {
    const r = await rig()
    const { id } = await create(r, 'a.test')
    await r.clock.advance(2 * MINUTE)
    const before = (await r.engine.monitors.get(id)).next_check_at
    r.say('a.test', 'fail')
    const { results, monitor } = await r.engine.monitors.check(id)
    expect(results).toMatchObject([{ verdict: 'fail', cause_code: 'broken' }])
    expect(monitor.state).toBe('confirming')
    r.say('a.test', 'ok')
    expect((await r.engine.monitors.check(id)).monitor).toMatchObject({
      state: 'up',
      next_check_at: before,
    })
  })

  it('what is checked being changed, the monitor begins anew; other settings keep its state', async () => {
    const r = await rig()
    const { id } = await create(r, 'a.test', { fail_threshold: 1 })
    r.say('a.test', 'fail')
    await r.clock.advance(MINUTE)
    expect((await r.engine.monitors.update(id, { name: 'New name', tags: 'x, y' })).state).toBe(
      'down',
    )
    const moved = await r.engine.monitors.update(id, { host: 'b.test' })
    expect(moved).toMatchObject({
      state: 'pending',
      target: 'b.test',
      name: 'New name',
      tags: ['x', 'y'],
    })
    expect((await r.engine.incidents.list()).items).toMatchObject([
      { closed_reason: 'reconfigured' },
    ])
    await r.clock.advance(1000)
    expect((await r.engine.monitors.status(id)).state).toBe('up')
  })

  it('a shorter interval holds at once, also while a round of the longer one has no answer', async () => {
    const sent: number[] = []
    const clock = simulatedClock({ now: NOW })
    const silent: ProbeTransport = {
      ...inProcessProbes({ clock }),
      send: () => Promise.resolve(void sent.push(clock.now())),
    }
    const r = await rig({ probes: silent }, { clock })
    const { id } = await create(r, 'a', { interval_sec: 3600 })
    await clock.advance(MINUTE)
    expect(sent).toHaveLength(1)
    await r.engine.monitors.update(id, { interval_sec: 120, timeout_ms: 5000 })
    const from = clock.now()
    await clock.advance(20 * MINUTE)
    const times = [from, ...sent.slice(1)]
    const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0))
    expect(gaps.length).toBeGreaterThanOrEqual(4)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(240_000)
  })

  it('a check that a change of settings ends is made anew at once; who waits for it is told', async () => {
    const kept: (() => void)[] = []
    const r = await rig({
      checkers: [
        defineChecker({
          ...{ type: 'slow', title: 'Slow', description: 'Waits', fields: {}, causes: {} },
          target: () => 'slow',
          run: () =>
            new Promise<ReturnType<typeof up>>((resolve) => kept.push(() => resolve(up()))),
        }) as never,
      ],
    })
    const { id } = await r.engine.monitors.create({ type: 'slow', interval_sec: 3600 })
    await r.clock.advance(MINUTE)
    kept[0]?.()
    await r.clock.advance(MINUTE)
    const asked = r.engine.monitors.check(id).catch((error: unknown) => error)
    await r.clock.advance(1000)
    expect(kept).toHaveLength(2)
    await r.engine.monitors.update(id, { name: 'b' })
    expect(await asked).toMatchObject({ code: 'changed' })
    await r.clock.advance(1000)
    expect(kept).toHaveLength(3)
    kept[2]?.()
    await r.clock.advance(1000)
    expect((await r.engine.results.list(id)).items).toHaveLength(2)
    await r.engine.monitors.update(id, { name: 'c' })
    await r.clock.advance(MINUTE)
    expect(kept).toHaveLength(3)
  })

  it('a removed monitor is checked no more, and its incident is closed', async () => {
    const r = await rig()
    const { id } = await create(r, 'a.test', { fail_threshold: 1 })
    r.say('a.test', 'fail')
    await r.clock.advance(MINUTE)
    await r.engine.monitors.remove(id)
    r.checks.length = 0
    await r.clock.advance(5 * MINUTE)
    expect(r.checks).toEqual([])
    await expect(r.engine.monitors.get(id)).rejects.toMatchObject({ code: 'not_found' })
    expect((await r.engine.incidents.list()).items).toMatchObject([{ closed_reason: 'deleted' }])
  })

  it('two engines in one process do not see each other', async () => {
    const [a, b] = [await rig(), await rig()]
    await create(a, 'a.test')
    await b.clock.advance(MINUTE)
    expect(b.checks).toEqual([])
    expect((await b.engine.monitors.list()).items).toEqual([])
  })
})

describe('uptime', () => {
  it('the seconds of every day add up, and downtime is counted from the first failing round', async () => {
    const r = await rig()
    const { id } = await create(r, 'a.test', { fail_threshold: 2 })
    await r.clock.advance(6 * HOUR)
    r.say('a.test', 'fail')
    await r.clock.advance(HOUR)
    r.say('a.test', 'ok')
    await r.clock.advance(2 * HOUR)
    await r.engine.monitors.pause(id)
    await r.clock.advance(20 * HOUR)
    const uptime = await r.engine.monitors.uptime(id, { days: 2 })
    const [first, second] = uptime.days
    const sum = (d: typeof first) =>
      d!.up_sec + d!.down_sec + d!.paused_sec + d!.maintenance_sec + d!.unknown_sec
    expect(sum(first)).toBe(86_400)
    expect(sum(second)).toBe(5 * 3600)
    expect(first).toMatchObject({ partial: false, incidents: 1, down_sec: 3600 })
    expect(first!.uptime).toBeGreaterThan(80)
    expect(first!.uptime).toBeLessThan(100)
    expect(second).toMatchObject({ partial: true, uptime: null, paused_sec: 5 * 3600 })
    expect((await r.engine.monitors.status(id)).uptime_24h).toBeLessThan(100)
  })

  it('time in which the engine was away is unknown', async () => {
    const r = await rig()
    const { id } = await create(r, 'a.test')
    await r.clock.advance(HOUR)
    await r.engine.stop()
    await r.clock.advance(3 * HOUR)
    const again = await r.restart()
    await again.clock.advance(HOUR)
    const { days } = await again.engine.monitors.uptime(id, { days: 1 })
    expect(days[0]!.down_sec).toBe(0)
    expect(days[0]!.unknown_sec).toBeGreaterThan(3 * 3600 - 120)
    expect(days[0]!.unknown_sec).toBeLessThan(3 * 3600 + 120)
  })
})
