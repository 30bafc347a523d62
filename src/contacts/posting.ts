/**
 * Shared by the contact kinds that send one JSON request: the guard, the deadline, the classes of
 * responses and the redaction of secrets. A kind defines the URL and the body.
 *
 * Responses are classified as for webhooks, with one exception: 429 is temporary, as all these
 * services document it, and its delay is respected. The delay may be in `Retry-After` or in the
 * body (Telegram: `parameters.retry_after`, Discord: `retry_after`).
 *
 * A service that refuses the form of a message gets it once more as plain text, within the same
 * attempt: an alert without colours is better than none.
 *
 * @module
 */

import { ConfigurationError } from '../errors.ts'
import type { FieldTable, Settings } from '../fields/field.ts'
import { decodeSettings } from '../fields/parse.ts'
import type { Problems } from '../fields/parse.ts'
import type { JsonObject } from '../model.ts'
import type { Guard, GuardOptions } from '../net/guard/guard.ts'
import { defineContactKind } from '../webhook/contact-kind.ts'
import type { ContactKind, AttemptResult, Delivery } from '../webhook/contact-kind.ts'
import * as option from '../options.ts'
import type { OptionTable } from '../options.ts'
import { LONGEST_ATTEMPT_MS } from '../webhook/attempt.ts'
import { attemptResultInSteps } from '../webhook/attempt-result.ts'
import type { HeaderPair } from '../webhook/headers.ts'
import { asGuard, refusedResult, targetProblems } from '../webhook/target.ts'
import { httpTransport, transportOptions } from '../webhook/transport.ts'
import type { TransportOptions, WebhookTransport } from '../webhook/transport.ts'
import { withoutSecrets } from '../secrets/redaction.ts'
import { filler } from './filled-template.ts'
import type { Filling, Templates } from './filled-template.ts'
import { messageOf } from './words.ts'
import type { Message } from './message.ts'
import type { MessageRules } from './message-template.ts'
import { canParseUrl } from '../model/url.ts'

export interface ContactOptions {
  /** Destinations allowed besides public addresses, or a shared guard. Default: none. */
  readonly guard?: Guard | GuardOptions | undefined
  /**
   * Names the sender in `User-Agent` and in messages. Letters, digits and hyphens. Default
   * `Watchpost`.
   */
  readonly brand?: string | undefined
}

export interface PostingOptions extends ContactOptions, TransportOptions {
  /** Replaces HTTP: for tests (`watchpost/testing`), or your own egress proxy. */
  readonly transport?: WebhookTransport | undefined
}

export const contactOptions: OptionTable<ContactOptions> = {
  // Validated by the guard.
  guard: option.object,
  brand: option.text,
}

export const postingOptions: OptionTable<PostingOptions> = {
  ...contactOptions,
  ...transportOptions,
  transport: option.having('send'),
}

interface Composed {
  readonly body: JsonObject
  readonly headers?: readonly HeaderPair[]
}

export interface Posting<T extends FieldTable, N extends string> {
  readonly kind: N
  readonly title: string
  readonly fields: T
  readonly digests?: false
  /** The URL of requests, and the setting that determines it. */
  target(settings: Settings<T>): { readonly field: string; readonly url: string }
  /** Rules that the field table cannot express. */
  refine?(settings: Settings<T>): Problems
  /** All secrets of a request, in every spelling that a response may echo. */
  secrets(settings: Settings<T>): readonly string[]
  /** Limits and escapes of the parts that the setting `template` replaces; the setting is among `fields`. */
  readonly rules?: MessageRules
  compose(message: Message, settings: Settings<T>, written: Written): Composed
  /** The same in the kind's own words, with nothing that the service could refuse. Default: there is no such form. */
  plain?(message: Message, settings: Settings<T>): JsonObject
}

/** The user's words for a message, escaped and within the limits; absent parts are those of the kind. */
export interface Written {
  readonly title?: string | undefined
  readonly body?: string | undefined
}

/** 429 is temporary. */
export const POSTING_RULES = { retryStatuses: [429] } as const

/** Statuses for a body that the service does not accept. */
const FORM_REFUSED = [400, 413, 422]
/** A later refusal leaves a plain message less than the usual deadline of a request. */
const PLAIN_WITHIN_MS = LONGEST_ATTEMPT_MS - 10_000

