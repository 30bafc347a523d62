import { expect, it } from 'vitest'
import { smtp } from '../../../src/checkers/smtp.ts'
import { check } from '../../support/check.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { eximServer, startExim } from '../../support/servers/exim.ts'
import type { EximOptions } from '../../support/servers/exim.ts'
import { describeWithServer, forThisTest } from '../../support/servers/need.ts'

const host = 'localhost'
const hosts = { localhost: ['127.0.0.1'] }
const login = { user: 'u', pass: 'secret' } as const

describeWithServer(eximServer, 'the smtp checker against Exim', () => {
  it('takes the greeting in clear, and tells banner and capabilities', async () => {
    const { ports } = await forThisTest(startExim())
    const outcome = await check(smtp(), { host, port: ports.smtp }, { hosts })
    expect(outcome).toMatchObject({
      verdict: 'ok',
      details: { banner: '220 mx.example.test ESMTP', starttls: true },
    })
    expect(outcome.details['capabilities']).toContain('AUTH PLAIN LOGIN')
    expect(Object.keys(outcome.phases)).toEqual([
      'resolve_ms',
      'connect_ms',
      'greeting_ms',
      'query_ms',
    ])
  })

  it.each([
    ['starttls', 'smtp', 'starttls_ms'],
    ['implicit', 'smtps', 'tls_ms'],
  ] as const)('logs in with %s', async (tls, port, phase) => {
    const { ports } = await forThisTest(startExim())
    const outcome = await check(smtp(), { host, port: ports[port], tls, ...login }, { hosts })
    expect(outcome).toMatchObject({
      verdict: 'ok',
      details: { auth_method: 'PLAIN', tls: { authorized: true } },
    })
    expect(Object.keys(outcome.phases)).toEqual(expect.arrayContaining([phase, 'auth_ms']))
    expect(outcome.details['capabilities']).not.toContain('STARTTLS')
  })

  it('changes to TLS before a login without being told, and stays in clear only on purpose', async () => {
    const server = await forThisTest(startExim({ mechanisms: ['LOGIN'] }))
    const port = server.ports.smtp
    const secure = await check(smtp(), { host, port, ...login }, { hosts })
    expect(secure.details).toMatchObject({ tls: { authorized: true }, auth_method: 'LOGIN' })
    const clear = await check(smtp(), { host, port, tls: 'none', ...login }, { hosts })
    expect(clear).toMatchObject({ verdict: 'ok', details: { auth_method: 'LOGIN' } })
    expect(clear.details).not.toHaveProperty('tls')
  })

  const BROKEN: readonly (readonly [string, EximOptions, object, string, string])[] = [
    ['a wrong password', {}, { ...login, pass: 'wrong-one' }, 'auth_failed', 'auth'],
    ['a login that is out of order', { auth: 'broken' }, login, 'auth_temporary', 'auth'],
    ['no login at all', { auth: 'off' }, login, 'auth_unsupported', 'auth'],
    [
      'a login over TLS only',
      { auth: 'over_tls' },
      { tls: 'none', ...login },
      'auth_unsupported',
      'auth',
    ],
    ['no STARTTLS', { tls: 'off' }, { tls: 'starttls' }, 'tls_unsupported', 'starttls'],
    ['554', { greeting: 'deny' }, {}, 'greeting_rejected', 'greeting'],
    ['421', { greeting: 'defer' }, {}, 'service_closing', 'greeting'],
    ['neither EHLO nor HELO', { ehlo: 'deny' }, {}, 'greeting_rejected', 'query'],
    ['another banner', { banner: 'Hi' }, { banner_regex: 'ESMTP' }, 'banner_mismatch', 'greeting'],
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
      'the certificate of another',
      { certificate: 'wrongHost' },
      { tls: 'starttls' },
      'tls_name_mismatch',
      'starttls',
    ],
    ['a slow greeting', { greetingDelaySec: 30 }, {}, 'banner_timeout', 'greeting'],
  ]

  it.each(BROKEN)('names %s', async (_, options, settings, cause_code, phase) => {
    const { ports } = await forThisTest(startExim(options))
    // Only a server that says nothing is waited for until the deadline.
    const timeout_ms = options.greetingDelaySec === undefined ? 60_000 : 3000
    const outcome = await check(
      smtp(),
      { host, port: ports.smtp, ...settings },
      { hosts, timeout_ms },
    )
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code, phase })
    expect(outcome.cause_text).not.toContain('wrong-one')
  })

  it('takes a self-signed certificate where the host has said so', async () => {
    const { ports } = await forThisTest(startExim({ certificate: 'selfSigned' }))
    const settings = { host, port: ports.smtp, ...login }
    expect(await check(smtp({ verifyTls: false }), settings, { hosts })).toMatchObject({
      verdict: 'ok',
      details: { tls: { authorized: false } },
    })
  })

  it('names a server that is down', async () => {
    const server = await forThisTest(startExim())
    await server.halt()
    expect(await check(smtp(), { host, port: server.ports.smtp }, { hosts })).toMatchObject({
      verdict: 'fail',
      cause_code: 'connect_refused',
    })
  })

  it('speaks in clear to a port that wants TLS, and the other way round', async () => {
    const { ports } = await forThisTest(startExim())
    await withDeadline(1000, async (timeout_ms) => {
      const input = { host, port: ports.smtps, tls: 'none' } as const
      const wrong = await check(smtp(), input, { hosts, timeout_ms })
      expect(wrong.cause_code).toBe('banner_timeout')
    })
    const other = await check(smtp(), { host, port: ports.smtp, tls: 'implicit' }, { hosts })
    expect(other.cause_code).toBe('tls_not_tls')
  })
})
