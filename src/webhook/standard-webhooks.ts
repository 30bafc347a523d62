/**
 * The headers of Standard Webhooks 1.0.0
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md): an id that stays the
 * same at every attempt, the time of this attempt, and signatures over `id.timestamp.body`.
 *
 * @module
 */

import { createHmac } from 'node:crypto'
import type { EpochMs } from '../model.ts'
import type { Delivery } from './contact-kind.ts'
import type { HeaderPair } from './headers.ts'

const PREFIX = 'whsec_'
/** The specification: 192 to 512 bits. */
const KEY_BYTES = { min: 24, max: 64 } as const
/** The current one and the one that it replaces. */
const MAX_KEYS = 2

/** The keys of a setting: one secret, or two with a space between. The problem as text, if there is one. */
export function readStandardSecrets(text: string): readonly Buffer[] | string {
  const secrets = text.trim().split(/\s+/)
  if (secrets.length > MAX_KEYS) return `out_of_range: 1..${MAX_KEYS} secrets with a space between`
  const keys = secrets.map(keyOf)
  if (keys.some((key) => key === undefined))
    return `invalid: ${PREFIX} and the base64 of ${KEY_BYTES.min} to ${KEY_BYTES.max} bytes are expected`
  return keys.filter((key) => key !== undefined)
}

function keyOf(secret: string): Buffer | undefined {
  if (!secret.startsWith(PREFIX)) return undefined
  const text = secret.slice(PREFIX.length)
  const key = Buffer.from(text, 'base64')
  const whole = key.toString('base64')
  // Node skips what is not base64.
  if (text !== whole && text !== whole.replaceAll('=', '')) return undefined
  return key.length >= KEY_BYTES.min && key.length <= KEY_BYTES.max ? key : undefined
}

/** `webhook-id`, `webhook-timestamp` and `webhook-signature` of an attempt at this time. */
export function standardHeaders(
  keys: readonly Uint8Array[],
  { notification_id, payload, body }: Pick<Delivery, 'notification_id' | 'payload' | 'body'>,
  now: EpochMs,
): readonly HeaderPair[] {
  // Ids of several installations differ by the time.
  const { sent_at: text } = payload
  const sent_at = typeof text === 'string' ? Date.parse(text) : 0
  const id = `msg_${notification_id}_${sent_at}`
  const timestamp = Math.floor(now / 1000)
  const signatures = keys.map((key) =>
    createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64'),
  )
  return [
    ['webhook-id', id],
    ['webhook-timestamp', String(timestamp)],
    ['webhook-signature', signatures.map((signature) => `v1,${signature}`).join(' ')],
  ]
}
