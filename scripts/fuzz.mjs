/**
 * `npm run fuzz -- --seconds 300 --seed 7 [--store postgres]`: the mutated requests of test/rest/fuzz for longer than the
 * tests take. A failure names the seed of its round and the requests; the same `--seed` finds it again.
 */

import { parseArgs } from 'node:util'
import { tool } from './steps.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    store: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const { seconds, seed, store } = values
console.log(`seed ${seed}, ${seconds} seconds, on ${store}`)
const env = { ...process.env, FUZZ_SECONDS: seconds, FUZZ_SEED: seed, FUZZ_STORE: store }
process.exitCode = await tool('vitest/vitest.mjs', ['run', 'test/rest/fuzz'], { env })
