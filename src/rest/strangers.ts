/**
 * Counts wrong keys and unknown tokens per client address, if known. A valid one is looked up first and never
 * rejected because of them.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { SIGN_IN_LIMIT, createSignInLimit } from '../engine/services/sign-in-limit.ts'
import { clientAddress, neighbourhoodOf } from '../net/peer/client-address.ts'
import { HttpError } from './http-error.ts'

/** Counts one. @throws HttpError 429 if the client has sent too many */
export type Strangers = (request: Request) => void

export function countStrangers(
  clock: Pick<Clock, 'monotonic'>,
  clientOf: (request: Request) => string | undefined = clientAddress,
): Strangers {
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
