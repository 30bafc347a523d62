/**
 * OCSP responses of `openssl ocsp` for certificates of `mint`.
 *
 * @module
 */

import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { certificates } from '../../support/certificates.ts'
import type { TestCertificate } from '../../support/certificates.ts'
import { sharedIntermediate } from './mint.ts'
import type { Issuer } from './mint.ts'

export interface OcspWanted {
  /** Default: the shared intermediate. */
  readonly issuer?: Issuer
  /** Default: the issuer itself. */
  readonly signer?: Pick<TestCertificate, 'certPath' | 'keyPath'>
  /** Default `good`. */
  readonly status?: 'good' | 'unknown' | `revoked ${string}`
  /** Further arguments for the request, e.g. `-sha256`. */
  readonly request?: readonly string[]
  /** Further arguments for the response, e.g. `-resp_key_id`. */
  readonly response?: readonly string[]
}

/** Holds for seven days from now. */
export function ocspResponse(leaf: TestCertificate, wanted: OcspWanted = {}): Buffer {
  const { issuer = sharedIntermediate(), status = 'good' } = wanted
  const { signer = issuer } = wanted
  const dir = mkdtempSync(join(certificates().dir, 'ocsp-'))
  const ocsp = (...args: readonly string[]): void =>
    void execFileSync('openssl', ['ocsp', ...args], {
      cwd: dir,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  writeFileSync(join(dir, 'index'), indexOf(leaf, status))
  ocsp(
    ...(wanted.request ?? []),
    ...['-issuer', issuer.certPath, '-cert', leaf.certPath, '-no_nonce', '-reqout', 'request'],
  )
  ocsp(
    ...['-index', 'index', '-CA', issuer.certPath, '-reqin', 'request', '-respout', 'response'],
    ...['-rsigner', signer.certPath, '-rkey', signer.keyPath, '-ndays', '7'],
    ...(wanted.response ?? []),
  )
  return readFileSync(join(dir, 'response'))
}

/** As `openssl ca` keeps it; a serial that is not in it is unknown. */
function indexOf({ cert }: TestCertificate, status: string): string {
  const serial = status === 'unknown' ? '01' : new X509Certificate(cert).serialNumber
  const [, why] = /^revoked (.*)/.exec(status) ?? []
  const [letter, revoked] = why === undefined ? ['V', ''] : ['R', `260102030405Z,${why}`]
  return `${letter}\t401231235959Z\t${revoked}\t${serial}\tunknown\t/CN=localhost\n`
}
