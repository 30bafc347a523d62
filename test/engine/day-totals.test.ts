/** Sums of days are kept in memory: reading those of many monitors costs each of them the same. */

import { expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/index.ts'
import { makeCopies } from '../support/copies.ts'
import { measureCpu } from '../support/turns.ts'

const MONITORS = 20_000
const READS = 500

it('a chart costs no more where charts of many monitors without days were read', async () => {
  const store = memoryStore()
  const clock = simulatedClock({ now: Date.UTC(2026, 5, 10, 12) })
  const engine = createEngine({ store, clock, checkers: [tcp()], logger: false })
  onTestFinished(() => engine.stop())
  const { id: first } = await engine.monitors.create({ type: 'tcp', host: 'h.test', port: 1 })
  await makeCopies(store, first, MONITORS)
  const to = clock.now()
  const read = async (from: number, count: number) => {
    for (let id = from; id < from + count; id++)
      await engine.monitors.hours(id, { from: to - 3 * 86_400_000, to, step_hours: 24 })
  }
  const cpu = async () => (await measureCpu(() => read(first, READS))).cpu_ms
  const before = Math.min(await cpu(), await cpu(), await cpu(), await cpu())
  await read(first, MONITORS)
  let after = await cpu()
  // Ten milliseconds each: a few in a row may all fall beside the work of others, which doubles them.
  for (let n = 1; n < 12 && after >= 2 * before; n++) after = Math.min(after, await cpu())
  expect(after).toBeLessThan(2 * before)
})
