/**
 * `content`: detects changes of the text of a page.
 *
 * @module watchpost/checkers/content
 */

import { redactUrl } from '../../net/http/redact-url.ts'
import type { HeaderPair } from '../../net/http/headers.ts'
import type { HttpExchange } from '../../net/net.ts'
import { defineChecker, down, unknown, up } from '../checker.ts'
import type { CheckContext } from '../checker.ts'
import { HTTP_CAUSES } from '../http/causes.ts'
import { certificateRefusal, EXCHANGE_MEASUREMENTS, exchangeDetails } from '../http/exchange.ts'
import {
  authField,
  httpVersionField,
  proxyFields,
  proxyOf,
  proxyProblems,
  USER_AGENT,
  userProblem,
  withoutProxyLogin,
  withoutUserinfo,
} from '../http/request-fields.ts'
import {
  clientCertificateFields,
  clientCertificateProblems,
  identityOf,
} from '../client-certificate.ts'
import { authorized } from '../oauth/authorized.ts'
import { oauthField, oauthProblems, withoutEmptyGrant } from '../oauth/fields.ts'
import { withoutToken } from '../oauth/authorized.ts'
import { sha256 } from './baseline.ts'
import { compared } from './change.ts'
import { fold, kindOf, readerOf } from './page-text.ts'
import type { PageKind } from './page-text.ts'
import type { Settings, Stored } from '../../fields/field.ts'
import type { Problems } from '../../fields/parse.ts'
import { formsOfSecrets } from '../../fields/secrets.ts'
import { field } from '../../fields/vocabulary.ts'
import type { JsonObject } from '../../model.ts'
import { formsOf } from '../../secrets/forms.ts'
import { ignoreRulesField } from './ignore-rules.ts'

const contentFields = {
  url: field
    .url({
      description: 'Address of the page; user:pass@ is moved to auth',
      example: 'https://example.com/prices',
      userinfo: true,
    })
    .required(),
  ignore_regex: ignoreRulesField(
    'Patterns, one per line, bare or as /pattern/flags: what they match is cut out before the text is compared; blank lines and lines with # in front are comments',
  ),
  user_agent: field.headerValue({
    description: 'User-Agent; Watchpost and its version where absent',
  }),
  auth: authField,
  oauth: oauthField,
  http_version: httpVersionField,
  ...proxyFields,
  ...clientCertificateFields,
}

type ContentSettings = Settings<typeof contentFields>

type ContentStored = Stored<typeof contentFields>

const TYPE_SHOWN = 100

