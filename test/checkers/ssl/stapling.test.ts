import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { ssl } from '../../../src/checkers/ssl/index.ts'
import { systemClock } from '../../../src/clock.ts'
import { check } from '../../support/check.ts'
import { certificates } from '../../support/certificates.ts'
import { scriptedServer } from '../../support/scripted-server.ts'
import { describeWithServer, forThisTest } from '../../support/servers/need.ts'
import { nginxServer, startNginx } from '../../support/servers/nginx.ts'
import { mint, mintIssuer, sharedIntermediate, sharedRoot } from './mint.ts'
import type { Issuer } from './mint.ts'
import { ocspResponse } from './ocsp.ts'
import type { OcspWanted } from './ocsp.ts'
import { handshaker } from './server.ts'

const DAY_MS = 86_400_000
const MUST_STAPLE = 'tlsfeature=status_request'

/** Begins three days ago. */
const leaf = mint({ begin: new Date(Date.now() - 3 * DAY_MS) })
const responder = mint({ usage: 'OCSPSigning', names: null, commonName: 'responder' })

type Settings = Omit<Parameters<typeof check<ReturnType<typeof ssl>>>[1], 'host'>

const look = (settings: Settings, days = 0) =>
  check(
    ssl(),
    { host: 'localhost', ...settings },
    {
      hosts: { localhost: ['127.0.0.1'] },
      clock: { ...systemClock, now: () => Date.now() + days * DAY_MS },
    },
  )

/** A server that shows `certificate` and staples `response`. */
async function stapling(response: Buffer, certificate = leaf, options = {}) {
  const server = await handshaker(certificate, options)
  server.staple(response)
  return server
}

describe('a stapled OCSP response', () => {
  it.each<[string, OcspWanted]>([
    ['the issuer', {}],
    ['the issuer, named by its key', { response: ['-resp_key_id'] }],
    ['a responder of the issuer', { signer: responder, request: ['-sha256'] }],
  ])('of %s says that the certificate is good', async (_who, wanted) => {
    const { port } = await stapling(ocspResponse(leaf, wanted))
    const { verdict, details } = await look({ port, ocsp_stapling: 'required' })
    expect(details['ocsp']).toEqual({
      status: 'good',
      problem: null,
      this_update: expect.stringMatching(/^20.*Z$/) as string,
      next_update: expect.stringMatching(/^20.*Z$/) as string,
    })
    expect(details).toMatchObject({
      ocsp_stapled: true,
      ocsp_hours_left: 167,
      must_staple: false,
      weaknesses: [],
      weaknesses_total: 0,
    })
    expect(verdict).toBe('ok')
  })

  it('is read under TLS 1.2, and of a trusted issuer that is not sent', async () => {
    const root = sharedRoot()
    const direct = mint({ issuer: root })
    const response = ocspResponse(direct, { issuer: root })
    const { port } = await stapling(response, direct, { maxVersion: 'TLSv1.2' })
    const outcome = await look({ port, ocsp_stapling: 'required' })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { ocsp: { status: 'good' } } })
  })

  it('that says revoked fails, whatever the settings', async () => {
    const { port } = await stapling(ocspResponse(leaf, { status: 'revoked keyCompromise' }))
    for (const settings of [{ port }, { port, check_chain: false, check_hostname: false }]) {
      expect(await look(settings)).toMatchObject({
        verdict: 'fail',
        cause_code: 'tls_revoked',
        cause_text: `The certificate of localhost:${port} was revoked at 2026-01-02T03:04:05.000Z (key_compromise), says the OCSP response stapled to it`,
        phase: 'tls',
        details: {
          ocsp: {
            status: 'revoked',
            revoked_at: '2026-01-02T03:04:05.000Z',
            reason: 'key_compromise',
          },
        },
      })
    }
    // It does not come back to life when the response has ended.
    expect(await look({ port }, 8)).toMatchObject({ cause_code: 'tls_revoked' })
  })

  it('is read of a certificate that is refused for another reason', async () => {
    const named = mint({ names: 'DNS:other.example' })
    const { port } = await stapling(ocspResponse(named, { status: 'revoked superseded' }), named)
    const outcome = await look({ port })
    expect(outcome.details['faults']).toEqual(['tls_name_mismatch', 'tls_revoked'])
    expect(await look({ port, check_hostname: false })).toMatchObject({ cause_code: 'tls_revoked' })
  })

  it('of a server that begins in clear is read', async () => {
    const { port } = await startingPop3(ocspResponse(leaf))
    const outcome = await look({ port, starttls: 'pop3', ocsp_stapling: 'required' })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { ocsp: { status: 'good' } } })
  })
})

