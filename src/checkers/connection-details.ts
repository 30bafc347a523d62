/**
 * Details of the connection, shared by the checkers that connect to a server.
 *
 * @module
 */

import type { JsonObject } from '../model.ts'
import type { Connection } from '../net/net.ts'

export const CONNECTION_MEASUREMENTS = {
  tls: 'What the handshake agreed on: protocol, cipher, alpn, authorized, not_after',
  attempts:
    'Every address that was tried, with cause_code and duration_ms; only where there were several tries',
  fallback: 'true: the first address did not answer, a later one did',
} as const

/** The certificate's expiry, for checkers that use TLS. */
export const CONNECTION_HIGHLIGHTS = {
  'tls.not_after': { title: 'Certificate ends', format: 'end' },
} as const

export function connectionDetails({ tls, attempts, remote }: Connection): JsonObject {
  const fallback = attempts[0] !== undefined && attempts[0].address !== remote.address
  return {
    ...(tls !== null ? { tls: { ...tls } } : {}),
    ...(attempts.length > 1 ? { attempts: attempts.map((attempt) => ({ ...attempt })) } : {}),
    ...(fallback ? { fallback } : {}),
  }
}
