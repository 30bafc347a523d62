/** What becomes of an error of the work that an engine does by itself from time to time. */
import { expect, it } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import { silentLogger } from '../../src/logger.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000
const DAY = 86_400_000

/** An engine whose store ends each prune as the test says. */
async function pruning() {
  const clock = simulatedClock()
  const inner = memoryStore({ clock })
  const ends: ((error: Error) => void)[] = []
  const prune = (): Promise<number> => new Promise((_, reject) => ends.push(reject))
  const said: string[] = []
  const logger = { ...silentLogger, error: (_: object, text: string) => void said.push(text) }
  const idle = clock.pending
  const { engine } = await rig({ logger }, { clock, store: { ...inner, prune } })
  return { engine, clock, ends, said, idle }
}

it('an error is said, and the work is done again', async () => {
  const { engine, clock, ends, said } = await pruning()
  await clock.advance(5 * MINUTE)
  ends[0]?.(new StorageError('the disk is full'))
  await clock.advance(5 * MINUTE)
  expect(said).toEqual(['the housekeeping of the engine failed'])
  expect(ends).toHaveLength(2)
  await engine.stop()
})

it('an error after the stop is the end of the store: nothing is said, and nothing begins again', async () => {
  const { engine, clock, ends, said, idle } = await pruning()
  await clock.advance(5 * MINUTE)
  await engine.stop()
  ends[0]?.(new StorageError('the store is closed'))
  await clock.advance(60 * MINUTE)
  expect(said).toEqual([])
  expect([ends.length, clock.pending]).toEqual([1, idle])
})

it('a clock that is a year ahead does not empty the store, and an absence is caught up with', async () => {
  const before = await rig({ retention: { resultsDays: 1 } })
  const { clock, store } = before
  const monitor = { type: 'scripted', name: 'a', host: 'a.test', interval_sec: 600 }
  const { id } = await before.engine.monitors.create(monitor)
  await clock.advance(60 * MINUTE)
  const until = clock.now()
  const kept = async () => {
    const all = await store.results.list({ monitor_id: id, limit: 1000 })
    return all.filter(({ started_at }) => started_at <= until).length
  }
  const made = await kept()
  expect(made).toBeGreaterThan(5)
  await before.engine.stop()

  clock.jump(365 * DAY)
  const ahead = await before.restart({ retention: { resultsDays: 1 } })
  await clock.advance(50 * MINUTE)
  expect(await kept()).toBe(made)
  await ahead.engine.stop()

  // It was set right, and the engine was away for two days.
  clock.jump(-365 * DAY)
  await clock.advance(2 * DAY)
  const after = await before.restart({ retention: { resultsDays: 1 } })
  await clock.advance(2 * 60 * MINUTE)
  expect(await kept()).toBe(0)
  await after.engine.stop()
})
