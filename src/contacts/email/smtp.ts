/**
 * Sends one message to a mail server on a guarded connection. This module handles the greeting and
 * the TLS upgrade (no state from before TLS is kept); nodemailer handles the rest of RFC 5321.
 *
 * @module
 */

import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { createDialogue } from '../../net/connection/dialogue.ts'
import type { Dialogue } from '../../net/connection/dialogue.ts'
import { CheckFailure } from '../../net/failure.ts'
import { asSocket } from '../../net/connection/as-socket.ts'
import type { Connection } from '../../net/net.ts'
import type { Attempt } from '../../webhook/attempt.ts'
import type { Envelope } from './message.ts'

export type SmtpClient = typeof SMTPConnection

/** How TLS starts: after a command, from the first byte, not at all. */
export type MailTls = 'starttls' | 'implicit' | 'none'

export interface MailServer {
  readonly host: string
  readonly port: number
  readonly tls: MailTls
  readonly login?: { readonly user: string; readonly pass: string }
}

export interface Handover {
  readonly server: MailServer
  readonly envelope: Envelope
  readonly message: Buffer
  /** Called before any part of the message is sent: from then on the server may have it. */
  onSend(): void
}

/** The server's reply to the message, and the rejected recipients. */
export interface Accepted {
  readonly response: string
  /** In the server's words. */
  readonly rejected: readonly string[]
}

/**
 * Resolves when the server has accepted the message for at least one recipient.
 *
 * @throws CheckFailure `smtp_<code>` with the server's words for any refusal, `tls_unsupported`,
 * `auth_unsupported`, and failures of the network
 */
export async function handOver(
  Client: SmtpClient,
  attempt: Attempt,
  handover: Handover,
): Promise<Accepted> {
  const { server } = handover
  const { connection, greeted } = await reach(attempt, server)
  const { rest, inTurns } = attempt
  const options = { rest, inTurns, first: greeted ? '220 go on\r\n' : '' }
  const accepted = await asSocket(connection, options, async (stream) => {
    const client = new Client({
      connection: stream,
      ...(server.tls === 'none'
        ? { secure: false, ignoreTLS: true }
        : { secure: true, secured: true }),
      name: ownName(connection),
      logger: false,
      socketCloseTimeout: 0,
    })
    try {
      return await converse(client, handover)
    } catch (error) {
      throw explained(error)
    } finally {
      client.close()
    }
  })
  // Does not wait for the reply: the message is already accepted.
  await connection.write('QUIT\r\n').catch(() => undefined)
  return accepted
}

interface Reached {
  readonly connection: Connection
  /** The greeting was already consumed. */
  readonly greeted: boolean
}

async function reach({ net, rest }: Attempt, { host, port, tls }: MailServer): Promise<Reached> {
  const connection = await net.connect({ host, port, tls: tls === 'implicit' ? {} : undefined })
  if (tls !== 'starttls') return { connection, greeted: false }
  const dialogue = createDialogue(connection, { rest })
  await hear(dialogue, 220)
  await dialogue.say(`EHLO ${ownName(connection)}`)
  const offers = await hear(dialogue, 250)
  if (!offers.some((line) => /^250[ -]STARTTLS\s*$/i.test(line))) {
    throw new CheckFailure('tls_unsupported', 'The server does not offer the change to TLS')
  }
  await dialogue.say('STARTTLS')
  await hear(dialogue, 220)
  await dialogue.secure({})
  return { connection: dialogue.connection(), greeted: true }
}

/** The lines of one reply (RFC 5321, 4.2.1). */
async function hear(dialogue: Dialogue, expected: number): Promise<readonly string[]> {
  const lines: string[] = []
  for (;;) {
    const line = await dialogue.hear()
    lines.push(line)
    if (!/^[2-5]\d\d(?:[ -]|$)/.test(line)) {
      throw new CheckFailure('protocol_error', 'The server does not speak SMTP')
    }
    if (line[3] !== '-') break
  }
  const code = Number(lines[0]?.slice(0, 3))
  if (code !== expected) throw refusal(code, lines.join(' '))
  return lines
}

function converse(
  client: InstanceType<SmtpClient>,
  { server, envelope, message, onSend }: Handover,
): Promise<Accepted> {
  return new Promise((resolve, reject) => {
    const send = (): void => {
      onSend()
      client.send({ from: envelope.from, to: [...envelope.to] }, message, (error, info) => {
        if (error !== null) return reject(error)
        const rejected = info.rejectedErrors ?? []
        resolve({
          response: info.response,
          rejected: rejected.map(({ response, message: text }) => response ?? text),
        })
      })
    }
    client.on('error', reject)
    client.connect((refused) => {
      if (refused) return reject(refused)
      const { login } = server
      if (login === undefined) return send()
      client.login({ ...login, credentials: login }, (error) =>
        error === null ? send() : reject(error),
      )
    })
  })
}

function refusal(code: number, said: string): CheckFailure {
  return new CheckFailure(`smtp_${code}`, said)
}

function explained(error: unknown): unknown {
  const { response, responseCode, code } = error as {
    readonly response?: string
    readonly responseCode?: number
    readonly code?: string
  }
  if (responseCode !== undefined && response !== undefined) return refusal(responseCode, response)
  if (code !== 'EAUTH') return error
  return new CheckFailure('auth_unsupported', 'The server offers no login that is known here', {
    cause: error,
  })
}

/**
 * The EHLO name, as an address literal (RFC 5321, 4.1.3): the engine's host need not have a name.
 */
function ownName({ socket: { localAddress = '127.0.0.1' } }: Connection): string {
  return localAddress.includes(':') ? `[IPv6:${localAddress}]` : `[${localAddress}]`
}
