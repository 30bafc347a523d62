/**
 * For those who receive our webhooks: is this request genuine, and is it fresh? Runs in Node, Deno, Bun,
 * workers and browsers; it imports nothing but small files of ours that need no
 * import themselves.
 *
 * @module watchpost/verify
 */

import { WatchpostError } from '../errors.ts'
import { anything, checkOptions } from '../options.ts'
import type { OptionTable } from '../options.ts'
import { hmacSha256 } from './receiver-signature.ts'
import { areEqual, bytesOf, nowOf, payloadOf, secretsOf } from './received.ts'
import type { Now, RawBody, Secrets, VerifyReason, WebhookPayload } from './received.ts'

export type { VerifyReason, WebhookPayload } from './received.ts'
export { verifyStandardWebhook } from './verify-standard.ts'
export type {
  StandardHeaders,
  VerifiedStandardWebhook,
  VerifyStandardOptions,
  VerifyStandardResult,
} from './verify-standard.ts'

export { createReplayGuard } from './replay.ts'
export type { MemoryReplayGuard, ReplayGuard, ReplayGuardOptions } from './replay.ts'
// For tests of a receiver.
export { signWebhook } from './receiver-signature.ts'

export interface VerifyOptions {
  /**
   * The body exactly as it came in. Text is hashed as UTF-8, which is only the same where the body was
   * valid UTF-8: prefer bytes. A parsed object is a `TypeError`.
   */
  readonly body: RawBody
  /** The value of `X-Service-Signature`. */
  readonly header: string | readonly string[] | null | undefined
  /** The contact's secret, or up to 10 of them while one replaces another. */
  readonly secret: Secrets
  /**
   * How far `sent_at` may be from now, in seconds, either way. Default 900: retries are sent with the
   * body of the first attempt, the last of them some 8 minutes later. 0 switches it off.
   */
  readonly toleranceSec?: number | undefined
  /** Epoch milliseconds or a `Date`. Default: the machine's clock. */
  readonly now?: Now
}

export interface VerifiedWebhook {
  readonly ok: true
  readonly event: string
  /** The same for every attempt of one notification: what was seen already is a repetition. */
  readonly notificationId: number
  /** Which of the secrets it was signed with: once it is only the new one, the old one can go. */
  readonly secretIndex: number
  /** The whole body. */
  readonly payload: WebhookPayload
}

export type VerifyResult = VerifiedWebhook | { readonly ok: false; readonly reason: VerifyReason }

/** Their values are judged where they are read. */
const OPTIONS: OptionTable<VerifyOptions> = {
  body: anything,
  header: anything,
  secret: anything,
  toleranceSec: anything,
  now: anything,
}

const DEFAULT_TOLERANCE_SEC = 900
const PREFIX = 'sha256='
const HEX_DIGITS = 64

/**
 * Checks signature and age of a webhook. Answer 400 or 401 where `ok` is `false`, and the same text
 * whatever the reason is; the reason is for your log.
 *
 * @throws TypeError where it is called wrongly: a parsed body, more than 10 secrets; ConfigurationError for an option
 *   that there is none of
 */
export function verifyWebhook(options: VerifyOptions): VerifyResult {
  checkOptions('verifyWebhook', options, OPTIONS)
  const body = bytesOf(options.body)
  const secrets = secretsOf(options.secret)
  const tolerance_sec = options.toleranceSec ?? DEFAULT_TOLERANCE_SEC
  if (!(tolerance_sec >= 0)) throw new TypeError('toleranceSec: 0 or more seconds are expected')
  const digest = digestOf(options.header)
  if (typeof digest === 'string') return { ok: false, reason: digest }
  if (secrets.every((secret) => secret === undefined)) return { ok: false, reason: 'no_secret' }
  const secretIndex = matching(secrets, body, digest)
  if (secretIndex === -1) return { ok: false, reason: 'mismatch' }
  const payload = payloadOf(body)
  if (payload === undefined) return { ok: false, reason: 'bad_body' }
  if (tolerance_sec > 0) {
    const sent_at = timeOf(payload.sent_at)
    if (sent_at === undefined) return { ok: false, reason: 'bad_body' }
    const age_ms = Math.abs(nowOf(options.now) - sent_at)
    if (!(age_ms <= tolerance_sec * 1000)) return { ok: false, reason: 'outside_tolerance' }
  }
  const { event, notification_id: notificationId } = payload
  return { ok: true, event, notificationId, secretIndex, payload }
}

/** Thrown by {@link assertWebhook}. The message is the same for every reason, fit to be sent as it is. */
export class WebhookVerificationError extends WatchpostError {
  /** For your log only. */
  declare readonly reason: VerifyReason

  constructor(reason: VerifyReason) {
    super('webhook_not_verified', 'The webhook could not be verified')
    // Not enumerable: an error that is sent as JSON does not tell it.
    Object.defineProperty(this, 'reason', { value: reason })
  }
}

/** {@link verifyWebhook} for those who rather catch. @throws WebhookVerificationError */
export function assertWebhook(options: VerifyOptions): VerifiedWebhook {
  const result = verifyWebhook(options)
  if (!result.ok) throw new WebhookVerificationError(result.reason)
  return result
}

function digestOf(
  header: VerifyOptions['header'],
): Uint8Array | 'missing_header' | 'malformed_header' {
  const list: readonly unknown[] = Array.isArray(header) ? header : [header]
  const [value] = list
  if (value === undefined || value === null) return 'missing_header'
  if (list.length > 1 || typeof value !== 'string') return 'malformed_header'
  if (value.length !== PREFIX.length + HEX_DIGITS || !value.startsWith(PREFIX)) {
    return 'malformed_header'
  }
  const hex = value.slice(PREFIX.length)
  if (/[^0-9a-f]/.test(hex)) return 'malformed_header'
  return Uint8Array.from({ length: HEX_DIGITS / 2 }, (_, at) =>
    parseInt(hex.slice(at * 2, at * 2 + 2), 16),
  )
}

/** Index of the first match, or -1. Takes the same time wherever the match is, and wherever digests differ. */
function matching(
  secrets: readonly (Uint8Array | undefined)[],
  body: Uint8Array,
  digest: Uint8Array,
): number {
  let found = -1
  for (const [index, secret] of secrets.entries()) {
    if (secret === undefined) continue
    const own = hmacSha256(secret, body)
    if (areEqual(own, digest) && found === -1) found = index
  }
  return found
}

/** Only the form that is sent: `Date.parse` takes many others, and reads some of them in local time. */
function timeOf(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)) {
    return undefined
  }
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