export const content = () =>
  defineChecker({
    type: 'content',
    title: 'Page content',
    description:
      'Detects changes of the text of a page; markup, scripts and ignored patterns do not count. A change is an event, not a failure.',
    fields: contentFields,
    common: { interval_sec: { default: 300 } },
    causes: {
      ...HTTP_CAUSES,
      /** A page rendered by scripts has no text: monitor the address that the scripts load. */
      content_empty: { text: 'The page has no text', phase: 'transfer' },
      /**
       * settings: Patterns with `.*` scan the rest of the page from every match: bound them
       * (`[^\n]{0,80}`), or monitor a shorter page.
       */
      content_ignore_slow: {
        text: 'ignore_regex takes too long on this page',
        verdict: 'unknown',
      },
      /** settings: As `content_empty`. */
      content_type_unsupported: {
        text: 'The answer has an unsupported content type',
        phase: 'transfer',
      },
    },
    events: ['content_changed'],
    figures: ['body_bytes', 'body_decoded_bytes', 'text_bytes', 'change_ratio'],
    measurements: {
      ...EXCHANGE_MEASUREMENTS,
      text_bytes: 'Bytes (UTF-8) of the text that was compared',
      text_hash: 'SHA-256 of that text, hex',
      changed: 'Whether it is another one than at the last check',
      baseline_at: 'When this text was seen first (ISO 8601 UTC)',
      changed_lines:
        'added and removed lines; null where the old text was too long to be remembered by its lines',
      change_ratio: 'Share of all lines that were added or removed, 0 to 1; null likewise',
      excerpt: 'A few of the lines that went (-) and came (+)',
      noisy: 'true after more than 5 changes in 10 checks: ignore_regex is missing something',
    },
    highlights: {
      baseline_at: { title: 'Unchanged since', format: 'time' },
      'tls.not_after': { title: 'Certificate ends', format: 'end' },
      status: { title: 'Status code' },
    },
    refine: refineContent,
    target: (settings) => redactUrl(settings.url),

    async run(ctx, settings) {
      let sent: readonly HeaderPair[] = []
      const exchange = await authorized(ctx, settings, {
        send(authorization) {
          sent = authorization
          return ctx.net.http(requestFor(settings, authorization))
        },
      })
      ctx.measure(exchangeDetails(exchange))
      const { status } = exchange
      if (status < 200 || status > 299) {
        const refused = certificateRefusal(exchange, {
          identity: identityOf(settings),
          now: ctx.clock.now(),
        })
        if (refused !== undefined) return refused
        return down('http_status', `Got status ${status}, expected 200-299`)
      }
      const kind = kindOf(exchange)
      if (kind === undefined) {
        const named = exchange.headers['content-type'] ?? 'no named'
        const type = named.length > TYPE_SHOWN ? `${named.slice(0, TYPE_SHOWN)}…` : named
        return down('content_type_unsupported', `An answer of ${type} type has no text`)
      }
      const read = await readerOf(kind)
      const whole = await ctx.inTurns(read(await ctx.inTurns(exchange.textSteps())))
      const page = withoutToken(whole, sent)
      if (page === '') return empty(exchange, emptyText(exchange, kind))
      const text = await withoutIgnored(ctx, page, settings)
      if (text === '') {
        return empty(exchange, 'Nothing of the page is left once ignore_regex is cut out')
      }
      ctx.measure({ text_bytes: Buffer.byteLength(text) })
      const of = sha256(`${settings.url}\n${settings.ignore_regex?.source ?? ''}`)
      return up(await compared(ctx, { text, of, secrets: () => secretsOf(settings, sent) }))
    },
  })

function requestFor(settings: ContentSettings, authorization: readonly HeaderPair[]) {
  const { url, user_agent, auth, http_version } = settings
  return {
    url,
    http_version,
    proxy: proxyOf(settings),
    identity: identityOf(settings),
    headers: [
      ['User-Agent', user_agent ?? USER_AGENT],
      ['Accept', 'text/html, application/xhtml+xml, application/json, text/*;q=0.9, */*;q=0.5'],
      ...authorization,
    ] as const,
    auth: auth === undefined ? undefined : { user: auth.user ?? '', pass: auth.pass ?? '' },
  }
}

/** In every form in which the page may repeat them. */
function secretsOf(settings: ContentSettings, sent: readonly HeaderPair[]): ReadonlySet<string> {
  return new Set([
    ...formsOfSecrets(contentFields, settings as unknown as JsonObject),
    ...sent.flatMap(([, value]) => formsOf(value.replace(/^Bearer /, ''))),
  ])
}

async function withoutIgnored(
  { inTurns, clock, remaining }: CheckContext,
  page: string,
  { ignore_regex }: ContentSettings,
): Promise<string> {
  if (ignore_regex === undefined) return page
  const kept = await inTurns(ignore_regex.removeFrom(page, { clock, wall_ms: remaining() / 2 }))
  return inTurns(fold(kept))
}

/** The unread rest of the body may contain text. */
function empty({ body_cut, decoded_bytes }: HttpExchange, text: string) {
  if (!body_cut) return down('content_empty', text)
  const read = `The first ${decoded_bytes.toLocaleString('en-US')} bytes of the page were read`
  return unknown('http_body_limit', `${read}, and there is no text to compare in them`)
}

function emptyText({ body }: HttpExchange, kind: PageKind): string {
  if (body.length === 0) return 'The answer has no body'
  return `The answer has ${body.length} bytes and no text${kind === 'html' ? '; it may be made by a script' : ''}`
}

function refineContent(
  given: ContentStored,
): { readonly settings: ContentStored } | { readonly fields: Problems } {
  const settings = withoutEmptyGrant(withoutProxyLogin(withoutUserinfo(given)))
  const problem = userProblem(settings.auth)
  const problems = {
    ...oauthProblems(settings),
    ...proxyProblems(settings),
    ...clientCertificateProblems(settings),
    ...(problem === undefined ? {} : { 'auth.user': problem }),
  }
  return Object.keys(problems).length > 0 ? { fields: problems } : { settings }
}
