/**
 * Whether a receiver may know of what an attempt was to tell it. What it may know of has to be ended later, so a
 * doubt counts as knowledge. Pure.
 *
 * @module
 */

import type { AttemptEndFacts } from './retry.ts'

/** Nothing of the message was on its way: names, addresses, connections, handshakes, and our own side. */
const NOTHING_SENT =
  /^(?:dns|tls|probe|auth)_|^connect_(?:refused|timeout|unreachable|blocked)$|^(?:blocked|invalid_url|invalid_request|missing_dependency|lease_over|storage)$/

/** A mail server that says no has not taken the message over (RFC 5321, 4.2.1). */
const REFUSED = /^smtp_[45]\d\d$/

/**
 * `false` only where it is sure: the receiver refused the message (3xx, 4xx), or nothing of it was sent. A receiver that
 * answers 5xx may have noted it before it failed, and 502 and 504 are a gateway's word, not its own.
 */
export function mayHaveArrived({ http_status, error }: AttemptEndFacts): boolean {
  if (http_status !== null) return http_status < 300 || http_status > 499
  return error === null || !(NOTHING_SENT.test(error) || REFUSED.test(error))
}
