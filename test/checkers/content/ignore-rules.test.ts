import { expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { ignoreRulesField } from '../../../src/checkers/content/ignore-rules.ts'
import { measureCpu } from '../../support/turns.ts'

const LIMITS = { clock: systemClock, wall_ms: Infinity }

const field = ignoreRulesField('What is ignored')

/** As many as may be, each of the dearest kind. */
const DEAR = Array.from(
  { length: 20 },
  (_, n) => `/\\p{L}\\P{L}\\p{Lu}\\P{Lu}\\p{Ll}\\P{Ll}\\p{N}\\P{N}(a|b){160}(c|d){7${n % 10}}/i`,
).join('\n')

/** The least of a few, as others work on the same core. */
async function least<T>(work: () => T): Promise<number> {
  const tries = []
  for (let n = 0; n < 5; n++) tries.push((await measureCpu(() => Promise.resolve(work()))).cpu_ms)
  return Math.min(...tries)
}

it('patterns are compiled one in a step, and once', async () => {
  const all_ms = await least(() => [...field.decode(DEAR).removeFrom('text', LIMITS)])
  expect(await least(() => field.decode(DEAR))).toBeLessThan(all_ms / 10)

  const rules = field.decode(DEAR)
  const steps = [...rules.removeFrom('text', LIMITS)]
  expect(steps.length).toBeGreaterThanOrEqual(40)
  const again_ms = await least(() => [...rules.removeFrom('text', LIMITS)])
  expect(again_ms).toBeLessThan(all_ms / 2)
})
