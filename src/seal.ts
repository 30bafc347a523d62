/**
 * Encryption of secrets at rest and in transit: AES-256-GCM per value with a random nonce, bound to the place where
 * it is stored or the message that contains it. Without a key values stay as they are.
 *
 * @module
 */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { ConfigurationError, UnreadableError } from './errors.ts'

const PREFIX = 'sealed:1:'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface Seal {
  /** `place` (table and field) is authenticated: an encrypted value copied elsewhere cannot be decrypted. */
  encrypt(secret: string, place: string): string
  /** @throws ConfigurationError if it was encrypted with another key, or there is none; UnreadableError if it was changed */
  decrypt(stored: string, place: string): string
}

/** @param key 32 bytes, or their base64. @throws ConfigurationError for any other length */
export function createSeal(key?: string | Uint8Array): Seal {
  if (key === undefined) return { encrypt: (secret) => secret, decrypt: refuseSealed }
  const bytes = typeof key === 'string' ? Buffer.from(key, 'base64') : Buffer.from(key)
  if (bytes.length !== 32)
    throw new ConfigurationError(`The secret key has ${bytes.length} bytes; 32 are needed (base64)`)
  // Identifies the key without revealing it, for a clear error after a change of keys.
  const keyId = createHash('sha256')
    .update('watchpost key id')
    .update(bytes)
    .digest('hex')
    .slice(0, 8)

  return {
    encrypt(secret, place) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([
        nonce,
        cipher.update(secret, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ])
      return `${PREFIX}${keyId}:${sealed.toString('base64')}`
    },
    decrypt(stored, place) {
      if (!isSealed(stored)) return stored
      const [id, text = ''] = stored.slice(PREFIX.length).split(':')
      if (id !== keyId)
        throw new ConfigurationError('A stored secret was sealed with another secret key')
      const sealed = Buffer.from(text, 'base64')
      try {
        const nonce = sealed.subarray(0, NONCE_BYTES)
        // Without the length, GCM also accepts a tag of four bytes.
        const authTagLength = TAG_BYTES
        const decipher = createDecipheriv('aes-256-gcm', bytes, nonce, { authTagLength })
          .setAAD(Buffer.from(place))
          .setAuthTag(sealed.subarray(-TAG_BYTES))
        return Buffer.concat([
          decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)),
          decipher.final(),
        ]).toString('utf8')
      } catch (cause) {
        throw new UnreadableError('A stored secret cannot be opened: it was changed or moved', {
          cause,
        })
      }
    },
  }
}

/** Whether a value is encrypted; `decrypt` accepts both. */
export function isSealed(stored: string): boolean {
  return stored.startsWith(PREFIX)
}

function refuseSealed(stored: string): string {
  if (!isSealed(stored)) return stored
  throw new ConfigurationError('The store holds sealed secrets, but no secret key is set')
}
