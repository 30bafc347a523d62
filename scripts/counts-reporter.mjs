/**
 * Counts what vitest ran, for the last line of `npm test`, and collects why tests were skipped.
 *
 * A file that could not be loaded, a failing hook and an error outside of any test count as one failure
 * each: a broken file must never look like an empty one.
 */

import { writeFileSync } from 'node:fs'

export default class CountsReporter {
  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    /** @type {Record<string, number>} */
    const reasons = {}
    for (const module of modules) {
      counts.failed += module.errors().length
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length
      for (const test of module.children.allTests()) count(test.result(), counts, reasons)
    }
    const path = process.env.WATCHPOST_TEST_COUNTS
    if (path !== undefined) writeFileSync(path, JSON.stringify({ ...counts, reasons }))
  }
}

/**
 * @param {import('vitest/node').TestResult} result
 * @param {{ passed: number, failed: number, skipped: number }} counts
 * @param {Record<string, number>} reasons
 */
function count(result, counts, reasons) {
  // A test that never came to its end (the run was interrupted) did not pass.
  if (result.state === 'pending') counts.failed += 1
  else counts[result.state] += 1
  if (result.state !== 'skipped') return
  const reason = result.note ?? 'no reason given'
  reasons[reason] = (reasons[reason] ?? 0) + 1
}
