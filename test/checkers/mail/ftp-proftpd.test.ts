import { expect, it } from 'vitest'
import { ftp } from '../../../src/checkers/ftp.ts'
import { check } from '../../support/check.ts'
import { describeWithServer, forThisTest } from '../../support/servers/need.ts'
import { proftpdServer, startProftpd } from '../../support/servers/proftpd.ts'
import type { ProftpdOptions } from '../../support/servers/proftpd.ts'

const host = 'localhost'
const hosts = { localhost: ['127.0.0.1'] }
const login = { user: 'u', pass: 'secret' } as const

describeWithServer(proftpdServer, 'the ftp checker against ProFTPD', () => {
  it('takes a greeting of several lines, without a login', async () => {
    const { ports } = await forThisTest(startProftpd({ greetingLines: 5 }))
    const outcome = await check(ftp(), { host, port: ports.ftp }, { hosts })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { starttls: true } })
    expect(outcome.details['banner']).toMatch(/^220-One of several lines\\n/)
    expect(outcome.details).not.toHaveProperty('auth_method')
  })

  it.each([
    ['starttls', 'ftp'],
    ['implicit', 'ftps'],
    ['none', 'ftp'],
  ] as const)('logs in with tls %s', async (tls, port) => {
    const { ports } = await forThisTest(startProftpd())
    const outcome = await check(ftp(), { host, port: ports[port], tls, ...login }, { hosts })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { auth_method: 'USER' } })
    expect(Object.hasOwn(outcome.details, 'tls')).toBe(tls !== 'none')
  })

  const BROKEN: readonly (readonly [string, ProftpdOptions, object, string, string])[] = [
    ['a wrong password', {}, { ...login, pass: 'wrong-one' }, 'auth_failed', 'auth'],
    ['a user who may not log in', { deny: 'login' }, login, 'auth_failed', 'auth'],
    [
      'a server that wants TLS',
      { tls: 'required' },
      { tls: 'none', ...login },
      'auth_unsupported',
      'auth',
    ],
    ['no AUTH TLS', { tls: 'off' }, { tls: 'starttls' }, 'tls_unsupported', 'starttls'],
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
    ['a server that hangs up on us', { deny: 'connection' }, {}, 'closed_early', 'greeting'],
  ]

  it.each(BROKEN)('names %s', async (_, options, settings, cause_code, phase) => {
    const { ports } = await forThisTest(startProftpd(options))
    const outcome = await check(ftp(), { host, port: ports.ftp, ...settings }, { hosts })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code, phase })
    expect(outcome.cause_text).not.toContain('wrong-one')
  })

  it('names a server that is down', async () => {
    const server = await forThisTest(startProftpd())
    await server.halt()
    expect(await check(ftp(), { host, port: server.ports.ftp }, { hosts })).toMatchObject({
      cause_code: 'connect_refused',
    })
  })
})
