import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ssl } from '../../../src/checkers/ssl/index.ts'
import type { Json, JsonObject } from '../../../src/model.ts'
import { systemClock } from '../../../src/clock.ts'
import { ValidationError } from '../../../src/errors.ts'
import { checkerSuite } from '../../../src/testing/checker-suite.ts'
import { certificates } from '../../support/certificates.ts'
import { check } from '../../support/check.ts'
import { closedPort, scriptedServer } from '../../support/scripted-server.ts'
import { trySuite } from '../../support/try-suite.ts'
import { mint, mintIssuer } from './mint.ts'
import { handshaker } from './server.ts'

const host = 'localhost'
const hosts = {
  localhost: ['127.0.0.1'],
  'deep.sub.example.test': ['127.0.0.1'],
  'www.example.test': ['127.0.0.1'],
  'xwww.example.test': ['127.0.0.1'],
}
const DAY_MS = 86_400_000
const from = (days: number): Date => new Date(Date.now() + days * DAY_MS)

type Input = Omit<Parameters<typeof check<ReturnType<typeof ssl>>>[1], 'host'> & { host?: string }

const look = (input: Input, options: Parameters<typeof check>[2] = {}) =>
  check(ssl(), { host, ...input }, { hosts, ...options })

describe('a good certificate', () => {
  it('is up, with all of its facts, and nothing is left open', async () => {
    const { good, intermediate } = certificates()
    const server = await handshaker(good, { ALPNProtocols: ['http/1.1'] })
    const outcome = await look({ port: server.port })
    const leaf = new X509Certificate(good.cert)
    const issuer = new X509Certificate(intermediate)
    const ends = new Date(leaf.validTo).toISOString()
    expect(outcome).toMatchObject({ verdict: 'ok', cause_code: null, remote_ip: '127.0.0.1' })
    expect(outcome.notices).toEqual([])
    expect(outcome.memo).toBeUndefined()
    expect(outcome.details).toEqual({
      subject: 'CN=localhost',
      names: [
        'DNS:localhost',
        'DNS:example.test',
        'DNS:*.example.test',
        'IP Address:127.0.0.1',
        'IP Address:127.0.0.2',
        'IP Address:0:0:0:0:0:0:0:1',
      ],
      names_total: 6,
      issuer: 'CN=watchpost test intermediate',
      serial: leaf.serialNumber,
      fingerprint256: leaf.fingerprint256,
      not_before: new Date(leaf.validFrom).toISOString(),
      not_after: ends,
      days_left: 89,
      key: { type: 'rsa', bits: 2048, curve: null, weak: false },
      ca_issuers: null,
      chain: [
        expect.objectContaining({ subject: 'CN=localhost', fingerprint256: leaf.fingerprint256 }),
        {
          subject: 'CN=watchpost test intermediate',
          issuer: 'CN=watchpost test root',
          fingerprint256: issuer.fingerprint256,
          not_after: new Date(issuer.validTo).toISOString(),
          days_left: 3649,
        },
      ],
      chain_not_after: ends,
      chain_days_left: 89,
      protocol: 'TLSv1.3',
      cipher: 'TLS_AES_256_GCM_SHA384',
      alpn: 'http/1.1',
      authorized: true,
      authorization_error: null,
      faults: [],
      weaknesses: [],
      weaknesses_total: 0,
      must_staple: false,
      ocsp_stapled: false,
      ocsp: null,
      ocsp_hours_left: null,
    })
    expect(Object.keys(ssl().measurements)).toEqual(
      expect.arrayContaining(Object.keys(outcome.details)),
    )
    expect(Object.keys(outcome.phases)).toEqual(['resolve_ms', 'connect_ms', 'tls_ms'])
    await expect.poll(() => server.names).toEqual(['localhost'])
    await expect.poll(() => server.open).toBe(0)
  })

  it('is asked for by name, and by no name where the host is an address', async () => {
    const server = await handshaker(certificates().good)
    expect(await look({ host: '127.0.0.1', port: server.port })).toMatchObject({ verdict: 'ok' })
    await expect.poll(() => server.names).toEqual([''])
  })

  it('is seen as it is now: sessions are never resumed', async () => {
    const server = await handshaker(certificates().good, { maxVersion: 'TLSv1.2' })
    const first = await look({ port: server.port })
    const renewed = mint()
    server.show(renewed)
    const second = await look({ port: server.port })
    expect(first.details['fingerprint256']).not.toBe(second.details['fingerprint256'])
    expect(second.details['fingerprint256']).toBe(new X509Certificate(renewed.cert).fingerprint256)
    expect(second.details['key']).toEqual({
      type: 'ec',
      bits: 256,
      curve: 'prime256v1',
      weak: false,
    })
    expect(server.resumed).toBe(0)
  })

  it('with the root sent along is no worse, and the end of the root is not watched', async () => {
    const { ca } = certificates()
    const { chain, key } = mint()
    const server = await handshaker({ chain: chain + ca, key })
    const outcome = await look({ port: server.port })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { chain_days_left: 89 } })
    expect(outcome.details['chain']).toHaveLength(3)

    const last = Date.parse(new X509Certificate(certificates().intermediate).validTo) - 5 * DAY_MS
    const late = { clock: { ...systemClock, now: () => last } }
    const { notices } = await look({ port: server.port }, late)
    expect(notices).toMatchObject([
      { data: { certificate: { subject: 'CN=watchpost test intermediate' } } },
    ])
  })

  it('beside one that has nothing to do with it and has expired is good', async () => {
    const { chain, key } = mint()
    const server = await handshaker({ chain: chain + certificates().expired.cert, key })
    const outcome = await look({ port: server.port })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { faults: [], chain_days_left: 89 } })
    expect(outcome.details['chain']).toHaveLength(3)
  })
})

