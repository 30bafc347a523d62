import { describe, expect, it } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { AvailabilityChange } from '../../src/model.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const DAY = 86_400_000
const DAYS = 365
/** A job that signals success and failure in turns, as often as signals are taken. */
const EVERY_MS = 1000

/** Thirty million changes would fill the memory of the test as well: this store makes those that are asked for. */
function restlessStore(now: number) {
  const store = memoryStore()
  const first = now - DAYS * DAY
  const changeAt = (monitor_id: number, n: number): AvailabilityChange => ({
    ...{ monitor_id, at: first + n * EVERY_MS },
    availability: n % 4 === 0 ? 'down' : 'up',
  })
  const list = (id: number, from: number, to: number, limit = Infinity) => {
    const begin = Math.max(0, Math.ceil((from - first) / EVERY_MS))
    const end = Math.min(Math.max(begin, Math.ceil((to - first) / EVERY_MS)), begin + limit)
    const within = Array.from({ length: end - begin }, (_, n) => changeAt(id, begin + n))
    return Promise.resolve(begin === 0 ? within : [changeAt(id, begin - 1), ...within])
  }
  return { ...store, availability: { list } }
}

async function restless() {
  const now = Date.now()
  const engine = createEngine({ store: restlessStore(now), checkers: builtinCheckers() })
  const { id } = await engine.monitors.create({ type: 'heartbeat', name: 'Restless' })
  return { engine, id }
}

describe('a monitor that goes up and down with every signal of a job', () => {
  it('has its uptime of two weeks added up in short turns, without keeping its changes', async () => {
    const { engine, id } = await restless()
    const read = () => engine.monitors.uptime(id, { days: 14 })
    const before = process.memoryUsage().heapUsed
    let most = 0
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage().heapUsed - before)
    }, 20)
    const { value, longest_ms } = await leastOf(2, () => measureTurns(read), 50)
    clearInterval(watching)
    const [, , day] = value.days
    expect(day).toMatchObject({ up_sec: 64_800, down_sec: 21_600, uptime: 75 })
    expect(value.days.reduce((sum, { up_sec, down_sec }) => sum + up_sec + down_sec, 0)).toBe(
      value.up_sec + value.down_sec,
    )
    expect(longest_ms).toBeLessThan(50)
    expect(most).toBeLessThan(200 * 1024 * 1024)
    await engine.stop()
  })

  it('shows the newest of its outages beside its hours', async () => {
    const { engine, id } = await restless()
    const asked = Date.now()
    const { spans } = await engine.monitors.hours(id, { from: asked - 10 * DAY })
    expect(spans.length).toBe(1000)
    const last = Date.parse(spans.at(-1)?.from ?? '')
    // Not by the time of the answer: adding up ten days takes a busy machine long.
    expect(asked - last).toBeLessThan(60_000)
    expect(last - Date.parse(spans[0]?.from ?? '')).toBe(999 * 4 * EVERY_MS)
    await engine.stop()
  })
})
