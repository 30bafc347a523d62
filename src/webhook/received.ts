/**
 * What a receiver has of a webhook, whatever scheme has signed it: the body as bytes, the secrets, the clock.
 *
 * @module
 */

export type VerifyReason =
  | 'missing_header'
  | 'malformed_header'
  | 'no_secret'
  | 'mismatch'
  | 'outside_tolerance'
  | 'bad_body'

export type Secret = string | Uint8Array

export interface WebhookPayload {
  readonly event: string
  readonly notification_id: number
  /** ISO 8601 UTC with milliseconds: when the first attempt was made. */
  readonly sent_at: string
  readonly monitor: {
    readonly id: number
    readonly name: string
    readonly type: string
    readonly target: string
  } | null
  readonly incident: {
    readonly id: number
    readonly started_at: string
    readonly cause_code: string
    readonly cause_text: string
    /** With `up`. */
    readonly ended_at?: string
    readonly duration_sec?: number
    /** With `up`: `recovered`, or what else has ended the incident. New reasons may appear. */
    readonly closed_reason?: string
    /** With `acknowledged`. */
    readonly acknowledged_at?: string
    readonly [extra: string]: unknown
  } | null
  /** What comes with the event. */
  readonly [extra: string]: unknown
}

/** As callers of a verifier may write the body and the secrets. */
export type RawBody = string | Uint8Array | ArrayBuffer | ArrayBufferView
export type Secrets = Secret | readonly (Secret | null | undefined)[] | null | undefined
export type Now = number | Date | (() => number) | undefined

const MAX_SECRETS = 10
const NO_RAW_BODY =
  'body: the raw bytes of the request are expected, before anything has parsed them ' +
  '(express.raw({ type: "application/json" }), await request.arrayBuffer(), …)'

export function bytesOf(body: RawBody): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  }
  // By tag: an ArrayBuffer may come from another realm.
  const tag = Object.prototype.toString.call(body)
  if (tag === '[object ArrayBuffer]') return new Uint8Array(body)
  throw new TypeError(NO_RAW_BODY)
}

/** Unusable entries stay as `undefined`, so that the index of a match is that of the caller's list. */
export function secretsOf(secret: Secrets): readonly (Uint8Array | undefined)[] {
  const list: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  if (list.length > MAX_SECRETS) throw new TypeError(`secret: at most ${MAX_SECRETS} are expected`)
  return list.map((item) => {
    const key = typeof item === 'string' ? new TextEncoder().encode(item) : item
    return key instanceof Uint8Array && key.length > 0 ? key : undefined
  })
}

/** Takes the same time wherever two digests differ. */
export function areEqual(own: Uint8Array, given: Uint8Array): boolean {
  let difference = own.length ^ given.length
  for (let at = 0; at < own.length; at++) difference |= (own[at] ?? 0) ^ (given[at] ?? 0)
  return difference === 0
}

export function payloadOf(body: Uint8Array): WebhookPayload | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
  const { event, notification_id } = parsed as Record<string, unknown>
  const known = typeof event === 'string' && Number.isSafeInteger(notification_id)
  return known ? (parsed as WebhookPayload) : undefined
}

export function nowOf(now: Now): number {
  if (typeof now === 'function') return now()
  // eslint-disable-next-line no-restricted-properties -- runs at the receiver's, where there is no clock port
  return now === undefined ? Date.now() : Number(now)
}
