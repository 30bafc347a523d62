/** How Stryker runs the tests of a part; `npm run mutate` sets the variables. */

import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'

/** @type {string[]} */
const tests = JSON.parse(process.env.MUTATE_TESTS ?? '[]')

const pollMs = Number(process.env.MUTATE_POLL_MS ?? 10_000)

/** In the order in which the part names them: the quick ones first, since the first failure ends a run. */
class AsNamed extends BaseSequencer {
  /**
   * @override
   * @param {import('vitest/node').TestSpecification[]} files
   */
  sort(files) {
    const place = (/** @type {import('vitest/node').TestSpecification} */ { moduleId }) =>
      tests.findIndex((name) => moduleId.includes(name.replace(/\*.*$/, '')))
    return Promise.resolve(files.toSorted((a, b) => place(a) - place(b)))
  }
}

export default defineConfig({
  test: {
    include: tests,
    sequence: { sequencer: AsNamed },
    // A mutant may leave a test waiting, so this is less than in vitest.config.ts, and still far more than a
    // test of these parts takes.
    testTimeout: 4 * pollMs,
    hookTimeout: 60_000,
    expect: { poll: { timeout: pollMs } },
  },
})
