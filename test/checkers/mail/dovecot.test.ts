import { expect, it } from 'vitest'
import { imap } from '../../../src/checkers/imap/index.ts'
import { pop3 } from '../../../src/checkers/pop3.ts'
import { check } from '../../support/check.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { dovecotServer, OTHER_ADDRESS, startDovecot } from '../../support/servers/dovecot.ts'
import type { DovecotOptions } from '../../support/servers/dovecot.ts'
import { describeWithServer, forThisTest } from '../../support/servers/need.ts'

const host = 'localhost'
const hosts = { localhost: ['127.0.0.1'] }
const login = { user: 'u', pass: 'secret' } as const

const CASES = [
  { name: 'imap', checker: imap(), plain: 'imap', implicit: 'imaps', method: 'PLAIN' },
  { name: 'pop3', checker: pop3(), plain: 'pop3', implicit: 'pop3s', method: 'USER' },
] as const

describeWithServer(dovecotServer, 'the imap and pop3 checkers against Dovecot', () => {
  it.concurrent.for(CASES)(
    '$name: greets, changes to TLS, logs in',
    async (each, { onTestFinished }) => {
      const { ports } = await forThisTest(startDovecot(), onTestFinished)
      const greeted = await check(
        each.checker,
        { host, port: ports[each.plain] },
        { hosts, onTestFinished },
      )
      expect(greeted).toMatchObject({ verdict: 'ok', details: { starttls: true } })
      expect(greeted.details['banner']).toMatch(/Dovecot ready/)
      expect(greeted.details).not.toHaveProperty('auth_method')

      for (const tls of ['starttls', 'implicit'] as const) {
        const port = ports[tls === 'implicit' ? each.implicit : each.plain]
        const outcome = await check(
          each.checker,
          { host, port, tls, ...login },
          { hosts, onTestFinished },
        )
        expect(outcome).toMatchObject({
          verdict: 'ok',
          details: { auth_method: each.method, tls: { authorized: true } },
        })
      }
      const clear = { host, port: ports[each.plain], tls: 'none', ...login } as const
      expect(await check(each.checker, clear, { hosts, onTestFinished })).toMatchObject({
        verdict: 'ok',
      })
    },
  )

  const BROKEN: readonly (readonly [string, DovecotOptions, object, string, string])[] = [
    ['a wrong password', {}, { ...login, pass: 'wrong-one' }, 'auth_failed', 'auth'],
    ['a broken password store', { passwords: 'temporary' }, login, 'auth_temporary', 'auth'],
    ['no TLS', { tls: 'off' }, { tls: 'starttls' }, 'tls_unsupported', 'starttls'],
    [
      'an expired certificate',
      { certificate: 'expired' },
      { tls: 'starttls' },
      'tls_expired',
      'starttls',
    ],
    [
      'a self-signed certificate',
      { certificate: 'selfSigned' },
      { tls: 'starttls' },
      'tls_self_signed',
      'starttls',
    ],
    [
      'an incomplete chain',
      { certificate: 'incomplete' },
      { tls: 'starttls' },
      'tls_chain_incomplete',
      'starttls',
    ],
    [
      'a slow refusal',
      { refusalDelaySec: 600 },
      { ...login, pass: 'wrong-one' },
      'auth_timeout',
      'auth',
    ],
  ]

  it.concurrent.for(
    CASES.flatMap((each) => BROKEN.map((row) => [each.name, row[0], each, row] as const)),
  )(
    '%s: names %s',
    async (
      [, , { checker, plain }, [, options, settings, cause_code, phase]],
      { onTestFinished },
    ) => {
      const { ports } = await forThisTest(startDovecot(options), onTestFinished)
      // Only a server that says nothing is waited for until the deadline.
      await withDeadline(
        options.refusalDelaySec === undefined ? 60_000 : 4000,
        async (timeout_ms) => {
          const outcome = await check(
            checker,
            { host, port: ports[plain], ...settings },
            { hosts, timeout_ms, onTestFinished },
          )
          expect(outcome).toMatchObject({ verdict: 'fail', cause_code, phase })
          expect(outcome.cause_text).not.toContain('wrong-one')
        },
      )
    },
  )

  it.concurrent.for(CASES)(
    '$name: names a server that takes no login in clear',
    async (each, { onTestFinished }) => {
      const { ports } = await forThisTest(startDovecot({ tls: 'required' }), onTestFinished)
      const settings = {
        host: OTHER_ADDRESS,
        port: ports[each.plain],
        tls: 'none',
        ...login,
      } as const
      expect(await check(each.checker, settings, { onTestFinished })).toMatchObject({
        verdict: 'fail',
        cause_code: 'auth_unsupported',
        phase: 'auth',
      })
      const secure = { ...settings, tls: 'starttls' } as const
      expect(await check(each.checker, secure, { onTestFinished })).toMatchObject({ verdict: 'ok' })
    },
  )

  it.concurrent.for(CASES)(
    '$name: names a server that is down',
    async (each, { onTestFinished }) => {
      const server = await forThisTest(startDovecot(), onTestFinished)
      await server.halt()
      const settings = { host, port: server.ports[each.plain] }
      expect(await check(each.checker, settings, { hosts, onTestFinished })).toMatchObject({
        cause_code: 'connect_refused',
      })
    },
  )
})
