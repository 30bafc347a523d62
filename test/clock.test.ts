import { describe, expect, it } from 'vitest'
import { sleepOn, systemClock, yieldingQueueOf } from '../src/clock.ts'
import { simulatedClock } from '../src/testing/simulated-clock.ts'

it('sleeping for no time lets everybody else have a turn, as long work in steps relies on', async () => {
  let turns = 0
  const others = setImmediate(() => turns++)
  await systemClock.sleep(0)
  await systemClock.sleep(0)
  clearImmediate(others)
  expect(turns).toBe(1)
})

it('a timer of no time is the next turn of the event loop', async () => {
  const order: string[] = []
  await new Promise<void>((resolve) => {
    systemClock.timer(0, () => order.push('cancelled')).cancel()
    systemClock.timer(0, () => order.push('timer'))
    setImmediate(() => {
      order.push('turn')
      resolve()
    })
  })
  expect(order).toEqual(['timer', 'turn'])
})

it('sleeping for no time hears the signal', async () => {
  const stop = new AbortController()
  stop.abort(new Error('enough'))
  await expect(systemClock.sleep(0, stop.signal)).rejects.toThrow('enough')
})

it('a long sleep is made of short timers', async () => {
  const clock = simulatedClock()
  let longest = 0
  const timer: typeof clock.timer = (ms, run) => {
    longest = Math.max(longest, ms)
    return clock.timer(ms, run)
  }
  let over = false
  const slept = sleepOn({ timer }, 40 * 86_400_000).then(() => (over = true))
  await clock.advance(40 * 86_400_000 - 1000)
  expect(over).toBe(false)
  await clock.advance(1000)
  await slept
  expect(longest).toBeLessThan(2 ** 31)
})

it('calls that are awaited one after the other let the event loop turn', async () => {
  const step = yieldingQueueOf(systemClock)
  const loop = { turned: false }
  setImmediate(() => (loop.turned = true))
  const until = systemClock.monotonic() + 5000
  while (!loop.turned && systemClock.monotonic() < until) await step()
  expect(loop.turned).toBe(true)
})

it('calls that come at once pass in their order, and on a simulated clock without waiting for it', async () => {
  const step = yieldingQueueOf(simulatedClock())
  const order: number[] = []
  await Promise.all([1, 2, 3].map((n) => step().then(() => order.push(n))))
  expect(order).toEqual([1, 2, 3])
})

describe('what settles between the timers of a simulated clock', () => {
  /** Awaits turns of the event loop until it has had `wanted` of them or `signal` aborts. */
  function turnsTaken(wanted: number, signal?: AbortSignal) {
    const taken = { turns: 0 }
    const next = (): void => {
      taken.turns++
      if (taken.turns < wanted && signal?.aborted !== true) setImmediate(next)
    }
    setImmediate(next)
    return taken
  }

  it.each(['turns', 'promises'] as const)('is work of many turns, after %s', async (settling) => {
    const clock = simulatedClock({ settling })
    let taken = { turns: 0 }
    clock.timer(1000, () => (taken = turnsTaken(20)))
    await clock.advance(1000)
    expect(taken.turns).toBe(20)
  })

  it('is not work that awaits the next turn without end', async () => {
    const ended = new AbortController()
    const taken = turnsTaken(Infinity, ended.signal)
    await simulatedClock().settle()
    ended.abort()
    expect(taken.turns).toBeLessThan(200)
  })
})
