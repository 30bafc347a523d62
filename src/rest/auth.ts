/**
 * Authentication: `Authorization: Bearer <API_KEY>` (spec 5), or a function of the host.
 *
 * @module
 */

import type { Engine } from '../engine/api/engine.ts'
import type { KeyScope } from '../model.ts'
import { grants } from '../model/scopes.ts'
import { HttpError } from './http-error.ts'
import type { Clock } from '../clock.ts'
import { SIGN_IN_LIMIT, createSignInLimit } from '../access/sign-in-limit.ts'
import { clientAddress, neighbourhoodOf } from '../net/peer/client-address.ts'

/** Counts a wrong key, or an unknown token. @throws HttpError 429 if the client has sent too many */
export type CountAuthFailure = (request: Request) => void

/** The key of a request, as `GET /me` and the rate limit use it. */
export interface RequestKey {
  /** Unique within the account: requests are counted per key. */
  readonly id: number | string
  readonly name?: string | null
  /** Default all. A request beyond them is answered with 403 `missing_scope`; `['read']` is a key that only reads. */
  readonly scopes?: readonly KeyScope[]
  readonly created_at?: string | null
  readonly last_used_at?: string | null
}

export interface Identity {
  readonly account_id: number
  readonly key: RequestKey
  /** Who the audit log says makes the changes, at most 200 characters. Default `key:` and the id of the key. */
  readonly actor?: string | null | undefined
}

/** `undefined` answers 401; an account that does not exist, 403. */
export type Authenticate = (
  request: Request,
) => Promise<Identity | undefined> | Identity | undefined

/** Characters of a bearer token (RFC 6750, section 2.1). */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]{1,512}=*)$/i

/** Keys of the engine; the default. */
export function engineKeys(engine: Pick<Engine, 'authenticate'>): Authenticate {
  return async (request) => {
    const key = BEARER.exec(request.headers.get('authorization')?.trim() ?? '')?.[1]
    return key === undefined ? undefined : engine.authenticate(key)
  }
}

interface Known {
  readonly engine: Pick<Engine, 'accounts'>
  readonly authenticate: Authenticate
  readonly countAuthFailure: CountAuthFailure
}

/**
 * @throws HttpError 401, 403 if the host names an account that does not exist, and 429 after too many wrong keys of the
 *   same client
 */
export async function identify(
  { engine, authenticate, countAuthFailure }: Known,
  request: Request,
): Promise<Identity> {
  // Hosts may return `null` in spite of the types.
  const identity = (await authenticate(request)) ?? undefined
  if (identity !== undefined) {
    if (await engine.accounts.exists(identity.account_id)) return identity
    throw new HttpError({ status: 403, error: 'forbidden', message: 'There is no such account' })
  }
  if (request.headers.has('authorization')) countAuthFailure(request)
  throw unauthorized(request)
}

export function unauthorized(request: Request): HttpError {
  return new HttpError({
    status: 401,
    error: 'unauthorized',
    message: request.headers.has('authorization')
      ? 'The API key is not valid'
      : 'Send "Authorization: Bearer <API_KEY>"',
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}

/** @throws HttpError 403 */
export function requireScope(identity: Identity, scope: KeyScope | null): void {
  if (grants(identity.key.scopes, scope)) return
  throw new HttpError({
    status: 403,
    error: 'missing_scope',
    message: scope === null ? 'The key has no scope' : `The key lacks the scope ${scope}`,
    ...(scope === null ? {} : { scope }),
  })
}

/**
 * Counts wrong keys and unknown tokens per client address, if known. A valid one is looked up first and never
 * rejected because of them.
 */
export function authFailureCounter(
  clock: Pick<Clock, 'monotonic'>,
  clientOf: (request: Request) => string | undefined = clientAddress,
): CountAuthFailure {
  const attempts = createSignInLimit(clock)
  return (request) => {
    const client = clientOf(request)
    if (client === undefined) return
    const counted = attempts.failed(neighbourhoodOf(client))
    if (counted.allowed) return
    throw new HttpError({
      status: 429,
      error: 'rate_limited',
      message: `More than ${SIGN_IN_LIMIT} wrong keys or tokens in a minute; the one sent here is wrong as well`,
      retry_after: counted.retry_sec,
    })
  }
}
