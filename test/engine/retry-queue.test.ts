/** Rounds that could not be stored: one per monitor, tried again until the store works. */
import { expect, it } from 'vitest'
import { createRetryQueue } from '../../src/engine/rounds/retry-queue.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

function queue() {
  const clock = simulatedClock()
  const stored: string[] = []
  return { clock, stored, rounds: createRetryQueue<string>(clock, (item) => stored.push(item)) }
}

it('the latest round of a monitor is tried again after 5 s, one at a time', async () => {
  const { clock, stored, rounds } = queue()
  rounds.keep(1, 'a')
  rounds.keep(2, 'b')
  await clock.advance(4000)
  rounds.keep(1, 'c')
  await clock.advance(999)
  expect(stored).toEqual([])
  await clock.advance(1)
  expect(stored).toEqual(['c'])
  // The store still fails: what was tried is kept again, behind the others.
  rounds.keep(1, 'c')
  await clock.advance(5000)
  expect(stored).toEqual(['c', 'b'])
})

it('once the store works all are tried, and none again', async () => {
  const { clock, stored, rounds } = queue()
  rounds.keep(1, 'a')
  rounds.keep(2, 'b')
  rounds.release()
  expect(stored).toEqual(['a', 'b'])
  expect(clock.pending).toBe(0)
  await clock.advance(60_000)
  rounds.release()
  expect(stored).toEqual(['a', 'b'])
})

it('what is left after a round was tried is stored with the others', async () => {
  const { clock, stored, rounds } = queue()
  rounds.keep(1, 'a')
  rounds.keep(2, 'b')
  await clock.advance(5000)
  expect(stored).toEqual(['a'])
  rounds.release()
  expect(stored).toEqual(['a', 'b'])
})

it('a round that can never be stored does not hold up the others', async () => {
  const { clock, stored, rounds } = queue()
  rounds.keep(1, 'of a removed monitor')
  rounds.keep(2, 'b')
  await clock.advance(10_000)
  expect(stored).toEqual(['of a removed monitor', 'b'])
  expect(clock.pending).toBe(0)
})

it('a release does not keep a later round from being tried', async () => {
  const { clock, stored, rounds } = queue()
  rounds.release()
  rounds.keep(1, 'a')
  await clock.advance(5000)
  expect(stored).toEqual(['a'])
})

it('a round that is no longer wanted is not tried', async () => {
  const { clock, stored, rounds } = queue()
  rounds.keep(1, 'a')
  rounds.keep(2, 'b')
  rounds.forget(1)
  await clock.advance(5000)
  expect(stored).toEqual(['b'])
  rounds.keep(3, 'c')
  rounds.forget(3)
  await clock.advance(5000)
  expect(stored).toEqual(['b'])
  expect(clock.pending).toBe(0)
})

it('nothing is tried after the end, and no timer is left', async () => {
  const { clock, stored, rounds } = queue()
  rounds.keep(1, 'a')
  rounds.clear()
  expect(clock.pending).toBe(0)
  await clock.advance(60_000)
  expect(stored).toEqual([])
  rounds.keep(2, 'b')
  await clock.advance(5000)
  expect(stored).toEqual(['b'])
})
