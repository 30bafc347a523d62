/** Many monitors with many windows of planned work keep nobody else from having a turn. */

import { describe, expect, it, onTestFinished } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { makeCopies } from '../support/copies.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { rig } from './rig.ts'

const TURN_MS = 50
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Australia/Lord_Howe']

/** Rare ones, for which a year of days is looked through. */
function rareWindows(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    at: '00:00',
    duration_min: 1,
    time_zone: ZONES[n % ZONES.length] ?? 'UTC',
    days: [31],
    weekdays: ['mon' as const],
  }))
}

it('a thousand windows of an account over five hundred monitors open and close by short turns', async () => {
  const { value, longest_ms } = await leastOf(3, openAndClose, TURN_MS)
  expect(value).toEqual({ opened: 200, closed: 0 })
  expect(longest_ms).toBeLessThan(TURN_MS)
})

/** The turns in which a new engine opens all windows and closes them, and how many monitors of a page are in one. */
async function openAndClose() {
  const r = await rig({ logger: false })
  const { id: first } = await r.engine.monitors.create({
    ...{ type: 'scripted', name: 'n', host: 'a', interval_sec: 86_400, tags: ['t0', 't1'] },
  })
  const record = await r.store.monitors.get(first)
  for (let n = 1; n < 500; n++) await r.store.monitors.create(record as never)
  const opens = new Date(r.clock.now() + 3_600_000)
  const [minute, hour] = [opens.getUTCMinutes(), opens.getUTCHours()]
  for (let n = 0; n < 1000; n++) {
    const cron = `${minute} ${hour},${(hour + 2 + (n % 20)) % 24} * ${1 + (n % 12)},${opens.getUTCMonth() + 1} *`
    const covers = n % 2 === 0 ? { tags: [`t${n % 7}`] } : { all_monitors: true }
    const window = { cron, duration_min: 30, time_zone: 'UTC', skip_checks: false }
    const none = { name: `w${n}`, window, monitor_ids: [], tags: [], all_monitors: false }
    const times = { created_at: 0, updated_at: 0 }
    await r.store.maintenance.create(
      { account_id: 1, settings: { ...none, ...covers }, ...times },
      1000,
    )
  }
  await r.engine.stop()
  const again = await rig({ logger: false }, { store: r.store, clock: r.clock })
  const inMaintenance = async () =>
    (await again.engine.monitors.list({ status: ['maintenance'], limit: 200 })).items.length
  await again.clock.advance(opens.getTime() - again.clock.now() - 1)
  const opening = await measureTurns(() => again.clock.advance(20_000))
  const opened = await inMaintenance()
  await again.clock.advance(opens.getTime() + 1_800_000 - again.clock.now() - 1)
  const closing = await measureTurns(() => again.clock.advance(20_000))
  const longest_ms = Math.max(opening.longest_ms, closing.longest_ms)
  return { ...opening, longest_ms, value: { opened, closed: await inMaintenance() } }
}

it.each([
  ['every hour', '*', 30],
  ['every other hour', '*/2', 61],
])('twenty windows %s are examined in a short turn', async (_, hours, duration_min) => {
  const engine = createEngine({ store: memoryStore(), checkers: [tcp()], logger: false })
  onTestFinished(() => engine.stop())
  const maintenance = Array.from({ length: 20 }, (__, n) => ({
    ...{ cron: `${n} ${hours} * * *`, duration_min, time_zone: ZONES[n % ZONES.length] ?? 'UTC' },
  }))
  const input = { type: 'tcp' as const, host: '127.0.0.1', port: 1, maintenance }
  const creating = await leastOf(3, () => measureTurns(() => engine.monitors.create(input)), 40)
  expect(creating.longest_ms).toBeLessThan(40)
})

describe('two hundred monitors with twenty windows each', () => {
  it('are taken in by short turns', async () => {
    const store = memoryStore()
    const engineOn = () => {
      const engine = createEngine({ store, checkers: [tcp()], logger: false })
      onTestFinished(() => engine.stop())
      return engine
    }
    const maintenance = rareWindows(20)
    for (let n = 0, { monitors } = engineOn(); n < 200; n++)
      await monitors.create({ type: 'tcp', name: `n${n}`, host: '127.0.0.1', port: 1, maintenance })
    const starting = await leastOf(3, () => measureTurns(() => engineOn().start()), TURN_MS)
    expect(starting.longest_ms).toBeLessThan(TURN_MS)
  })

  it('enter a window of the same minute by short turns', async () => {
    const opening = await leastOf(3, enterTogether, TURN_MS)
    expect(opening.value).toBe(200)
    expect(opening.longest_ms).toBeLessThan(TURN_MS)
  })
})

