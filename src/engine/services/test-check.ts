/**
 * One check of settings that are not stored, for people who write them.
 *
 * @module
 */

import { responseOf } from '../../checkers/response-time.ts'
import { ClosedError, ConflictError } from '../../errors.ts'
import type { TimedOutcome } from '../api/views.ts'
import { checkOrder } from '../checks/check-order.ts'
import { validSettingsOf } from './preview.ts'
import type { GivenSettings } from './preview.ts'
import type { ServiceContext } from './service-context.ts'

/** Tests of one account at a time: they take no check slot. */
const MAX_RUNNING = 2

export type TestCheck = (given: GivenSettings) => Promise<TimedOutcome>

/** Runs in this process, with the address guard of its checks. @throws ClosedError if the engine stops meanwhile */
export function createTestCheck(context: ServiceContext): TestCheck {
  const { core, run, runningTests } = context

  return async (given) => {
    const { account_id, type } = given
    const { checker } = type
    if (checker.push !== undefined)
      throw new ConflictError('not_testable', 'This type waits for signals and checks nothing')
    const { common, settings, target } = await validSettingsOf(context, given)
    const running = runningTests.get(account_id) ?? 0
    if (running >= MAX_RUNNING)
      throw new ConflictError('test_running', 'Other tests of this account are running')
    runningTests.set(account_id, running + 1)
    const abort = new AbortController()
    const onStop = (): void => abort.abort(new ClosedError('The engine stops'))
    core.events.on('stop', onStop)
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
      const { outcome } = await run(order, abort.signal)
      abort.signal.throwIfAborted()
      return { ...outcome, response_ms: responseOf(checker, outcome) }
    } finally {
      core.events.off('stop', onStop)
      const left = (runningTests.get(account_id) ?? 1) - 1
      if (left === 0) runningTests.delete(account_id)
      else runningTests.set(account_id, left)
    }
  }
}
