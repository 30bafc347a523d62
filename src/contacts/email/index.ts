/**
 * E-mail through your own mail server, by SMTP (RFC 5321). TLS is required unless `"tls": "none"`
 * is set; otherwise a password is never sent in plain text. A 4xx reply is temporary, a 5xx reply
 * is final (RFC 5321, 4.2.1).
 *
 * @module
 */

import { domainToASCII } from 'node:url'
import { defineField } from '../../fields/field.ts'
import type { FieldTable, Settings, FieldBuilder } from '../../fields/field.ts'
import type { Problems } from '../../fields/parse.ts'
import { field } from '../../fields/vocabulary.ts'
import { hostPort } from '../../net/connection/endpoint.ts'
import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import { defineContactKind } from '../../webhook/contact-kind.ts'
import type { ContactKind } from '../../webhook/contact-kind.ts'
import { asGuard, refusedResult, targetProblems } from '../../webhook/target.ts'
import { filler } from '../filled-template.ts'
import type { Filling } from '../filled-template.ts'
import { escapeHtml, htmlProblem } from '../markup.ts'
import { mailTemplate } from '../message-template.ts'
import type { PartRules } from '../message-template.ts'
import { brandOf, contactOptions, withoutSecretTexts } from '../posting.ts'
import type { ContactOptions } from '../posting.ts'
import { messageOf } from '../words.ts'
import { attemptTo, loadDriver } from './attempt.ts'
import { partsOf, SUBJECT_CHARS } from './message.ts'
import type { WrittenMail } from './message.ts'
import type { MailServer } from './smtp.ts'

/** Of a text or its HTML: more than a mail program shows at once. */
const BODY_CHARS = 16_384

const asWritten = (text: string): string => text

const rules: Readonly<Record<'title' | 'body' | 'html', PartRules>> = {
  title: { max: SUBJECT_CHARS, lines: false, escape: asWritten },
  body: { max: BODY_CHARS, lines: true, escape: asWritten },
  html: { max: BODY_CHARS, lines: true, escape: escapeHtml, problem: htmlProblem },
}

const mailTemplateField = () => mailTemplate(rules)

/** RFC 5321, 4.5.3.1. */
const LOCAL_CHARS = 64
const ADDRESS_CHARS = 254

/** `Dot-string` of RFC 5321, 4.1.2. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const DOMAIN =
  /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/

/** Mail servers delay their greeting; well below the engine's limit for any kind. */
const DEADLINE_MS = 12_000

const PORTS = { starttls: 587, implicit: 465, none: 25 } as const

const fields = {
  host: field
    .host({
      description: 'Mail server that takes messages for delivery',
      example: 'mail.example.com',
    })
    .required(),
  port: field.port({
    description: 'TCP port; where absent 587, 465 with implicit TLS, 25 without TLS',
    example: '587',
  }),
  tls: field.oneOf(['starttls', 'implicit', 'none'], {
    description:
      'TLS by command, from the first byte, or none; where absent implicit on port 465, else by command',
    destination: ['none'],
  }),
  user: field.text({ description: 'Logs in as this user', max: 512 }),
  pass: field.secret({ description: 'Password of the user' }),
  from: addressField({ description: 'Sender; what bounces comes here' }).required(),
  to: field
    .list(addressField({ description: 'Recipient' }), {
      description: 'Recipients, at most 20',
      min: 1,
      max: 20,
      commas: true,
    })
    .required(),
  template: mailTemplateField(),
} satisfies FieldTable

type EmailSettings = Settings<typeof fields>

export interface EmailOptions extends ContactOptions {
  /** Time of one attempt, in ms: at most 12000, which is the default. */
  readonly deadlineMs?: number | undefined
}

