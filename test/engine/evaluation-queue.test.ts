/** Each monitor is evaluated when it was asked for, with one timer for all. */
import { expect, it } from 'vitest'
import { createEvaluationQueue } from '../../src/engine/scheduling/evaluation-queue.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { turnCountingClock } from '../support/turn-counting-clock.ts'

function queue() {
  const clock = simulatedClock()
  const start = clock.monotonic()
  const evaluated: (readonly [id: number, at_ms: number, late_ms: number])[] = []
  const evaluations = createEvaluationQueue(clock, (id, late_ms) =>
    evaluated.push([id, clock.monotonic() - start, late_ms]),
  )
  return { clock, evaluated, evaluations }
}

it('in the order of their times, each once, by one timer', async () => {
  const { clock, evaluated, evaluations } = queue()
  evaluations.start()
  evaluations.set(1, 3000)
  evaluations.set(3, 2000)
  evaluations.set(2, 1000)
  expect(clock.pending).toBe(1)
  await clock.advance(10_000)
  expect(evaluated).toEqual([
    [2, 1000, 0],
    [3, 2000, 0],
    [1, 3000, 0],
  ])
  expect(clock.pending).toBe(0)
})

it('by the time that was set last, whether sooner or later', async () => {
  const { clock, evaluated, evaluations } = queue()
  evaluations.start()
  evaluations.set(1, 3000)
  evaluations.set(1, 1000)
  evaluations.set(2, 1500)
  evaluations.set(2, 4000)
  await clock.advance(10_000)
  expect(evaluated).toEqual([
    [1, 1000, 0],
    [2, 4000, 0],
  ])
})

it('not before the start: what is due by then is late', async () => {
  const { clock, evaluated, evaluations } = queue()
  evaluations.set(1, 1000)
  evaluations.set(2, 5000)
  await clock.advance(3000)
  expect(evaluated).toEqual([])
  expect(clock.pending).toBe(0)
  evaluations.start()
  await clock.advance(0)
  expect(evaluated).toEqual([[1, 3000, 2000]])
  await clock.advance(2000)
  expect(evaluated.slice(1)).toEqual([[2, 5000, 0]])
})

it('no more after the stop, and again after another start', async () => {
  const { clock, evaluated, evaluations } = queue()
  evaluations.start()
  evaluations.set(1, 1000)
  evaluations.stop()
  expect(clock.pending).toBe(0)
  evaluations.set(2, 500)
  await clock.advance(2000)
  expect(evaluated).toEqual([])
  evaluations.start()
  await clock.advance(0)
  expect(evaluated.map(([id]) => id)).toEqual([2, 1])
})

it('not a monitor that was removed', async () => {
  const { clock, evaluated, evaluations } = queue()
  evaluations.start()
  evaluations.set(1, 1000)
  evaluations.set(2, 2000)
  evaluations.delete(1)
  await clock.advance(5000)
  expect(evaluated).toEqual([[2, 2000, 0]])
})

it('one that sets its next time as it is evaluated goes on', async () => {
  const clock = simulatedClock()
  let count = 0
  const evaluations = createEvaluationQueue(clock, (id) => {
    count += 1
    evaluations.set(id, 1000)
  })
  evaluations.start()
  evaluations.set(1, 1000)
  evaluations.set(2, 1000)
  await clock.advance(5000)
  expect(count).toBe(10)
  expect(clock.pending).toBe(1)
})

it('fifty in a turn of those that are due at the same time, and each of them', async () => {
  const evaluated: number[] = []
  const { clock, perTurn } = turnCountingClock(() => evaluated.length)
  const evaluations = createEvaluationQueue(clock, (id) => evaluated.push(id))
  evaluations.start()
  const ids = Array.from({ length: 120 }, (_, n) => n + 1)
  for (const id of ids) evaluations.set(id, 1000)
  await clock.advance(1000)
  expect(evaluated).toEqual(ids)
  expect(perTurn().filter((count) => count > 0)).toEqual([50, 50, 20])
})
