/**
 * What of a certificate `X509Certificate` does not show, from its DER (RFC 5280, 4.1).
 *
 * @module
 */

import { DER_TAGS, elementsIn, firstOf, oidHex, smallNumber } from '../der.ts'
import type { DerElement } from '../der.ts'

/** As encoded, for comparison and hashes. */
export interface CertificateDer {
  /** The content of the INTEGER. */
  readonly serial: Buffer
  readonly issuer: Buffer
  readonly subject: Buffer
  /** The content of the BIT STRING, without its count of unused bits. */
  readonly publicKey: Buffer
  readonly extensions: readonly Extension[]
}

interface Extension {
  readonly oid: string
  readonly value: Buffer
}

const MAX_EXTENSIONS = 100
/** `[0]`, `[3]` in a TBSCertificate: the version, the extensions. */
const VERSION = 0xa0
const EXTENSIONS = 0xa3

/** `undefined` if it is none. */
export function derOf(certificate: Buffer): CertificateDer | undefined {
  const [body] = sequenceIn(firstOf(certificate), 3)
  const all = sequenceIn(body, 10)
  const [serial, , issuer, , subject, key, ...rest] = all[0]?.tag === VERSION ? all.slice(1) : all
  const publicKey = sequenceIn(key, 2)[1]
  if (serial === undefined || issuer === undefined || subject === undefined) return undefined
  if (publicKey?.tag !== DER_TAGS.bits) return undefined
  return {
    serial: serial.content,
    issuer: issuer.whole,
    subject: subject.whole,
    publicKey: publicKey.content.subarray(1),
    extensions: extensionsIn(rest.find(({ tag }) => tag === EXTENSIONS)),
  }
}

function extensionsIn(wrapped: DerElement | undefined): readonly Extension[] {
  const list = wrapped === undefined ? undefined : firstOf(wrapped.content)
  return sequenceIn(list, MAX_EXTENSIONS).flatMap((extension) => {
    const parts = sequenceIn(extension, 3)
    const [oid, value] = [parts[0], parts.at(-1)]
    if (oid?.tag !== DER_TAGS.oid || value?.tag !== DER_TAGS.octets) return []
    return [{ oid: oidHex(oid), value: value.content }]
  })
}

/** 1.3.6.1.5.5.7.1.24. */
const TLS_FEATURE = '2b06010505070118'
const TLS_FEATURE_BYTES = Buffer.from(TLS_FEATURE, 'hex')
/** The TLS extension `status_request` (RFC 6066, 8). */
const STATUS_REQUEST = 5

/** Must-staple (RFC 7633): its server has to send an OCSP response with it. `certificate`: DER. */
export function mustStaple(certificate: Buffer): boolean {
  // Hardly any has it, and looking for its name costs a tenth of reading them all.
  if (!certificate.includes(TLS_FEATURE_BYTES)) return false
  const { extensions = [] } = derOf(certificate) ?? {}
  const feature = extensions.find(({ oid }) => oid === TLS_FEATURE)
  if (feature === undefined) return false
  return sequenceIn(firstOf(feature.value), 20).some(
    (number) => number.tag === DER_TAGS.integer && smallNumber(number) === STATUS_REQUEST,
  )
}

/** Hash algorithms by OID. */
export const HASHES: Readonly<Record<string, string>> = {
  '2b0e03021a': 'sha1',
  '608648016503040201': 'sha256',
  '608648016503040202': 'sha384',
  '608648016503040203': 'sha512',
}

/** The elements of a SEQUENCE; none if it is not one. */
export function sequenceIn(element: DerElement | undefined, most: number): readonly DerElement[] {
  return element?.tag === DER_TAGS.sequence ? elementsIn(element.content, most) : []
}
