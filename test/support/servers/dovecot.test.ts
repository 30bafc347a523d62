import { expect, it } from 'vitest'
import type { DovecotOptions } from './dovecot.ts'
import { dovecotServer, OTHER_ADDRESS, startDovecot } from './dovecot.ts'
import { hello } from './hello.ts'
import { describeWithServer, forThisTest } from './need.ts'
import { smokeTest } from './smoke.ts'

smokeTest({
  need: dovecotServer,
  start: startDovecot,
  greetings: async ({ ports }) => [
    await hello(ports.imap),
    await hello(ports.imaps, { tls: true }),
    await hello(ports.pop3),
    await hello(ports.pop3s, { tls: true }),
  ],
  expected: [/^\* OK \[CAPABILITY [^\]]*STARTTLS/, /^\* OK /, /^\+OK /, /^\+OK /],
})

const LOGIN = { send: 'a LOGIN u secret\r\n', until: /^a .*\r\n/m }

const LOGINS: readonly (readonly [DovecotOptions, RegExp])[] = [
  [{}, /^a OK/m],
  [{ passwords: 'temporary' }, /^a NO \[UNAVAILABLE\]/m],
]

describeWithServer(dovecotServer, 'the options of Dovecot', () => {
  it.each(LOGINS)('with %j', async (options, expected) => {
    const { ports } = await forThisTest(startDovecot(options))
    expect(await hello(ports.imap, LOGIN)).toMatch(expected)
  })

  it('can want TLS before a login', async () => {
    const { ports } = await forThisTest(startDovecot({ tls: 'required' }))
    const said = await hello(ports.imap, { ...LOGIN, host: OTHER_ADDRESS })
    expect(said).toMatch(/LOGINDISABLED[^]*^a NO \[PRIVACYREQUIRED\]/m)
  })

  it('can do without TLS, with another greeting', async () => {
    const { ports } = await forThisTest(startDovecot({ tls: 'off', greeting: 'Hello there' }))
    const said = await hello(ports.imap)
    expect(said).toContain('Hello there')
    expect(said).not.toContain('STARTTLS')
  })

  it('can log in and then have no mailbox', async () => {
    const { ports } = await forThisTest(startDovecot({ mailboxes: 'broken' }))
    const send = 'a LOGIN u secret\r\nb SELECT INBOX\r\n'
    expect(await hello(ports.imap, { send, until: /^b .*\r\n/m })).toMatch(/^(b NO|\* BYE)/m)
  })
})
