import { expect, it } from 'vitest'
import { createQueues } from '../../src/checkers/domain/queues.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

const GAP_MS = 500
const QUERY_MS = 1000
const TURN_MS = GAP_MS + QUERY_MS

function registry() {
  const clock = simulatedClock()
  const queues = createQueues(GAP_MS)
  const { signal } = new AbortController()
  return {
    clock,
    /** One query of the account; the answer is when it was done. */
    async ask(account_id: number, wait_ms = 3_600_000): Promise<number | string> {
      const turn = { account_id, clock, signal, wait_ms }
      const turned = await queues.run('rdap registry.test', turn, () => clock.sleep(QUERY_MS))
      return turned.state === 'done' ? clock.monotonic() : turned.state
    },
  }
}

it('a registry is asked for one account in its turn, however many names another one has', async () => {
  const { clock, ask } = registry()
  const [A, B] = [1, 2]
  const others = Array.from({ length: 200 }, () => ask(B))
  await clock.advance(10 * TURN_MS)
  const asked = clock.monotonic()
  const mine = ask(A)
  await clock.advance(200 * TURN_MS)
  // What is under way ends, B has a turn, and then A.
  expect(Number(await mine) - asked).toBeLessThanOrEqual(3 * TURN_MS)
  expect(Number((await Promise.all(others)).at(-1))).toBeGreaterThan(200 * QUERY_MS)
})

it('one account alone is served in order, and told when too many are before it', async () => {
  const { clock, ask } = registry()
  const all = Array.from({ length: 5 }, () => ask(1, 3 * TURN_MS))
  await clock.advance(20 * TURN_MS)
  const done = [0, 1, 2, 3].map((before) => before * TURN_MS + QUERY_MS)
  expect(await Promise.all(all)).toEqual([...done, 'busy'])
})