describe('a bad certificate', () => {
  it.each([
    [
      'expired',
      'tls_expired',
      'CERT_HAS_EXPIRED',
      /ended at 2025-02-01T00:00:00\.000Z, \d+ days ago$/,
    ],
    [
      'notYetValid',
      'tls_not_yet_valid',
      'CERT_NOT_YET_VALID',
      /begins at 2090-01-01T00:00:00\.000Z; the clock of this location says \d{4}-/,
    ],
    ['selfSigned', 'tls_self_signed', 'DEPTH_ZERO_SELF_SIGNED_CERT', /is self-signed$/],
    [
      'incomplete',
      'tls_chain_incomplete',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      /that of CN=watchpost test intermediate is missing$/,
    ],
    [
      'wrongHost',
      'tls_name_mismatch',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      /^The certificate of localhost:\d+ is for DNS:other\.example\.org$/,
    ],
  ] as const)('that is %s fails as %s and is read all the same', async (kind, code, node, text) => {
    const server = await handshaker(certificates()[kind])
    const outcome = await look({ port: server.port })
    expect(outcome).toMatchObject({
      verdict: 'fail',
      cause_code: code,
      cause_text: expect.stringMatching(text),
      phase: 'tls',
      details: {
        fingerprint256: new X509Certificate(certificates()[kind].cert).fingerprint256,
        protocol: 'TLSv1.3',
        authorized: false,
        authorization_error: node,
        faults: [code],
      },
    })
    expect(Object.keys(ssl().measurements)).toEqual(
      expect.arrayContaining(Object.keys(outcome.details)),
    )
    await expect.poll(() => server.open).toBe(0)
  })

  it('of an authority that nobody knows is untrusted', async () => {
    const server = await handshaker(certificates().good)
    const other = readFileSync(certificates().selfSigned.certPath, 'utf8')
    const outcome = await look({ port: server.port }, { ca: other })
    expect(outcome).toMatchObject({ cause_code: 'tls_untrusted' })
    expect(outcome.cause_text).toContain('CN=watchpost test root')
  })

  it('whose missing issuer can be fetched comes with the address', async () => {
    const url = 'http://authority.test/int.crt'
    const { cert, key } = mint({ extensions: `authorityInfoAccess=caIssuers;URI:${url}` })
    const server = await handshaker({ chain: cert, key })
    const outcome = await look({ port: server.port })
    expect(outcome).toMatchObject({
      cause_code: 'tls_chain_incomplete',
      details: { ca_issuers: url },
    })
    expect(outcome.cause_text).toMatch(
      /CN=watchpost test intermediate is missing, to be had from http:/,
    )
  })

  it('with an issuer that has expired fails, the text names the issuer, and its end is the earliest', async () => {
    const issuer = mintIssuer({ begin: from(-30), end: from(-2.5), commonName: 'old issuer' })
    const server = await handshaker(mint({ issuer }))
    const outcome = await look({ port: server.port })
    expect(outcome).toMatchObject({
      verdict: 'fail',
      cause_code: 'tls_expired',
      cause_text: expect.stringMatching(
        /issuer in the chain .*CN=old issuer, ended at .*, 2 days ago$/,
      ),
      details: { days_left: 89, chain_days_left: -3 },
    })
    expect(await look({ port: server.port, check_chain: false })).toMatchObject({ verdict: 'ok' })
  })

  it('with a common name and no other fails, as in a browser', async () => {
    const server = await handshaker(mint({ names: null }))
    const outcome = await look({ port: server.port })
    expect(outcome).toMatchObject({
      cause_code: 'tls_name_mismatch',
      cause_text: `The certificate of localhost:${server.port} has no subject alternative name`,
      details: { names: [], authorized: true },
    })
  })

  it('for a name but not for the address that was asked is for another name', async () => {
    const server = await handshaker(mint({ names: 'DNS:localhost' }))
    expect(await look({ host: '127.0.0.1', port: server.port })).toMatchObject({
      cause_code: 'tls_name_mismatch',
    })
  })

  it.each([
    ['DNS:*.example.test', 'www.example.test', null],
    ['DNS:*.example.test', 'deep.sub.example.test', 'tls_name_mismatch'],
    ['DNS:*.sub.example.test', 'deep.sub.example.test', null],
    ['DNS:x*.example.test', 'xwww.example.test', 'tls_name_mismatch'],
    ['DNS:WWW.Example.TEST', 'www.example.test', null],
  ])('for %s asked as %s: %s', async (names, asked, cause_code) => {
    const server = await handshaker(mint({ names }))
    expect(await look({ host: asked, port: server.port })).toMatchObject({ cause_code })
  })

  it('says how weak its key is, refused or not', async () => {
    const server = await handshaker(certificates().weak, { ciphers: 'DEFAULT@SECLEVEL=0' })
    const outcome = await look({ port: server.port })
    expect(outcome.details['key']).toEqual({ type: 'rsa', bits: 1024, curve: null, weak: true })
    expect(outcome.details['weaknesses']).toEqual(['weak_key'])
    if (outcome.verdict !== 'ok') {
      expect(outcome.cause_code).toBe('tls_untrusted')
      expect(outcome.cause_text).toContain('too weak (rsa, 1024 bits)')
    }
  })

  it('for alternative names alone, with an empty subject, is up and warned of', async () => {
    const end = new Date(Date.now() + 5 * DAY_MS)
    const server = await handshaker(mint({ commonName: null, end }))
    const { verdict, details, notices } = await look({ port: server.port, days_warn: [14] })
    expect({ verdict, subject: details['subject'] }).toEqual({ verdict: 'ok', subject: '' })
    expect(notices).toMatchObject([{ event: 'ssl_expiring' }])
  })

  it('with many names shows some of them and how many there are', async () => {
    const names = Array.from({ length: 150 }, (_, n) => `DNS:n${n}.example.test`).join(',')
    const server = await handshaker(mint({ names }))
    const { details, cause_text } = await look({ port: server.port })
    expect(details['names']).toHaveLength(100)
    expect(details['names_total']).toBe(150)
    expect(cause_text).toMatch(/n4\.example\.test and 145 more$/)
  })
})

