/**
 * Secrets that the engine creates: API keys and heartbeat tokens. Only their hashes are stored.
 *
 * @module
 */

import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { MonitorRecord } from '../../model.ts'
import type { Core } from './core.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const KEY_PREFIX = 'svc_'
const KEY_CHARS = 43
const CHECK_CHARS = 6

const TOKEN_PLACE = 'monitor.token'

/** A new API key of 43 random characters, and a checksum that detects a mistyped key without a query. */
export function makeKey(): string {
  const body = [...randomBytes(KEY_CHARS)].map((byte) => BASE62.charAt(byte % 62)).join('')
  return KEY_PREFIX + body + checksum(body)
}

/** Whether the checksum of a key is right. Keys set by the operator have no checksum and pass. */
export function isPlausibleKey(key: string): boolean {
  if (key.length < 16 || key.length > 512) return false
  if (!key.startsWith(KEY_PREFIX) || key.length !== KEY_PREFIX.length + KEY_CHARS + CHECK_CHARS)
    return true
  const body = key.slice(KEY_PREFIX.length, -CHECK_CHARS)
  return checksum(body) === key.slice(-CHECK_CHARS)
}

/** SHA-256, hex: keys and tokens have enough entropy that a slow hash would only add load. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

export interface MadeToken {
  readonly token_hash: string
  readonly sealed: string
}

/** 128 random bits, base64url: 22 characters. */
export function makeToken(core: Core): MadeToken {
  const token = randomBytes(16).toString('base64url')
  return { token_hash: hashOf(token), sealed: sealToken(core, token) }
}

/** As it is stored. */
export function sealToken({ seal }: Pick<Core, 'seal'>, token: string): string {
  return seal.encrypt(token, TOKEN_PLACE)
}

/** The token of a monitor and the address for its job. */
export function heartbeatAddressOf(
  core: Core,
  { token }: MonitorRecord,
): { token: string; ping_url: string } | undefined {
  if (token === null) return undefined
  const open = core.seal.decrypt(token, TOKEN_PLACE)
  return { token: open, ping_url: `${core.baseUrl}/hb/${open}` }
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < CHECK_CHARS; i++) {
    text = BASE62.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}
