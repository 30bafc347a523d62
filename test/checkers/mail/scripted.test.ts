import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ftp } from '../../../src/checkers/ftp.ts'
import { imap } from '../../../src/checkers/imap/index.ts'
import { pop3 } from '../../../src/checkers/pop3.ts'
import { smtp } from '../../../src/checkers/smtp.ts'
import { check } from '../../support/check.ts'
import { scriptedServer } from '../../support/scripted-server.ts'

const host = '127.0.0.1'
const user = 'jo'
const pass = 'q"\\pässwort'
const login = { tls: 'none', user, pass } as const
const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64')

/** Greets, then answers each line by the first rule that fits; `$1` is what the rule has caught. */
function talk(greeting: string, rules: readonly (readonly [RegExp, string])[]) {
  return scriptedServer((socket) => {
    let buffer = ''
    socket.write(greeting, 'latin1')
    socket.on('data', (bytes: Buffer) => {
      buffer += bytes.toString('latin1')
      for (let end = buffer.indexOf('\n'); end >= 0; end = buffer.indexOf('\n')) {
        const line = buffer.slice(0, end).trimEnd()
        buffer = buffer.slice(end + 1)
        const rule = rules.find(([pattern]) => pattern.test(line))
        if (rule !== undefined) socket.write(line.replace(...rule), 'latin1')
      }
    })
  })
}

describe('smtp', () => {
  it('falls back to HELO, says goodbye, and offers its address as its name', async () => {
    const server = await talk('220 old\r\n', [
      [/^EHLO.*/, '502 what\r\n'],
      [/^HELO.*/, '250 hi\r\n'],
      [/^QUIT$/, '221 bye\r\n'],
    ])
    const outcome = await check(smtp(), { host, port: server.port })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { capabilities: [], starttls: false } })
    await server.idle()
    expect(server.received).toBe('EHLO [127.0.0.1]\r\nHELO [127.0.0.1]\r\nQUIT\r\n')
  })

  it('puts a greeting of several lines and packets together and matches all of it', async () => {
    const server = await scriptedServer(async (socket) => {
      for (const piece of ['22', '0-mx.test\r\n220-no', ' spam\r', '\n220 E', 'SMTP\r\n']) {
        socket.write(piece)
        await new Promise((resolve) => setImmediate(resolve))
      }
      socket.once('data', () => socket.write('250 mx\r\n'))
    })
    const settings = { host, port: server.port, banner_regex: '/no spam\\n220 ESMTP$/m' }
    expect(await check(smtp(), settings)).toMatchObject({
      verdict: 'ok',
      details: { banner: '220-mx.test\\n220-no spam\\n220 ESMTP' },
    })
  })

  it('says nothing of a greeting that is longer than what so large a pattern looks at', async () => {
    const banner_regex = `${'b?'.repeat(480)}!`
    const server = await talk(`220 ${'a'.repeat(3000)}!\r\n`, [])
    expect(await check(smtp(), { host, port: server.port, banner_regex })).toMatchObject({
      verdict: 'unknown',
      cause_code: 'too_long',
      phase: 'greeting',
    })
  })

  it('does not tell the password in clear where it need not', async () => {
    const server = await talk('220 mx\r\n', [
      [/^EHLO.*/, '250-mx\r\n250 AUTH PLAIN CRAM-MD5\r\n'],
      [/^AUTH CRAM-MD5$/, `334 ${base64('<1@mx>')}\r\n`],
      [/^[\w+/=]{20,}$/, '235 welcome\r\n'],
    ])
    const outcome = await check(smtp(), { host, port: server.port, ...login })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { auth_method: 'CRAM-MD5' } })
    const digest = createHmac('md5', pass).update('<1@mx>').digest('hex')
    expect(server.received).toContain(base64(`${user} ${digest}`))
  })

  it('keeps the password out of the text, whatever a server sends back', async () => {
    const server = await talk('220 mx\r\n', [
      [/^EHLO.*/, '250-mx\r\n250 AUTH PLAIN\r\n'],
      [
        /^AUTH PLAIN (.*)/,
        `535 no: $1 ${base64(pass)} ${Buffer.from(pass).toString('latin1')}\r\n`,
      ],
    ])
    const outcome = await check(smtp(), { host, port: server.port, ...login })
    expect(outcome).toMatchObject({
      cause_code: 'auth_failed',
      cause_text: 'The server refused the login: "535 no: *** *** ***"',
    })
  })

  it.each([
    ['421 closing', 'service_closing'],
    ['454 later', 'auth_temporary'],
    ['504 not that one', 'auth_unsupported'],
    ['530 Must issue a STARTTLS command first', 'auth_unsupported'],
    ['538 Encryption required', 'auth_unsupported'],
    ['535 no', 'auth_failed'],
  ])('takes %j to the login as %s', async (answer, cause_code) => {
    const server = await talk('220 mx\r\n', [
      [/^EHLO.*/, '250-mx\r\n250 AUTH PLAIN\r\n'],
      [/^AUTH.*/, `${answer}\r\n`],
    ])
    const outcome = await check(smtp(), { host, port: server.port, ...login })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code, phase: 'auth' })
  })

  it('sends no password to a server that does not offer TLS', async () => {
    const server = await talk('220 mx\r\n', [[/^EHLO.*/, '250-mx\r\n250 AUTH PLAIN\r\n']])
    const outcome = await check(smtp(), { host, port: server.port, user, pass })
    expect(outcome).toMatchObject({ cause_code: 'tls_unsupported', phase: 'starttls' })
    expect(server.received).not.toMatch(/AUTH/)
  })
})

