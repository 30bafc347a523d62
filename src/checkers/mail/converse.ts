/**
 * The steps of a mail or FTP check: connect, greeting, TLS, capabilities, login, quit. Each
 * protocol supplies its own commands.
 *
 * @module
 */

import { escapeBytes } from '../../fields/escapes.ts'
import { createDialogue } from '../../net/connection/dialogue.ts'
import type { Dialogue } from '../../net/connection/dialogue.ts'
import type { TlsOptions } from '../../net/net.ts'
import type { CheckContext } from '../checker.ts'
import { identityOf } from '../client-certificate.ts'
import { connectionDetails } from '../connection-details.ts'
import { failure, quoter } from './causes.ts'
import { mailTarget } from './fields.ts'
import type { MailOptions, MailPorts, MailSettings } from './fields.ts'
import type { Login, Quote } from './causes.ts'

/** Maximum wait for the reply to the quit command; the verdict is already known. */
const GOODBYE_MS = 300

/** Maximum capabilities kept in the details. */
const CAPABILITIES_SHOWN = 64
const CAPABILITY_SHOWN = 100

export interface Session {
  readonly dialogue: Dialogue
  /** Quotes the server's words in texts. */
  readonly quote: Quote
  /** The server's greeting, unchanged. */
  readonly greeting: string
  /** As last listed: after the TLS upgrade, if there is one. */
  readonly capabilities: readonly string[]
  readonly secured: boolean
}

/**
 * The protocol-specific steps. All but `greet` and `askCapabilities` resolve on success and throw a
 * `CheckFailure` otherwise.
 */
export interface MailProtocol {
  readonly ports: MailPorts
  /** A line with which the server ends the session at any time. */
  readonly goodbye?: RegExp
  /** The server may send unsolicited lines. */
  readonly chatty?: boolean
  /** The capability that announces the TLS upgrade. */
  readonly tlsCapability: RegExp
  /** Servers support the TLS upgrade without listing it. */
  readonly tlsUnlisted?: boolean
  readonly quit: string
  /** Reads the greeting, positive or negative. */
  greet(session: Session): Promise<string>
  welcome(session: Session): void
  /** Empty if the server does not know the command. */
  askCapabilities(session: Session): Promise<readonly string[]>
  askForTls(session: Session): Promise<void>
  /** Resolves with the name of the method. */
  login(session: Session, login: Login): Promise<string>
}

/** @throws CheckFailure if the server fails */
export async function converse(
  ctx: CheckContext,
  protocol: MailProtocol,
  settings: MailSettings & MailOptions,
): Promise<void> {
  const { host, port, tls } = mailTarget(settings, protocol.ports)
  const login = loginOf(settings)
  const handshake: TlsOptions = {
    verify: settings.verifyTls ?? true,
    identity: identityOf(settings),
  }
  const connection = await ctx.net.connect({
    host,
    port,
    tls: tls === 'implicit' ? handshake : undefined,
  })
  ctx.measure(connectionDetails(connection))
  const quote = quoter(login)
  // A closing message instead of a greeting is a refusal, which the protocol evaluates.
  let greeted = false
  const dialogue = createDialogue(connection, {
    chatty: protocol.chatty ?? false,
    rest: () => ctx.clock.sleep(0, ctx.signal),
    inspect: (line) => {
      if (greeted) noticeGoodbye(line, protocol, quote)
    },
  })
  ctx.onEnd(() => sayGoodbye(ctx, dialogue, protocol.quit))

  const opened: Session = { dialogue, quote, greeting: '', capabilities: [], secured: false }
  const greeting = await ctx.phase('greeting', () => protocol.greet(opened))
  greeted = true
  ctx.measure({ banner: escapeBytes(greeting, 256) })
  let session: Session = { ...opened, greeting, secured: tls === 'implicit' }
  protocol.welcome(session)

  session = await learnCapabilities(ctx, protocol, session)
  if (tls === 'starttls') session = await changeToTls(ctx, { protocol, session, handshake })
  if (login === undefined) return
  const auth_method = await ctx.phase('auth', () => protocol.login(session, login))
  ctx.measure({ auth_method })
}

export function loginOf({ user, pass }: MailSettings): Login | undefined {
  return user === undefined || pass === undefined ? undefined : { user, pass }
}

async function learnCapabilities(
  ctx: CheckContext,
  protocol: MailProtocol,
  session: Session,
): Promise<Session> {
  const capabilities = await ctx.phase('query', () => protocol.askCapabilities(session))
  const listed = capabilities.some((each) => protocol.tlsCapability.test(each))
  ctx.measure({
    capabilities: capabilities
      .slice(0, CAPABILITIES_SHOWN)
      .map((each) => escapeBytes(each, CAPABILITY_SHOWN)),
    ...(session.secured ? {} : { starttls: listed }),
  })
  return { ...session, capabilities }
}

interface Change {
  readonly protocol: MailProtocol
  readonly session: Session
  readonly handshake: TlsOptions
}

async function changeToTls(
  ctx: CheckContext,
  { protocol, session, handshake }: Change,
): Promise<Session> {
  const { dialogue, capabilities } = session
  const listed = capabilities.some((each) => protocol.tlsCapability.test(each))
  if (capabilities.length > 0 && !listed && protocol.tlsUnlisted !== true) {
    throw failure('tls_unsupported', 'The server does not offer the change to TLS', 'starttls')
  }
  await ctx.phase('starttls', () => protocol.askForTls(session))
  await dialogue.secure(handshake)
  ctx.measure(connectionDetails(dialogue.connection()))
  // Capabilities listed in plain text may be forged (RFC 3207, 4.2), so they are queried again.
  return learnCapabilities(ctx, protocol, { ...session, capabilities: [], secured: true })
}

function noticeGoodbye(line: string, { goodbye }: MailProtocol, quote: Quote): void {
  if (goodbye?.test(line) !== true) return
  throw failure('service_closing', `The server closes the service: ${quote(line)}`)
}

/** Runs after the check, so that it is not measured; its result is ignored. */
async function sayGoodbye(ctx: CheckContext, dialogue: Dialogue, quit: string): Promise<void> {
  if (ctx.signal.aborted) return
  const connection = dialogue.connection()
  const exchange = async (): Promise<void> => {
    await connection.write(`${quit}\r\n`)
    await connection.readUntil(() => false, { orEnd: true })
  }
  await new Promise<void>((resolve) => {
    const timer = ctx.clock.timer(GOODBYE_MS, resolve)
    // Already closed or broken, where it rejects.
    exchange()
      .catch(() => undefined)
      .finally(() => {
        timer.cancel()
        resolve()
      })
  })
}
