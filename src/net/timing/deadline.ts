/**
 * Why an exchange was cut short although nothing was wrong with it.
 *
 * @module
 */

import { WatchpostError } from '../../errors.ts'

/** Reason of an abort because the time is up. Which cause that becomes depends on the phase under way. */
export class DeadlineError extends WatchpostError {
  readonly timeout_ms: number

  constructor(timeout_ms: number) {
    super('deadline', `Not complete within ${timeout_ms} ms`)
    this.timeout_ms = timeout_ms
  }
}
