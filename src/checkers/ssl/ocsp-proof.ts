/**
 * What a stapled OCSP response proves of a certificate, whatever the time is. A server staples the same bytes for hours
 * or days, so what was found out is remembered: reading and verifying them costs more than the rest of the check.
 *
 * @module
 */

import { createHash, X509Certificate } from 'node:crypto'
import { derOf, HASHES } from './certificate-der.ts'
import type { CertificateDer } from './certificate-der.ts'
import { readOcsp } from './ocsp-response.ts'
import type { OcspAnswer, OcspRefusal } from './ocsp-response.ts'
import { signersOf } from './ocsp-signer.ts'
import type { OcspSigner } from './ocsp-signer.ts'

/** What is read of a certificate; those of a handshake have it in both of Node's forms. */
export interface ShownCertificate {
  /** DER. */
  readonly raw: Buffer
  /** Of all its bytes. */
  readonly fingerprint256: string
}

export interface StapledTo {
  readonly leaf: ShownCertificate
  /** `undefined`: its certificate is not known. */
  readonly issuer: ShownCertificate | undefined
}

export type OcspProof =
  | { readonly problem: 'refused'; readonly refusal: OcspRefusal }
  | { readonly problem: 'malformed' | 'no_issuer' | 'other_certificate' | 'weak_signature' }
  | {
      readonly problem: null
      readonly status: OcspStatus
      /** Those that may have signed; the first one whose time it is decides. */
      readonly signers: readonly OcspSigner[]
    }

/** What is said of the certificate. */
export type OcspStatus = Pick<OcspAnswer, 'status' | 'revoked' | 'this_update' | 'next_update'>

/** Of all accounts; an entry has half a kilobyte. */
export const PROOFS_KEPT = 1000

/**
 * By the bytes of the response and of both certificates, all that a proof depends on: accounts that see the same bytes
 * may share it.
 */
export type OcspProofs = Map<string, OcspProof>

/** In `ctx.shared`. */
export const OCSP_PROOFS = Symbol('OCSP proofs')

/** `bytes`: at most {@link OCSP_BYTES}. */
export function proofOf(bytes: Buffer, { leaf, issuer }: StapledTo, proofs: OcspProofs): OcspProof {
  if (issuer === undefined) return proofBy(bytes, leaf, undefined)
  const key = createHash('sha256')
    .update(`${leaf.fingerprint256} ${issuer.fingerprint256} `)
    .update(bytes)
    .digest('base64')
  const proof = proofs.get(key) ?? proofBy(bytes, leaf, issuer)
  // The least recently used one is first.
  proofs.delete(key)
  proofs.set(key, proof)
  if (proofs.size > PROOFS_KEPT)
    for (const oldest of proofs.keys()) if (proofs.delete(oldest)) break
  return proof
}

function proofBy(
  bytes: Buffer,
  leaf: ShownCertificate,
  issuer: ShownCertificate | undefined,
): OcspProof {
  const response = readOcsp(bytes)
  if (response === undefined) return { problem: 'malformed' }
  if ('refusal' in response) return { problem: 'refused', refusal: response.refusal }
  const [about, by] = [derOf(leaf.raw), issuer === undefined ? undefined : derOf(issuer.raw)]
  if (about === undefined || issuer === undefined || by === undefined) {
    return { problem: 'no_issuer' }
  }
  const answer = response.answers.find((one) => isAbout(one, about, by))
  if (answer === undefined) return { problem: 'other_certificate' }
  const signers = signersOf(response, { x509: new X509Certificate(issuer.raw), der: by })
  if (signers === undefined) return { problem: 'weak_signature' }
  // Without the buffers of the answer, which would keep all bytes of the response.
  const { status, revoked, this_update, next_update } = answer
  return { problem: null, status: { status, revoked, this_update, next_update }, signers }
}

function isAbout(answer: OcspAnswer, leaf: CertificateDer, issuer: CertificateDer): boolean {
  const name = HASHES[answer.hash]
  if (name === undefined || !answer.serial.equals(leaf.serial)) return false
  const hashOf = (bytes: Buffer): Buffer => createHash(name).update(bytes).digest()
  return (
    answer.issuerName.equals(hashOf(leaf.issuer)) &&
    answer.issuerKey.equals(hashOf(issuer.publicKey))
  )
}
