import { describe, expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../src/engine/api/engine.ts'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { EngineEvents } from '../../src/engine/api/events.ts'
import type { EngineOptions } from '../../src/engine/options.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { doors } from './doors.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** As much of the checker of the rig as it takes to read its monitors. */
const scripted = defineChecker({
  type: 'scripted',
  title: 'Scripted',
  description: 'Is never run',
  fields: { host: field.host({ description: 'Target' }).required() },
  causes: {},
  target: ({ host }) => host,
  run: () => Promise.resolve(up()),
})

async function watched(
  settings: Record<string, unknown> = {},
  {
    checkers = [],
    ...options
  }: { readonly remote?: boolean; readonly checkers?: EngineOptions['checkers'] } = {},
) {
  const clock = simulatedClock()
  const places = doors(clock, options)
  const r = await rig({ probes: places.transport, checkers }, { clock })
  onTestFinished(() => r.engine.stop({ drainMs: 0 }))
  const told = turnsOf(r.engine)
  const { id } = await r.engine.monitors.create({
    type: 'scripted',
    name: 'Shop',
    host: 'shop.test',
    interval_sec: 60,
    timeout_ms: 10_000,
    ...settings,
  })
  await clock.advance(5 * MINUTE)
  expect(await staleOf(r, id)).toBe(false)
  return { r, id, clock, told, ...places }
}

function turnsOf(engine: Engine) {
  const told: { readonly stale: boolean; readonly since: string; readonly name: string }[] = []
  engine.on('starved', ({ monitor, stale, since }: EngineEvents['starved']) => {
    if (stale) expect(monitor.stale).toBe(true)
    told.push({ stale, since, name: monitor.name })
  })
  return told
}

/** What REST says in its three places, which has to be the same. */
async function staleOf({ engine }: Pick<Rig, 'engine'>, id: number): Promise<boolean> {
  const { stale } = await engine.monitors.get(id)
  const [summary] = (await engine.monitors.list()).items
  const status = await engine.monitors.status(id)
  const [reading] = [...engine.readings()]
  expect([summary?.stale, status.stale]).toEqual([stale, stale])
  if (reading !== undefined) expect(reading.stale).toBe(stale)
  return stale
}

/** The last check of the monitor so far. */
const lastCheck = async ({ engine }: Rig, id: number): Promise<string> =>
  (await engine.monitors.get(id)).last_check_at ?? ''

describe('a monitor that nobody looks at', () => {
  it('is stale after two intervals, and told once; and once more when it is looked at again', async () => {
    const { r, id, clock, told, close, open } = await watched()
    const since = await lastCheck(r, id)
    const left = Date.parse(since) + 2 * MINUTE - clock.now()
    close()
    await clock.advance(left)
    expect(await staleOf(r, id)).toBe(false)
    await clock.advance(SECOND)
    expect(await staleOf(r, id)).toBe(true)
    expect((await r.engine.health()).stale).toBe(1)
    expect(await r.engine.monitors.get(id)).toMatchObject({ state: 'up' })
    await clock.advance(30 * MINUTE)
    expect(told).toEqual([{ stale: true, since, name: 'Shop' }])
    open()
    await clock.advance(2 * MINUTE)
    expect(told[1]).toEqual({ stale: false, since, name: 'Shop' })
    expect(await staleOf(r, id)).toBe(false)
    expect((await r.engine.health()).stale).toBe(0)
    await clock.advance(10 * MINUTE)
    expect(told).toHaveLength(2)
  })

  it('stays stale where it is looked at again, and its rounds still say nothing', async () => {
    const { r, id, clock, close, open } = await watched()
    const heard: boolean[][] = []
    r.engine.on('starved', ({ stale, monitor }) => void heard.push([stale, monitor.stale]))
    r.say('shop.test', 'unknown')
    await clock.advance(5 * MINUTE)
    expect(await staleOf(r, id)).toBe(true)
    expect(heard).toEqual([])
    close()
    await clock.advance(3 * MINUTE)
    open()
    await clock.advance(2 * MINUTE)
    expect(heard).toEqual([
      [true, true],
      [false, true],
    ])
    expect(await staleOf(r, id)).toBe(true)
  })

  it('is stale although a location says that it had no place', async () => {
    const { r, id, clock, told, close, excuse } = await watched()
    close()
    for (let i = 0; i < 13; i++) {
      await clock.advance(10 * SECOND)
      excuse()
      await clock.advance(1)
    }
    expect(await staleOf(r, id)).toBe(true)
    expect(told).toHaveLength(1)
  })

  it('is stale although the clock was set back meanwhile', async () => {
    const { r, id, clock, told, close } = await watched()
    const left = Date.parse(await lastCheck(r, id)) + 2 * MINUTE - clock.now()
    close()
    await clock.advance(MINUTE)
    clock.jump(-60 * MINUTE)
    await clock.advance(left - MINUTE)
    expect(await staleOf(r, id)).toBe(false)
    await clock.advance(SECOND)
    expect(await staleOf(r, id)).toBe(true)
    expect(told).toHaveLength(1)
    expect(Date.parse(told[0]!.since)).toBeLessThanOrEqual(clock.now() - 2 * MINUTE)
  })

  it('is stale although the clock was set back after any one of its rounds', async () => {
    for (const rounds of [1, 2, 3]) {
      const { r, id, clock, close } = await watched()
      await clock.advance(rounds * MINUTE)
      const left = Date.parse(await lastCheck(r, id)) + 2 * MINUTE - clock.now()
      close()
      clock.jump(-MINUTE)
      await clock.advance(left)
      expect(await staleOf(r, id)).toBe(false)
      await clock.advance(SECOND)
      expect(await staleOf(r, id)).toBe(true)
    }
  })

  it('is stale although the clock was set back and somebody else had looked last', async () => {
    const { r, id, clock } = await watched()
    await r.engine.stop()
    const next = doors(clock)
    const { engine } = await r.restart({ probes: next.transport })
    onTestFinished(() => engine.stop({ drainMs: 0 }))
    next.close()
    expect(await staleOf({ engine }, id)).toBe(false)
    clock.jump(-60 * MINUTE)
    await clock.advance(2 * MINUTE + SECOND)
    expect(await staleOf({ engine }, id)).toBe(true)
  })

  it('is stale for an engine on the same store that watches nothing, once no report can come', async () => {
    const { r, id, clock, close } = await watched()
    const other = createEngine({ store: r.store, clock, checkers: [scripted] }) as Engine
    const since = Date.parse(await lastCheck(r, id))
    close()
    await clock.advance(since + 2 * MINUTE + 15 * SECOND - clock.now())
    expect(await staleOf({ engine: other }, id)).toBe(false)
    await clock.advance(SECOND)
    expect(await staleOf({ engine: other }, id)).toBe(true)
  })

  it('is given the time for a report where its checks are made elsewhere', async () => {
    const { r, id, clock, told, close } = await watched({}, { remote: true })
    const since = Date.parse(await lastCheck(r, id))
    close()
    await clock.advance(since + 2 * MINUTE + 15 * SECOND - clock.now())
    expect(await staleOf(r, id)).toBe(false)
    await clock.advance(SECOND)
    expect(await staleOf(r, id)).toBe(true)
    expect(told).toHaveLength(1)
  })

  it('is stale from the start where nobody ever looked', async () => {
    const { r, clock, told, close } = await watched()
    close()
    const { id } = await r.engine.monitors.create({
      type: 'scripted',
      name: 'New',
      host: 'new.test',
      interval_sec: 300,
    })
    await clock.advance(10 * MINUTE)
    expect((await r.engine.monitors.get(id)).stale).toBe(false)
    await clock.advance(SECOND)
    expect((await r.engine.monitors.get(id)).stale).toBe(true)
    expect(told.map(({ name }) => name)).toEqual(['Shop', 'New'])
  })
})

describe('nobody is called stale', () => {
  it('whose checks take nearly as long as the interval', async () => {
    const slow = defineChecker({
      type: 'slow',
      title: 'Slow',
      description: 'Takes its time',
      fields: { host: field.host({ description: 'Target' }).required() },
      causes: {},
      target: ({ host }) => host,
      async run(ctx) {
        await ctx.clock.sleep(58_000, ctx.signal)
        return up()
      },
    })
    const { r, id, clock, told } = await watched(
      { type: 'slow', timeout_ms: 59_000 },
      { checkers: [slow] },
    )
    for (let i = 0; i < 300; i++) {
      await clock.advance(SECOND)
      expect(await staleOf(r, id)).toBe(false)
    }
    expect(told).toEqual([])
    const stopped = r.engine.stop({ drainMs: 0 })
    await clock.advance(1)
    await stopped
  })

  it('who is paused, under maintenance or resumed', async () => {
    const { r, id, clock, told, close } = await watched()
    close()
    await r.engine.monitors.pause(id)
    await clock.advance(30 * MINUTE)
    expect(await staleOf(r, id)).toBe(false)
    await r.engine.monitors.resume(id)
    await clock.advance(2 * MINUTE)
    expect(await staleOf(r, id)).toBe(false)
    expect(told).toEqual([])
    await clock.advance(SECOND)
    expect(await staleOf(r, id)).toBe(true)
    const at = clock.now()
    const [start, end] = [at, at + 60 * MINUTE].map((ms) => new Date(ms).toISOString())
    await r.engine.monitors.update(id, {
      maintenance: [{ start, end, skip_checks: true }] as never,
    })
    await clock.advance(30 * MINUTE)
    expect(await staleOf(r, id)).toBe(false)
  })

  it('because the wall clock was set', async () => {
    const { r, id, clock, told } = await watched({ interval_sec: 3600 })
    await clock.advance(60 * MINUTE)
    clock.jump(24 * 60 * MINUTE)
    await clock.advance(10 * SECOND)
    expect(await staleOf(r, id)).toBe(false)
    await clock.advance(120 * MINUTE)
    clock.jump(-48 * 60 * MINUTE)
    await clock.advance(120 * MINUTE)
    expect(await staleOf(r, id)).toBe(false)
    expect(told).toEqual([])
  })

  it('because the wall clock was set back during planned work', async () => {
    const { r, id, clock, told } = await watched()
    const at = clock.now()
    const [start, end] = [at, at + 60 * MINUTE].map((ms) => new Date(ms).toISOString())
    await r.engine.monitors.update(id, {
      maintenance: [{ start, end, skip_checks: true }] as never,
    })
    await clock.advance(30 * MINUTE)
    clock.jump(-45 * MINUTE)
    await clock.advance(10 * MINUTE)
    await r.engine.monitors.update(id, { maintenance: [] })
    for (let i = 0; i < 180; i++) {
      expect(await staleOf(r, id)).toBe(false)
      await clock.advance(SECOND)
    }
    expect(told).toEqual([])
  })

  it('because its interval became a shorter one', async () => {
    const { r, id, clock, told } = await watched({ interval_sec: 3600 })
    await clock.advance(70 * MINUTE)
    await r.engine.monitors.update(id, { interval_sec: 60 })
    expect(await staleOf(r, id)).toBe(false)
    await clock.advance(10 * MINUTE)
    expect(await staleOf(r, id)).toBe(false)
    expect(told).toEqual([])
  })
})

it('is stale after an outage of the engine until it is looked at, and told only if that does not come', async () => {
  const { r, id, clock } = await watched()
  await r.engine.stop()
  await clock.advance(60 * MINUTE)
  const next = doors(clock)
  const { engine } = await r.restart({ probes: next.transport })
  onTestFinished(() => engine.stop({ drainMs: 0 }))
  const told = turnsOf(engine)
  expect(await staleOf({ engine }, id)).toBe(true)
  await clock.advance(MINUTE)
  expect(await staleOf({ engine }, id)).toBe(false)
  await clock.advance(60 * MINUTE)
  expect(told).toEqual([])
})
