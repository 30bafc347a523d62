/**
 * `watchpost/rest`: the REST API over an engine, as one `fetch(Request)`.
 *
 * @module watchpost/rest
 */

export { createRest } from './fetch.ts'
export type { Rest, RestOptions } from './fetch.ts'
export type { Authenticate, Identity, RequestKey } from './auth.ts'
export type { Balance } from './operation.ts'
export type { RatePolicy, RateWindow, Taken } from './rate-limit.ts'
