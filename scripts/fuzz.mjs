/**
 * `npm run fuzz -- --seconds 300 --seed 7`: the mutated requests of test/rest/fuzz for longer than the
 * tests take. A failure names the seed of its round and the requests; the same `--seed` finds it again.
 */

import { parseArgs } from 'node:util'
import { tool } from './steps.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
console.log(`seed ${values.seed}, ${values.seconds} seconds`)
const env = { ...process.env, FUZZ_SECONDS: values.seconds, FUZZ_SEED: values.seed }
process.exitCode = await tool('vitest/vitest.mjs', ['run', 'test/rest/fuzz'], { env })
