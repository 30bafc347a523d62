/** One timer for what is due, by the wall clock, also while it is set. */
import { expect, it, onTestFinished } from 'vitest'
import { createScheduler } from '../../src/engine/scheduling/scheduler.ts'
import type { ClockSet } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { turnCountingClock } from '../support/turn-counting-clock.ts'

const SECOND = 1000
const HOUR = 3_600_000

interface Given {
  readonly started?: boolean
  /** The new time of an id after the clock was set, after that time. */
  readonly dueAfterClockSet?: (id: number) => number | null
  readonly hearsClock?: boolean
}

function scheduled({ started = true, dueAfterClockSet = () => 0, hearsClock = true }: Given = {}) {
  const clock = simulatedClock({ settling: 'promises' })
  const from = clock.now()
  const due: string[] = []
  const sets: ClockSet[] = []
  const scheduler = createScheduler({
    clock,
    onDue: (id, due_at) => void due.push(`${id} for ${due_at - from} at ${clock.monotonic()}`),
    ...(hearsClock ? { onClockSet: (set: ClockSet) => void sets.push(set) } : {}),
    dueAfterClockSet(id, now) {
      const after = dueAfterClockSet(id)
      return after === null ? null : now + after
    },
  })
  onTestFinished(() => scheduler.stop())
  if (started) scheduler.start()
  return { clock, from, due, sets, scheduler }
}

it('hands over each id at its time, the earliest first, and once', async () => {
  const { clock, from, due, scheduler } = scheduled()
  scheduler.set(1, from + 3000)
  scheduler.set(2, from + 1000)
  scheduler.set(3, from + 7000)
  await clock.advance(HOUR)
  expect(due).toEqual(['2 for 1000 at 1000', '1 for 3000 at 3000', '3 for 7000 at 7000'])
  expect(scheduler.size).toBe(0)
})

it('hands over at once what is due already, with the time at which it was', async () => {
  const { clock, from, due, scheduler } = scheduled()
  await clock.advance(1500)
  scheduler.set(1, from + 500)
  await clock.advance(0)
  expect(due).toEqual(['1 for 500 at 1500'])
})

it('knows when an id is due, follows it where it is moved, and forgets it', async () => {
  const { clock, from, due, scheduler } = scheduled()
  scheduler.set(1, from + 1000)
  scheduler.set(2, from + 2000)
  scheduler.set(1, from + 3000)
  expect([scheduler.dueAt(1), scheduler.dueAt(3), scheduler.size]).toEqual([
    ...[from + 3000, undefined, 2],
  ])
  scheduler.delete(2)
  await clock.advance(4000)
  expect(due).toEqual(['1 for 3000 at 3000'])
})

it('hands over nothing before it starts nor after it stops, and goes on when it starts again', async () => {
  const { clock, from, due, scheduler } = scheduled({ started: false })
  scheduler.set(1, from + 1000)
  expect(clock.pending).toBe(0)
  await clock.advance(5000)
  expect([due, clock.pending]).toEqual([[], 0])
  scheduler.start()
  await clock.advance(0)
  expect(due).toHaveLength(1)
  scheduler.set(2, from + 6000)
  scheduler.stop()
  scheduler.set(3, from + 7000)
  expect(clock.pending).toBe(0)
  await clock.advance(5000)
  expect(due).toHaveLength(1)
  scheduler.start()
  await clock.advance(0)
  expect(due).toHaveLength(3)
})

it('hands over fifty in a turn of those that are due at the same time, and each of them', async () => {
  const due: number[] = []
  const { clock, perTurn } = turnCountingClock(() => due.length)
  const scheduler = createScheduler({
    clock,
    onDue: (id) => void due.push(id),
    dueAfterClockSet: (_, now) => now,
  })
  onTestFinished(() => scheduler.stop())
  const at = clock.now() + 1000
  const ids = Array.from({ length: 2000 }, (_, n) => n + 1)
  for (const id of ids) scheduler.set(id, at)
  scheduler.start()
  await clock.advance(1000)
  expect(due.toSorted((a, b) => a - b)).toEqual(ids)
  expect(Math.max(...perTurn())).toBe(50)
})

