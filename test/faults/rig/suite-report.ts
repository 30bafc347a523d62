/**
 * What the runs of the test suite had, and which tests failed how often.
 *
 * @module
 */

import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

export interface SuiteRun {
  readonly passed: number
  readonly skipped: number
  /** File and title of each failed test; the file alone where it could not be loaded or a hook failed. */
  readonly failed: readonly string[]
  readonly seconds: number
  /** Mean load average of the machine meanwhile, the run included. */
  readonly load: number
  readonly status: number
}

/** The parts of vitest's JSON report that are read. */
interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

export function readReport(path: string): Pick<SuiteRun, 'passed' | 'skipped' | 'failed'> {
  let report: Report
  try {
    report = JSON.parse(readFileSync(path, 'utf8')) as Report
  } catch {
    return { passed: 0, skipped: 0, failed: ['vitest ended without a report'] }
  }
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  const count = (status: string): number => tests.filter((test) => test.status === status).length
  const passed = count('passed')
  return {
    passed,
    skipped: tests.length - passed - count('failed'),
    failed: report.testResults.flatMap(failuresOf),
  }
}

function failuresOf({ name, status, assertionResults }: Report['testResults'][number]): string[] {
  const file = relative(process.cwd(), name)
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (failed.length === 0) return status === 'failed' ? [file] : []
  return failed.map(({ fullName }) => `${file}: ${fullName}`)
}

/** Counts, seconds, load and exit code of one run. */
export function lineOf({ passed, failed, skipped, seconds, load, status }: SuiteRun): string {
  const counts = `${passed} passed, ${failed.length} failed, ${skipped} skipped`
  return `${counts} in ${Math.round(seconds)} s at a load of ${load.toFixed(1)}, exit code ${status}`
}

/** One line on all runs, and one for each test that failed, the most frequent first. */
export function summary(runs: readonly SuiteRun[], load: number): string {
  const counts = new Map<string, number>()
  for (const { failed } of runs) {
    for (const test of failed) counts.set(test, (counts.get(test) ?? 0) + 1)
  }
  const bad = runs.filter(({ failed, status }) => failed.length > 0 || status !== 0).length
  const rows = [...counts].sort(([, a], [, b]) => b - a).map(([test, n]) => `${n} x ${test}`)
  return [
    `${runs.length - bad} of ${runs.length} runs without a failure, load ${load}`,
    ...rows,
  ].join('\n')
}
