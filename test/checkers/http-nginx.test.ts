import { expect, it } from 'vitest'
import { http } from '../../src/checkers/http/index.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'
import { certificates } from '../support/certificates.ts'
import { withDeadline } from '../support/deadlines.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { nginxServer, startNginx } from '../support/servers/nginx.ts'

describeWithServer(nginxServer, 'the http checker against nginx', () => {
  it.each(['1.1', '2', 'auto'] as const)('judges pages over HTTP %s', async (http_version) => {
    const { ports } = await forThisTest(startNginx({ http2: http_version !== '1.1' }))
    const { ca } = certificates()
    const secure = `https://localhost:${ports.https}`
    const plain = `http://localhost:${ports.http}`
    // Plain HTTP/2 has to be known beforehand, and this nginx does not have it.
    const site = http_version === '2' ? secure : plain
    const causeOf = async (url: string, input = {}) =>
      (await runCheck(http(), { url, http_version, ...input }, { ca })).cause_code

    expect(await causeOf(`${site}/`, { keyword_present: 'watchpost test page' })).toBe(null)
    expect(await causeOf(`${secure}/`, { keyword_absent: 'error' })).toBe(null)
    expect(await causeOf(`${site}/status/503`)).toBe('http_status')
    expect(await causeOf(`${site}/status/503`, { expected_status: '5xx' })).toBe(null)
    expect(await causeOf(`${site}/big`, { size_min: 1_048_576, size_max: 1_048_576 })).toBe(null)
    expect(await causeOf(`${site}/private`)).toBe('http_status')
    expect(await causeOf(`${site}/private`, { auth: { user: 'u', pass: 'secret' } })).toBe(null)
    expect(await causeOf(`${site}/redirect/twice`, { expected_final_url: `${site}/` })).toBe(null)
    expect(await causeOf(`${site}/redirect/loop`)).toBe('http_redirect_loop')
    expect(await causeOf(`${site}/redirect/https`, { expected_final_url: `${secure}/` })).toBe(null)
    expect(await causeOf(`${site}/post-only`)).toBe('http_status')
    expect(await causeOf(`${site}/post-only`, { method: 'POST', body: 'x' })).toBe(null)
    // nginx itself gives this code to the stream.
    const closed = http_version === '2' ? 'http_protocol_error' : 'closed_early'
    expect(await causeOf(`${site}/close`)).toBe(closed)
    expect(await runCheck(http(), { url: `${secure}/big`, http_version }, { ca })).toMatchObject({
      details: {
        http_version: http_version === '1.1' ? '1.1' : '2',
        body_decoded_bytes: 1_048_576,
      },
    })
  })

  it('does not wait for a drip beyond the deadline', async () => {
    const { ports } = await forThisTest(startNginx())
    const url = `http://127.0.0.1:${ports.http}/drip`
    await withDeadline(800, async (timeout_ms) => {
      expect(await runCheck(http(), { url }, { timeout_ms })).toMatchObject({
        verdict: 'fail',
        cause_code: 'http_body_timeout',
        details: {},
      })
    })
  })

  it.each([
    ['expired', 'tls_expired'],
    ['selfSigned', 'tls_self_signed'],
    ['wrongHost', 'tls_name_mismatch'],
  ] as const)('sees that a certificate is %s', async (certificate, cause_code) => {
    const { ports } = await forThisTest(startNginx({ certificate }))
    const { ca } = certificates()
    const url = `https://localhost:${ports.https}/`
    expect(await runCheck(http(), { url }, { ca })).toMatchObject({ cause_code })
    expect(await runCheck(http(), { url, ignore_tls_errors: true }, { ca })).toMatchObject({
      verdict: 'ok',
      details: { tls: { authorized: false } },
    })
  })
})