/** @throws ConfigurationError for an invalid brand or guard option */
export function postingKind<const T extends FieldTable, const N extends string>(
  options: PostingOptions,
  posting: Posting<T, N>,
): ContactKind<T, N> {
  const guard = asGuard(options.guard)
  const brand = brandOf(options)
  const transport = options.transport ?? httpTransport(options)
  const { kind, title, fields, digests = true } = posting
  const composed = (settings: Settings<T>, delivery: Delivery) => {
    const message = messageOf(delivery)
    return posting.compose(
      message,
      settings,
      writtenFor(posting.rules, settings, { message, delivery }),
    )
  }
  return defineContactKind<T, N>({
    kind,
    title,
    fields,
    digests,
    target: (stored) => posting.target(decodeSettings(fields, stored)).url,
    policy: guard.policy,
    async check(stored, checking) {
      const settings = decodeSettings(fields, stored)
      const problems = posting.refine?.(settings) ?? {}
      if (Object.keys(problems).length > 0) return problems
      return targetProblems(guard, posting.target(settings), checking)
    },
    preview(settings, delivery) {
      const { body } = composed(settings, delivery)
      return withoutSecretTexts(body, posting.secrets(settings))
    },
    async deliver(ctx, settings, delivery) {
      const { url } = posting.target(settings)
      const judged = guard.checkUrlText(url)
      if (!judged.allowed) return refusedResult(judged.reason)
      const secrets = posting.secrets(settings)
      const send = async ({ body, headers = [] }: Composed): Promise<AttemptResult> => {
        const request = {
          url: judged.target.url.href,
          method: 'POST',
          headers: [
            ['Content-Type', 'application/json'],
            ['User-Agent', `${brand}-contacts/1.0`],
            ...headers,
          ],
          body: Buffer.from(JSON.stringify(body), 'utf8'),
        } as const
        const answer = await transport.send(request, ctx)
        return withBodyPause(
          await attemptResultInSteps(ctx, answer, { rules: POSTING_RULES, secrets }),
        )
      }
      const end = await send(composed(settings, delivery))
      if (!FORM_REFUSED.includes(end.http_status ?? 0) || end.duration_ms > PLAIN_WITHIN_MS) {
        return end
      }
      const body = posting.plain?.(messageOf(delivery), settings)
      return body === undefined ? end : afterRefusal(end, await send({ body }))
    },
  })
}

/** The plain message counts, unless it is refused as well. The log says of one that arrived why it is plain. */
function afterRefusal(refused: AttemptResult, plain: AttemptResult): AttemptResult {
  const duration_ms = refused.duration_ms + plain.duration_ms
  if (plain.class === 'failed') return { ...refused, duration_ms }
  if (plain.class === 'temporary') return { ...plain, duration_ms }
  const reason = [refused.error, refused.answer].filter(Boolean).join(': ')
  return { ...plain, duration_ms, answer: `sent as plain text after ${reason}` }
}

function writtenFor(
  rules: MessageRules | undefined,
  settings: Readonly<Record<string, unknown>>,
  filling: Filling,
): Written {
  if (rules === undefined) return {}
  const fill = filler(settings['template'] as Templates | undefined, filling)
  return { title: fill('title', rules.title), body: fill('body', rules.body) }
}

/** The same with `***` in place of every text that holds a secret. */
export function withoutSecretTexts(body: JsonObject, secrets: readonly string[]): JsonObject {
  const hidden = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? withoutSecrets(value, secrets) : value
  return JSON.parse(JSON.stringify(body, hidden)) as JsonObject
}

/** @throws ConfigurationError */
export function brandOf({ brand = 'Watchpost' }: Pick<ContactOptions, 'brand'>): string {
  if (/^[A-Za-z0-9-]{1,60}$/.test(brand)) return brand
  throw new ConfigurationError('Contact option brand: letters, digits and hyphens are expected')
}

/** The base URL of a service as an option, without a trailing slash. @throws ConfigurationError */
export function baseOf(url: string): string {
  if (canParseUrl(url) && /^https?:\/\//.test(url)) return url.replace(/(?<!\/)\/+$/, '')
  throw new ConfigurationError(`Contact option baseUrl: "${url}" is no http:// or https:// address`)
}

/** Reads the delay from a JSON body, in seconds, also fractional. */
export function withBodyPause(end: AttemptResult): AttemptResult {
  if (end.http_status !== 429 || end.retry_after_ms !== null) return end
  const said = /"retry_after"\s*:\s*(\d{1,9}(?:\.\d{1,9})?)/.exec(end.answer ?? '')?.[1]
  return said === undefined ? end : { ...end, retry_after_ms: Math.ceil(Number(said) * 1000) }
}

/** Short path segments are not secret: `services`, `api`, `v1`. */
const SECRET_PIECE_CHARS = 16

/** A secret URL, and its parts that reveal it. */
export function secretsOfAddress(address: string): readonly string[] {
  if (!canParseUrl(address)) return [address]
  const { href, pathname, search, searchParams } = new URL(address)
  const pieces = [...pathname.split('/'), ...searchParams.values()]
  return [
    address,
    href,
    pathname + search,
    ...pieces.filter((piece) => piece.length >= SECRET_PIECE_CHARS),
  ]
}
