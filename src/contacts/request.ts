/**
 * One HTTP request to any service: address, method, headers and body are written by the user, with
 * placeholders for what happened. The guard, the deadline, the retries and the log are those of every kind.
 *
 * A placeholder stands in the path or the query of the address, never in its host, and there only for values
 * that cannot change the path.
 *
 * @module
 */

import { defineField } from '../fields/field.ts'
import type { FieldBuilder, FieldInfo, FieldTable, Settings, Stored } from '../fields/field.ts'
import { decodeSettings } from '../fields/parse.ts'
import type { Problems } from '../fields/parse.ts'
import { statusRangesField } from '../fields/status-ranges.ts'
import { field } from '../fields/vocabulary.ts'
import { checkOptions } from '../options.ts'
import { MASK } from '../secrets/redaction.ts'
import { defineContactKind } from '../webhook/contact-kind.ts'
import type { AttemptResult, ContactKind, Delivery } from '../webhook/contact-kind.ts'
import { customHeaders, secretValues } from '../webhook/custom-headers.ts'
import { attemptResultInSteps } from '../webhook/attempt-result.ts'
import { webhookHeaders } from '../webhook/headers.ts'
import { MAX_BODY_BYTES } from '../webhook/payload.ts'
import { asGuard, refusedResult, targetProblems } from '../webhook/target.ts'
import { httpTransport } from '../webhook/transport.ts'
import type { WebhookAnswer, WebhookRequest } from '../webhook/transport.ts'
import { formTemplateField, jsonTemplateField, textTemplateField } from './body-template.ts'
import type { BodyTemplate, Fill } from './body-template.ts'
import {
  brandOf,
  POSTING_RULES,
  postingOptions,
  secretsOfAddress,
  withBodyPause,
  withoutSecretTexts,
} from './posting.ts'
import type { PostingOptions } from './posting.ts'
import { ADDRESS_PLACEHOLDERS, readTemplate, render, valuesOf } from './template.ts'
import type { Template, Values } from './template.ts'
import { escapeMarkup } from './text.ts'
import { messageOf } from './words.ts'
import { canParseUrl } from '../model/url.ts'

/** A value in a body that would be larger than allowed. */
const SHORT_VALUE_CHARS = 400

