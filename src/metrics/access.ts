/**
 * Who may read metrics: the operator's token reads everything; an API key reads the monitors of its account, and the
 * figures of the engine if that account is the first one.
 *
 * @module
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Engine } from '../engine/api/engine.ts'
import type { Requester } from '../engine/services/request-services.ts'
import { ConfigurationError } from '../errors.ts'

const TOKEN = /^[\x21-\x7e]{16,512}$/
const BEARER = /^bearer +([\x21-\x7e]{1,512})$/i

/** The requester and what it may read. */
interface Reading {
  readonly scope: MetricsScope
  readonly by: Requester
}

/** `undefined`: no credentials; `wrong`: an invalid key or token. */
type Reader = (request: Request) => Promise<Reading | 'wrong' | undefined>

/** @throws ConfigurationError */
export function readerOf(
  engine: Pick<Engine, 'authenticate' | 'accounts'>,
  token: string | undefined,
): Reader {
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
    if (identity === undefined) return 'wrong'
    const { account_id, key } = identity
    const ids = (await engine.accounts.list()).map(({ id }) => id)
    const scope = { account_id, engine: account_id === Math.min(...ids) }
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
