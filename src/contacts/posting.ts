/**
 * What the contact kinds that are told by one JSON request have in common: the guard, the deadline, the
 * classes of answers and the secrets. A kind says where the request goes and what is in it.
 *
 * Answers are classified like those of webhooks, with one exception: 429 is temporary, since every one of
 * these services documents it so, and what it says about when to come back is respected. It may stand in
 * `Retry-After` or in the body (Telegram: `parameters.retry_after`, Discord: `retry_after`).
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
import type { ContactKind, AttemptResult } from '../webhook/contact-kind.ts'
import * as option from '../options.ts'
import type { OptionTable } from '../options.ts'
import { endOf } from '../webhook/delivery-end.ts'
import type { HeaderPair } from '../webhook/headers.ts'
import { asGuard, refusedEnd, targetProblems } from '../webhook/target.ts'
import { httpTransport, transportOptions } from '../webhook/transport.ts'
import type { TransportOptions, WebhookTransport } from '../webhook/transport.ts'
import { messageOf } from './words.ts'
import type { Message } from './message.ts'

export interface ContactOptions {
  /** What may be reached besides public addresses, or a guard that is shared. Default: nothing. */
  readonly guard?: Guard | GuardOptions | undefined
  /** Names the sender: in `User-Agent`, and to people. Letters, digits and hyphens. Default `Watchpost`. */
  readonly brand?: string | undefined
}

export interface PostingOptions extends ContactOptions, TransportOptions {
  /** Instead of HTTP: for tests (`watchpost/testing`), or an egress proxy of your own. */
  readonly transport?: WebhookTransport | undefined
}

export const contactOptions: OptionTable<ContactOptions> = {
  // Judged where the guard is made.
  guard: option.object,
  brand: option.text,
}

export const postingOptions: OptionTable<PostingOptions> = {
  ...contactOptions,
  ...transportOptions,
  transport: option.having('send'),
}

export interface Posting<T extends FieldTable, N extends string> {
  readonly kind: N
  readonly title: string
  readonly fields: T
  /** Where requests go, and the setting that decides it. */
  target(settings: Settings<T>): { readonly field: string; readonly url: string }
  /** What the table of fields cannot tell. */
  refine?(settings: Settings<T>): Problems
  /** Everything secret that a request carries, in every spelling that may be echoed. */
  secrets(settings: Settings<T>): readonly string[]
  compose(
    message: Message,
    settings: Settings<T>,
  ): { readonly body: JsonObject; readonly headers?: readonly HeaderPair[] }
}

const RULES = { retryStatuses: [429] }

/** @throws ConfigurationError where brand or a guard option is wrong */
export function postingKind<const T extends FieldTable, const N extends string>(
  options: PostingOptions,
  posting: Posting<T, N>,
): ContactKind<T, N> {
  const guard = asGuard(options.guard)
  const brand = brandOf(options)
  const transport = options.transport ?? httpTransport(options)
  const { kind, title, fields } = posting
  return defineContactKind<T, N>({
    kind,
    title,
    fields,
    target: (stored) => posting.target(decodeSettings(fields, stored)).url,
    policy: guard.policy,
    async check(stored, checking) {
      const settings = decodeSettings(fields, stored)
      const problems = posting.refine?.(settings) ?? {}
      if (Object.keys(problems).length > 0) return problems
      return targetProblems(guard, posting.target(settings), checking)
    },
    async deliver(ctx, settings, delivery) {
      const judged = guard.checkUrlText(posting.target(settings).url)
      if (!judged.allowed) return refusedEnd(judged.reason)
      const { body, headers = [] } = posting.compose(messageOf(delivery), settings)
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
      const secrets = posting.secrets(settings)
      return withBodyPause(endOf(answer, { rules: RULES, secrets, now: ctx.clock.now() }))
    },
  })
}

/** @throws ConfigurationError */
export function brandOf({ brand = 'Watchpost' }: Pick<ContactOptions, 'brand'>): string {
  if (/^[A-Za-z0-9-]{1,60}$/.test(brand)) return brand
  throw new ConfigurationError('Contact option brand: letters, digits and hyphens are expected')
}

/** An address of a service's own, as an option; without a slash at its end. @throws ConfigurationError */
export function baseOf(url: string): string {
  if (URL.canParse(url) && /^https?:\/\//.test(url)) return url.replace(/(?<!\/)\/+$/, '')
  throw new ConfigurationError(`Contact option baseUrl: "${url}" is no http:// or https:// address`)
}

/** Seconds, also with a fraction, in a JSON body. */
function withBodyPause(end: AttemptResult): AttemptResult {
  if (end.http_status !== 429 || end.retry_after_ms !== null) return end
  const said = /"retry_after"\s*:\s*(\d{1,9}(?:\.\d{1,9})?)/.exec(end.answer ?? '')?.[1]
  return said === undefined ? end : { ...end, retry_after_ms: Math.ceil(Number(said) * 1000) }
}

/** Short pieces of an address are no secret: `services`, `api`, `v1`. */
const SECRET_PIECE_CHARS = 16

/** An address that is a secret, and the parts that give it away. */
export function secretsOfAddress(address: string): readonly string[] {
  if (!URL.canParse(address)) return [address]
  const { href, pathname, search, searchParams } = new URL(address)
  const pieces = [...pathname.split('/'), ...searchParams.values()]
  return [
    address,
    href,
    pathname + search,
    ...pieces.filter((piece) => piece.length >= SECRET_PIECE_CHARS),
  ]
}
