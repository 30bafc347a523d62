import { describe, expect, it } from 'vitest'
import { ftp } from '../../../src/checkers/ftp.ts'
import { imap } from '../../../src/checkers/imap/index.ts'
import { mailTarget } from '../../../src/checkers/mail/fields.ts'
import { pop3 } from '../../../src/checkers/pop3.ts'
import { smtp } from '../../../src/checkers/smtp.ts'
import { parseSettings } from '../../../src/engine/checks/run-check.ts'
import { ValidationError } from '../../../src/errors.ts'
import { scriptedServer } from '../../support/scripted-server.ts'
import { trySuite } from '../../support/try-suite.ts'

const ALL = [smtp(), pop3(), imap(), ftp()] as const
const host = 'mail.test'

describe.each(ALL)('settings of $type', (checker) => {
  it.each([
    [{ user: 'u' }, 'pass'],
    [{ pass: 'p' }, 'user'],
    [{ user: 'u\r\nQUIT', pass: 'p' }, 'user'],
    [{ user: 'u', pass: 'p\nQUIT' }, 'pass'],
    [{ user: 'u', pass: 'p\0' }, 'pass'],
    [{ tls: 'maybe' }, 'tls'],
    [{ port: 0 }, 'port'],
    [{ port: 65536 }, 'port'],
  ])('%j is refused at %s', (input, field) => {
    const parse = () => parseSettings(checker, { host, ...input })
    expect(parse).toThrow(ValidationError)
    expect(parse).toThrow(new RegExp(`\\b${field}: (?:invalid|out_of_range)`))
  })

  it.each([
    [true, 'implicit'],
    [false, 'none'],
    ['ssl', 'implicit'],
    ['tls', 'implicit'],
    ['STARTTLS', 'starttls'],
    ['auto', 'auto'],
  ])('tls may be written as %j', (tls, stored) => {
    expect(parseSettings(checker, { host, tls })).toEqual({ host, tls: stored })
  })

  it('hold to the contract of checkers', async () => {
    const { port } = await scriptedServer(() => undefined)
    const settings = { host, user: 'u', pass: 'a secret' }
    for (const each of trySuite(checker, { settings, silent: { host: '127.0.0.1', port } })) {
      await each.run()
    }
  })
})

describe('what is left open', () => {
  const PORTS = { plain: 25, implicit: 465, starttls: [587] }

  it.each([
    [{}, 25, 'none'],
    [{ tls: 'auto' }, 25, 'none'],
    [{ tls: 'implicit' }, 465, 'implicit'],
    [{ tls: 'starttls' }, 25, 'starttls'],
    [{ port: 465 }, 465, 'implicit'],
    [{ port: 465, tls: 'none' }, 465, 'none'],
    [{ port: 587 }, 587, 'starttls'],
    [{ port: 2525 }, 2525, 'none'],
    [{ port: 2525, tls: 'implicit' }, 2525, 'implicit'],
    [{ user: 'u', pass: 'p' }, 25, 'starttls'],
    [{ user: 'u', pass: 'p', tls: 'none' }, 25, 'none'],
    [{ user: 'u', pass: 'p', port: 465 }, 465, 'implicit'],
  ] as const)('%j means port %i and TLS %s', (settings, port, tls) => {
    expect(mailTarget({ host, ...settings }, PORTS)).toEqual({ host, port, tls })
  })

  it.each([
    [smtp(), 25, 465],
    [pop3(), 110, 995],
    [imap(), 143, 993],
    [ftp(), 21, 990],
  ] as const)('is filled in by the port of the type: $type', (checker, plain, implicit) => {
    expect(checker.target({ host })).toBe(`${host}:${plain}`)
    expect(checker.target({ host, tls: 'implicit' })).toBe(`${host}:${implicit}`)
  })
})
