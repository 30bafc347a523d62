import { expect, it } from 'vitest'
import type { Clock } from '../../src/clock.ts'
import { createBodyTurns } from '../../src/rest/body-turns.ts'

it('a body waits for the next turn of the event loop where this one takes 10 ms and more', async () => {
  let now = 0
  const waited: number[] = []
  const endsOfTurn: (() => void)[] = []
  const clock: Pick<Clock, 'monotonic' | 'timer' | 'sleep'> = {
    monotonic: () => now,
    timer(_, run) {
      endsOfTurn.push(run)
      return { cancel: () => undefined }
    },
    sleep() {
      waited.push(now)
      for (const end of endsOfTurn.splice(0)) end()
      return Promise.resolve()
    },
  }
  const inTurn = createBodyTurns(clock)
  const parse = (ms: number) => inTurn(1, () => (now += ms))
  await parse(9)
  await parse(1)
  expect(waited).toEqual([])
  await parse(3)
  expect(waited).toEqual([10])
  await parse(5)
  expect([waited, now]).toEqual([[10], 18])
})
