/**
 * What is said in clear before a server changes to TLS on the same connection.
 *
 * @module
 */

import { escapeBytes } from '../../fields/escapes.ts'
import { createDialogue } from '../../net/connection/dialogue.ts'
import type { Dialogue } from '../../net/connection/dialogue.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { Connection } from '../../net/net.ts'
import type { CheckContext } from '../checker.ts'
import { readGreeting } from '../mysql/greeting.ts'
import { SSL_REQUEST } from '../postgres/wire.ts'

/** The usual port of each protocol, on which it begins in clear. */
export const STARTTLS_PORTS = {
  smtp: 25,
  imap: 143,
  pop3: 110,
  ftp: 21,
  postgres: 5432,
  mysql: 3306,
} as const

export type StartTls = keyof typeof STARTTLS_PORTS

/**
 * Resolves when the server waits for the handshake.
 *
 * @throws CheckFailure `tls_unsupported`, `protocol_error`, `closed_early`, `too_long`
 */
export async function askForTls(
  ctx: Pick<CheckContext, 'phase' | 'clock' | 'signal'>,
  connection: Connection,
  protocol: StartTls,
): Promise<void> {
  if (protocol === 'postgres') return ctx.phase('starttls', () => askPostgres(connection))
  if (protocol === 'mysql') {
    const greeting = await ctx.phase('greeting', () => readGreeting(connection))
    if ('tls' in greeting && greeting.tls) return connection.write(MYSQL_SSL_REQUEST)
    throw unsupported('message' in greeting ? greeting.message : 'no TLS in its capabilities')
  }
  const dialogue = createDialogue(connection, { rest: () => ctx.clock.sleep(0, ctx.signal) })
  const [greeting, ...commands] = PREAMBLES[protocol]
  await ctx.phase('greeting', () => hear(dialogue, greeting))
  for (const { say = '', ...answer } of commands) {
    await dialogue.say(say)
    await ctx.phase('starttls', () => hear(dialogue, answer))
  }
}

interface Answer {
  /** Any line of it. */
  readonly line: RegExp
  /** Its last line. */
  readonly last: RegExp
  /** Its last line, if the server agrees. */
  readonly good: RegExp
}

interface Step extends Answer {
  readonly say?: string
}

/** RFC 5321, 4.2: every line begins with the code, and a hyphen follows on all but the last. */
const SMTP = { line: /^\d{3}(?:[ -]|$)/, last: /^\d{3}(?: |$)/ } as const
/** RFC 959, 4.2: the lines between the first and the last may be anything. */
const FTP = { line: /^/, last: /^\d{3}(?: |$)/ } as const
const POP3 = { line: /^[+-]/, last: /^/, good: /^\+OK/ } as const

/** The greeting, and then each command with its answer. */
const PREAMBLES: Readonly<
  Record<Exclude<StartTls, 'postgres' | 'mysql'>, readonly [Step, ...Step[]]>
> = {
  /** RFC 3207. */
  smtp: [
    { ...SMTP, good: /^220/ },
    { ...SMTP, say: 'EHLO watchpost', good: /^250/ },
    { ...SMTP, say: 'STARTTLS', good: /^220/ },
  ],
  /** RFC 4217. */
  ftp: [
    { ...FTP, good: /^220/ },
    { ...FTP, say: 'AUTH TLS', good: /^234/ },
  ],
  /** RFC 2595. */
  pop3: [POP3, { ...POP3, say: 'STLS' }],
  imap: [
    { line: /^\* /, last: /^/, good: /^\* OK\b/i },
    { say: 'a STARTTLS', line: /^[*a] /, last: /^a /, good: /^a OK\b/i },
  ],
}

async function hear(dialogue: Dialogue, { line, last, good }: Answer): Promise<void> {
  for (;;) {
    const said = await dialogue.hear()
    if (!line.test(said)) throw strange(said)
    if (!last.test(said)) continue
    if (good.test(said)) return
    throw unsupported(said)
  }
}

/** https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL */
async function askPostgres(connection: Connection): Promise<void> {
  await connection.write(SSL_REQUEST)
  const said = (await connection.readUntil(() => true, { max: 1 })).toString('latin1')
  if (said === 'N') throw unsupported(said)
  if (said !== 'S') throw strange(said)
}

/**
 * An SSLRequest: length, number, CLIENT_SSL with CLIENT_PROTOCOL_41 and CLIENT_SECURE_CONNECTION, largest packet,
 * utf8mb4.
 */
const MYSQL_SSL_REQUEST = Buffer.alloc(36)
MYSQL_SSL_REQUEST.writeUInt32LE(0x0100_0020, 0)
MYSQL_SSL_REQUEST.writeUInt32LE(0x0000_8a00, 4)
MYSQL_SSL_REQUEST.writeUInt32LE(0x0100_0000, 8)
MYSQL_SSL_REQUEST[12] = 45

function unsupported(said: string): CheckFailure {
  const text = `The server does not change to TLS: "${escapeBytes(said, 160)}"`
  return new CheckFailure('tls_unsupported', text, { phase: 'starttls' })
}

function strange(said: string): CheckFailure {
  const text = `The server does not speak this protocol: "${escapeBytes(said, 100)}"`
  return new CheckFailure('protocol_error', text)
}
