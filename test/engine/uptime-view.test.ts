import { describe, expect, it } from 'vitest'
import { bucketOf } from '../../src/incident/latency.ts'
import type { Store } from '../../src/store/store.ts'
import { rig } from './rig.ts'
import { dayOf } from '../../src/model/time.ts'

const DAY = 86_400_000

describe('response times in the uptime of a monitor', () => {
  it('have percentiles per day, and over all days together', async () => {
    const { engine, clock, store } = await rig()
    const { id } = await engine.monitors.create({ type: 'scripted', name: 'One', host: 'a.test' })
    await engine.monitors.pause(id)
    // 98 quick checks on one day, two slow ones on the next: only the days together know the rarest percent.
    await keep({ store, id, at: clock.now(), times_ms: Array<number>(98).fill(20) })
    await clock.advance(DAY)
    await keep({ store, id, at: clock.now(), times_ms: [900, 900] })
    const { days, ...all } = await engine.monitors.uptime(id, { days: 2 })
    expect(days.map(({ p50_ms, p95_ms, p99_ms }) => [p50_ms, p95_ms, p99_ms])).toEqual([
      [near(20), near(20), near(20)],
      [near(900), near(900), near(900)],
    ])
    expect([all.p50_ms, all.p95_ms, all.p99_ms]).toEqual([near(20), near(20), near(900)])
    await engine.stop()
  })

  it('are null where no check was good', async () => {
    const { engine, say } = await rig()
    say('a.test', 'fail')
    const { id } = await engine.monitors.create({ type: 'scripted', name: 'One', host: 'a.test' })
    await engine.monitors.check(id)
    const { days, p50_ms } = await engine.monitors.uptime(id, { days: 1 })
    expect([p50_ms, days[0]?.p50_ms, days[0]?.p99_ms]).toEqual([null, null, null])
    await engine.stop()
  })
})

it('tells its listeners once, before it lets go of the store, that it stops', async () => {
  const { engine } = await rig()
  const heard: unknown[] = []
  engine.on('stop', (payload) => heard.push(payload))
  await engine.stop({ drainMs: 5 })
  await engine.stop()
  expect(heard).toEqual([{ drain_ms: 5 }])
})

function near(ms: number): unknown {
  return { asymmetricMatch: (got: unknown) => Math.abs((got as number) / ms - 1) < 0.06 }
}

interface Kept {
  readonly store: Store
  readonly id: number
  readonly at: number
  readonly times_ms: readonly number[]
}

/** Counts good results of these lengths, as rounds do. */
async function keep({ store, id, at, times_ms }: Kept): Promise<void> {
  const latency: Record<string, number> = {}
  for (const ms of times_ms) latency[bucketOf(ms)] = (latency[bucketOf(ms)] ?? 0) + 1
  const ok_ms = times_ms.reduce((sum, ms) => sum + ms, 0)
  const day = { day: dayOf(at), ok: times_ms.length, fail: 0, unknown: 0, ok_ms, latency }
  const { revision = 0 } = (await store.monitors.get(id)) ?? {}
  const committed = await store.commit([{ monitor_id: id, revision, at, daily: [day] }])
  expect(committed).toMatchObject([{ ok: true }])
}
