import { expect, it } from 'vitest'
import { ssl } from '../../../src/checkers/ssl/index.ts'
import { runCheck } from '../../../src/engine/checks/run-check.ts'
import { certificates } from '../../support/certificates.ts'
import { describeWithServer, forThisTest } from '../../support/servers/need.ts'
import { nginxServer, startNginx } from '../../support/servers/nginx.ts'

describeWithServer(nginxServer, 'the ssl checker against nginx', () => {
  it.each([
    [{}, null],
    [{ certificate: 'expired' }, 'tls_expired'],
    [{ certificate: 'notYetValid' }, 'tls_not_yet_valid'],
    [{ certificate: 'selfSigned' }, 'tls_self_signed'],
    [{ certificate: 'incomplete' }, 'tls_chain_incomplete'],
    [{ certificate: 'wrongHost' }, 'tls_name_mismatch'],
    [{ tlsVersions: ['TLSv1.1'] }, 'tls_protocol'],
    [{ tlsVersions: ['TLSv1.2'], clientCertificate: true }, null],
    [{ http2: true }, null],
  ] as const)('finds of %j: %s', async (options, cause_code) => {
    const { ports } = await forThisTest(startNginx(options))
    const { ca } = certificates()
    const secure = await runCheck(ssl(), { host: 'localhost', port: ports.https }, { ca })
    expect(secure.cause_code).toBe(cause_code)
    expect(secure.details['subject']).toMatch(/^CN=/)
    if ('http2' in options) expect(secure.details['alpn']).toBe('h2')
    const plain = await runCheck(ssl(), { host: 'localhost', port: ports.http }, { ca })
    expect(plain.cause_code).toBe('tls_not_tls')
  })
})
