/**
 * Services for REST, the page and the metrics only: counting requests, limiting requested checks and storing
 * responses. Attached to the engine under a symbol, so that the public type does not contain them.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'
import type { KeyView } from '../api/views.ts'
import type { PublicPageRecord } from '../../model.ts'
import { slidingLog } from '../core/sliding-log.ts'
import type { SlidingLog } from '../core/sliding-log.ts'
import type { AccountMonitors } from './account-monitors.ts'
import type { ServiceContext } from './service-context.ts'

/** In addition to the rounds of its interval. */
export const REQUESTED_CHECKS = { limit: 30, window_ms: 60_000 } as const

/** A registered symbol: shared by the ESM and CommonJS builds in one process. */
export const REQUEST_SERVICES = Symbol.for('watchpost.request-services')

/** Who is counted: an API key, or another identity by a unique name. */
export type Requester = { readonly key_id: number } | { readonly identity: string }

/** The API keys of an account may ask together what so many of them may ask. */
export const KEYS_TOGETHER = 10

/** All requests of an account, for {@link RequestCounter.admit}; without a limit they are not counted. */
export function requestsOfAccount(
  account_id: number,
  limit: number | undefined,
): { readonly name: string; readonly limit: number } | undefined {
  return limit === undefined ? undefined : { name: `requests of ${account_id}`, limit }
}

interface Room {
  readonly remaining: number
  /** At most the time until a request leaves the window; for a rejected one, until the next would be admitted. */
  readonly reset_ms: number
}

export interface Admission extends Room {
  readonly admitted: boolean
  /** What is left to all of `together`; absent without it. `full`: it was rejected for that. */
  readonly together?: (Room & { readonly full: boolean }) | undefined
}

/** Counts requests in one window for REST, the page and the metrics. */
export interface RequestCounter {
  /**
   * Admits at most `limit` in any `window_ms`. API keys are counted by their ids, across all processes on a shared
   * store; other identities in this process.
   *
   * `together`: a name under which several requesters are counted as well, with a limit of its own. It protects this
   * process, which counts it.
   */
  admit(request: {
    readonly by: Requester
    readonly window_ms: number
    readonly limit: number
    readonly together?: { readonly name: string; readonly limit: number } | undefined
  }): Promise<Admission>
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

/** Public pages for visitors, whatever their account. */
export interface PublishedPages {
  /** `slug` in lower case. */
  bySlug(slug: string): Promise<PublicPageRecord | undefined>
  /** Whether a visitor's password is that of the page. Slow on purpose. */
  isPassword(page: PublicPageRecord, password: string): Promise<boolean>
}

export interface RequestServices {
  /** A key of the account, also a revoked one. */
  key(account_id: number, id: number): Promise<KeyView | undefined>
  readonly publishedPages: PublishedPages
  readonly accountMonitors: AccountMonitors
  readonly requests: RequestCounter
  /** The last running request with an `Idempotency-Key`, by account and key; of every REST API on the engine. */
  readonly runningRepeatable: Map<string, Promise<unknown>>
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

/**
 * Whether one more is admitted; otherwise the seconds to wait. Requests for a foreign monitor do not count against
 * its owner.
 */
export async function admitCheck(
  engine: object,
  asked: { readonly account_id: number; readonly id: number },
): Promise<{ readonly admitted: true } | { readonly admitted: false; readonly retry_sec: number }> {
  return admit(engine, `checks of ${asked.account_id}:${asked.id}`)
}

/** The same for a bulk check, which is one for its account. */
export function admitBulkCheck(engine: object, account_id: number): ReturnType<typeof admitCheck> {
  return admit(engine, `bulk checks of ${account_id}`)
}

async function admit(engine: object, identity: string): ReturnType<typeof admitCheck> {
  const { admitted, reset_ms } = await requestServicesOf(engine).requests.admit({
    by: { identity },
    ...REQUESTED_CHECKS,
  })
  return admitted ? { admitted } : { admitted, retry_sec: Math.max(1, Math.ceil(reset_ms / 1000)) }
}

export function requestsOf(context: ServiceContext): RequestCounter {
  const log = slidingLog(context.core.clock)
  const countOne = countOneOf(context, log)
  return {
    async admit({ together, ...request }) {
      if (together === undefined) return countOne(request)
      const { window_ms } = request
      const name = `together ${together.name}`
      const bound = { limit: together.limit, window_ms }
      const { allowed: isFree, ...room } = log.look(name, bound)
      // Not counted for the requester either.
      if (!isFree) return { admitted: false, ...room, together: { full: true, ...room } }
      const own = await countOne(request)
      if (!own.admitted) return { ...own, together: { full: false, ...room } }
      // Others may have been faster while the store counted.
      const { allowed: admitted, ...rest } = log.take(name, bound)
      const least = admitted ? own : { admitted, ...rest }
      return { ...least, together: { full: !admitted, ...rest } }
    },
  }
}

type CountOne = (
  request: Omit<Parameters<RequestCounter['admit']>[0], 'together'>,
) => Promise<Admission>

/** Keys are counted in the store if several processes share it, everything else in this process. */
function countOneOf({ core, ready }: ServiceContext, log: SlidingLog): CountOne {
  const { clock, store } = core
  return async ({ by, window_ms, limit }) => {
    if (store.requests === undefined || !('key_id' in by)) {
      const who = 'key_id' in by ? `key ${by.key_id}` : `other ${by.identity}`
      const { allowed, ...rest } = log.take(who, { limit, window_ms })
      return { admitted: allowed, ...rest }
    }
    await ready()
    const now = clock.now()
    const request = { key_id: by.key_id, window_ms, limit, now }
    const { admitted, remaining, retry_at } = await store.requests.admit(request)
    const reset_ms = admitted ? window_ms : Math.max(0, (retry_at ?? now) - now)
    return { admitted, remaining, reset_ms }
  }
}
