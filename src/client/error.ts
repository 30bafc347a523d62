/**
 * What a call of the API is refused with, or why it did not come to an answer.
 *
 * @module
 */

import { WatchpostError } from '../errors.ts'

interface Details {
  readonly message: string
  readonly status?: number | undefined
  readonly fields?: Readonly<Record<string, string>> | undefined
  readonly request_id?: string | undefined
  readonly retry_after_sec?: number | undefined
  readonly cause?: unknown
}

/**
 * `code` is that of the API (`validation`, `not_found`, `rate_limited`, …), or one of ours where there was no
 * answer of it: `network` (not reached), `timeout` (no answer within `timeout_ms`), `bad_answer` (not of this API).
 */
export class ApiError extends WatchpostError {
  /** Of the answer; `null` where there was none. */
  readonly status: number | null
  /** Problem per field, as the API names them; `{}` unless `code` is `validation`. */
  readonly fields: Readonly<Record<string, string>>
  /** By which the log of the service knows the request. */
  readonly request_id: string | null
  /** After how many seconds a repetition may succeed, where the API says so. */
  readonly retry_after_sec: number | null

  constructor(code: string, { message, cause, ...details }: Details) {
    super(code, message, cause === undefined ? undefined : { cause })
    this.status = details.status ?? null
    this.fields = details.fields ?? {}
    this.request_id = details.request_id ?? null
    this.retry_after_sec = details.retry_after_sec ?? null
  }
}
