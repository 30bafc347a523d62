/**
 * POP3 server: greeting, TLS upgrade if requested, login. The mailbox is neither listed nor
 * changed.
 *
 * @module watchpost/checkers/pop3
 */

import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import { createHash } from 'node:crypto'
import { defineChecker, up } from './checker.ts'
import { failure, saslPlain } from './mail/causes.ts'
import { converse } from './mail/converse.ts'
import type { MailProtocol, Session } from './mail/converse.ts'
import { mailDefinition } from './mail/fields.ts'
import type { MailOptions } from './mail/fields.ts'
import type { Login } from './mail/causes.ts'

const PORTS = { plain: 110, implicit: 995 } as const

export const pop3 = (options: MailOptions = {}) => {
  checkOptions('pop3', options, { verifyTls: option.flag })
  const { verifyTls = true } = options
  return defineChecker({
    type: 'pop3',
    title: 'POP3 server',
    description: 'Greeting, TLS and login of a POP3 server; the mailbox is left as it is.',
    ...mailDefinition(PORTS),

    async run(ctx, settings) {
      await converse(ctx, PROTOCOL, { ...settings, verifyTls })
      return up()
    },
  })
}

const PROTOCOL: MailProtocol = {
  ports: PORTS,
  tlsCapability: /^STLS$/i,
  quit: 'QUIT',
  greet: (session) => hear(session),
  welcome({ greeting, quote }) {
    if (greeting.startsWith('+OK')) return
    throw failure('greeting_rejected', `The server refused: ${quote(greeting)}`, 'greeting')
  },
  askCapabilities,
  async askForTls(session) {
    const answer = await ask(session, 'STLS')
    if (answer.startsWith('+OK')) return
    const text = `The server refused the change to TLS: ${session.quote(answer)}`
    throw failure('tls_unsupported', text, 'starttls')
  },
  login,
}

const STATUS = /^(?:\+OK|-ERR)(?: |$)/
/** RFC 5034, 4: a continuation request during the login. */
const GO_ON = /^\+(?: |$)/

const beginsLikeStatus = (beginning: string): boolean => /^[+-]/.test(beginning)

/** The first line of a response, with its status. */
async function hear({ dialogue, quote }: Session, expected = STATUS): Promise<string> {
  const line = await dialogue.hear(beginsLikeStatus)
  if (STATUS.test(line) || expected.test(line)) return line
  throw failure('protocol_error', `The server said ${quote(line)}, which is not POP3`)
}

async function ask(session: Session, command: string, expected = STATUS): Promise<string> {
  await session.dialogue.say(command)
  return hear(session, expected)
}

/** CAPA (RFC 2449), which many servers do not support. */
async function askCapabilities(session: Session): Promise<readonly string[]> {
  const answer = await ask(session, 'CAPA')
  if (!answer.startsWith('+OK')) return []
  const capabilities: string[] = []
  for (;;) {
    const line = await session.dialogue.hear()
    if (line === '.') return capabilities
    capabilities.push(line.replace(/^\.\./, '.').trim())
  }
}

async function login(session: Session, login: Login): Promise<string> {
  const method = methodFor(session)
  const answer = await METHODS[method](session, login)
  if (answer.startsWith('+OK')) return method
  throw refusal(answer, session)
}

const METHODS = {
  async USER(session: Session, { user, pass }: Login) {
    const answer = await ask(session, `USER ${user}`)
    return answer.startsWith('+OK') ? ask(session, `PASS ${pass}`) : answer
  },
  async PLAIN(session: Session, login: Login) {
    const answer = await ask(session, 'AUTH PLAIN', GO_ON)
    return GO_ON.test(answer) ? ask(session, saslPlain(login)) : answer
  },
  /** RFC 1939, 7: a digest of the greeting's time stamp and the password. */
  APOP(session: Session, { user, pass }: Login) {
    const stamp = stampOf(session.greeting) ?? ''
    const digest = createHash('md5').update(stamp, 'latin1').update(pass, 'utf8').digest('hex')
    return ask(session, `APOP ${user} ${digest}`)
  },
} as const

/** A server without capabilities is assumed to support USER and PASS of RFC 1939. */
function methodFor({ capabilities, greeting }: Session): keyof typeof METHODS {
  const words = capabilities.map((each) => each.toUpperCase())
  if (words.length === 0 || words.includes('USER')) return 'USER'
  if (words.some((each) => each.startsWith('SASL ') && each.split(' ').includes('PLAIN'))) {
    return 'PLAIN'
  }
  if (stampOf(greeting) !== undefined) return 'APOP'
  throw failure('auth_unsupported', 'The server offers no login on this connection', 'auth')
}

function stampOf(greeting: string): string | undefined {
  return /<[^<>\s@]+@[^<>\s]+>/.exec(greeting)?.[0]
}

/** Response codes of RFC 2449 and RFC 3206. */
function refusal(answer: string, { quote, secured }: Session): Error {
  const said = quote(answer)
  const [, code = ''] = /^-ERR \[([^\]]*)\]/.exec(answer) ?? []
  const locked = code === '' && /\b(?:locked?|in use|busy|try again)\b/i.test(answer)
  if (locked || /^(?:SYS\/TEMP|IN-USE|LOGIN-DELAY)/i.test(code)) {
    return failure('auth_temporary', `The server cannot take the login now: ${said}`, 'auth')
  }
  if (!secured && code === '' && /tls|ssl|plaintext/i.test(answer)) {
    return failure('auth_unsupported', `The server wants TLS before a login: ${said}`, 'auth')
  }
  return failure('auth_failed', `The server refused the login: ${said}`, 'auth')
}