describe('check_chain and check_hostname', () => {
  it.each(['selfSigned', 'incomplete'] as const)(
    'check_chain off lets %s pass; what is wrong is still told',
    async (kind) => {
      const server = await handshaker(certificates()[kind])
      expect(await look({ port: server.port, check_chain: false })).toMatchObject({
        verdict: 'ok',
        details: { authorized: false, faults: [expect.stringMatching(/^tls_/)] },
      })
    },
  )

  it('check_chain off still fails a certificate that has expired or is for another name', async () => {
    const expired = await handshaker(certificates().expired)
    const wrong = await handshaker({
      ...certificates().wrongHost,
      chain: certificates().wrongHost.cert,
    })
    const off = { check_chain: false }
    expect(await look({ port: expired.port, ...off })).toMatchObject({ cause_code: 'tls_expired' })
    expect(await look({ port: wrong.port, ...off })).toMatchObject({
      cause_code: 'tls_name_mismatch',
      details: { faults: ['tls_chain_incomplete', 'tls_name_mismatch'] },
    })
  })

  it('check_hostname off lets another name pass, and nothing else', async () => {
    const wrong = await handshaker(certificates().wrongHost)
    const selfSigned = await handshaker(certificates().selfSigned)
    const off = { check_hostname: false }
    expect(await look({ port: wrong.port, ...off })).toMatchObject({
      verdict: 'ok',
      details: { faults: ['tls_name_mismatch'] },
    })
    expect(await look({ port: selfSigned.port, ...off })).toMatchObject({
      cause_code: 'tls_self_signed',
    })
  })
})

