/**
 * A timeout for commands that Redis may never answer.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { ClosedError } from '../../errors.ts'

/**
 * The result of `work`, or a rejection after `ms`. The work itself continues; its result is ignored.
 *
 * @throws ClosedError
 */
export function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.timer(ms, () => {
      reject(new ClosedError(`Redis did not answer within ${ms} ms`))
    })
    work.then(resolve, reject).finally(() => timer.cancel())
  })
}
