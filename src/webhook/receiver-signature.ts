/**
 * {@link file://./signature.ts} in plain JavaScript, so that a receiver can create signatures for
 * its tests on any runtime.
 *
 * @module
 */

import { hmacSha256 } from './sha256.ts'

/**
 * The value of the signature header: `sha256=` and the HMAC-SHA256 of the body in lower-case hex. The key
 * is the secret as typed, in UTF-8: neither trimmed nor decoded. A body in text form is taken as UTF-8.
 *
 * @throws TypeError where the secret is empty: a signature that everybody can make is none
 */
export function signWebhook(secret: string | Uint8Array, body: string | Uint8Array): string {
  if (secret.length === 0) throw new TypeError('The secret of a webhook signature is empty')
  const digest = hmacSha256(bytesOf(secret), bytesOf(body))
  return `sha256=${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data
}
