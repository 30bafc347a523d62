/**
 * Identifies a client again if its request had to wait: meanwhile a key may be revoked, a user locked or an account
 * removed.
 *
 * @module
 */

import type { Clock } from '../clock.ts'

/** A body that arrives at once costs no second look-up. */
const VALID_MS = 1000

/** Returns what `identify` found last, and asks it again after a second. Rejects as `identify` does. */
export function renewed<T>(
  clock: Pick<Clock, 'monotonic'>,
  found: T,
  identify: () => Promise<T>,
): () => Promise<T> {
  let known = found
  let known_at = clock.monotonic()
  return async () => {
    if (clock.monotonic() - known_at < VALID_MS) return known
    known = await identify()
    known_at = clock.monotonic()
    return known
  }
}
