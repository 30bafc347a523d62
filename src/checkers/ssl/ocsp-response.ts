/**
 * Reads an OCSP response (RFC 6960, 4.2.1) without judging it. The bytes come from the server: reading them is linear
 * in their number and never fails by an error.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import { readIsoTime } from '../../model/time.ts'
import { DER_TAGS, elementsIn, firstOf, oidHex, smallNumber } from '../der.ts'
import type { DerElement } from '../der.ts'
import { sequenceIn } from './certificate-der.ts'

/** Responses of authorities have 0.5 to 3 KiB. */
export const OCSP_BYTES = 32_768

/** What a SEQUENCE of 32 KiB can hold. */
const MAX_ELEMENTS = OCSP_BYTES / 2

export interface OcspResponse {
  /** Signed: ResponseData. */
  readonly signed: Buffer
  /** AlgorithmIdentifier. */
  readonly algorithm: DerElement
  readonly signature: Buffer
  readonly responder: OcspResponder
  /** Certificates sent along, DER. */
  readonly certificates: readonly Buffer[]
  readonly answers: readonly OcspAnswer[]
}

/** Who says to have signed: a Name, or the SHA-1 of a public key. */
export type OcspResponder = { readonly name: Buffer } | { readonly key: Buffer }

/** The status of one certificate. */
export interface OcspAnswer {
  /** OID as hex. */
  readonly hash: string
  readonly issuerName: Buffer
  readonly issuerKey: Buffer
  readonly serial: Buffer
  readonly status: 'good' | 'revoked' | 'unknown'
  readonly revoked: Revocation | null
  readonly this_update: EpochMs
  /** `null`: newer information is available at any time. */
  readonly next_update: EpochMs | null
}

export interface Revocation {
  readonly at: EpochMs
  readonly reason: string | null
}

/** OCSPResponseStatus without `successful`. */
export type OcspRefusal = (typeof REFUSALS)[keyof typeof REFUSALS]

const REFUSALS = {
  1: 'malformed_request',
  2: 'internal_error',
  3: 'try_later',
  5: 'signature_required',
  6: 'unauthorized',
} as const

/** Reason codes of RFC 5280, 5.3.1. */
const REASONS: Readonly<Record<number, string>> = {
  0: 'unspecified',
  1: 'key_compromise',
  2: 'ca_compromise',
  3: 'affiliation_changed',
  4: 'superseded',
  5: 'cessation_of_operation',
  6: 'certificate_hold',
  8: 'remove_from_crl',
  9: 'privilege_withdrawn',
  10: 'aa_compromise',
}

/** 1.3.6.1.5.5.7.48.1.1, id-pkix-ocsp-basic. */
const BASIC = '2b0601050507300101'

const [FIRST, SECOND] = [0xa0, 0xa1]
const GOOD = 0x80
const REVOKED = 0xa1
const STATUS_UNKNOWN = 0x82

/** `undefined`: not an OCSP response. `bytes`: at most {@link OCSP_BYTES}. */
export function readOcsp(
  bytes: Buffer,
): OcspResponse | { readonly refusal: OcspRefusal } | undefined {
  const whole = firstOf(bytes)
  if (whole?.whole.length !== bytes.length) return undefined
  const [status, wrapped] = sequenceIn(whole, 2)
  if (status?.tag !== DER_TAGS.enumerated) return undefined
  const code = smallNumber(status)
  if (code !== 0) {
    const refusal = (REFUSALS as Readonly<Record<number, OcspRefusal>>)[code ?? -1]
    return refusal === undefined ? undefined : { refusal }
  }
  const [type, content] = sequenceIn(inside(wrapped, FIRST), 2)
  if (type?.tag !== DER_TAGS.oid || oidHex(type) !== BASIC) return undefined
  return content?.tag === DER_TAGS.octets ? basicResponse(content.content) : undefined
}

function basicResponse(bytes: Buffer): OcspResponse | undefined {
  const [data, algorithm, signature, sent] = sequenceIn(firstOf(bytes), 4)
  if (data === undefined || algorithm?.tag !== DER_TAGS.sequence) return undefined
  if (signature?.tag !== DER_TAGS.bits || signature.content[0] !== 0) return undefined
  const [first, ...others] = sequenceIn(data, 5)
  const [id, , list] = first?.tag === FIRST ? others : [first, ...others]
  const responder = responderOf(id)
  const answers = sequenceIn(list, MAX_ELEMENTS).map(answerOf)
  if (responder === undefined || answers.length === 0) return undefined
  if (!answers.every((answer) => answer !== undefined)) return undefined
  return {
    signed: data.whole,
    algorithm,
    signature: signature.content.subarray(1),
    responder,
    certificates: sequenceIn(inside(sent, FIRST), MAX_ELEMENTS).map((element) => element.whole),
    answers,
  }
}

function responderOf(id: DerElement | undefined): OcspResponder | undefined {
  const named = inside(id, SECOND)
  if (named !== undefined) return { name: named.whole }
  const key = inside(id, 0xa2)
  return key?.tag === DER_TAGS.octets ? { key: key.content } : undefined
}

function answerOf(element: DerElement): OcspAnswer | undefined {
  const [id, status, since, ...rest] = sequenceIn(element, 5)
  const [algorithm, issuerName, issuerKey, serial] = sequenceIn(id, 4)
  const [hash] = sequenceIn(algorithm, 2)
  const this_update = timeOf(since)
  const next = rest[0]?.tag === FIRST ? timeOf(inside(rest[0], FIRST)) : null
  const said = statusOf(status)
  if (hash?.tag !== DER_TAGS.oid || said === undefined) return undefined
  if (issuerName?.tag !== DER_TAGS.octets || issuerKey?.tag !== DER_TAGS.octets) return undefined
  if (serial?.tag !== DER_TAGS.integer || this_update === undefined) return undefined
  if (next === undefined) return undefined
  return {
    hash: oidHex(hash),
    issuerName: issuerName.content,
    issuerKey: issuerKey.content,
    serial: serial.content,
    ...said,
    this_update,
    next_update: next,
  }
}

function statusOf(
  status: DerElement | undefined,
): Pick<OcspAnswer, 'status' | 'revoked'> | undefined {
  if (status?.tag === GOOD) return { status: 'good', revoked: null }
  if (status?.tag === STATUS_UNKNOWN) return { status: 'unknown', revoked: null }
  if (status?.tag !== REVOKED) return undefined
  const [since, why] = elementsIn(status.content, 2)
  const at = timeOf(since)
  if (at === undefined) return undefined
  const reason = inside(why, FIRST)
  const code = reason === undefined ? undefined : smallNumber(reason)
  return { status: 'revoked', revoked: { at, reason: REASONS[code ?? -1] ?? null } }
}

/** The element in an explicitly tagged one. */
function inside(element: DerElement | undefined, tag: number): DerElement | undefined {
  return element?.tag === tag ? firstOf(element.content) : undefined
}

const GENERALIZED = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/

/** GeneralizedTime in the form of RFC 5280, 4.1.2.5.2. */
function timeOf(element: DerElement | undefined): EpochMs | undefined {
  if (element?.tag !== DER_TAGS.generalizedTime || element.content.length > 15) return undefined
  const text = element.content.toString('latin1')
  return readIsoTime(text.replace(GENERALIZED, '$1-$2-$3T$4:$5:$6Z'))
}