describe('a server that is particular', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'about clients without a certificate has shown its own before (%s)',
    async (version) => {
      const options = {
        requestCert: true,
        rejectUnauthorized: true,
        ca: certificates().ca,
        minVersion: version,
        maxVersion: version,
      } as const
      const server = await handshaker(certificates().good, options)
      const outcome = await look({ port: server.port })
      expect(outcome).toMatchObject({
        verdict: 'ok',
        details: { subject: 'CN=localhost', faults: [] },
      })
      if (version === 'TLSv1.2') {
        expect(outcome.details).toMatchObject({ client_certificate: 'required', authorized: null })
      }
      const expired = await handshaker(certificates().expired, options)
      expect(await look({ port: expired.port })).toMatchObject({ cause_code: 'tls_expired' })
      const wrong = await handshaker(certificates().wrongHost, options)
      expect(await look({ port: wrong.port })).toMatchObject({ cause_code: 'tls_name_mismatch' })
      await expect.poll(() => [server.open, expired.open, wrong.open]).toEqual([0, 0, 0])
    },
  )

  it('about the protocol behind TLS is asked again without one', async () => {
    const server = await handshaker(certificates().good, { ALPNProtocols: ['dot'] })
    expect(await look({ port: server.port })).toMatchObject({
      verdict: 'ok',
      details: { alpn: null, authorized: true },
    })
  })

  it('about old versions fails, and its certificate is read all the same', async () => {
    const server = await handshaker(certificates().good, {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    })
    expect(await look({ port: server.port, check_chain: false })).toMatchObject({
      verdict: 'fail',
      cause_code: 'tls_protocol',
      details: { subject: 'CN=localhost', protocol: 'TLSv1.1', weaknesses: ['old_protocol'] },
    })
  })
})

