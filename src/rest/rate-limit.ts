/**
 * Limits requests per key in any window (spec 8: 60 per minute) and those of all keys of an account, and sets the
 * headers that report it.
 *
 * @module
 */

import type { WaitingRequests } from '../access/waiting-requests.ts'
import type { Clock } from '../clock.ts'
import {
  KEYS_TOGETHER,
  requestServicesOf,
  requestsOfAccount,
} from '../engine/services/request-services.ts'
import type { Identity } from './auth.ts'
import { HttpError } from './http-error.ts'

export interface RatePolicy {
  /** Default 60. */
  readonly requests: number
  /** Default 60. */
  readonly windowSec: number
  /**
   * Requests of all keys of an account together, counted by each process. Default ten times `requests`; with
   * `authenticate`, where the host decides who is counted, none.
   */
  readonly accountRequests?: number | undefined
}

/** Spec 8. */
export const DEFAULT_RATE: RatePolicy = { requests: 60, windowSec: 60 }

/** `foreign`: the keys are those of the host. */
export function ratePolicy(
  { requests = DEFAULT_RATE.requests, windowSec = DEFAULT_RATE.windowSec, ...rest }: RateGiven,
  { foreign }: { readonly foreign: boolean },
): RatePolicy {
  const { accountRequests = foreign ? undefined : requests * KEYS_TOGETHER } = rest
  return { requests, windowSec, accountRequests }
}

type RateGiven = { readonly [Name in keyof RatePolicy]?: RatePolicy[Name] | undefined }

interface Room {
  /** Requests left at this moment. */
  readonly remaining: number
  /** Milliseconds until the oldest counted request leaves the window; never less than until the next one is admitted. */
  readonly reset_ms: number
}

export interface Taken extends Room {
  readonly allowed: boolean
  /** The same for all keys of the account, if they are counted together. `full`: it was rejected for that. */
  readonly account?: (Room & { readonly full: boolean }) | undefined
}

/** Counts requests. Processes that share one limit implement it on a shared store. */
export interface RateWindow {
  /** Counts one request with this key if the policy allows it; a rejected one is not counted. */
  take(identity: Identity, policy: RatePolicy): Taken | Promise<Taken>
}

/**
 * The window that REST, page and metrics of an engine share. Keys of the engine are counted by their ids, those of a
 * host (`foreign`) by account and id.
 */
export function engineWindow(
  engine: object,
  { foreign }: { readonly foreign: boolean },
): RateWindow {
  const { requests } = requestServicesOf(engine)
  return {
    async take({ account_id, key }, { requests: limit, windowSec, accountRequests }) {
      const by = foreign ? { identity: `${account_id}:${key.id}` } : { key_id: Number(key.id) }
      const { admitted, together, ...rest } = await requests.admit({
        by,
        limit,
        window_ms: windowSec * 1000,
        together: requestsOfAccount(account_id, accountRequests),
      })
      return { allowed: admitted, ...rest, account: together }
    },
  }
}

/**
 * `RateLimit` and `RateLimit-Policy` as in the IETF draft (draft-ietf-httpapi-ratelimit-headers), and the
 * older `X-RateLimit-*`, whose reset is a time in Unix seconds.
 */
export function rateHeaders(
  policy: RatePolicy,
  taken: Taken,
  clock: Pick<Clock, 'now'>,
): Record<string, string> {
  const { requests, windowSec, accountRequests } = policy
  const { account } = taken
  const policies = [`"key";q=${requests};w=${windowSec}`]
  // What is left to the key is not known where the account has nothing left.
  const left = account?.full === true ? [] : [`"key";${leftIn(taken)}`]
  if (account !== undefined) {
    policies.push(`"account";q=${accountRequests};w=${windowSec}`)
    left.push(`"account";${leftIn(account)}`)
  }
  const least = account !== undefined && account.remaining < taken.remaining ? account : taken
  return {
    'RateLimit-Policy': policies.join(', '),
    RateLimit: left.join(', '),
    'X-RateLimit-Limit': `${requests}`,
    'X-RateLimit-Remaining': `${least.remaining}`,
    'X-RateLimit-Reset': `${Math.ceil((clock.now() + least.reset_ms) / 1000)}`,
  }
}

function leftIn(room: Room): string {
  return `r=${room.remaining};t=${wholeSeconds(room)}`
}

/** @throws HttpError 429 */
export function requireQuota(policy: RatePolicy, taken: Taken): void {
  if (taken.allowed) return
  const { requests, windowSec, accountRequests } = policy
  const most =
    taken.account?.full === true
      ? `${accountRequests} requests of all keys of the account`
      : `${requests} requests`
  throw new HttpError({
    status: 429,
    error: 'rate_limited',
    message: `More than ${most} in ${windowSec} seconds`,
    retry_after: wholeSeconds(taken),
  })
}

/** Runs what a connection of the account waits for, however long. @throws HttpError 429 `too_many_waiting` */
export async function whileWaiting<T>(
  { rate, waiting }: { readonly rate: RatePolicy | null; readonly waiting: WaitingRequests },
  account_id: number,
  work: () => Promise<T>,
): Promise<T> {
  if (rate === null) return work()
  const leave = waiting.enter(account_id)
  if (leave === undefined)
    throw new HttpError({
      status: 429,
      error: 'too_many_waiting',
      message: 'Too many requests wait for checks, deliveries or equal requests that are under way',
      retry_after: 5,
    })
  return work().finally(leave)
}

function wholeSeconds({ reset_ms }: Room): number {
  return Math.max(1, Math.ceil(reset_ms / 1000))
}
