import { expect, it } from 'vitest'
import { createPacer } from '../../../src/checkers/blacklist/pacer.ts'
import { simulatedClock } from '../../../src/testing/simulated-clock.ts'

const SPACING_MS = 100
const HOUR = 3_600_000
const [A, B] = [1, 2]

function zone() {
  const clock = simulatedClock()
  const pacer = createPacer(SPACING_MS)
  return {
    clock,
    /** When the account has its turn; `false` where it has none. */
    async turn(
      account_id: number,
      atMost_ms = HOUR,
      { signal } = new AbortController(),
    ): Promise<number | false> {
      const isTurn = await pacer.turn('zone.test', { account_id, clock, signal }, atMost_ms)
      return isTurn && clock.monotonic()
    },
  }
}

it('a zone is asked for one account in its turn, however many addresses another one has', async () => {
  const { clock, turn } = zone()
  const others = Array.from({ length: 200 }, () => turn(B))
  await clock.advance(1050)
  const mine = turn(A)
  await clock.advance(200 * SPACING_MS)
  // B has a turn, and then A.
  expect(await mine).toBe(1200)
  // Nobody was left out, and nobody came early.
  const times = [...(await Promise.all(others)), 1200].map(Number).toSorted((a, b) => a - b)
  expect(times).toEqual(Array.from({ length: 201 }, (_, n) => n * SPACING_MS))
})

it('says at once that the turn would come too late, by the place of the account', async () => {
  const { clock, turn } = zone()
  const others = Array.from({ length: 50 }, () => turn(B))
  expect(await turn(B, 10 * SPACING_MS)).toBe(false)
  const mine = turn(A, 2 * SPACING_MS)
  await clock.advance(2 * SPACING_MS)
  expect(await mine).toBe(2 * SPACING_MS)
  await clock.advance(50 * SPACING_MS)
  await Promise.all(others)
})

it('who was overtaken until it was too late, or gave up, takes no turn', async () => {
  const { clock, turn } = zone()
  const first = turn(B)
  const late = [turn(B, SPACING_MS), turn(B, 2 * SPACING_MS)]
  const overtaking = turn(A)
  const stop = new AbortController()
  const gone = turn(B, HOUR, stop).catch((reason: unknown) => reason)
  const last = turn(B)
  stop.abort('gone')
  await clock.advance(HOUR)
  expect(await Promise.all([first, ...late, overtaking])).toEqual([0, 100, false, 200])
  expect([await gone, await last]).toEqual(['gone', 300])
  expect(clock.pending).toBe(0)
})
