import { expect, it } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAYS = 100
const LOCATIONS = 10
const CHANGES = 5000

/** A monitor with a full history, that goes up and down all the time. */
async function longWatched() {
  const store = memoryStore()
  const names = Array.from({ length: LOCATIONS }, (_, n) => `place ${n}`)
  await using engine = createEngine({ store, checkers: builtinCheckers(), locations: names })
  const { id } = await engine.monitors.create({ type: 'tcp', host: 'shop.test', port: 1 })
  const now = Date.now()
  const first = (Math.floor(now / HOUR) - DAYS * 24 + 1) * HOUR
  const hourly = Array.from({ length: (DAYS * 24 - 2) * LOCATIONS }, (_, n) => ({
    ...{ hour: first + Math.floor(n / LOCATIONS) * HOUR, location_id: (n % LOCATIONS) + 1 },
    ...{ ok: 60, fail: 1, unknown: 0, degraded: 0, ok_ms: 6000, min_ms: 10, max_ms: 300 },
    latency: [20, ...Array<number>(60).fill(1)],
    ...{ phases: { connect_ms: 600, tls_ms: 900, first_byte_ms: 2000 }, figures: {} },
  }))
  const availability = Array.from({ length: CHANGES }, (_, n) => ({
    at: first + n * 20 * MINUTE,
    availability: n % 2 === 0 ? ('down' as const) : ('up' as const),
  }))
  const change = { monitor_id: id, at: now, hourly, availability }
  const [done] = await store.commit([{ ...change, revision: 1 }])
  expect(done?.ok).toBe(true)
  // A hundred days are all that may be asked for, and the hour may end before the last try.
  const read = () => engine.monitors.hours(id, { from: first, to: now })
  return await leastOf(3, () => measureTurns(read), 50)
}

it('the hours of a hundred days at ten locations are added up in short turns', async () => {
  const { value, longest_ms } = await longWatched()
  expect(value.steps.length).toBe(DAYS * 24 - 2)
  expect(value.steps[0]?.locations.length).toBe(LOCATIONS)
  expect(value.overall).toMatchObject({ ok: (DAYS * 24 - 2) * LOCATIONS * 60 })
  expect(value.spans.length).toBe(1000)
  expect(longest_ms).toBeLessThan(50)
})