it('a clock that is set back has the windows of six hundred monitors computed by short turns', async () => {
  const { longest_ms } = await leastOf(3, setBack, TURN_MS)
  expect(longest_ms).toBeLessThan(TURN_MS)
})

/** The turns after the clock was set back by a day. */
async function setBack() {
  const r = await rig({ logger: false })
  const maintenance = rareWindows(20)
  const { id } = await r.engine.monitors.create({
    ...{ type: 'scripted', name: 'n', host: 'a', interval_sec: 86_400, maintenance },
  })
  await makeCopies(r.store, id, 599)
  await r.engine.stop()
  const again = await rig({ logger: false }, { store: r.store, clock: r.clock })
  await again.clock.advance(6_000)
  again.clock.jump(-86_400_000)
  const setting = await measureTurns(() => again.clock.advance(6_000))
  await again.engine.stop()
  return setting
}

/** The turns in which a new engine takes all of them into a window, and how many it took. */
async function enterTogether() {
  const r = await rig({ logger: false })
  const opens = r.clock.now() + 3_600_000
  const once = {
    start: new Date(opens).toISOString(),
    end: new Date(opens + 3_600_000).toISOString(),
    skip_checks: true,
  }
  const maintenance = [once, ...rareWindows(19)]
  for (let n = 0; n < 200; n++)
    await r.engine.monitors.create({ type: 'scripted', name: `n${n}`, host: 'a', maintenance })
  await r.clock.advance(3_599_999)
  const opening = await measureTurns(() => r.clock.advance(1_000))
  const { items } = await r.engine.monitors.list({ status: ['maintenance'], limit: 200 })
  await r.engine.stop()
  return { ...opening, value: items.length }
}

describe('schedules of days that hardly ever come', () => {
  const time_zone = 'America/New_York'
  const started = async () => {
    const engine = createEngine({ store: memoryStore(), checkers: [heartbeat()], logger: false })
    onTestFinished(() => engine.stop())
    await engine.start()
    return engine
  }

  it.each([
    ['decades apart', (n: number, hour: number) => `${n} ${hour} 30 2 ${n % 7}#5`, true],
    ['never', (n: number, hour: number) => `${n} ${hour} 31 2,4,6,9,11 *`, false],
  ])('twenty windows are read in a short turn: %s', async (_, cron, comes) => {
    const { monitors } = await started()
    let hour = 0
    const creating = await leastOf(
      3,
      () => {
        hour++
        const window = (n: number) => ({ cron: cron(n, hour % 24), duration_min: 5, time_zone })
        const maintenance = Array.from({ length: 20 }, (__, n) => window(n))
        const input = { type: 'heartbeat', name: 'job', maintenance } as const
        return measureTurns(() => Promise.allSettled([monitors.create(input)]))
      },
      TURN_MS,
    )
    expect(creating.value).toMatchObject([{ status: comes ? 'fulfilled' : 'rejected' }])
    expect(creating.longest_ms).toBeLessThan(TURN_MS)
  })

  it('fifty signals of jobs that may miss twenty of them are taken in by short turns', async () => {
    const { monitors, signal } = await started()
    const tokens: string[] = []
    for (let n = 0; n < 50; n++) {
      const cron = `${n} 0 30 2 mon#5`
      const made = await monitors.create({
        ...{ type: 'heartbeat', name: 'job', fail_threshold: 20 },
        ...{ cron, time_zone },
      })
      tokens.push(made.token ?? '')
    }
    const all = () => Promise.all(tokens.map((token) => signal(token, { kind: 'success' })))
    const signalling = await leastOf(3, () => measureTurns(all), TURN_MS)
    expect(signalling.value[0]).toMatchObject({ next_expected_at: '2044-02-29T05:00:00.000Z' })
    expect(signalling.longest_ms).toBeLessThan(TURN_MS)
    expect(signalling.cpu_ms).toBeLessThan(600)
  })
})