describe('a stapled OCSP response that proves nothing', () => {
  const stranger = certificates().selfSigned
  const broken = (): Buffer => {
    const response = Buffer.from(ocspResponse(leaf, { response: ['-resp_no_certs'] }))
    response.writeUInt8(response.readUInt8(response.length - 1) ^ 1, response.length - 1)
    return response
  }

  it.each<[string, string, string, () => Buffer, number?]>([
    ['garbage', 'malformed', 'ocsp_invalid', () => Buffer.from('an answer')],
    ['cut', 'malformed', 'ocsp_invalid', () => ocspResponse(leaf).subarray(0, -1)],
    ['huge', 'too_long', 'too_long', () => Buffer.alloc(40_000, ocspResponse(leaf))],
    ['an error', 'refused', 'ocsp_invalid', () => Buffer.from('30030a0103', 'hex')],
    ['of another', 'other_certificate', 'ocsp_invalid', () => ocspResponse(mint())],
    [
      'of a stranger',
      'wrong_signer',
      'ocsp_invalid',
      () => ocspResponse(leaf, { signer: stranger }),
    ],
    ['of itself', 'wrong_signer', 'ocsp_invalid', () => ocspResponse(leaf, { signer: leaf })],
    [
      'of another issuer',
      'wrong_signer',
      'ocsp_invalid',
      () => ocspResponse(leaf, { signer: mint({ usage: 'OCSPSigning', issuer: sharedRoot() }) }),
    ],
    [
      'about the key of a namesake of the issuer',
      'other_certificate',
      'ocsp_invalid',
      () => ocspResponse(leaf, { issuer: namesake(), signer: sharedIntermediate() }),
    ],
    ['forged', 'bad_signature', 'ocsp_invalid', broken],
    [
      'over SHA-1',
      'weak_signature',
      'ocsp_invalid',
      () => ocspResponse(leaf, { response: ['-rmd', 'sha1'] }),
    ],
    [
      'of one who does not know',
      'unknown_status',
      'ocsp_invalid',
      () => ocspResponse(leaf, { status: 'unknown' }),
    ],
    ['of tomorrow', 'not_yet_valid', 'ocsp_invalid', () => ocspResponse(leaf), -1],
    ['of last week', 'expired', 'ocsp_expired', () => ocspResponse(leaf), 8],
  ])('%s is %s, and fails where it is required', async (_what, problem, code, make, days = 0) => {
    const { port } = await stapling(make())
    const required = await look({ port, ocsp_stapling: 'required' }, days)
    expect(required).toMatchObject({
      verdict: code === 'too_long' ? 'unknown' : 'fail',
      cause_code: code,
      details: { ocsp_stapled: true, ocsp: { problem }, faults: [code] },
    })
    const optional = await look({ port }, days)
    const weaknesses = code === 'too_long' ? [] : [code]
    expect(optional).toMatchObject({ verdict: 'ok', details: { weaknesses } })
  })

  it('is read in no time, whatever its bytes are', async () => {
    const response = ocspResponse(leaf, { signer: responder })
    const server = await handshaker(leaf)
    let bytes = response
    server.staple(() => bytes)
    for (let at = 0; at < response.length; at += Math.ceil(response.length / 40)) {
      bytes = Buffer.from(response)
      bytes.fill(0xff, at, at + 3)
      const { verdict, details } = await look({ port: server.port })
      expect([verdict, details['ocsp_stapled'], details['ocsp']]).toMatchObject([
        'ok',
        true,
        { problem: expect.any(String) as string },
      ])
    }
  })

  it('beyond what TLS carries ends the handshake', async () => {
    const { port } = await stapling(Buffer.alloc(200_000, 0x30))
    expect(await look({ port })).toMatchObject({ verdict: 'fail', cause_code: 'tls_handshake' })
  })
})

describe('a server that staples nothing', () => {
  it('is as good as another, has a weakness, or fails, as ocsp_stapling says', async () => {
    const { port } = await handshaker(leaf)
    expect(await look({ port })).toMatchObject({
      verdict: 'ok',
      details: { ocsp_stapled: false, ocsp: null, ocsp_hours_left: null, weaknesses: [] },
    })
    expect(await look({ port, ocsp_stapling: 'expected' })).toMatchObject({
      verdict: 'ok',
      details: { weaknesses: ['ocsp_missing'], weaknesses_total: 1, faults: ['ocsp_missing'] },
    })
    expect(await look({ port, ocsp_stapling: 'required' })).toMatchObject({
      verdict: 'fail',
      cause_code: 'ocsp_missing',
      cause_text: `localhost:${port} staples no OCSP response to its certificate`,
    })
  })

  it('fails with a must-staple certificate, which is good with a response', async () => {
    const strict = mint({ extensions: MUST_STAPLE })
    const server = await handshaker(strict)
    expect(await look({ port: server.port })).toMatchObject({
      verdict: 'fail',
      cause_code: 'ocsp_missing',
      cause_text: `localhost:${server.port} staples no OCSP response to its certificate, which requires one (must-staple)`,
      details: { must_staple: true },
    })
    server.staple(ocspResponse(strict))
    expect(await look({ port: server.port })).toMatchObject({ verdict: 'ok' })
    expect(await look({ port: server.port }, 8)).toMatchObject({ cause_code: 'ocsp_expired' })
  })
})

describeWithServer(nginxServer, 'nginx with ssl_stapling_file', () => {
  it('staples what is read', async () => {
    const certificate = mint({ extensions: MUST_STAPLE })
    const staple = ocspResponse(certificate, { signer: responder })
    const { ports } = await forThisTest(startNginx({ certificate, staple }))
    expect(await look({ port: ports.https, ocsp_stapling: 'required' })).toMatchObject({
      verdict: 'ok',
      details: { must_staple: true, ocsp: { status: 'good', problem: null } },
    })
  })
})

/** An issuer with the name of the one that has made `leaf`, and another key. */
function namesake(): Issuer {
  const { issuer } = new X509Certificate(leaf.cert)
  return mintIssuer({ commonName: issuer.replace('CN=', '') })
}

/** Agrees to STLS. */
async function startingPop3(staple: Buffer): Promise<{ readonly port: number }> {
  const secure = createServer({ cert: leaf.chain, key: leaf.key }, (socket) => {
    socket.on('error', () => undefined)
  })
  secure.on('OCSPRequest', (_certificate, _issuer, respond) => respond(null, staple))
  return scriptedServer(async (socket) => {
    socket.write('+OK ready\r\n')
    await once(socket, 'data')
    socket.write('+OK go\r\n')
    secure.emit('connection', socket)
  })
}
