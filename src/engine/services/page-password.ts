/**
 * The password of a public page: a hash with its salt, slow to guess (scrypt, RFC 7914, with the costs that OWASP's
 * Password Storage Cheat Sheet names).
 *
 * @module
 */

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

const COSTS = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const SALT_BYTES = 16
const HASH_BYTES = 32

/** Off the event loop, in the thread pool. */
function deriveKey(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, COSTS, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await deriveKey(password, salt)
  return `scrypt$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, salt = '', hash = ''] = stored.split('$')
  const wanted = Buffer.from(hash, 'base64url')
  if (scheme !== 'scrypt' || wanted.length !== HASH_BYTES) return false
  return timingSafeEqual(await deriveKey(password, Buffer.from(salt, 'base64url')), wanted)
}

/** In the place of a hash: no password opens the page. */
export const NO_PASSWORD = 'none'

export function isPasswordHash(stored: string): boolean {
  return stored === NO_PASSWORD || /^scrypt\$[\w-]{22}\$[\w-]{43}$/.test(stored)
}
