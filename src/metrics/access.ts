/**
 * Who may read metrics, and how often. The operator's token reads everything; an API key reads the monitors of its
 * account, and the figures of the engine if that account is the first one. Reads with a key count with its API
 * requests; the token has a window of its own.
 *
 * @module
 */

import { grants } from '../model/scopes.ts'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Engine } from '../engine/api/engine.ts'
import { FIRST_ACCOUNT } from '../model.ts'
import type { Requester } from '../engine/services/request-services.ts'
import { ConfigurationError } from '../errors.ts'
import type { Clock } from '../clock.ts'
import {
  KEYS_TOGETHER,
  requestServicesOf,
  requestsOfAccount,
} from '../engine/services/request-services.ts'
import { createSignInLimit } from '../access/sign-in-limit.ts'
import { clientAddress, neighbourhoodOf } from '../net/peer/client-address.ts'

const TOKEN = /^[\x21-\x7e]{16,512}$/
const BEARER = /^bearer +([\x21-\x7e]{1,512})$/i

/** The requester and what it may read. */
export interface Reading {
  readonly scope: MetricsScope
  readonly by: Requester
}

/** `undefined`: no credentials; `wrong`: an invalid key or token. */
type Reader = (request: Request) => Promise<Reading | 'wrong' | undefined>

/** @throws ConfigurationError */
export function readerOf(engine: Pick<Engine, 'authenticate'>, token: string | undefined): Reader {
  if (token !== undefined && !TOKEN.test(token)) {
    throw new ConfigurationError(
      'The metrics token must be 16 to 512 characters, printable ASCII without spaces',
    )
  }
  const expected = token === undefined ? undefined : digest(token)
  return async (request) => {
    const given = BEARER.exec(request.headers.get('authorization')?.trim() ?? '')?.[1]
    if (given === undefined) return undefined
    if (expected !== undefined && timingSafeEqual(digest(given), expected))
      return { scope: {}, by: { identity: 'metrics token' } }
    const identity = await engine.authenticate(given)
    if (identity === undefined || !grants(identity.key.scopes, 'monitors:read')) return 'wrong'
    const { account_id, key } = identity
    const scope = { account_id, engine: account_id === FIRST_ACCOUNT }
    return { scope, by: { key_id: key.id } }
  }
}

/** Hashed to equal length, for a comparison in constant time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
/** The series to show. */
export interface MetricsScope {
  /** Only monitors of this account, which must exist (else `NotFoundError`). If absent, all. */
  readonly account_id?: number
  /** Includes the figures of the engine as a whole. Default `true`. */
  readonly engine?: boolean | undefined
}

export interface MetricsRate {
  /** Default 60. */
  readonly requests?: number | undefined
  /** Of all keys of an account together, counted with their API requests. Default ten times `requests`. */
  readonly accountRequests?: number | undefined
  /** Default 60. */
  readonly windowSec?: number | undefined
}

/** Both count one request; they return the seconds to wait if there were too many. */
interface Limits {
  read(reading: Reading): Promise<number | undefined>
  /** An invalid key or token, counted per client if its address is known. */
  wrong(request: Request): number | undefined
}

interface LimitsOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly rate: MetricsRate | false
}

export function createLimits(engine: object, { clock, rate }: LimitsOptions): Limits {
  const { requests } = requestServicesOf(engine)
  const attempts = createSignInLimit(clock)
  return {
    async read({ by, scope }) {
      if (rate === false) return undefined
      const { requests: limit = 60, windowSec = 60 } = rate
      const { accountRequests = limit * KEYS_TOGETHER } = rate
      const { account_id } = scope
      // The token of the operator belongs to no account.
      const together =
        account_id === undefined ? undefined : requestsOfAccount(account_id, accountRequests)
      const window_ms = windowSec * 1000
      const taken = await requests.admit({ by, limit, window_ms, together })
      return taken.admitted ? undefined : Math.max(1, Math.ceil(taken.reset_ms / 1000))
    },
    wrong(request) {
      const client = clientAddress(request)
      if (client === undefined) return undefined
      const counted = attempts.failed(neighbourhoodOf(client))
      return counted.allowed ? undefined : counted.retry_sec
    },
  }
}
