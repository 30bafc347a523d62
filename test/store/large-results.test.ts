/** Results with as many small lists as their details may have: how long a turn takes in which they are read. */

import { expect, it } from 'vitest'
import { memoryStore } from '../../src/store/memory.ts'
import { commitOne, firstAccount, monitor, on, result } from '../../src/testing/store-suite/case.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50
const ROWS = 128

it('are read from the store in memory by short turns', async () => {
  const store = memoryStore()
  await store.open()
  await firstAccount(store)
  const { id, revision } = await store.monitors.create(monitor())
  const details = {
    lists: Array.from({ length: 20 }, () => Array.from({ length: 300 }, (_, n) => [[n]])),
  }
  const results = Array.from({ length: ROWS }, () => result({ details }))
  await commitOne(store, on({ id, revision }, { results }))
  const reading = () => store.results.list({ monitor_id: id, limit: ROWS })
  const { value, longest_ms } = await leastOf(3, () => measureTurns(reading), TURN_MS)
  expect(value).toHaveLength(ROWS)
  expect(value.at(-1)?.details).toEqual(details)
  expect(longest_ms).toBeLessThan(TURN_MS)
  await store.close()
})