describe('pop3', () => {
  it('does without a list of capabilities', async () => {
    const server = await talk('+OK\r\n', [
      [/^CAPA$/, '-ERR unknown\r\n'],
      [/^USER.*/, '+OK\r\n'],
      [/^PASS.*/, '+OK\r\n'],
    ])
    const outcome = await check(pop3(), { host, port: server.port, ...login })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { auth_method: 'USER' } })
    const sent = Buffer.from(`PASS ${pass}\r\n`, 'utf8').toString('latin1')
    expect(server.received).toContain(`USER ${user}\r\n${sent}`)
  })

  it('logs in with SASL PLAIN where there is no USER', async () => {
    const server = await talk('+OK\r\n', [
      [/^CAPA$/, '+OK\r\nSASL LOGIN PLAIN\r\n.\r\n'],
      [/^AUTH PLAIN$/, '+ \r\n'],
      [/^[\w+/=]{8,}$/, '+OK\r\n'],
    ])
    const outcome = await check(pop3(), { host, port: server.port, ...login })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { auth_method: 'PLAIN' } })
    expect(server.received).toContain(`${base64(`\0${user}\0${pass}`)}\r\n`)
  })

  it('logs in with APOP where there is nothing else', async () => {
    const server = await talk('+OK ready <1.2@pop.test>\r\n', [
      [/^CAPA$/, '+OK\r\nUIDL\r\n.\r\n'],
      [/^APOP.*/, '+OK\r\n'],
    ])
    const outcome = await check(pop3(), { host, port: server.port, ...login })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { auth_method: 'APOP' } })
    const digest = createHash('md5').update(`<1.2@pop.test>${pass}`).digest('hex')
    expect(server.received).toContain(`APOP ${user} ${digest}\r\n`)
  })

  it.each([
    ['-ERR [AUTH] no', 'auth_failed'],
    ['-ERR [SYS/PERM] no', 'auth_failed'],
    ['-ERR [SYS/TEMP] later', 'auth_temporary'],
    ['-ERR [IN-USE] later', 'auth_temporary'],
    ['-ERR maildrop locked', 'auth_temporary'],
    ['-ERR', 'auth_failed'],
  ])('takes %j to the password as %s', async (answer, cause_code) => {
    const server = await talk('+OK\r\n', [
      [/^PASS.*/, `${answer}\r\n`],
      [/^(?:CAPA|QUIT)$/, '-ERR\r\n'],
      [/.*/, '+OK\r\n'],
    ])
    const outcome = await check(pop3(), { host, port: server.port, ...login })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code, phase: 'auth' })
  })
})

