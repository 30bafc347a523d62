/**
 * Rate limits of the page: buttons count with the API requests of the session's key; views have a larger limit of
 * their own.
 *
 * @module
 */

import { requestServicesOf, admitCheck } from '../../engine/services/request-services.ts'
import type { Requester } from '../../engine/services/request-services.ts'
import { tooMany } from './page-error.ts'

export interface PageRate {
  /** Buttons, counted with API requests of the same key; default 60. */
  readonly requests?: number | undefined
  /** Pages, live connections and sign-ins; default 600. */
  readonly views?: number | undefined
  /** Default 60. */
  readonly windowSec?: number | undefined
}

/** Each @throws PageError 429 */
export interface Requests {
  view(by: Requester): Promise<void>
  action(by: Requester): Promise<void>
  check(asked: { readonly account_id: number; readonly id: number }): Promise<void>
  newKey(account_id: number): Promise<void>
}

/** Each key has a window of requests of its own, and those that a new key makes do not count for the old one. */
const NEW_KEYS = { limit: 20, windowSec: 3600 }

export function createRequests(engine: object, rate: PageRate | false): Requests {
  const none = (): Promise<void> => Promise.resolve()
  if (rate === false) return { view: none, action: none, check: none, newKey: none }
  const { requests = 60, views = 600, windowSec = 60 } = rate

  const counter = requestServicesOf(engine).requests

  async function count(by: Requester, limit: number, sec = windowSec): Promise<void> {
    const bound = { limit, window_ms: sec * 1000 }
    const { admitted, reset_ms } = await counter.admit({ by, ...bound })
    if (!admitted) throw tooMany(Math.max(1, Math.ceil(reset_ms / 1000)))
  }

  return {
    view: (by) => count({ identity: `views of ${nameOf(by)}` }, views),
    action: (by) => count(by, requests),
    async check(asked) {
      const taken = await admitCheck(engine, asked)
      if (!taken.admitted) throw tooMany(taken.retry_sec)
    },
    newKey: (account_id) =>
      count({ identity: `new keys of ${account_id}` }, NEW_KEYS.limit, NEW_KEYS.windowSec),
  }
}

function nameOf(by: Requester): string {
  return 'key_id' in by ? `key ${by.key_id}` : by.identity
}
