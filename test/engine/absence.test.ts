/** From which absence an engine that starts has to make good for missed deadlines. */
import { expect, it } from 'vitest'
import { createHousekeeping } from '../../src/engine/housekeeping.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { NOON } from './cached-monitor.ts'

const SECOND = 1000

async function stopped() {
  const clock = simulatedClock({ now: NOON })
  const store = memoryStore({ clock })
  await store.open()
  const core = { clock, store } as never
  const { absentSince, lastAlive, noteAlive } = createHousekeeping({
    ...{ core, shardLeases: { owns: () => true }, retention: undefined },
  })
  await noteAlive()
  return { clock, store, noteAlive, since: async () => absentSince(await lastAlive()) }
}

it('an engine was absent after more than thirty seconds', async () => {
  const { clock, since } = await stopped()
  await clock.advance(30 * SECOND)
  expect(await since()).toBeUndefined()
  await clock.advance(1)
  expect(await since()).toBe(NOON)
})

it('for a minute others find the absence from which the first has started', async () => {
  const { clock, noteAlive, since } = await stopped()
  await clock.advance(3600 * SECOND)
  expect(await since()).toBe(NOON)
  for (const [wait, found] of [
    [29_999, NOON],
    [30_000, NOON],
    [1, undefined],
  ] as const) {
    await noteAlive()
    await clock.advance(wait)
    expect(await since()).toBe(found)
  }
})

it('an absence that cannot be read is none', async () => {
  const { store, since } = await stopped()
  await store.meta.set('absence', 'damaged')
  expect(await since()).toBeUndefined()
})
