/** What a check of `ssl` remembers of stapled OCSP responses. */

import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { ssl } from '../../../src/checkers/ssl/index.ts'
import { OCSP_PROOFS, PROOFS_KEPT, proofOf } from '../../../src/checkers/ssl/ocsp-proof.ts'
import type { OcspProofs } from '../../../src/checkers/ssl/ocsp-proof.ts'
import { systemClock } from '../../../src/clock.ts'
import { createSharedState } from '../../../src/engine/checks/shared-state.ts'
import { check } from '../../support/check.ts'
import type { TestCertificate } from '../../support/certificates.ts'
import { mint, mintIssuer, sharedIntermediate } from './mint.ts'
import { ocspResponse } from './ocsp.ts'
import { handshaker } from './server.ts'

const DAY_MS = 86_400_000

/** The checks of one engine. */
function engine() {
  const shared = createSharedState()
  const proofs = shared.of(OCSP_PROOFS, (): OcspProofs => new Map())
  async function look(port: number, { days = 0, account_id = 1 } = {}) {
    const clock = { ...systemClock, now: () => Date.now() + days * DAY_MS }
    const hosts = { localhost: ['127.0.0.1'] }
    const input = { host: 'localhost', port, ocsp_stapling: 'required' } as const
    const outcome = await check(ssl(), input, { clock, hosts, shared, account_id })
    const { verdict, cause_code, details } = outcome
    return { verdict, cause_code, ocsp: details['ocsp'] }
  }
  return { look, proofs }
}

/** A server whose certificate and response can be changed. */
async function stapling(certificate: TestCertificate, staple: Buffer) {
  let bytes = staple
  const server = await handshaker(certificate)
  server.staple(() => bytes)
  const change = (next: TestCertificate, response: Buffer): void => {
    server.show(next)
    bytes = response
  }
  return { port: server.port, change }
}

const leaf = mint({ begin: new Date(Date.now() - 3 * DAY_MS) })
/** Ends with the signature. */
const good = ocspResponse(leaf, { response: ['-resp_no_certs'] })

it('is verified once, for all checks that see the same bytes', async () => {
  const { look, proofs } = engine()
  const one = await stapling(leaf, good)
  const other = await stapling(leaf, good)
  const first = await look(one.port)
  expect(first).toMatchObject({ verdict: 'ok', ocsp: { status: 'good' } })
  const [proof] = proofs.values()
  expect(await look(one.port)).toEqual(first)
  expect(await look(other.port, { account_id: 2 })).toEqual(first)
  expect(proofs.size).toBe(1)
  // Not an equal one that was made anew.
  expect([...proofs.values()][0]).toBe(proof)
})

it('is judged by the time of each check', async () => {
  const { look, proofs } = engine()
  const brief = { usage: 'OCSPSigning', names: null, commonName: 'brief' } as const
  const signer = mint({ ...brief, end: new Date(Date.now() + 2 * DAY_MS) })
  const server = await stapling(leaf, ocspResponse(leaf, { signer }))
  const problemAt = async (days: number) => {
    const { ocsp, verdict } = await look(server.port, { days })
    return [verdict, (ocsp as { problem: string | null }).problem]
  }
  expect(await problemAt(0)).toEqual(['ok', null])
  expect(await problemAt(-0.5)).toEqual(['fail', 'wrong_signer'])
  expect(await problemAt(3)).toEqual(['fail', 'wrong_signer'])
  expect(await problemAt(1)).toEqual(['ok', null])
  server.change(leaf, good)
  expect(await problemAt(1)).toEqual(['ok', null])
  expect(await problemAt(8)).toEqual(['fail', 'expired'])
  expect(await problemAt(-1)).toEqual(['fail', 'not_yet_valid'])
  expect(proofs.size).toBe(2)
})

it('says nothing of other bytes, of another certificate, or of another issuer', async () => {
  const { look } = engine()
  const server = await stapling(leaf, good)
  const seen = async (next: TestCertificate, response: Buffer) => {
    server.change(next, response)
    const { cause_code, ocsp } = await look(server.port)
    return [cause_code, (ocsp as { problem: string | null }).problem]
  }
  const forged = Buffer.from(good)
  forged.writeUInt8(good.readUInt8(good.length - 1) ^ 1, good.length - 1)
  const revoked = ocspResponse(leaf, { status: 'revoked keyCompromise' })
  expect(await seen(leaf, good)).toEqual([null, null])
  expect(await seen(mint(), good)).toEqual(['ocsp_invalid', 'other_certificate'])
  expect(await seen(leaf, forged)).toEqual(['ocsp_invalid', 'bad_signature'])
  expect(await seen(leaf, revoked)).toEqual(['tls_revoked', null])
  expect(await seen(leaf, good)).toEqual([null, null])

  const proofs: OcspProofs = new Map()
  const under = (issuer: string | undefined) =>
    proofOf(
      good,
      {
        leaf: new X509Certificate(leaf.cert),
        issuer: issuer === undefined ? undefined : new X509Certificate(issuer),
      },
      proofs,
    ).problem
  const { chain: issuer } = sharedIntermediate()
  expect(under(issuer)).toBeNull()
  expect(under(mintIssuer({ commonName: 'another' }).chain)).toBe('other_certificate')
  expect(under(undefined)).toBe('no_issuer')
  expect(under(issuer)).toBeNull()
})

it('is remembered for a bounded number, the latest ones', () => {
  const proofs: OcspProofs = new Map()
  const of = {
    leaf: new X509Certificate(leaf.cert),
    issuer: new X509Certificate(sharedIntermediate().chain),
  }
  const first = proofOf(good, of, proofs)
  for (let number = 0; number < PROOFS_KEPT + 10; number += 1) {
    proofOf(Buffer.from(`response ${number}`), of, proofs)
    expect(proofOf(good, of, proofs)).toBe(first)
  }
  expect(proofs.size).toBe(PROOFS_KEPT)
})
