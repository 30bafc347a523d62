/**
 * What prevents a check from judging: thrown by the network, and by checkers for their own protocols.
 *
 * @module
 */

import { WatchpostError } from '../errors.ts'
import type { Phase } from '../model.ts'

export interface FailureOptions extends ErrorOptions {
  readonly phase?: Phase | undefined
}

/** A transport failure that already knows its cause. `message` is the cause text: no secrets, no stack. */
export class CheckFailure extends WatchpostError {
  readonly phase: Phase | undefined

  constructor(cause_code: string, cause_text: string, options: FailureOptions = {}) {
    super(cause_code, cause_text, options)
    this.phase = options.phase
  }
}
