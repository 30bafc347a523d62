/**
 * Who may read metrics: whoever has the token of the operator, everything; whoever has an API key, the
 * monitors of its account, and the figures of the engine where that account is the first one.
 *
 * @module
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Engine } from '../engine/api.ts'
import { ConfigurationError } from '../errors.ts'
import type { MetricsScope } from './metrics.ts'

const TOKEN = /^[\x21-\x7e]{16,512}$/
const BEARER = /^bearer +([\x21-\x7e]{1,512})$/i

/** What the sender of a request may see; `undefined`: nothing. */
type Reader = (request: Request) => Promise<MetricsScope | undefined>

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
    if (expected !== undefined && timingSafeEqual(digest(given), expected)) return {}
    const identity = await engine.authenticate(given)
    if (identity === undefined) return undefined
    const { account_id } = identity
    const ids = (await engine.accounts.list()).map(({ id }) => id)
    return { account_id, engine: account_id === Math.min(...ids) }
  }
}

/** Of one length, so that a comparison tells nothing of the token. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
