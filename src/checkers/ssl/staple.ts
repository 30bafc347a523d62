/**
 * Judges the OCSP response that a server staples to its certificate (RFC 6066, 8; RFC 6960, 3.2), without network access.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import type { EpochMs, JsonObject } from '../../model.ts'
import { DAY_MS, HOUR_MS } from '../../model/time.ts'
import { mustStaple } from './certificate-der.ts'
import { proofOf } from './ocsp-proof.ts'
import type { OcspProof, OcspProofs, OcspStatus, StapledTo } from './ocsp-proof.ts'
import { OCSP_BYTES } from './ocsp-response.ts'

/** Why it does not say that the certificate is good now; its `status` may be known all the same. */
export type StapleProblem =
  | 'too_long'
  | NonNullable<OcspProof['problem']>
  | 'wrong_signer'
  | 'bad_signature'
  | 'unknown_status'
  | 'not_yet_valid'
  | 'expired'

/** The OCSP response that was sent. */
export interface Staple {
  /** `null`: it proves nothing. */
  readonly answer: OcspStatus | null
  readonly problem: { readonly code: StapleProblem; readonly text: string } | null
}

export interface Stapling {
  /** The certificate requires a staple. */
  readonly must_staple: boolean
  /** `null`: none was sent. */
  readonly staple: Staple | null
}

interface Stapled extends StapledTo {
  readonly staple: Buffer | null
}

interface Terms {
  readonly now: EpochMs
  readonly proofs: OcspProofs
}

export function staplingOf({ staple, ...to }: Stapled, { now, proofs }: Terms): Stapling {
  return {
    must_staple: mustStaple(to.leaf.raw),
    staple: staple === null ? null : judged(staple, to, { now, proofs }),
  }
}

/** Responders may be ahead of this location's clock, and servers fetch at the last moment; as `openssl ocsp`. */
const CLOCK_SKEW_MS = 300_000

/** How long a response holds that names no end; as in Firefox. */
const ENDLESS_MS = DAY_MS

function judged(bytes: Buffer, to: StapledTo, { now, proofs }: Terms): Staple {
  if (bytes.length > OCSP_BYTES) return worthless('too_long', TEXTS.too_long)
  const proof = proofOf(bytes, to, proofs)
  if (proof.problem === 'refused') return worthless('refused', `${TEXTS.refused}${proof.refusal}`)
  if (proof.problem !== null) return worthless(proof.problem, TEXTS[proof.problem])
  const { status, signers } = proof
  const signer = signers.find(({ from, to: end }) => now >= from && now <= end)
  if (signer === undefined) return worthless('wrong_signer', TEXTS.wrong_signer)
  if (!signer.signed) return worthless('bad_signature', TEXTS.bad_signature)
  return { answer: status, problem: timely(status, now) }
}

const TEXTS = {
  too_long: `is longer than the ${OCSP_BYTES / 1024} KiB that are read`,
  malformed: 'cannot be read',
  refused: 'is an error of the responder: ',
  no_issuer: 'cannot be verified, since the certificate of the issuer is not sent',
  other_certificate: 'is about another certificate',
  wrong_signer:
    'is signed neither by the issuer of the certificate nor by a responder of this issuer',
  weak_signature: 'is signed in a way that proves nothing today, such as over SHA-1',
  bad_signature: 'has a wrong signature',
} as const

function worthless(code: StapleProblem, text: string): Staple {
  return { answer: null, problem: { code, text } }
}

/** A revocation does not pass away with the response. */
function timely(answer: OcspStatus, now: EpochMs): Staple['problem'] {
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

function endOf({ this_update, next_update }: OcspStatus): EpochMs {
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
