/**
 * Services for REST, the page and the metrics only: counting requests and storing responses. Attached to the engine
 * under a symbol, so that the public type does not contain them.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'

/** A registered symbol: shared by the ESM and CommonJS builds in one process. */
export const REQUEST_SERVICES = Symbol.for('watchpost.request-services')

/** Who is counted: an API key, or another identity by a unique name. */
export type Requester = { readonly key_id: number } | { readonly identity: string }

/** Counts requests in one window for REST, the page and the metrics. */
export interface RequestCounter {
  /**
   * Admits at most `limit` in any `window_ms`. API keys are counted by their ids, across all processes on a shared
   * store; other identities in this process.
   */
  admit(request: {
    readonly by: Requester
    readonly window_ms: number
    readonly limit: number
  }): Promise<{
    readonly admitted: boolean
    readonly remaining: number
    /** At most the time until a request leaves the window; for a rejected one, until the next would be admitted. */
    readonly reset_ms: number
  }>
}

/** Locks of requests that may be repeated, over all processes. */
export interface IdempotencyLocks {
  /**
   * Resolves to a function that releases the lock, which expires after two minutes; `undefined` while another process has
   * it.
   */
  acquire(account_id: number, key: string): Promise<(() => Promise<void>) | undefined>
}

export interface RepeatableResponse {
  readonly request_hash: string
  readonly status: number
  readonly body: string
}

/** Stored responses of requests that may be repeated. */
export interface IdempotencyResponses {
  get(account_id: number, key: string): Promise<RepeatableResponse | undefined>
  put(account_id: number, key: string, response: RepeatableResponse): Promise<void>
}

export interface RequestServices {
  readonly requests: RequestCounter
  /** Absent if the store belongs to this process alone. */
  readonly idempotencyLocks?: IdempotencyLocks
  readonly idempotencyResponses: IdempotencyResponses
}

/** @throws ConfigurationError for an object that `createEngine` did not create */
export function requestServicesOf(engine: object): RequestServices {
  const services = (engine as { readonly [REQUEST_SERVICES]?: RequestServices })[REQUEST_SERVICES]
  if (services !== undefined) return services
  throw new ConfigurationError('An engine is expected, as createEngine returns it')
}
