/**
 * Whether a receiver may have received the message of an attempt. What it may have received must be
 * closed later, so doubt counts as received. Pure.
 *
 * @module
 */

import type { AttemptEndFacts } from './retry.ts'

/**
 * Failures before any part of the message is sent: names, addresses, connections, handshakes, and
 * local failures.
 */
const NOTHING_SENT =
  /^(?:dns|tls|probe|auth)_|^connect_(?:refused|timeout|unreachable|blocked)$|^(?:blocked|invalid_url|invalid_request|missing_dependency|lease_over|storage)$/

/** A mail server that refuses has not accepted the message (RFC 5321, 4.2.1). */
const REFUSED = /^smtp_[45]\d\d$/

/**
 * `false` only if certain: the receiver refused the message (3xx, 4xx), or no part of it was sent.
 * A receiver that answers 5xx may have processed it before it failed, and 502 and 504 come from a
 * gateway.
 */
export function mayHaveArrived({ http_status, error }: AttemptEndFacts): boolean {
  if (http_status !== null) return http_status < 300 || http_status > 499
  return error === null || !(NOTHING_SENT.test(error) || REFUSED.test(error))
}
