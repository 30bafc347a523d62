import type { Clock } from '../../src/clock.ts'
import { createScheduler } from '../../src/engine/scheduling/scheduler.ts'
import { dueQueue } from '../../src/due-queue.ts'
import type { Benchmark, Contender, Fact } from '../harness/benchmark.ts'
import { heapBytes } from '../harness/benchmark.ts'

const INTERVAL_MS = 60_000

/** A clock that is moved by hand: what is due is due at once, and nothing is waited for. */
function handClock(): Clock & { advance(ms: number): void } {
  let now = Date.UTC(2026, 0, 1)
  let pending: (() => void) | undefined
  return {
    now: () => now,
    monotonic: () => now,
    random: () => 0.5,
    sleep: () => Promise.resolve(),
    timer(_ms, run) {
      pending = run
      return { cancel: () => (pending = undefined) }
    },
    advance(ms) {
      now += ms
      const run = pending
      pending = undefined
      run?.()
    },
  }
}

/** Monitors of one minute, spread evenly; each falls due and is set again, tick by tick. */
function contender(monitors: number, units: number, tick_ms: number): Contender {
  const clock = handClock()
  let fired = 0
  const scheduler = createScheduler({
    clock,
    onDue(id, due_at) {
      fired += 1
      scheduler.set(id, due_at + INTERVAL_MS)
    },
    dueAfterClockSet: () => null,
  })
  for (let id = 1; id <= monitors; id++) {
    scheduler.set(id, clock.now() + ((id * 7919) % INTERVAL_MS))
  }
  scheduler.start()
  return {
    name: `${monitors.toLocaleString('en')} monitors, tick of ${tick_ms} ms`,
    units,
    run(count) {
      fired = 0
      while (fired < count) clock.advance(tick_ms)
    },
  }
}

function bytesPerEntry(monitors: number): number {
  const before = heapBytes()
  const queue = dueQueue()
  for (let id = 1; id <= monitors; id++) queue.set(id, 1.7e12 + ((id * 7919) % INTERVAL_MS))
  const bytes = heapBytes() - before
  return queue.size === 0 ? NaN : bytes / monitors
}

function bytesPerTimer(timers: number): number {
  const before = heapBytes()
  const handles: NodeJS.Timeout[] = []
  for (let id = 1; id <= timers; id++) {
    handles.push(setTimeout(() => void id, INTERVAL_MS + ((id * 7919) % INTERVAL_MS)))
  }
  const bytes = heapBytes() - before
  for (const handle of handles) clearTimeout(handle)
  return bytes / timers
}

/** The obvious way: one timer of Node for each monitor, armed and fired. */
function timerEach(units: number): Contender {
  return {
    name: 'setTimeout for each',
    units,
    run: (count) =>
      new Promise((resolve) => {
        let left = count
        const fire = (): void => {
          if (--left === 0) resolve()
        }
        for (let id = 1; id <= count; id++) setTimeout(fire, 100 + ((id * 7919) % 900))
      }),
  }
}

export const scheduler: Benchmark = {
  name: 'scheduler',
  about: 'one monitor falling due and set again; the clock is moved by hand',
  unit: 'due monitor',
  prepare({ scale }) {
    const [some, many] = [100_000, 1_000_000].map((count) => Math.round(count * scale))
    const units = Math.round(100_000 * scale)
    const ofSome = contender(some!, units, 10)
    const ofMany = contender(many!, units, 10)
    return {
      baseline: 'setTimeout for each',
      contenders: [ofSome, ofMany, timerEach(units)],
      goals: [{ of: ofMany.name, at_most: 12 }],
      facts: (): Fact[] => [
        { name: `queue of ${some}`, value: bytesPerEntry(some!), unit: 'bytes per entry' },
        {
          name: `queue of ${many}`,
          value: bytesPerEntry(many!),
          unit: 'bytes per entry',
          at_most: 100,
        },
        { name: `${some} of setTimeout`, value: bytesPerTimer(some!), unit: 'bytes per timer' },
      ],
    }
  },
}