it('notices at once that the clock was set beyond the next time, where something is scheduled then', async () => {
  const { clock, from, due, scheduler } = scheduled()
  scheduler.set(1, from + 4000)
  clock.jump(HOUR)
  scheduler.set(2, from + HOUR + 1000)
  await clock.advance(1000)
  expect(due).toEqual([`1 for ${HOUR} at 0`, `2 for ${HOUR} at 0`])
})

it('leaves no timer behind without anything due, unless somebody wants to know of the clock', async () => {
  const alone = scheduled({ hearsClock: false })
  expect(alone.clock.pending).toBe(0)
  alone.scheduler.set(1, alone.from + 1000)
  await alone.clock.advance(2000)
  expect([alone.due.length, alone.clock.pending]).toEqual([1, 0])
  alone.scheduler.set(2, alone.clock.now() + HOUR)
  alone.clock.jump(HOUR)
  await alone.clock.advance(5000)
  expect(alone.due).toHaveLength(2)
  const heard = scheduled()
  await heard.clock.advance(HOUR)
  expect(heard.clock.pending).toBe(1)
})

it('notices within five seconds that the clock was set, and asks for each time anew', async () => {
  const { clock, from, due, sets, scheduler } = scheduled({
    dueAfterClockSet: (id) => (id === 1 ? 10_000 : null),
  })
  scheduler.set(1, from + 20_000)
  scheduler.set(2, from + 20_000)
  await clock.advance(11_000)
  clock.jump(HOUR)
  await clock.advance(4000)
  // The last look was at 10 s; the clock showed 11 s when it was set.
  expect(sets).toEqual([{ by_ms: HOUR, after: from + 10_000, before: from + HOUR + 10_000 }])
  expect(scheduler.dueAt(2)).toBeUndefined()
  await clock.advance(HOUR)
  expect(due).toEqual([`1 for ${HOUR + 25_000} at 25000`])
})

it('set back, says that every later time lies further ahead', async () => {
  const { clock, from, due, sets, scheduler } = scheduled({ dueAfterClockSet: () => 3000 })
  scheduler.set(1, from + 20_000)
  await clock.advance(7000)
  clock.jump(-HOUR)
  await clock.advance(3000)
  expect(sets).toEqual([{ by_ms: -HOUR, after: from + 5000, before: Infinity }])
  await clock.advance(HOUR)
  expect(due).toEqual([`1 for ${13_000 - HOUR} at 13000`])
})

it.each([
  [1999, 0],
  [2000, 1],
  [-1999, 0],
  [-2000, 1],
])('takes a difference of %d ms for a drift or for a clock that was set', async (ms, count) => {
  const { clock, from, sets, scheduler } = scheduled({ dueAfterClockSet: () => HOUR })
  scheduler.set(1, from + 20_000)
  clock.jump(ms)
  await clock.advance(7000)
  expect(sets).toHaveLength(count)
  expect(scheduler.dueAt(1) === from + 20_000).toBe(count === 0)
})

it('does not add up small differences to one that counts', async () => {
  const { clock, from, due, sets, scheduler } = scheduled()
  scheduler.set(1, from + HOUR)
  for (let n = 0; n < 10; n++) {
    clock.jump(SECOND)
    await clock.advance(5000)
  }
  expect(sets).toEqual([])
  await clock.advance(HOUR - 60_000)
  expect(due).toHaveLength(1)
})

it('does not take what passed while it was stopped for a clock that was set', async () => {
  const { clock, sets, scheduler } = scheduled()
  scheduler.stop()
  clock.jump(HOUR)
  scheduler.start()
  await clock.advance(10_000)
  expect(sets).toEqual([])
})