describe('imap', () => {
  const CAPABILITY = /^(\w+) CAPABILITY$/

  it('quotes user and password for LOGIN', async () => {
    const server = await talk('* OK hi\r\n', [
      [CAPABILITY, '* CAPABILITY IMAP4rev1\r\n$1 OK\r\n'],
      [/^(\w+) LOGIN.*/, '$1 OK\r\n'],
    ])
    const settings = { host, port: server.port, tls: 'none', user: 'jo x', pass: 'q"\\' } as const
    const outcome = await check(imap(), settings)
    expect(outcome).toMatchObject({ verdict: 'ok', details: { auth_method: 'LOGIN' } })
    expect(server.received).toContain(' LOGIN "jo x" "q\\"\\\\"\r\n')
  })

  it('logs in with AUTHENTICATE PLAIN where that is offered', async () => {
    const server = await talk('* OK hi\r\n', [
      [CAPABILITY, '* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n* 3 EXISTS\r\n$1 OK\r\n'],
      [/^\w+ AUTHENTICATE PLAIN$/, '+ \r\n'],
      [/^[\w+/=]{8,}$/, '* OK nearly\r\n2 OK in\r\n'],
    ])
    const outcome = await check(imap(), { host, port: server.port, ...login })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { auth_method: 'PLAIN' } })
    expect(server.received).toContain(`${base64(`\0${user}\0${pass}`)}\r\n`)
  })

  it.each([
    ['NO [AUTHENTICATIONFAILED] no', 'auth_failed'],
    ['NO', 'auth_failed'],
    ['NO [UNAVAILABLE] later', 'auth_temporary'],
    ['NO [INUSE] later', 'auth_temporary'],
    ['NO [PRIVACYREQUIRED] not like this', 'auth_unsupported'],
    ['BAD what', 'protocol_error'],
    // The client itself would wait out what it is told here.
    ['BAD Request is throttled. Suggested Backoff Time: 60000 milliseconds', 'protocol_error'],
  ])('takes %j to the login as %s', async (answer, cause_code) => {
    const server = await talk('* OK hi\r\n', [
      [CAPABILITY, '* CAPABILITY IMAP4rev1\r\n$1 OK\r\n'],
      [/^(\w+) LOGIN.*/, `$1 ${answer}\r\n`],
    ])
    const outcome = await check(imap(), { host, port: server.port, ...login })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code, phase: 'auth' })
  })

  it('introduces itself where the server wants that, and logs in with AUTHENTICATE LOGIN', async () => {
    const server = await talk('* OK hi\r\n', [
      [CAPABILITY, '* CAPABILITY IMAP4rev1 ID AUTH=LOGIN LOGINDISABLED\r\n$1 OK\r\n'],
      [/^(\w+) ID .*/, '* ID NIL\r\n$1 NO\r\n'],
      [/^\w+ AUTHENTICATE LOGIN$/, `+ ${base64('User Name')}\r\n`],
      [new RegExp(`^${base64(user)}$`), `+ ${base64('Password:')}\r\n`],
      [/^[\w+/=]{8,}$/, '3 OK in\r\n'],
    ])
    const outcome = await check(imap(), { host, port: server.port, ...login })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { auth_method: 'LOGIN' } })
    expect(server.received).toMatch(/ ID \("name" "watchpost" "version" "[^"]+"\)\r\n/)
  })

  it('tells its password once, however often a server asks', async () => {
    const server = await talk('* OK hi\r\n', [
      [CAPABILITY, '* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n$1 OK\r\n'],
      [/^(?:\w+ AUTHENTICATE PLAIN|[\w+/=]{8,})$/, '+ \r\n'],
    ])
    const outcome = await check(imap(), { host, port: server.port, ...login })
    expect(outcome).toMatchObject({ cause_code: 'protocol_error', phase: 'auth' })
    expect(server.received.split(base64(`\0${user}\0${pass}`))).toHaveLength(2)
  })

  it('is not logged in by a consent that the client cannot read', async () => {
    const server = await talk('* OK hi\r\n', [
      [CAPABILITY, '* CAPABILITY IMAP4rev1\r\n$1 OK\r\n'],
      [/^(\w+) LOGIN.*/, '$1 OK [\r\n'],
    ])
    const outcome = await check(imap(), { host, port: server.port, ...login })
    expect(outcome).toMatchObject({ cause_code: 'protocol_error', phase: 'auth' })
  })

  it('knows LOGINDISABLED, and sends nothing', async () => {
    const server = await talk('* OK hi\r\n', [
      [CAPABILITY, '* CAPABILITY IMAP4rev1 LOGINDISABLED\r\n$1 OK\r\n'],
    ])
    const outcome = await check(imap(), { host, port: server.port, ...login })
    expect(outcome.cause_code).toBe('auth_unsupported')
    expect(server.received).not.toMatch(/LOGIN /)
  })

  it('takes no TLS from a server that has logged it in before', async () => {
    const server = await talk('* PREAUTH hi\r\n', [
      [CAPABILITY, '* CAPABILITY IMAP4rev1 STARTTLS\r\n$1 OK\r\n'],
    ])
    const outcome = await check(imap(), { host, port: server.port, tls: 'starttls' })
    expect(outcome).toMatchObject({ cause_code: 'tls_unsupported', phase: 'starttls' })
    expect(server.received).not.toContain('STARTTLS')
  })

  it('reads literals, and knows BYE as a greeting and in mid-session', async () => {
    const literal = await talk('* OK hi\r\n', [
      [CAPABILITY, '* 1 FETCH (BODY {5}\r\nab\r\nc)\r\n* CAPABILITY X\r\n$1 OK\r\n'],
    ])
    const outcome = await check(imap(), { host, port: literal.port })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { capabilities: ['X'] } })

    const closed = await talk('* BYE full\r\n', [])
    const refused = await check(imap(), { host, port: closed.port })
    expect(refused).toMatchObject({ cause_code: 'greeting_rejected', phase: 'greeting' })

    const closing = await talk('* OK hi\r\n', [[CAPABILITY, '* BYE now\r\n']])
    const ended = await check(imap(), { host, port: closing.port })
    expect(ended).toMatchObject({ cause_code: 'service_closing', phase: 'query' })
  })
})

