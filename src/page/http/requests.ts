/**
 * Rate limits of the page: buttons count with the API requests of the session's key; views have a larger limit of
 * their own. Both are also limited for all keys of an account together.
 *
 * @module
 */

import {
  admitCheck,
  KEYS_TOGETHER,
  requestServicesOf,
  requestsOfAccount,
} from '../../engine/services/request-services.ts'
import type { RequestCounter, Requester } from '../../engine/services/request-services.ts'
import { tooMany } from './page-error.ts'

export interface PageRate {
  /** Buttons, counted with API requests of the same key; default 60. */
  readonly requests?: number | undefined
  /** Pages, live connections and sign-ins; default 600. */
  readonly views?: number | undefined
  /**
   * Buttons of all keys of an account together, counted with their API requests. Default ten times `requests`; with
   * `authorize`, none.
   */
  readonly accountRequests?: number | undefined
  /** Views of all keys of an account together. Default ten times `views`; with `authorize`, none. */
  readonly accountViews?: number | undefined
  /** Default 60. */
  readonly windowSec?: number | undefined
}

/** Who asks, and of which account. */
export interface Asking {
  readonly by: Requester
  readonly account_id: number
}

/** Each @throws PageError 429 */
export interface Requests {
  view(asking: Asking): Promise<void>
  action(asking: Asking): Promise<void>
  check(asked: { readonly account_id: number; readonly id: number }): Promise<void>
  newKey(account_id: number): Promise<void>
}

/** Each key has a window of requests of its own, and those that a new key makes do not count for the old one. */
const NEW_KEYS = { limit: 20, windowSec: 3600 }

type Together = Parameters<RequestCounter['admit']>[0]['together']

export function createRequests(engine: object, rate: PageRate | false): Requests {
  const none = (): Promise<void> => Promise.resolve()
  if (rate === false) return { view: none, action: none, check: none, newKey: none }
  const { requests = 60, views = 600, windowSec = 60 } = rate

  const counter = requestServicesOf(engine).requests

  async function count(
    by: Requester,
    limit: number,
    { sec = windowSec, together }: { readonly sec?: number; readonly together?: Together } = {},
  ): Promise<void> {
    const window_ms = sec * 1000
    const { admitted, reset_ms } = await counter.admit({ by, limit, window_ms, together })
    if (!admitted) throw tooMany(Math.max(1, Math.ceil(reset_ms / 1000)))
  }

  /** Visitors whom the host admits are counted as it names them. */
  const limitFor = ({ by }: Asking, given: number | undefined, ofOne: number) =>
    given ?? ('key_id' in by ? ofOne * KEYS_TOGETHER : undefined)

  return {
    view(asking) {
      const { by, account_id } = asking
      const limit = limitFor(asking, rate.accountViews, views)
      const together = limit === undefined ? undefined : { name: `views of ${account_id}`, limit }
      return count({ identity: `views of ${nameOf(by)}` }, views, { together })
    },
    action(asking) {
      const { by, account_id } = asking
      const limit = limitFor(asking, rate.accountRequests, requests)
      return count(by, requests, { together: requestsOfAccount(account_id, limit) })
    },
    async check(asked) {
      const taken = await admitCheck(engine, asked)
      if (!taken.admitted) throw tooMany(taken.retry_sec)
    },
    newKey: (account_id) =>
      count({ identity: `new keys of ${account_id}` }, NEW_KEYS.limit, {
        sec: NEW_KEYS.windowSec,
      }),
  }
}

function nameOf(by: Requester): string {
  return 'key_id' in by ? `key ${by.key_id}` : by.identity
}
