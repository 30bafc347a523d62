/**
 * The error of an exchange that ran out of time.
 *
 * @module
 */

import { WatchpostError } from '../../errors.ts'

/** Abort reason at the deadline. The current phase decides which cause it becomes. */
export class DeadlineError extends WatchpostError {
  readonly timeout_ms: number

  constructor(timeout_ms: number) {
    super('deadline', `Not complete within ${timeout_ms} ms`)
    this.timeout_ms = timeout_ms
  }
}