const ESCAPES = {
  none: (text: string): string => text,
  html: (text: string): string =>
    escapeMarkup(text).replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
  markdown: (text: string): string => unmentioned(text.replace(/[\\`*_{}[\]()#+!|~>-]/g, '\\$&')),
  mentions: unmentioned,
} as const

/** A zero-width space after `@` and `<`: `@channel`, `<!here>` and `<users/all>` are text then. */
function unmentioned(text: string): string {
  return text.replace(/[@<]/g, '$&\u200b')
}

function fieldsOf(brand: string) {
  return {
    url: addressField({
      description: 'Address to call; a secret, since many contain a key',
    }).required(),
    method: field
      .oneOf(['POST', 'PUT', 'PATCH', 'GET'], { description: 'Method; GET has no body' })
      .default('POST'),
    headers: customHeaders(webhookHeaders({ brand }), {
      description: 'Headers sent with every request, at most 20',
    }),
    secret: field.secret({ description: 'Stands for {{secret}} in the body: a token, a key' }),
    json: jsonTemplateField({ description: 'Body: a JSON object; its texts are templates' }),
    form: formTemplateField({
      description: 'Body: the fields of a form; their values are templates',
    }),
    text: textTemplateField({ description: 'Body: a text, as a template' }),
    escape: field
      .oneOf(['none', 'html', 'markdown', 'mentions'], {
        description:
          'Markup of the service, escaped in what is inserted; mentions only breaks @ and <',
      })
      .default('none'),
    delivered_status: statusRangesField('Statuses that mean delivered').default('200-299'),
    recovery_url: addressField({ description: 'Address for `up` alone, at the same host' }),
    recovery_json: jsonTemplateField({ description: 'Body for `up` alone: a JSON object' }),
  } satisfies FieldTable
}

type RequestFields = ReturnType<typeof fieldsOf>
type RequestSettings = Settings<RequestFields>

/** @throws ConfigurationError for an invalid option */
export function requestContact(
  options: PostingOptions = {},
): ContactKind<RequestFields, 'request'> {
  checkOptions('requestContact', options, postingOptions)
  const guard = asGuard(options.guard)
  const brand = brandOf(options)
  const transport = options.transport ?? httpTransport(options)
  const fields = fieldsOf(brand)
  return defineContactKind<RequestFields, 'request'>({
    kind: 'request',
    title: 'HTTP request',
    fields,
    target: ({ url }) => url,
    policy: guard.policy,
    async check(stored, checking) {
      const problems = problemsBetween(stored, decodeSettings(fields, stored))
      if (Object.keys(problems).length > 0) return problems
      const sample = render(readable(stored.url), new Map(), () => '0')
      return targetProblems(guard, { field: 'url', url: sample }, checking)
    },
    preview(settings, delivery) {
      const hidden = settings.secret && { secret: MASK }
      const { method, url, body } = compose({ ...settings, ...hidden }, delivery, brand)
      const secrets = [...secretsOfAddress(url), settings.secret ?? '']
      return withoutSecretTexts({ method, body: Buffer.from(body).toString() }, secrets)
    },
    async deliver(ctx, settings, delivery) {
      const request = compose(settings, delivery, brand)
      const judged = guard.checkUrlText(request.url)
      if (!judged.allowed) return refusedResult(judged.reason)
      const answer = await transport.send({ ...request, url: judged.target.url.href }, ctx)
      const secrets = [
        ...secretsOfAddress(request.url),
        ...secretValues(settings.headers ?? []),
        settings.secret ?? '',
      ]
      const result = await attemptResultInSteps(ctx, answer, { rules: POSTING_RULES, secrets })
      return judgedBy(settings.delivered_status, answer, withBodyPause(result))
    },
  })
}

/** Rules between the fields. */
function problemsBetween(
  { url, recovery_url }: Stored<RequestFields>,
  settings: RequestSettings,
): Problems {
  const problems: Record<string, string> = {}
  const bodies = (['json', 'form', 'text'] as const).filter((name) => settings[name] !== undefined)
  const [, second] = bodies
  if (second !== undefined) problems[second] = 'invalid: one of json, form and text is expected'
  if (settings.method === 'GET' && (bodies.length > 0 || settings.recovery_json !== undefined))
    problems['method'] = 'invalid: GET has no body'
  const used = [settings.json, settings.form, settings.text, settings.recovery_json]
  if (settings.secret === undefined && used.some((body) => body?.usesSecret === true))
    problems['secret'] = 'required: the body uses {{secret}}'
  // The same headers go there.
  if (recovery_url !== undefined && originOf(recovery_url) !== originOf(url))
    problems['recovery_url'] = 'invalid: scheme, host and port of url are expected'
  return problems
}

function compose(settings: RequestSettings, delivery: Delivery, brand: string): WebhookRequest {
  const { method, headers = [], recovery_url, recovery_json } = settings
  const isRecovery = delivery.event === 'up' || delivery.event === 'outage'
  const values = valuesOf(messageOf(delivery), delivery)
  const address = (isRecovery ? recovery_url : undefined) ?? settings.url
  const body =
    (isRecovery ? recovery_json : undefined) ?? settings.json ?? settings.form ?? settings.text
  return {
    url: render(address, values, encodeURIComponent),
    method,
    headers: [
      ...(body === undefined ? [] : [['Content-Type', body.contentType] as const]),
      ['User-Agent', `${brand}-contacts/1.0`],
      ...headers,
    ],
    body: bodyOf(body, values, settings),
  }
}

function bodyOf(
  body: BodyTemplate | undefined,
  values: Values,
  { escape, secret = '' }: RequestSettings,
): Uint8Array {
  if (body === undefined) return new Uint8Array()
  const escapeValue = ESCAPES[escape]
  const fill =
    (inserted: Values): Fill =>
    (template) =>
      render(template, inserted, (value, name) => (name === 'secret' ? value : escapeValue(value)))
  const whole = Buffer.from(body.render(fill(new Map([...values, ['secret', secret]]))))
  if (whole.length <= MAX_BODY_BYTES) return whole
  const short = [...values].map(
    ([name, value]) => [name, value.slice(0, SHORT_VALUE_CHARS)] as const,
  )
  return Buffer.from(body.render(fill(new Map([...short, ['secret', secret]]))))
}

/** The user decides which statuses are delivered; another one keeps its class, but is never a success. */
function judgedBy(
  delivered: { includes(status: number): boolean },
  { http_status }: Pick<WebhookAnswer, 'http_status'>,
  result: AttemptResult,
): AttemptResult {
  if (http_status === null) return result
  if (delivered.includes(http_status))
    return { ...result, class: 'delivered', error: null, retry_after_ms: null }
  if (result.class !== 'delivered') return result
  return { ...result, class: 'failed', error: `http_${http_status}` }
}

const ADDRESS_CHARS = 2048
/** A host without placeholders, then path or query. */
const ADDRESS = /^https?:\/\/[^/?#{}\s]+(?:[/?][^#\s]*)?$/i

/** An address as a template. */
function addressField(info: Pick<FieldInfo, 'description'>): FieldBuilder<string, Template> {
  return defineField<string, Template>(
    {
      kind: 'string',
      secret: 'value',
      destination: 'origin',
      min: 1,
      max: ADDRESS_CHARS,
      ...info,
    },
    {
      '~standard': {
        version: 1,
        vendor: 'watchpost',
        validate(value) {
          const text = typeof value === 'string' ? value.trim() : ''
          const problem = addressProblem(text)
          return problem === undefined ? { value: text } : { issues: [{ message: problem }] }
        },
      },
    },
    readable,
  )
}

function addressProblem(text: string): string | undefined {
  if (text === '***') return undefined
  if (text.length > ADDRESS_CHARS) return `out_of_range: 1..${ADDRESS_CHARS} characters`
  if (!ADDRESS.test(text) || !canParseUrl(text))
    return 'invalid: an http:// or https:// address is expected, with placeholders behind the host only'
  const template = readTemplate(text, ADDRESS_PLACEHOLDERS)
  return typeof template === 'string' ? template : undefined
}

function readable(text: string): Template {
  const template = readTemplate(text, ADDRESS_PLACEHOLDERS)
  if (typeof template === 'string') throw new TypeError(template)
  return template
}

function originOf(address: string): string {
  return new URL(address).origin
}
