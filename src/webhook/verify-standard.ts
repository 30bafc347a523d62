/**
 * Verifies the headers of Standard Webhooks
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md), on any runtime.
 *
 * @module
 */

import { anything, checkOptions } from '../options.ts'
import type { OptionTable } from '../options.ts'
import { hmacSha256 } from './receiver-signature.ts'
import { areEqual, bytesOf, nowOf, payloadOf, secretsOf } from './received.ts'
import type { Now, RawBody, Secrets, VerifyReason, WebhookPayload } from './received.ts'

/** The headers of the request: `Headers`, or the object of Node. */
export type StandardHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyStandardOptions {
  /** The body exactly as it came in, as for `verifyWebhook`. */
  readonly body: RawBody
  /** Has `webhook-id`, `webhook-timestamp` and `webhook-signature`; names of an object in lower case. */
  readonly headers: StandardHeaders
  /** The contact's `standard_secret`, `whsec_…`, or up to 10 of them while one replaces another. */
  readonly secret: Secrets
  /** How far `webhook-timestamp`, the time of the attempt, may be from now, in seconds. Default 300. */
  readonly toleranceSec?: number | undefined
  /** Epoch milliseconds or a `Date`. Default: the machine's clock. */
  readonly now?: Now
}

export interface VerifiedStandardWebhook {
  readonly ok: true
  /** `webhook-id`, the same for every attempt of one notification. */
  readonly id: string
  readonly event: string
  readonly notificationId: number
  /** Which of the secrets has matched. */
  readonly secretIndex: number
  readonly payload: WebhookPayload
}

export type VerifyStandardResult =
  VerifiedStandardWebhook | { readonly ok: false; readonly reason: VerifyReason }

/** Their values are judged where they are read. */
const OPTIONS: OptionTable<VerifyStandardOptions> = {
  body: anything,
  headers: anything,
  secret: anything,
  toleranceSec: anything,
  now: anything,
}

const DEFAULT_TOLERANCE_SEC = 300
/** Signatures that are compared for one request; a rotation of the secret takes two. */
const MAX_SIGNATURES = 10

/**
 * Checks signature and age of a webhook by the headers of Standard Webhooks. Unlike `verifyWebhook` it judges the time of
 * the attempt, so that retries need no longer tolerance.
 *
 * @throws TypeError where it is called wrongly: a parsed body, more than 10 secrets; ConfigurationError for an option
 *   that there is none of
 */
export function verifyStandardWebhook(options: VerifyStandardOptions): VerifyStandardResult {
  checkOptions('verifyStandardWebhook', options, OPTIONS)
  const body = bytesOf(options.body)
  const keys = secretsOf(options.secret).map(keyOf)
  const tolerance_sec = options.toleranceSec ?? DEFAULT_TOLERANCE_SEC
  if (!(tolerance_sec >= 0)) throw new TypeError('toleranceSec: 0 or more seconds are expected')
  const head = headOf(options.headers)
  if (typeof head === 'string') return { ok: false, reason: head }
  if (keys.every((key) => key === undefined)) return { ok: false, reason: 'no_secret' }
  const secretIndex = matching(keys, head, body)
  if (secretIndex === -1) return { ok: false, reason: 'mismatch' }
  const age_ms = Math.abs(nowOf(options.now) - Number(head.timestamp) * 1000)
  if (tolerance_sec > 0 && !(age_ms <= tolerance_sec * 1000))
    return { ok: false, reason: 'outside_tolerance' }
  const payload = payloadOf(body)
  if (payload === undefined) return { ok: false, reason: 'bad_body' }
  const { event, notification_id: notificationId } = payload
  return { ok: true, id: head.id, event, notificationId, secretIndex, payload }
}

interface Head {
  readonly id: string
  readonly timestamp: string
  readonly digests: readonly Uint8Array[]
}

function headOf(headers: StandardHeaders): Head | 'missing_header' | 'malformed_header' {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  )
  if (id === undefined || timestamp === undefined || signature === undefined)
    return 'missing_header'
  // Without dots: id, time and body are joined by them.
  if (!/^[^.\s]{1,256}$/.test(id) || !/^\d{1,12}$/.test(timestamp)) return 'malformed_header'
  const digests = signature
    .split(' ')
    .slice(0, MAX_SIGNATURES)
    .flatMap((one) => (one.startsWith('v1,') ? (fromBase64(one.slice(3)) ?? []) : []))
  const whole = digests.filter((digest) => digest.length === DIGEST_BYTES)
  return whole.length === 0 ? 'malformed_header' : { id, timestamp, digests: whole }
}

const DIGEST_BYTES = 32

/** `undefined` for a header that is repeated: it is ambiguous. */
function headerOf(headers: StandardHeaders, name: string): string | undefined {
  const get = (headers as { readonly get?: unknown }).get
  const value: unknown =
    typeof get === 'function'
      ? (get.call(headers, name) as unknown)
      : (headers as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Takes the same time whichever secret and signature match. */
function matching(
  keys: readonly (Uint8Array | undefined)[],
  { id, timestamp, digests }: Head,
  body: Uint8Array,
): number {
  const start = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(start.length + body.length)
  signed.set(start)
  signed.set(body, start.length)
  let found = -1
  for (const [index, key] of keys.entries()) {
    if (key === undefined) continue
    const own = hmacSha256(key, signed)
    for (const digest of digests) if (areEqual(own, digest) && found === -1) found = index
  }
  return found
}

/** The bytes behind `whsec_`; another form of secret is none of this scheme. */
function keyOf(secret: Uint8Array | undefined): Uint8Array | undefined {
  if (secret === undefined) return undefined
  const text = new TextDecoder().decode(secret).trim()
  if (!text.startsWith('whsec_')) return undefined
  const key = fromBase64(text.slice('whsec_'.length))
  return key === undefined || key.length === 0 ? undefined : key
}

function fromBase64(text: string): Uint8Array | undefined {
  if (text.length > 1024 || /[^A-Za-z0-9+/=]/.test(text)) return undefined
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
