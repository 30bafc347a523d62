/**
 * The signature of a webhook body, made by Node's own cryptography. A receiver has
 * {@link file://./receiver-signature.ts the same without an import}.
 *
 * @module
 */

import { createHmac } from 'node:crypto'

/**
 * The value of the signature header: `sha256=` and the HMAC-SHA256 of the body in lower-case hex. The key
 * is the secret as typed, in UTF-8: neither trimmed nor decoded. A body in text form is taken as UTF-8.
 *
 * @throws TypeError where the secret is empty: a signature that everybody can make is none
 */
export function signWebhook(secret: string | Uint8Array, body: string | Uint8Array): string {
  if (secret.length === 0) throw new TypeError('The secret of a webhook signature is empty')
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}
