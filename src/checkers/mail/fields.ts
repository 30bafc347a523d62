/**
 * The settings that smtp, pop3, imap and ftp share, and what follows from them.
 *
 * @module
 */

import { field } from '../../fields/vocabulary.ts'
import { hostPort } from '../../net/connection/endpoint.ts'

/** How a mail server speaks TLS: not at all, after a command, from the first byte. */
export type MailTls = 'none' | 'starttls' | 'implicit'

export interface MailPorts {
  readonly plain: number
  /** TLS from the first byte; also the default port with it. */
  readonly implicit: number
  /** Ports on which a server is expected to offer the change to TLS. */
  readonly starttls?: readonly number[]
}

export interface MailSettings {
  readonly host: string
  readonly port?: number | undefined
  readonly tls?: MailTls | 'auto' | undefined
  readonly user?: string | undefined
  readonly pass?: string | undefined
}

export interface MailOptions {
  /**
   * `false`: certificates are taken as they are, for servers of a private PKI or with self-signed
   * ones. Passwords are then safe from listeners and not from impostors. Default `true`.
   */
  readonly verifyTls?: boolean | undefined
}

export function mailFields({ plain, implicit, starttls = [] }: MailPorts) {
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
  } as const
}

export interface MailTarget {
  readonly host: string
  readonly port: number
  readonly tls: MailTls
}

/** Fills in what the settings leave open. A password goes out in clear only where `none` is written down. */
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

/** What lists and webhooks show. */
export function mailTargetText(settings: MailSettings, ports: MailPorts): string {
  const { host, port } = mailTarget(settings, ports)
  return hostPort(host, port)
}

/** A user without a password logs in nowhere, and the other way round. */
export function refineLogin<S extends MailSettings>(
  settings: S,
): { readonly settings: S } | { readonly fields: Readonly<Record<string, string>> } {
  const { user, pass } = settings
  if (user !== undefined && pass === undefined) {
    return { fields: { pass: 'invalid: a user needs a password' } }
  }
  if (pass !== undefined && user === undefined) {
    return { fields: { user: 'invalid: a password needs a user' } }
  }
  return { settings }
}