describe('a server without TLS', () => {
  it.each([
    ['answers in plain HTTP', 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'],
    ['greets by itself', '220 mail.example.test ESMTP\r\n'],
  ])('that %s is not taken for one with a bad certificate', async (_, words) => {
    const { port, ...server } = await scriptedServer((socket) => socket.end(words))
    expect(await look({ port })).toMatchObject({
      verdict: 'fail',
      cause_code: 'tls_not_tls',
      phase: 'tls',
      details: {},
    })
    await server.idle()
  })

  it('or without anybody is told by the connection', async () => {
    expect(await look({ port: await closedPort() })).toMatchObject({
      cause_code: 'connect_refused',
    })
    expect(await look({ host: 'nowhere.test', port: 443 })).toMatchObject({
      cause_code: expect.stringMatching(/^(dns|probe)_/),
    })
  })
})

describe('days_warn', () => {
  const events = async (input: Input, now?: number) => {
    const clock = now === undefined ? systemClock : { ...systemClock, now: () => now }
    const { notices = [], verdict } = await look(input, { clock })
    return { verdict, keys: notices.map(({ key }) => key.slice(key.lastIndexOf(':') + 1)), notices }
  }

  it('is a notice with the facts of the certificate, and no failure', async () => {
    const certificate = mint({ begin: from(-80), end: from(9.5) })
    const { port } = await handshaker(certificate)
    const { verdict, notices } = await events({ port })
    const { fingerprint256, validTo } = new X509Certificate(certificate.cert)
    expect(verdict).toBe('ok')
    expect(notices).toEqual([
      {
        event: 'ssl_expiring',
        key: `${fingerprint256}:14`,
        data: {
          certificate: {
            subject: 'CN=localhost',
            issuer: 'CN=watchpost test intermediate',
            not_after: new Date(validTo).toISOString(),
            days_left: 9,
            threshold: 14,
            fingerprint256,
          },
        },
      },
    ])
  })

  it('names of several thresholds the one that was passed last', async () => {
    const end = from(60)
    const { port } = await handshaker(mint({ begin: from(-60), end }))
    const at = (days: number) =>
      events({ port, days_warn: '3,7,14' }, Math.floor(end.getTime() / 1000) * 1000 - days * DAY_MS)
    expect((await at(14.01)).keys).toEqual([])
    expect((await at(14)).keys).toEqual(['14'])
    expect((await at(7.01)).keys).toEqual(['14'])
    expect((await at(6)).keys).toEqual(['7'])
    expect((await at(0.5)).keys).toEqual(['3'])
    expect(await at(0)).toMatchObject({ verdict: 'ok', keys: ['3'] })
    expect(await at(-0.001)).toMatchObject({ verdict: 'fail', keys: [] })
  })

  it('0 is the last day', async () => {
    const end = from(60)
    const { port } = await handshaker(mint({ end }))
    const at = (days: number) => events({ port, days_warn: 0 }, end.getTime() - days * DAY_MS)
    expect((await at(1.1)).keys).toEqual([])
    expect((await at(0.9)).keys).toEqual(['0'])
  })

  it('is taken as it was set, also beyond a third of the lifetime', async () => {
    const begin = from(-0.5)
    const end = new Date(begin.getTime() + 20 * DAY_MS)
    const { port } = await handshaker(mint({ begin, end }))
    const at = (days: number) => events({ port, days_warn: [30, 2] }, end.getTime() - days * DAY_MS)
    expect((await at(19.4)).keys).toEqual(['30'])
    expect((await at(2.1)).keys).toEqual(['30'])
    expect((await at(1.9)).keys).toEqual(['2'])
  })

  it('is by default 14, at most a third of the lifetime', async () => {
    const begin = from(-0.5)
    const end = new Date(begin.getTime() + 10 * DAY_MS)
    const { port } = await handshaker(mint({ begin, end }))
    const at = (days: number) => events({ port }, end.getTime() - days * DAY_MS)
    expect((await at(4.1)).keys).toEqual([])
    expect((await at(3.9)).keys).toEqual(['4'])
    expect((await at(1.9)).keys).toEqual(['4'])
  })

  it('does not warn of a certificate of one day for all of its life', async () => {
    const end = from(1)
    const { port } = await handshaker(mint({ begin: from(0), end }))
    const at = (hours: number) => events({ port }, end.getTime() - hours * 3_600_000)
    expect((await at(23)).keys).toEqual([])
    expect((await at(7)).keys).toEqual(['0.33'])
  })

  it('holds for the issuers as well, unless the chain is of no interest', async () => {
    const issuer = mintIssuer({ begin: from(-300), end: from(10), commonName: 'tired issuer' })
    const { port } = await handshaker(mint({ issuer }))
    const { notices, verdict } = await events({ port })
    expect(verdict).toBe('ok')
    expect(notices).toMatchObject([{ data: { certificate: { subject: 'CN=tired issuer' } } }])
    expect((await events({ port, check_chain: false })).notices).toEqual([])
  })

  it('is told of a certificate that fails for another reason, too', async () => {
    const { cert, key } = mint({ begin: from(-80), end: from(2) })
    const { port } = await handshaker({ chain: cert, key })
    const { verdict, keys } = await events({ port })
    expect(verdict).toBe('fail')
    expect(keys).toHaveLength(1)
  })

  it('is refused where it is no number of days', async () => {
    await expect(look({ port: 443, days_warn: '14,soon' })).rejects.toThrow(ValidationError)
  })
})

describe('alert_on_change', () => {
  const input = { alert_on_change: true }

  it('remembers the first one, and tells of one never seen, with old and new', async () => {
    const [one, two] = [mint({ end: from(80) }), mint({ end: from(85) })]
    const server = await handshaker(one)
    const first = await look({ port: server.port, ...input })
    expect(first.notices).toEqual([])
    const again = await look({ port: server.port, ...input }, { memo: first.memo! })
    expect(again.notices).toEqual([])
    server.show(two)
    const changed = await look({ port: server.port, ...input }, { memo: again.memo! })
    const [old, now] = [new X509Certificate(one.cert), new X509Certificate(two.cert)]
    expect(changed.verdict).toBe('ok')
    expect(changed.notices).toEqual([
      {
        event: 'ssl_changed',
        key: `${old.fingerprint256}:${now.fingerprint256}`,
        data: {
          old: {
            subject: 'CN=localhost',
            issuer: 'CN=watchpost test intermediate',
            not_after: new Date(old.validTo).toISOString(),
            fingerprint256: old.fingerprint256,
          },
          new: expect.objectContaining({ fingerprint256: now.fingerprint256 }),
        },
      },
    ])
  })

  it('leaves out of a memo what it cannot have written', async () => {
    const server = await handshaker(mint())
    const { memo } = await look({ port: server.port, ...input })
    const { seen, ...rest } = memo as { readonly seen: readonly Json[] } & JsonObject
    const odd = [null, 5, {}, { certificate: null, rounds_ago: 0 }, { certificate: {} }]
    server.show(mint())
    const poisoned = { ...rest, seen: [...odd, ...seen] }
    const outcome = await look({ port: server.port, ...input }, { memo: poisoned })
    expect(outcome).toMatchObject({ verdict: 'ok', notices: [{ event: 'ssl_changed' }] })
    expect((outcome.memo as { readonly seen: readonly Json[] }).seen).toHaveLength(2)
  })

  it('is off unless it is asked for: another certificate is no news then', async () => {
    const server = await handshaker(mint({ end: from(80) }))
    const { memo } = await look({ port: server.port, ...input })
    server.show(mint({ end: from(85) }))
    for (const off of [{}, { alert_on_change: false }]) {
      const outcome = await look({ port: server.port, ...off }, { memo: memo! })
      expect(outcome).toMatchObject({ verdict: 'ok', notices: [] })
    }
  })

  it('says nothing of a balancer that serves two in turn, until both are forgotten', async () => {
    const [one, two] = [mint(), mint()]
    const server = await handshaker(one)
    let memo = (await look({ port: server.port, ...input })).memo!
    const round = async () => {
      const outcome = await look({ port: server.port, ...input }, { memo })
      memo = outcome.memo!
      return outcome.notices!.length
    }
    server.show(two)
    expect(await round()).toBe(1)
    server.show(one)
    expect(await round()).toBe(0)
    server.show(two)
    expect(await round()).toBe(0)
    for (let n = 0; n < 19; n++) expect(await round()).toBe(0)
    server.show(one)
    expect(await round()).toBe(0)
    server.show(two)
    for (let n = 0; n < 22; n++) expect(await round()).toBe(0)
    server.show(one)
    expect(await round()).toBe(1)
    expect(JSON.stringify(memo).length).toBeLessThan(2000)
  })

  it('tells of a change to a bad certificate as well', async () => {
    const server = await handshaker(certificates().good)
    const { memo } = await look({ port: server.port, ...input })
    server.show(certificates().selfSigned)
    const outcome = await look({ port: server.port, ...input }, { memo: memo! })
    expect(outcome).toMatchObject({ verdict: 'fail', notices: [{ event: 'ssl_changed' }] })
  })

  it('takes nothing from the memory of another server, nor from one it cannot read', async () => {
    const server = await handshaker(certificates().good)
    const { memo } = await look({ port: server.port, ...input })
    const other = await handshaker(certificates().wrongHost)
    for (const held of [memo!, null, 'x', 7, [], { seen: 1 }]) {
      const outcome = await look({ port: other.port, ...input }, { memo: held })
      expect(outcome.notices).toEqual([])
      expect(outcome.memo).toMatchObject({ seen: [{ rounds_ago: 0 }] })
    }
  })

  it('keeps the memory when the server cannot be reached', async () => {
    const outcome = await look({ port: await closedPort(), ...input }, { memo: { seen: [] } })
    expect(outcome.verdict).toBe('fail')
    expect(outcome.memo).toBeUndefined()
  })
})

describe('what every checker must hold to', () => {
  const suite = checkerSuite(ssl(), { settings: { host: 'example.com', days_warn: '14,7' } })
  it.each(suite)('$name', ({ run }) => run())

  it('also with a server that says nothing', async () => {
    const { port } = await scriptedServer(() => undefined)
    const silent = { host: '127.0.0.1', port }
    for (const { run } of trySuite(ssl(), { settings: silent, silent })) await run()
  })
})
