/** What becomes of an error of the work that an engine does by itself from time to time. */
import { expect, it } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import { silentLogger } from '../../src/logger.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000

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
