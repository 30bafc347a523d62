/**
 * AUTH by nodemailer, on the guarded and secured connection of the check.
 *
 * nodemailer reports neither the greeting nor the current step, so {@link file://./index.ts}
 * handles everything before the login; nodemailer then receives the same greeting and continues.
 *
 * @module
 */

import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { asSocket } from '../../net/connection/as-socket.ts'
import { failure } from '../mail/causes.ts'
import type { Session } from '../mail/converse.ts'
import { quoteText } from '../mail/words.ts'
import type { Login, Quote } from '../mail/words.ts'

export type SmtpClient = typeof SMTPConnection

const METHODS = ['PLAIN', 'LOGIN', 'CRAM-MD5'] as const
type Method = (typeof METHODS)[number]

/** The EHLO name, as an address literal (RFC 5321, 4.1.3): a probe need not have a host name. */
export function ownName({ dialogue }: Session): string {
  const { localAddress = '127.0.0.1' } = dialogue.connection.socket
  return localAddress.includes(':') ? `[IPv6:${localAddress}]` : `[${localAddress}]`
}

/** @throws CheckFailure `auth_failed`, `auth_temporary`, `auth_unsupported` */
export async function loginWith(
  Client: SmtpClient,
  session: Session,
  login: Login,
): Promise<string> {
  const method = methodFor(session)
  const { dialogue, secured, quote } = session
  const name = ownName(session)
  await asSocket(dialogue.connection, { first: '220 go on\r\n' }, async (connection) => {
    const client = new Client({
      connection,
      // TLS is already established, or not requested.
      ...(secured ? { secure: true, secured: true } : { secure: false, ignoreTLS: true }),
      name,
      logger: false,
      socketCloseTimeout: 0,
    })
    try {
      await authenticate(client, method, login)
    } catch (error) {
      throw explained(error, quote, secured)
    } finally {
      client.close()
    }
  })
  return method
}

function methodFor({ capabilities, secured }: Session): Method {
  const offered = capabilities
    .filter((each) => /^AUTH[ =]/i.test(each))
    .flatMap((each) => each.slice(5).toUpperCase().split(/[ =]+/))
  // In plain text, a method that does not reveal the password is preferred.
  const wanted: readonly Method[] = secured ? METHODS : ['CRAM-MD5', 'PLAIN', 'LOGIN']
  const method = wanted.find((each) => offered.includes(each))
  if (method !== undefined) return method
  const text =
    offered.length === 0
      ? `The server offers no login${secured ? '' : ' on a connection without TLS'}`
      : `The server offers only logins that are not known here: ${offered.join(' ').slice(0, 100)}`
  throw failure('auth_unsupported', text, 'auth')
}

function authenticate(
  client: InstanceType<SmtpClient>,
  method: Method,
  { user, pass }: Login,
): Promise<void> {
  return new Promise((resolve, reject) => {
    client.on('error', reject)
    client.connect((refused) => {
      if (refused) return reject(refused)
      client.login({ user, pass, method, credentials: { user, pass } }, (error) =>
        error === null ? resolve() : reject(error),
      )
    })
  })
}

/** Codes of RFC 4954, 6. */
function explained(error: unknown, quote: Quote, secured: boolean): unknown {
  const { response, responseCode: code } = error as {
    readonly response?: string
    readonly responseCode?: number
  }
  if (response === undefined || code === undefined) {
    const text = 'The server closed the connection during the login'
    return failure('closed_early', text, 'auth')
  }
  const said = quoteText(quote, response)
  if (code === 421) return failure('service_closing', `The server closes the service: ${said}`)
  if (code < 400) return failure('protocol_error', `The server answered the login with ${said}`)
  if (code < 500) return failure('auth_temporary', `The server could not check the login: ${said}`)
  if (code === 538 || (!secured && /tls|ssl|encrypt/i.test(response))) {
    return failure('auth_unsupported', `The server wants TLS before a login: ${said}`)
  }
  return code === 534 || (code >= 500 && code <= 504)
    ? failure('auth_unsupported', `The server does not take this kind of login: ${said}`)
    : failure('auth_failed', `The server refused the login: ${said}`)
}
