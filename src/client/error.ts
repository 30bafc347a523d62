/**
 * The error of an API call: a refusal, or no valid response.
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
 * `code` is that of the API (`validation`, `not_found`, `rate_limited`, …), or of the client:
 * `network` (not reached), `timeout` (no response within `timeout_ms`), `bad_answer` (not a
 * response of this API).
 */
export class ApiError extends WatchpostError {
  /** Of the response; `null` if there was none. */
  readonly status: number | null
  /** Problem per field, as the API names them; `{}` unless `code` is `validation`. */
  readonly fields: Readonly<Record<string, string>>
  /** Identifies the request in the log of the service. */
  readonly request_id: string | null
  /** Seconds after which a retry may succeed, if the API reports them. */
  readonly retry_after_sec: number | null

  constructor(code: string, { message, cause, ...details }: Details) {
    super(code, message, cause === undefined ? undefined : { cause })
    this.status = details.status ?? null
    this.fields = details.fields ?? {}
    this.request_id = details.request_id ?? null
    this.retry_after_sec = details.retry_after_sec ?? null
  }
}
