import { describe, expect, it } from 'vitest'
import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { bucketOf, percentiles } from '../../src/incident/latency.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000

/** Looks for two seconds, and measures far less. */
const echo = defineChecker({
  type: 'echo',
  title: 'Echo',
  description: 'Asks, waits for a second look, and measures the round trip',
  fields: { host: field.host({ description: 'Host' }).required() },
  measurements: { rtt_ms: 'Round trip' },
  response: 'rtt_ms',
  target: ({ host }) => host,
  async run(ctx, { host }) {
    await ctx.clock.sleep(2000)
    if (host === 'dead.test') return down('connect_timeout', 'No reply')
    return up({ details: { rtt_ms: host === 'far.test' ? 80 : 0.03 } })
  },
})

async function echoed(host: string) {
  const r = await rig({ checkers: [echo] as never })
  const { id } = await r.engine.monitors.create({ type: 'echo', name: host, host })
  await r.clock.advance(10 * MINUTE)
  return { r, ...(await r.engine.monitors.get(id)) }
}

describe('the response time of a type that says which figure it is', () => {
  it('is that figure in summaries, locations, results and readings; duration_ms is how long the check took', async () => {
    const { r, id, last_response_ms, last_duration_ms, locations } = await echoed('near.test')
    expect({ last_response_ms, last_duration_ms }).toEqual({
      last_response_ms: 0.03,
      last_duration_ms: 2000,
    })
    const both = { response_ms: 0.03, duration_ms: 2000 }
    expect(locations).toMatchObject([both])
    expect((await r.engine.monitors.status(id)).locations).toMatchObject([both])
    expect((await r.engine.results.list(id, { limit: 1 })).items).toMatchObject([both])
    const { results } = await checkedNow(r, id)
    expect(results).toMatchObject([both])
    expect([...r.engine.readings()][0]?.locations).toMatchObject([both])
    expect(r.engine.types.list().find(({ type }) => type === 'echo')?.response).toBe('rtt_ms')
  })

  it('is what percentiles and days are made of, also far below a millisecond', async () => {
    const near = await echoed('near.test')
    const uptime = await near.r.engine.monitors.uptime(near.id)
    expect(uptime.p50_ms).toBeGreaterThan(0.028)
    expect(uptime.p50_ms).toBeLessThan(0.032)
    expect(uptime.days.at(-1)).toMatchObject({ avg_ms: 0.03, p95_ms: uptime.p50_ms })
    const far = await echoed('far.test')
    const slower = await far.r.engine.monitors.uptime(far.id)
    expect(slower.days.at(-1)?.avg_ms).toBe(80)
    expect(slower.p99_ms).toBeGreaterThan(76)
    expect(slower.p99_ms).toBeLessThan(84)
  })

  it('is absent where it was not measured', async () => {
    const { last_response_ms, last_duration_ms, r, id } = await echoed('dead.test')
    expect({ last_response_ms, last_duration_ms }).toEqual({
      last_response_ms: null,
      last_duration_ms: 2000,
    })
    expect((await r.engine.monitors.uptime(id)).days.at(-1)).toMatchObject({ avg_ms: null })
  })

  it('stands in the outcome of a check by itself', async () => {
    const clock = simulatedClock()
    const running = runCheck(echo, { host: 'near.test' }, { clock })
    await clock.advance(2000)
    expect(await running).toMatchObject({ duration_ms: 2000, response_ms: 0.03 })
  })
})

it('is how long the check took for all other types', async () => {
  const r = await rig()
  const { id } = await r.engine.monitors.create({ type: 'scripted', name: 'A', host: 'a.test' })
  await r.clock.advance(MINUTE)
  const { last_response_ms, last_duration_ms } = await r.engine.monitors.get(id)
  expect(last_response_ms).toBe(last_duration_ms)
  expect(r.engine.types.list()[0]?.response).toBe('duration_ms')
})

describe('a heartbeat', () => {
  it('has none until its job says how long it ran, and each run is counted once', async () => {
    const r = await rig({ checkers: [heartbeat()] as never })
    const { id, token } = await r.engine.monitors.create({
      type: 'heartbeat',
      name: 'Backup',
      interval_sec: 3600,
      grace_sec: 600,
    })
    const responses = async () =>
      (await r.engine.results.list(id, { order: 'asc' })).items.map(
        ({ response_ms, duration_ms }) => [response_ms, duration_ms],
      )
    await r.engine.signal(token as string, { kind: 'success' })
    expect(await responses()).toEqual([[null, 0]])
    expect(await r.engine.monitors.uptime(id)).toMatchObject({ p50_ms: null })
    await r.engine.signal(token as string, { kind: 'success', duration_ms: 90_000 })
    // Late, and begun anew: neither ends a run.
    await r.clock.advance(3600_000 + 1000)
    await r.engine.signal(token as string, { kind: 'start' })
    await r.clock.advance(30_000)
    await r.engine.signal(token as string, { kind: 'success' })
    expect((await responses()).map(([ms]) => ms)).toEqual([null, 90_000, null, null, 30_000])
    const today = (await r.engine.monitors.uptime(id)).days.at(-1)
    expect(today).toMatchObject({ checks: 5, avg_ms: 60_000 })
  })
})

it('times below a millisecond have buckets of their own, in order', () => {
  const counts: Record<string, number> = {}
  for (const ms of [5, 0.03, 0.5, 0.0001, 0]) {
    counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1
  }
  const [least, middle, most] = percentiles(counts, [0.1, 0.6, 1])
  expect(least).toBe(0.001)
  expect(middle).toBeCloseTo(0.03, 2)
  expect(most).toBeGreaterThan(4.7)
  expect(bucketOf(1)).toBe(0)
  expect(Object.is(bucketOf(0.999), -0)).toBe(false)
})

async function checkedNow(r: Awaited<ReturnType<typeof rig>>, id: number) {
  const checking = r.engine.monitors.check(id)
  await r.clock.advance(5000)
  return checking
}
