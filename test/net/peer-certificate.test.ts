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

it.each([
  ['is for its common name', 'localhost', 'ok', null],
  ['is not for another one', 'other.example', 'fail', 'tls_name_mismatch'],
  ['is for each of two', 'other.example/CN=localhost', 'ok', null],
  ['is not for a name within its own', 'a \\+ CN=localhost', 'fail', 'tls_name_mismatch'],
])('a certificate without other names %s', async (_, commonName, verdict, cause_code) => {
  const port = await serving(mint({ names: null, commonName }))
  expect(await look(port)).toMatchObject({ verdict, cause_code })
})
