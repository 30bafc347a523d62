import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createStop } from '../../src/net/timing/stop.ts'
import { createTurns } from '../../src/net/timing/turns.ts'

/** Each step takes so long; tells which turn of the clock it ran in. */
function* steps(count: number, took: () => void): Generator<void, number> {
  for (let n = 0; n < count; n++) {
    took()
    yield
  }
  return count
}

/** Time that passes only where it is told to; a timer is a turn. */
function turnClock() {
  let now = 0
  let turn = 0
  return {
    monotonic: () => now,
    pass: (ms: number) => void (now += ms),
    turn: () => turn,
    timer(_ms: number, run: () => void) {
      setImmediate(() => {
        turn += 1
        run()
      })
      return { cancel: () => undefined }
    },
  }
}

describe('work in steps', () => {
  it('returns what comes of it', async () => {
    const turns = createTurns(systemClock)
    expect(
      await turns.run(
        createStop(),
        steps(3, () => undefined),
      ),
    ).toBe(3)
  })

  it('that is short needs no other turn', async () => {
    const clock = turnClock()
    await createTurns(clock).run(
      createStop(),
      steps(100, () => undefined),
    )
    expect(clock.turn()).toBe(0)
  })

  it('of many takes no more of a turn than that of one', async () => {
    const clock = turnClock()
    const { run } = createTurns(clock)
    const spent = new Map<number, number>()
    const took = (): void => {
      clock.pass(2)
      spent.set(clock.turn(), (spent.get(clock.turn()) ?? 0) + 2)
    }
    await Promise.all(Array.from({ length: 8 }, () => run(createStop(), steps(20, took))))
    expect(Math.max(...spent.values())).toBeLessThanOrEqual(8)
    expect([...spent.values()].reduce((sum, ms) => sum + ms, 0)).toBe(8 * 20 * 2)
  })

  it('goes round: what came last is not the last to begin', async () => {
    const clock = turnClock()
    const { run } = createTurns(clock)
    const order: string[] = []
    const named = (name: string) => () => {
      clock.pass(10)
      order.push(name)
    }
    const long = run(createStop(), steps(50, named('long')))
    await run(createStop(), steps(2, named('short')))
    expect(order.length).toBeLessThan(10)
    await long
  })

  it('lets others have their turn where time stands still', async () => {
    const clock = turnClock()
    await createTurns(clock).run(
      createStop(),
      steps(1000, () => undefined),
    )
    expect(clock.turn()).toBeGreaterThan(2)
  })

  it('fails with what a step throws, and goes on with the others', async () => {
    const { run } = createTurns(turnClock())
    const failing = function* (): Generator<void, number> {
      yield
      throw new RangeError('too deep')
    }
    const other = run(
      createStop(),
      steps(2000, () => undefined),
    )
    await expect(run(createStop(), failing())).rejects.toThrow('too deep')
    expect(await other).toBe(2000)
  })

  it('ends with the signal, at once', async () => {
    const clock = turnClock()
    const stop = createStop()
    let made = 0
    const work = createTurns(clock).run(
      stop,
      steps(1_000_000, () => {
        made += 1
        clock.pass(10)
      }),
    )
    stop.abort(new Error('the time is up'))
    await expect(work).rejects.toThrow('the time is up')
    const before = made
    await new Promise((resolve) => void setImmediate(resolve))
    expect(made).toBe(before)
  })
})
