/**
 * The client of imapflow, on a stream in place of a socket. The client decides what is said; each of its commands is
 * carried to the server when the check is ready for it, and the answers are carried back. So the connection stays the
 * guarded one, every answer is bounded before the client sees it, TLS starts in the measurements of the check, and a
 * server cannot keep the client busy.
 *
 * @module
 */

import { Duplex } from 'node:stream'
import type { ImapFlow, ImapFlowOptions } from 'imapflow'
import { VERSION } from '../../version.ts'
import { failure } from '../mail/causes.ts'
import type { Login } from '../mail/causes.ts'
import type { Session } from '../mail/converse.ts'
import type { MailTarget } from '../mail/fields.ts'
import { hearAnswer } from './answers.ts'
import type { Answer } from './answers.ts'

/** What a client says of itself where servers ask for it (RFC 2971); empty values are left out. */
const IDENTITY = { name: 'watchpost', version: VERSION, vendor: '', 'support-url': '' }

/**
 * How often a server may ask for more of a login: once for PLAIN (RFC 4616), for user and password with LOGIN. The client
 * would repeat the password each time.
 */
const CONTINUATIONS: Readonly<Record<string, number>> = {
  'AUTHENTICATE PLAIN': 1,
  'AUTHENTICATE LOGIN': 2,
}

export interface Exchange {
  /** Without tag and secrets: `CAPABILITY`, `AUTHENTICATE PLAIN`, `LOGIN`. */
  readonly command: string
  /** OK, NO or BAD with the command's tag. */
  readonly done: Answer
  /** Untagged responses before it. */
  readonly untagged: readonly Answer[]
}

export interface ImapClient {
  /** Begins the client's session, which the server has greeted with this word: OK or PREAUTH. */
  begin(word: string): void
  /**
   * The command that the client sends next; `undefined` if it gives up or is closed. Before, it gets the end of the
   * exchange that was carried last.
   */
  next(): Promise<string | undefined>
  /** Sends the next command and returns the server's answers. */
  carry(session: Session): Promise<Exchange>
  /** Whether the client considers itself logged in. */
  loggedIn(): boolean
  /** Why the client gave up. */
  refusal(): unknown
  /** Ends its timers, and every wait for it. The connection stays. */
  close(): void
}

export interface ClientOptions {
  readonly target: MailTarget
  readonly login: Login | undefined
}

export function createClient(
  Client: typeof ImapFlow,
  { target, login }: ClientOptions,
): ImapClient {
  const desk = createDesk()
  const client = new Client(optionsOf({ target, login, stream: desk.stream }))
  let refusal: unknown
  // Errors are reported where the client was to speak; an unheard event would end the process.
  client.on('error', () => undefined)

  return {
    begin(word) {
      client
        .connect()
        .catch((error: unknown) => (refusal = error))
        .finally(desk.close)
      // Without the capabilities in the greeting, since an answer shows more than a greeting.
      desk.hand(`* ${word}`)
    },
    async next() {
      desk.release()
      return commandOf((await desk.peek()) ?? '')
    },
    async carry(session) {
      const line = await desk.take()
      const [tag = ''] = line.split(' ', 1)
      const command = commandOf(line) ?? ''
      const untagged: Answer[] = []
      let continuations = CONTINUATIONS[command] ?? 0
      await session.dialogue.say(line)
      for (;;) {
        const answer = await hearAnswer(session)
        if (answer.tag === tag) {
          desk.hold(answer.said)
          return { command, done: answer, untagged }
        }
        const more = answer.tag === '+' && continuations-- > 0
        if (answer.tag !== '*' && !more) throw outOfTurn(session, answer)
        desk.hand(answer.said)
        if (answer.tag === '*') untagged.push(answer)
        else await session.dialogue.say(await desk.take())
      }
    },
    loggedIn: () => client.authenticated !== false,
    refusal: () => refusal,
    close() {
      client.close()
      desk.close()
    },
  }
}

/** The server said what its grammar permits, and the client cannot go on. */
export function notUnderstood(): Error {
  return failure('protocol_error', 'The server said what the client does not understand')
}

function outOfTurn({ quote }: Session, { said }: Answer): Error {
  return failure('protocol_error', `The server said ${quote(said)} out of turn`)
}

/** `1 LOGIN "jo" "secret"` is `LOGIN`. */
function commandOf(line: string): string | undefined {
  return /^\S+ (AUTHENTICATE \S+|\S+)/.exec(line)?.[1]
}

interface Stage extends ClientOptions {
  readonly stream: Duplex
}

function optionsOf({ target, login, stream }: Stage): ImapFlowOptions {
  const { host, port, tls } = target
  const socket = Object.assign(stream, { setTimeout: () => stream })
  // The client assigns what is returned before it expects the call.
  const soon = (call: () => void) => {
    queueMicrotask(call)
    return socket
  }
  return {
    id: 'watchpost',
    host,
    port,
    secure: tls === 'implicit',
    ...(tls === 'implicit' ? {} : { doSTARTTLS: tls === 'starttls' }),
    ...(login === undefined ? {} : { auth: { user: login.user, pass: login.pass } }),
    clientInfo: IDENTITY,
    logger: false,
    transport: {
      connect: (_, onConnect) => soon(onConnect),
      // The check has run the handshake before the client gets the server's consent.
      upgrade: (_socket, _options, onSecure) => soon(onSecure),
    },
  }
}

/** Where lines lie between the client and the check. */
function createDesk() {
  const lines: string[] = []
  let held: string | undefined
  let closed = false
  let wake: () => void = () => undefined

  const stream = new Duplex({
    read: () => undefined,
    write(bytes: Buffer, _encoding, done) {
      lines.push(bytes.toString('utf8').replace(/\r\n$/, ''))
      wake()
      done()
    },
  })
  stream.on('error', () => undefined)

  function hand(said: string): void {
    stream.push(`${said}\r\n`, 'latin1')
  }

  async function peek(): Promise<string | undefined> {
    while (lines.length === 0 && !closed) await new Promise<void>((resolve) => (wake = resolve))
    return lines[0]
  }

  return {
    stream,
    hand,
    /** The next line of the client, which stays; `undefined` if there will be none. */
    peek,
    /** @throws CheckFailure if the client says no more */
    async take() {
      await peek()
      const line = lines.shift()
      if (line === undefined) throw notUnderstood()
      return line
    },
    /** Keeps a line for the client until it is to go on. */
    hold: (said: string) => void (held = said),
    release() {
      if (held !== undefined) hand(held)
      held = undefined
    },
    close() {
      closed = true
      wake()
    },
  }
}
