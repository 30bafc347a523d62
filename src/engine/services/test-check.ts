/**
 * One check of settings that are not stored, for people who write them.
 *
 * @module
 */

import { responseOf } from '../../checkers/response-time.ts'
import { ConflictError } from '../../errors.ts'
import type { TimedOutcome } from '../api/views.ts'
import { checkOrder } from '../checks/check-order.ts'
import type { ServiceContext } from './service-context.ts'
import { validOf } from './preview.ts'
import type { Previewing } from './preview.ts'

/** Tests of one account at a time: they take no check slot. */
const AT_ONCE = 2

export type TestCheck = (testing: Previewing) => Promise<TimedOutcome>

/** Runs in this process, with the address guard of its checks. */
export function createTestCheck(context: ServiceContext): TestCheck {
  const { core, run, testing } = context

  return async (input) => {
    const { account_id, type } = input
    const { checker } = type
    if (checker.push !== undefined)
      throw new ConflictError('not_testable', 'This type waits for signals and checks nothing')
    const { common, settings, target } = await validOf(context, input)
    const running = testing.get(account_id) ?? 0
    if (running >= AT_ONCE)
      throw new ConflictError('test_running', 'Other tests of this account are running')
    testing.set(account_id, running + 1)
    try {
      const now = core.clock.now()
      const [first] = core.locations
      const record = { id: 0, version: 0, account_id, type: checker.type, common, target }
      const order = checkOrder(
        { record, settings },
        {
          location: first ?? { id: 0, name: 'local' },
          round: now,
          expires_at: now + common.timeout_ms,
          memo: null,
        },
      )
      const { outcome } = await run(order, new AbortController().signal)
      return { ...outcome, response_ms: responseOf(checker, outcome) }
    } finally {
      const left = (testing.get(account_id) ?? 1) - 1
      if (left === 0) testing.delete(account_id)
      else testing.set(account_id, left)
    }
  }
}
