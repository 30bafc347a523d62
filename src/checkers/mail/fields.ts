/**
 * What smtp, pop3, imap and ftp share: settings and the values derived from them, causes, measurements.
 *
 * @module
 */

import {
  clientCertificateFields,
  clientCertificateProblems,
  unusedCertificate,
} from '../client-certificate.ts'
import type { ClientCertificate } from '../client-certificate.ts'
import { field } from '../../fields/vocabulary.ts'
import { hostPort } from '../../net/connection/endpoint.ts'
import { CONNECTION_HIGHLIGHTS, CONNECTION_MEASUREMENTS } from '../connection-details.ts'
import { MAIL_CAUSES } from './causes.ts'

/** How a mail server uses TLS: not at all, after a command, from the first byte. */
export type MailTls = 'none' | 'starttls' | 'implicit'

export interface MailPorts {
  readonly plain: number
  /** The port with TLS from the first byte; the default port in that mode. */
  readonly implicit: number
  /** Ports on which a server is expected to offer the TLS upgrade. */
  readonly starttls?: readonly number[]
}

export interface MailSettings extends ClientCertificate {
  readonly host: string
  readonly port?: number | undefined
  readonly tls?: MailTls | 'auto' | undefined
  readonly user?: string | undefined
  readonly pass?: string | undefined
}

export interface MailOptions {
  /**
   * `false`: certificates are not verified, for servers with a private CA or self-signed
   * certificates. This protects passwords from passive listeners, not from impersonation. Default
   * `true`.
   */
  readonly verifyTls?: boolean | undefined
}

const MAIL_MEASUREMENTS = {
  banner: 'What the server greeted with, at most 256 characters, escaped',
  capabilities: 'What the server offers, in its own words; behind TLS where that is spoken',
  starttls: 'Whether the server offers the change to TLS; only on connections that begin in clear',
  auth_method: 'How the login was made; only with a user',
  ...CONNECTION_MEASUREMENTS,
} as const

const MAIL_HIGHLIGHTS = {
  ...CONNECTION_HIGHLIGHTS,
  banner: { title: 'Greeting' },
  auth_method: { title: 'Login' },
} as const

/** The part of their definitions that is the same. */
export const mailDefinition = (ports: MailPorts) =>
  ({
    fields: mailFields(ports),
    causes: MAIL_CAUSES,
    figures: [],
    measurements: MAIL_MEASUREMENTS,
    highlights: MAIL_HIGHLIGHTS,
    common: { interval_sec: { default: 300 } },
    refine: refineLogin,
    unused: (settings: MailSettings) => unusedOfMail(settings, ports),
    target: (settings: MailSettings) => mailTargetText(settings, ports),
  }) as const

function mailFields({ plain, implicit, starttls = [] }: MailPorts) {
  const change = starttls.length === 0 ? '' : ` on ${starttls.join(', ')} or`
  return {
    host: field.host({ description: 'Host name or IP address' }).required(),
    port: field.port({
      description: `TCP port; where absent ${plain}, or ${implicit} with implicit TLS`,
      example: String(plain),
    }),
    tls: field.oneOf(['none', 'starttls', 'implicit', 'auto'], {
      description: `TLS from the first byte (implicit), by command (starttls), or none. Absent or auto: implicit on ${implicit}, starttls${change} with a user, else none`,
      aliases: { false: 'none', true: 'implicit', ssl: 'implicit', tls: 'implicit' },
      destination: ['none'],
    }),
    user: field.text({
      description: 'Logs in as this user; without one the check ends before the login',
      max: 512,
    }),
    pass: field.secret({ description: 'Password of the user' }),
    ...clientCertificateFields,
  } as const
}

export interface MailTarget {
  readonly host: string
  readonly port: number
  readonly tls: MailTls
}

/** Fills in the defaults. A password is sent in plain text only if `none` is set explicitly. */
export function mailTarget(settings: MailSettings, ports: MailPorts): MailTarget {
  const { host, user } = settings
  const asked = settings.tls === 'auto' ? undefined : settings.tls
  const port = settings.port ?? (asked === 'implicit' ? ports.implicit : ports.plain)
  return { host, port, tls: asked ?? usualTls(port, user !== undefined, ports) }
}

function usualTls(port: number, login: boolean, { implicit, starttls = [] }: MailPorts): MailTls {
  if (port === implicit) return 'implicit'
  return login || starttls.includes(port) ? 'starttls' : 'none'
}

/** The target as shown in lists and webhooks. */
function mailTargetText(settings: MailSettings, ports: MailPorts): string {
  const { host, port } = mailTarget(settings, ports)
  return hostPort(host, port)
}

/** For `unused`. */
function unusedOfMail(settings: MailSettings, ports: MailPorts): Readonly<Record<string, string>> {
  const { tls } = mailTarget(settings, ports)
  return tls === 'none' ? unusedCertificate(settings, 'no TLS is spoken') : {}
}

/** User and password must both be set or both be absent; as well a client certificate and its key. */
function refineLogin<S extends MailSettings>(
  settings: S,
): { readonly settings: S } | { readonly fields: Readonly<Record<string, string>> } {
  const { user, pass } = settings
  const problems: Record<string, string> = { ...clientCertificateProblems(settings) }
  if (user !== undefined && pass === undefined) problems.pass = 'invalid: a user needs a password'
  if (pass !== undefined && user === undefined) problems.user = 'invalid: a password needs a user'
  return Object.keys(problems).length > 0 ? { fields: problems } : { settings }
}
