/**
 * The built-in contact kind `webhook`: an HTTP request with a signed JSON body (spec 2.4 and 6).
 *
 * @module
 */

import type { Settings } from '../fields/field.ts'
import { field } from '../fields/vocabulary.ts'
import type { Guard, GuardOptions } from '../net/guard/guard.ts'
import { credentialsIn } from '../net/http/redact-url.ts'
import type { EpochMs } from '../model.ts'
import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { OptionTable } from '../options.ts'
import { defineContactKind } from './contact-kind.ts'
import type { ContactKind, Delivery, DeliveryContext, AttemptResult } from './contact-kind.ts'
import { attemptResultInSteps } from './attempt-result.ts'
import { customHeaders, secretValues } from './custom-headers.ts'
import { webhookHeaders } from './headers.ts'
import type { HeaderNaming, HeaderPair, WebhookHeaders } from './headers.ts'
import type { RetryRules } from './retry.ts'
import { signWebhook } from './signature.ts'
import { readStandardSecrets, standardHeaders } from './standard-webhooks.ts'
import { asGuard, refusedResult, targetProblems } from './target.ts'
import { httpTransport, transportOptions } from './transport.ts'
import type { TransportOptions, WebhookTransport } from './transport.ts'

export interface WebhookOptions extends HeaderNaming, RetryRules, TransportOptions {
  /** Destinations allowed besides public addresses, or a shared guard. Default: none. */
  readonly guard?: Guard | GuardOptions | undefined
  /** Replaces HTTP: for tests (`watchpost/testing`), or your own egress proxy. */
  readonly transport?: WebhookTransport | undefined
}

const OPTIONS: OptionTable<WebhookOptions> = {
  ...transportOptions,
  brand: option.text,
  prefix: option.text,
  retryStatuses: option.listOf(option.wholeNumber(400, 499)),
  retryConnectionErrors: option.flag,
  // Validated by the guard.
  guard: option.object,
  transport: option.having('send'),
}

type WebhookFields = ReturnType<typeof webhookFields>

/** @throws ConfigurationError for an invalid brand, prefix or guard option */
export function webhookContact(
  options: WebhookOptions = {},
): ContactKind<WebhookFields, 'webhook'> {
  checkOptions('webhookContact', options, OPTIONS)
  const naming = webhookHeaders(options)
  const guard = asGuard(options.guard)
  const transport = options.transport ?? httpTransport(options)
  return defineContactKind({
    kind: 'webhook',
    title: 'Webhook',
    fields: webhookFields(naming),
    target: ({ url }) => url,
    policy: guard.policy,
    preview: (_, { payload }) => payload,
    async check({ url, standard_secret }, checking) {
      const keys = standard_secret === undefined ? [] : readStandardSecrets(standard_secret)
      if (typeof keys === 'string') return { standard_secret: keys }
      return targetProblems(guard, { field: 'url', url }, checking)
    },
    deliver: (ctx, settings, delivery) =>
      deliver({ naming, guard, transport, rules: options }, ctx, { settings, delivery }),
  })
}

function webhookFields(naming: WebhookHeaders) {
  return {
    url: field
      .url({
        description: 'Address to call; https recommended',
        example: 'https://example.com/hook',
      })
      .required(),
    secret: field.secret({ description: 'Signs the body; without it requests are not signed' }),
    standard_secret: field.secret({
      description:
        'Adds the headers of Standard Webhooks: whsec_ and base64; two with a space while one replaces the other',
    }),
    headers: customHeaders(naming, {
      description: 'Headers sent with every request, at most 20',
    }),
    method: field
      .oneOf(['POST', 'GET'], { description: 'GET carries the same body; some proxies drop it' })
      .default('POST'),
  }
}

interface Sender {
  readonly naming: WebhookHeaders
  readonly guard: Guard
  readonly transport: WebhookTransport
  readonly rules: RetryRules
}

interface Message {
  readonly settings: Settings<WebhookFields>
  readonly delivery: Delivery
}

async function deliver(
  { naming, guard, transport, rules }: Sender,
  ctx: DeliveryContext,
  { settings, delivery }: Message,
): Promise<AttemptResult> {
  const { event, body, notification_id } = delivery
  const judged = guard.checkUrlText(settings.url)
  if (!judged.allowed) return refusedResult(judged.reason)
  const signature = settings.secret ? signWebhook(settings.secret, body) : undefined
  const custom = settings.headers ?? []
  const further = standardOf(settings, delivery, ctx.clock.now())
  const { headers, dropped } = naming.compose({ event, signature, further, custom })
  if (dropped.length > 0) {
    ctx.log.warn({ notification_id, headers: dropped }, 'headers of a contact were not sent')
  }
  const request = { url: judged.target.url.href, method: settings.method, headers, body }
  const answer = await transport.send(request, ctx)
  return attemptResultInSteps(ctx, answer, { rules, secrets: secretsOf(settings) })
}

function standardOf(
  { standard_secret }: Settings<WebhookFields>,
  delivery: Delivery,
  now: EpochMs,
): readonly HeaderPair[] {
  const keys = standard_secret === undefined ? [] : readStandardSecrets(standard_secret)
  if (keys.length === 0 || typeof keys === 'string') return []
  return standardHeaders(keys, delivery, now)
}

/** A receiver may repeat them; the address is a setting that is shown, but its tokens belong into no log. */
function secretsOf(settings: Settings<WebhookFields>): readonly string[] {
  const { url, secret, standard_secret = '', headers = [] } = settings
  const own = [secret ?? '', ...standard_secret.split(/\s+/)]
  return [...own, ...secretValues(headers), ...credentialsIn(url)]
}
