/** Node 20 and 22 end the process where they list the usages of a certificate that has one with a long identifier. */
import { createHash, X509Certificate } from 'node:crypto'
import { createServer } from 'node:https'
import { expect, it, onTestFinished } from 'vitest'
import { http } from '../../src/checkers/http/index.ts'
import { ssl } from '../../src/checkers/ssl/index.ts'
import { certificates } from '../support/certificates.ts'
import type { TestCertificate } from '../support/certificates.ts'
import { check } from '../support/check.ts'
import { listening } from '../support/listening.ts'
import { mint, mintIssuer } from '../checkers/ssl/mint.ts'
import { ocspResponse } from '../checkers/ssl/ocsp.ts'
import { handshaker } from '../checkers/ssl/server.ts'

/** Of 712 bytes, in decimal. */
const LONG_USAGE = `1.2.${'1'.repeat(1500)}`

const { good, ca } = certificates()

/** As `openssl` makes it: a hash of the point of the curve (RFC 5280, 4.2.1.2). */
function keyIdentifier(pem: string): string {
  const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha1').update(key.subarray(-65)).digest('hex')
}

/** A certificate, PEM, whose key Node 20 does not survive: it has 3, 2 and 2 as parameters, and -1. */
function negativeKey(): string {
  const [sequence, oid, number] = [0x30, 0x06, 0x02]
  const of = (tag: number, ...parts: readonly Buffer[]): Buffer => {
    const content = Buffer.concat(parts)
    return Buffer.concat([Buffer.of(tag, content.length), content])
  }
  const small = (value: number): Buffer => of(number, Buffer.of(value))
  const ecdsa = of(sequence, of(oid, Buffer.from('2a8648ce3d040302', 'hex')))
  const dsa = of(oid, Buffer.from('2a8648ce380401', 'hex'))
  const key = of(
    sequence,
    of(sequence, dsa, of(sequence, small(3), small(2), small(2))),
    of(0x03, Buffer.of(0), small(0xff)),
  )
  const time = of(0x17, Buffer.from('200101000000Z'))
  const name = of(sequence)
  const body = of(sequence, small(1), ecdsa, name, of(sequence, time, time), name, key)
  const der = of(sequence, body, ecdsa, of(0x03, Buffer.of(0)))
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`
}

async function serving({ chain, key }: Pick<TestCertificate, 'chain' | 'key'>): Promise<number> {
  const server = createServer({ cert: chain, key }, (_, answer) => answer.end('hello'))
  const running = await listening(server)
  onTestFinished(() => running[Symbol.asyncDispose]())
  return running.port
}

const look = (port: number, settings: { readonly ignore_tls_errors?: boolean } = {}) =>
  check(http(), { url: `https://localhost:${port}/`, ...settings })

it('a certificate with a long usage is read as any other', async () => {
  const leaf = mint({ usage: `serverAuth,${LONG_USAGE}` })
  const port = await serving(leaf)
  expect(await look(port)).toMatchObject({ verdict: 'ok' })
  expect(await check(ssl(), { host: 'localhost', port })).toMatchObject({ verdict: 'ok' })
})

it('and where nothing is verified', async () => {
  const leaf = mint({ usage: LONG_USAGE, issuer: mintIssuer({ commonName: 'unknown' }) })
  const port = await serving({ key: leaf.key, chain: leaf.cert })
  expect(await look(port, { ignore_tls_errors: true })).toMatchObject({ verdict: 'ok' })
  const outcome = await check(ssl(), { host: 'localhost', port })
  expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'tls_chain_incomplete' })
})

it('so is one that a server sends besides its own as that of its root', async () => {
  const namesake = mintIssuer({
    commonName: 'watchpost test root',
    extensions: `extendedKeyUsage=${LONG_USAGE}\nsubjectKeyIdentifier=${keyIdentifier(ca)}`,
  })
  const port = await serving({ key: good.key, chain: good.chain + namesake.chain })
  expect(await look(port)).toMatchObject({ verdict: 'ok' })
  expect(await check(ssl(), { host: 'localhost', port })).toMatchObject({ verdict: 'ok' })
})

it('so is that of a responder, in a stapled OCSP response', async () => {
  const leaf = mint()
  const signer = mint({ usage: `OCSPSigning,${LONG_USAGE}` })
  const server = await handshaker(leaf)
  server.staple(ocspResponse(leaf, { signer }))
  const settings = { host: 'localhost', port: server.port, ocsp_stapling: 'required' } as const
  expect(await check(ssl(), settings)).toMatchObject({
    verdict: 'ok',
    details: { ocsp: { status: 'good' } },
  })
})

it('so is one with a DSA key that is a negative number', async () => {
  const shown = { key: good.key, chain: good.cert + negativeKey() }
  // By default OpenSSL does not send what is too weak.
  const { port } = await handshaker(shown, { ciphers: 'DEFAULT@SECLEVEL=0' })
  const outcome = await check(ssl(), { host: 'localhost', port })
  expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'tls_chain_incomplete' })
  expect(outcome.details['chain']).toHaveLength(2)
})

it.each([
  ['is for its common name', 'localhost', 'ok', null],
  ['is not for another one', 'other.example', 'fail', 'tls_name_mismatch'],
  ['is for each of two', 'other.example/CN=localhost', 'ok', null],
  ['is not for a name within its own', 'a \\+ CN=localhost', 'fail', 'tls_name_mismatch'],
])('a certificate without other names %s', async (_, commonName, verdict, cause_code) => {
  const port = await serving(mint({ names: null, commonName }))
  expect(await look(port)).toMatchObject({ verdict, cause_code })
})
