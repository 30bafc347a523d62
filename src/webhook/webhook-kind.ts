/**
 * The built-in contact kind `webhook`: an HTTP request with a signed JSON body (spec 2.4 and 6).
 *
 * @module
 */

import type { FieldInfo } from '../fields/field.ts'
import { defineField } from '../fields/field.ts'
import { headersField } from '../fields/headers.ts'
import type { HeaderMap, HeaderPairs } from '../fields/headers.ts'
import type { FieldBuilder, Settings } from '../fields/field.ts'
import { isSecretHeader, MASK } from '../fields/secrets.ts'
import { field } from '../fields/vocabulary.ts'
import { createGuard } from '../net/guard.ts'
import type { Guard, GuardOptions, GuardReason } from '../net/guard.ts'
import { defineContactKind } from './contact-kind.ts'
import type { ContactKind, Delivery, DeliveryContext, DeliveryEnd } from './contact-kind.ts'
import { webhookHeaders } from './headers.ts'
import type { HeaderNaming, WebhookHeaders } from './headers.ts'
import { classify, parseRetryAfter } from './retry.ts'
import type { RetryRules } from './retry.ts'
import { signWebhook } from './signature.ts'
import { httpTransport } from './transport.ts'
import type { TransportOptions, WebhookAnswer, WebhookTransport } from './transport.ts'

export interface WebhookOptions extends HeaderNaming, RetryRules, TransportOptions {
  /** What may be reached besides public addresses, or a guard that is shared. Default: nothing. */
  readonly guard?: Guard | GuardOptions
  /** Instead of HTTP: for tests (`watchpost/testing`), or an egress proxy of your own. */
  readonly transport?: WebhookTransport
}

/** Time of one attempt, as the specification has it. */
type WebhookFields = ReturnType<typeof webhookFields>

/** @throws ConfigurationError where brand, prefix or a guard option is wrong */
export function webhookContact(options: WebhookOptions = {}): ContactKind<WebhookFields> {
  const naming = webhookHeaders(options)
  const guard = asGuard(options.guard)
  const transport = options.transport ?? httpTransport(options)
  return defineContactKind({
    kind: 'webhook',
    title: 'Webhook',
    fields: webhookFields(naming),
    policy: guard.policy,
    async check({ url }, checking = {}) {
      const verdict = await guard.checkUrl(url, checking)
      return verdict.allowed ? {} : problemsOf(verdict.reason)
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
    headers: customHeaders(naming, {
      description: 'Headers sent with every request, at most 20',
    }),
    method: field
      .oneOf(['POST', 'GET'], { description: 'GET carries the same body; some proxies drop it' })
      .default('POST'),
  }
}

/** The rules of {@link headersField}, and those of a webhook. */
function customHeaders(
  naming: WebhookHeaders,
  info: Pick<FieldInfo, 'description'>,
): FieldBuilder<HeaderMap, HeaderPairs> {
  const base = headersField(info)
  const schema: typeof base.schema = {
    '~standard': {
      version: 1,
      vendor: 'watchpost',
      validate(value) {
        const result = base.schema['~standard'].validate(value)
        if (result instanceof Promise || result.issues !== undefined) return result
        const problem = naming.problem(base.revive(result.value))
        return problem === undefined ? result : { issues: [{ message: `invalid: ${problem}` }] }
      },
    },
  }
  return defineField(base.info, schema, base.revive)
}

function asGuard(given: Guard | GuardOptions = {}): Guard {
  return 'checkUrl' in given ? given : createGuard(given)
}

const URL_PROBLEMS: Partial<Record<GuardReason, string>> = {
  invalid_url: 'an absolute URL is expected',
  too_long: 'the URL is too long',
  scheme: 'an http:// or https:// address is expected',
  userinfo: 'user and password do not belong in this address',
  port: 'this port is not allowed',
}

/** Says nothing of what the name resolves to: whoever saves a contact must not learn our network by it. */
function problemsOf(reason: GuardReason): Record<string, string> {
  // A name that nobody knows now may be known at the next incident; it is judged again then.
  if (reason === 'unresolvable') return {}
  const problem = URL_PROBLEMS[reason] ?? 'private_address: this address is not allowed'
  return { url: `invalid: ${problem}` }
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
): Promise<DeliveryEnd> {
  const { event, body, notification_id } = delivery
  const judged = guard.checkUrlText(settings.url)
  if (!judged.allowed) return refused(judged.reason)
  const signature = settings.secret ? signWebhook(settings.secret, body) : undefined
  const custom = settings.headers ?? []
  const { headers, dropped } = naming.compose({ event, signature, custom })
  if (dropped.length > 0) {
    ctx.log.warn({ notification_id, headers: dropped }, 'headers of a contact were not sent')
  }
  const request = { url: judged.target.url.href, method: settings.method, headers, body }
  const answer = await transport.send(request, ctx)
  return endOf(answer, { rules, settings, now: ctx.clock.now() })
}

function refused(reason: GuardReason): DeliveryEnd {
  const error = URL_PROBLEMS[reason] === undefined ? 'blocked' : 'invalid_url'
  return {
    class: 'failed',
    http_status: null,
    error,
    answer: null,
    duration_ms: 0,
    retry_after_ms: null,
  }
}

interface Judging {
  readonly rules: RetryRules
  readonly settings: Settings<WebhookFields>
  readonly now: number
}

function endOf(answer: WebhookAnswer, { rules, settings, now }: Judging): DeliveryEnd {
  const { http_status, duration_ms } = answer
  const verdict = classify(answer, rules)
  const code = http_status === null ? answer.error : `http_${http_status}`
  const stopped = answer.error === 'stopped' && !answer.written
  return {
    class: verdict,
    http_status,
    error: verdict === 'delivered' ? null : code,
    answer: answer.answer === null ? null : withoutSecrets(answer.answer, settings),
    duration_ms,
    retry_after_ms: http_status === 503 ? parseRetryAfter(answer.retry_after, now) : null,
    ...(stopped ? { uncounted: true } : {}),
  }
}

/** Shorter ones would blank out ordinary words. */
const SHORTEST_SECRET = 4

/** A receiver may echo what it was sent. */
function withoutSecrets(text: string, { secret, headers = [] }: Settings<WebhookFields>): string {
  const values = headers.filter(([name]) => isSecretHeader(name)).map(([, value]) => value)
  return [secret ?? '', ...values]
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
    .reduce((cut, value) => cut.replaceAll(value, MASK), text)
}
