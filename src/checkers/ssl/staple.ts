/**
 * Judges the OCSP response that a server staples to its certificate (RFC 6066, 8; RFC 6960, 3.2), without network access.
 *
 * @module
 */

import { createHash } from 'node:crypto'
import type { X509Certificate } from 'node:crypto'
import { iso } from '../../clock.ts'
import type { EpochMs, JsonObject } from '../../model.ts'
import { DAY_MS, HOUR_MS } from '../../model/time.ts'
import type { CertificateFacts } from './certificate.ts'
import { derOf, HASHES, mustStaple } from './certificate-der.ts'
import type { CertificateDer } from './certificate-der.ts'
import { OCSP_BYTES, readOcsp } from './ocsp-response.ts'
import type { OcspAnswer } from './ocsp-response.ts'
import { signerProblem } from './ocsp-signer.ts'
import type { SignerProblem } from './ocsp-signer.ts'

/** Why it does not say that the certificate is good now; its `status` may be known all the same. */
export type StapleProblem =
  | 'too_long'
  | 'malformed'
  | 'refused'
  | 'other_certificate'
  | 'no_issuer'
  | SignerProblem
  | 'unknown_status'
  | 'not_yet_valid'
  | 'expired'

/** The OCSP response that was sent. */
export interface Staple {
  /** `null`: it proves nothing. */
  readonly answer: OcspAnswer | null
  readonly problem: { readonly code: StapleProblem; readonly text: string } | null
}

export interface Stapling {
  /** The certificate requires a staple. */
  readonly must_staple: boolean
  /** `null`: none was sent. */
  readonly staple: Staple | null
}

interface Stapled {
  readonly staple: Buffer | null
  /** `undefined`: its certificate is not known. */
  readonly issuer: X509Certificate | undefined
}

export function staplingOf(
  { staple, issuer }: Stapled,
  { x509 }: CertificateFacts,
  now: EpochMs,
): Stapling {
  const leaf = derOf(x509.raw)
  return {
    must_staple: leaf !== undefined && mustStaple(leaf),
    staple: staple === null ? null : judged(staple, { leaf, issuer, now }),
  }
}

interface Terms extends Pick<Stapled, 'issuer'> {
  readonly leaf: CertificateDer | undefined
  readonly now: EpochMs
}

/** Responders may be ahead of this location's clock, and servers fetch at the last moment; as `openssl ocsp`. */
const CLOCK_SKEW_MS = 300_000

/** How long a response holds that names no end; as in Firefox. */
const ENDLESS_MS = DAY_MS

function judged(bytes: Buffer, { leaf, issuer, now }: Terms): Staple {
  if (bytes.length > OCSP_BYTES) {
    return worthless('too_long', `is longer than the ${OCSP_BYTES / 1024} KiB that are read`)
  }
  const response = readOcsp(bytes)
  if (response === undefined) return worthless('malformed', 'cannot be read')
  if ('refusal' in response) {
    return worthless('refused', `is an error of the responder: ${response.refusal}`)
  }
  const der = issuer === undefined ? undefined : derOf(issuer.raw)
  if (leaf === undefined || issuer === undefined || der === undefined) {
    return worthless('no_issuer', NO_ISSUER)
  }
  const known = { x509: issuer, der }
  const answer = response.answers.find((one) => isAbout(one, leaf, der))
  if (answer === undefined) return worthless('other_certificate', 'is about another certificate')
  const problem = signerProblem(response, known, now)
  if (problem !== undefined) return worthless(problem, SIGNER_TEXTS[problem])
  return { answer, problem: timely(answer, now) }
}

const NO_ISSUER = 'cannot be verified, since the certificate of the issuer is not sent'

const SIGNER_TEXTS: Readonly<Record<SignerProblem, string>> = {
  wrong_signer:
    'is signed neither by the issuer of the certificate nor by a responder of this issuer',
  weak_signature: 'is signed in a way that proves nothing today, such as over SHA-1',
  bad_signature: 'has a wrong signature',
}

function worthless(code: StapleProblem, text: string): Staple {
  return { answer: null, problem: { code, text } }
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

/** A revocation does not pass away with the response. */
function timely(answer: OcspAnswer, now: EpochMs): Staple['problem'] {
  if (answer.status === 'revoked') return null
  if (answer.status === 'unknown') {
    return { code: 'unknown_status', text: 'says that the responder does not know the certificate' }
  }
  const { this_update } = answer
  if (now < this_update - CLOCK_SKEW_MS) {
    const text = `begins at ${iso(this_update)}; the clock of this location says ${iso(now)}`
    return { code: 'not_yet_valid', text }
  }
  const end = endOf(answer)
  return now > end + CLOCK_SKEW_MS ? { code: 'expired', text: `ended at ${iso(end)}` } : null
}

function endOf({ this_update, next_update }: OcspAnswer): EpochMs {
  return next_update ?? this_update + ENDLESS_MS
}

export function staplingDetails({ must_staple, staple }: Stapling, now: EpochMs): JsonObject {
  const answer = staple?.answer ?? null
  return {
    must_staple,
    ocsp_stapled: staple !== null,
    ocsp: staple === null ? null : stapleDetails(staple),
    ocsp_hours_left: answer === null ? null : Math.floor((endOf(answer) - now) / HOUR_MS),
  }
}

function stapleDetails({ answer, problem }: Staple): JsonObject {
  const { status = null, this_update, next_update = null, revoked = null } = answer ?? {}
  return {
    status,
    problem: problem?.code ?? null,
    this_update: this_update === undefined ? null : iso(this_update),
    next_update: next_update === null ? null : iso(next_update),
    ...(revoked === null ? {} : { revoked_at: iso(revoked.at), reason: revoked.reason }),
  }
}
