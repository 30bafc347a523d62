/** Days that are over are kept in memory; what is shown of them is what is stored. */

import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { DAY_MS, dayOf } from '../../src/model/time.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/index.ts'

async function watched() {
  const clock = simulatedClock({ now: Date.UTC(2026, 5, 10, 12) })
  const store = memoryStore()
  const engine = createEngine({ store, clock, checkers: [tcp()], logger: false })
  onTestFinished(() => engine.stop())
  const { id } = await engine.monitors.create({ type: 'tcp', host: 'h.test', port: 1 })
  const commit = async (change: object) => {
    const { revision } = (await store.monitors.get(id))!
    await store.commit([{ monitor_id: id, revision, at: clock.now(), ...change }])
  }
  const day = (at: number, ok: number) => {
    return { day: dayOf(at), ok, fail: 0, unknown: 0, ok_ms: ok * 40, latency: { 10: ok } }
  }
  return { clock, engine, id, commit, day }
}

it('a day that is over is read again after a minute, and the present one each time', async () => {
  const { clock, engine, id, commit, day } = await watched()
  const yesterday = clock.now() - DAY_MS
  await commit({ daily: [day(yesterday, 3), day(clock.now(), 1)] })
  const checks = async (days: number) =>
    (await engine.monitors.uptime(id, { days })).days.slice(-2).map((each) => each.checks)
  expect(await checks(2)).toEqual([3, 1])
  // What another engine on the store has stored late.
  await commit({ daily: [day(yesterday, 4), day(clock.now(), 1)] })
  expect((await checks(2))[1]).toBe(2)
  await clock.advance(60_000)
  expect(await checks(2)).toEqual([7, 2])
  expect(await checks(30)).toEqual([7, 2])
})

it('the sums are those of all days, whether they are kept or not', async () => {
  const { clock, engine, id, commit, day } = await watched()
  const noon = clock.now()
  const changes = [
    { at: noon - 3 * DAY_MS, availability: 'up' },
    { at: noon - DAY_MS, availability: 'down' },
    { at: noon - DAY_MS + 3_600_000, availability: 'up' },
  ]
  await commit({ availability: changes, daily: [day(noon - DAY_MS, 5), day(noon, 2)] })
  const first = await engine.monitors.uptime(id, { days: 7 })
  expect(first).toMatchObject({ down_sec: 3600, up_sec: 3 * 86_400 - 3600, p50_ms: 2.5 })
  expect(await engine.monitors.uptime(id, { days: 7 })).toEqual(first)
  // Tomorrow the present day is one of the past.
  await clock.advance(DAY_MS)
  const { days, up_sec, down_sec } = await engine.monitors.uptime(id, { days: 7 })
  expect(days.map(({ date }) => date).slice(-2)).toEqual(['2026-06-10', '2026-06-11'])
  expect([up_sec, down_sec]).toEqual([4 * 86_400 - 3600, 3600])
  expect(days.at(-2)).toMatchObject({ checks: 2, up_sec: 86_400, partial: true })
})