describe('ftp', () => {
  it('waits for the greeting behind a 120', async () => {
    const server = await talk('120 soon\r\n220-hi\r\n 220 not yet\r\n220 now\r\n', [
      [/^FEAT$/, '211-Features\r\n UTF8\r\n211 End\r\n'],
    ])
    const outcome = await check(ftp(), { host, port: server.port })
    expect(outcome).toMatchObject({
      verdict: 'ok',
      details: { banner: '220-hi\\n 220 not yet\\n220 now', capabilities: ['UTF8'] },
    })
  })

  it.each([
    ['230 in', null],
    ['202 not needed', null],
    ['332 account?', 'auth_unsupported'],
    ['331 again?', 'protocol_error'],
    ['421 too many users', 'service_closing'],
    ['430 later', 'auth_temporary'],
    ['530 no', 'auth_failed'],
    ['530 Non-anonymous sessions must use encryption', 'auth_unsupported'],
    ['234', null],
  ])('takes %j to the password as %s', async (answer, cause_code) => {
    const server = await talk('220 hi\r\n', [
      [/^FEAT$/, '500 what\r\n'],
      [/^USER.*/, '331 password?\r\n'],
      [/^PASS.*/, `${answer}\r\n`],
    ])
    const outcome = await check(ftp(), { host, port: server.port, ...login })
    expect(outcome.cause_code).toBe(cause_code)
    expect(server.received).toContain(
      Buffer.from(`USER ${user}\r\nPASS ${pass}\r\n`, 'utf8').toString('latin1'),
    )
  })
})

describe('a server that speaks before it is asked', () => {
  it.each([
    ['smtp', smtp(), '220 mx\r\n250 mx\r\n'],
    ['pop3', pop3(), '+OK\r\n+OK\r\n.\r\n'],
    ['ftp', ftp(), '220 hi\r\n211 none\r\n'],
  ] as const)('is no %s server', async (_, checker, greeting) => {
    const { port } = await talk(greeting, [])
    expect((await check(checker, { host, port })).cause_code).toBe('protocol_error')
  })
})
