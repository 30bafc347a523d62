/**
 * The suite of all checkers on a machine that may be busy: its cases about time take some seconds for the end of a check
 * that was stopped, and are tried again where the machine has taken them.
 *
 * @module
 */

import type { AnyChecker } from '../../src/checkers/checker.ts'
import { checkerSuite } from '../../src/testing/checker-suite.ts'
import type { CheckerSuiteOptions, SuiteCase } from '../../src/testing/checker-suite.ts'
import { withDeadline } from './deadlines.ts'

/** That of a case whose server is silent. */
const DEADLINE_MS = 1000

export function trySuite(checker: AnyChecker, options: CheckerSuiteOptions): SuiteCase[] {
  return checkerSuite(checker, options).map(({ name, run }) => ({
    name,
    run: () => withDeadline(DEADLINE_MS, run),
  }))
}