/** @throws ConfigurationError for an invalid option */
export function emailContact(options: EmailOptions = {}): ContactKind<typeof fields, 'email'> {
  checkOptions('emailContact', options, {
    ...contactOptions,
    deadlineMs: option.milliseconds(1, DEADLINE_MS),
  })
  const guard = asGuard(options.guard)
  const brand = brandOf(options)
  const { deadlineMs = DEADLINE_MS } = options
  return defineContactKind<typeof fields, 'email'>({
    kind: 'email',
    title: 'E-mail',
    fields,
    target: (settings) => hostPort(serverOf(settings).host, serverOf(settings).port),
    policy: guard.policy,
    async check(settings, checking) {
      const problems = { ...loginProblems(settings), ...(await driverProblems()) }
      if (Object.keys(problems).length > 0) return problems
      return targetProblems(guard, { field: 'host', url: urlOf(serverOf(settings)) }, checking)
    },
    preview(settings, delivery) {
      const message = messageOf(delivery)
      const parts = partsOf(message, writtenMail(settings.template, { message, delivery }))
      return withoutSecretTexts({ ...parts }, [settings.pass ?? ''])
    },
    async deliver(ctx, settings, delivery) {
      const judged = guard.checkUrlText(urlOf(serverOf(settings)))
      if (!judged.allowed) return refusedResult(judged.reason)
      const { from, to } = settings
      const server = serverOf(settings)
      const filling = { message: messageOf(delivery), delivery }
      const written = writtenMail(settings.template, filling)
      const envelope = { from, to }
      return attemptTo(ctx, { server, envelope, delivery, written, brand, deadlineMs })
    },
  })
}

/** The guard checks URLs; the scheme is a placeholder. */
function urlOf({ host, port }: MailServer): string {
  return `https://${hostPort(host, port)}/`
}

type ServerSettings = Pick<EmailSettings, 'host' | 'port' | 'tls' | 'user' | 'pass'>

function serverOf({ host, port, tls, user, pass }: ServerSettings): MailServer {
  const spoken = tls ?? (port === PORTS.implicit ? 'implicit' : 'starttls')
  return {
    host,
    port: port ?? PORTS[spoken],
    tls: spoken,
    ...(user === undefined || pass === undefined ? {} : { login: { user, pass } }),
  }
}

function loginProblems({ user, pass }: ServerSettings): Problems {
  if (user !== undefined && pass === undefined) return { pass: 'invalid: a user needs a password' }
  if (pass !== undefined && user === undefined) return { user: 'invalid: a password needs a user' }
  return {}
}

async function driverProblems(): Promise<Problems> {
  return loadDriver().then(
    () => ({}),
    (error: unknown) => ({ kind: `invalid: ${(error as Error).message}` }),
  )
}

/**
 * One mailbox, without a display name, brackets or characters that could end a header or command;
 * the domain is stored as A-labels.
 */
function addressField(info: {
  readonly description: string
  readonly example?: string
}): FieldBuilder<string> {
  return defineField(
    { kind: 'string', format: 'email', min: 3, max: ADDRESS_CHARS, ...info },
    {
      '~standard': {
        version: 1,
        vendor: 'watchpost',
        validate(value) {
          const address = typeof value === 'string' ? parseAddress(value) : undefined
          return address === undefined
            ? { issues: [{ message: 'invalid: one e-mail address is expected' }] }
            : { value: address }
        },
      },
    },
  )
}

function parseAddress(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.length > ADDRESS_CHARS) return undefined
  const at = trimmed.lastIndexOf('@')
  const local = trimmed.slice(0, Math.max(0, at))
  const domain = domainToASCII(trimmed.slice(at + 1)).toLowerCase()
  const address = `${local}@${domain}`
  const fits = local.length <= LOCAL_CHARS && address.length <= ADDRESS_CHARS
  return fits && LOCAL.test(local) && DOMAIN.test(domain) ? address : undefined
}

type Template = Settings<{ readonly template: ReturnType<typeof mailTemplateField> }>['template']

function writtenMail(template: Template, filling: Filling): WrittenMail {
  const fill = filler(template, filling)
  return {
    title: fill('title', rules.title),
    body: fill('body', rules.body),
    html: fill('html', rules.html),
  }
}
