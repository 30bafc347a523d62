/**
 * Whether an OCSP response was signed by who may sign it: the issuer of the certificate, or a responder whose
 * certificate the issuer itself has made for this purpose (RFC 6960, 4.2.2.2).
 *
 * @module
 */

import { constants, createHash, verify, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { EpochMs } from '../../model.ts'
import { firstOf, oidHex } from '../der.ts'
import type { DerElement } from '../der.ts'
import { derOf, HASHES, sequenceIn } from './certificate-der.ts'
import type { CertificateDer } from './certificate-der.ts'
import type { OcspResponse } from './ocsp-response.ts'

/** Certificates of the responder that are tried: each costs the verification of a signature. */
const MOST_RESPONDERS = 3

/** id-kp-OCSPSigning. */
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9'

/** A certificate in both forms. */
interface Issuer {
  readonly x509: X509Certificate
  readonly der: CertificateDer
}

export type SignerProblem = 'wrong_signer' | 'weak_signature' | 'bad_signature'

/** Why the response proves nothing; `undefined` if it does. */
export function signerProblem(
  response: OcspResponse,
  issuer: Issuer,
  now: EpochMs,
): SignerProblem | undefined {
  const scheme = schemeOf(response.algorithm)
  if (scheme === undefined) return 'weak_signature'
  const key = attempt(() => signerOf(response, issuer, now)?.publicKey)
  if (key === undefined) return 'wrong_signer'
  return isSigned(response, scheme, key) ? undefined : 'bad_signature'
}

function signerOf(
  response: OcspResponse,
  issuer: Issuer,
  now: EpochMs,
): X509Certificate | undefined {
  if (isResponder(response, issuer.der)) return issuer.x509
  return response.certificates
    .filter((certificate) => isResponder(response, derOf(certificate)))
    .slice(0, MOST_RESPONDERS)
    .map((certificate) => attempt(() => new X509Certificate(certificate)))
    .find((x509) => x509 !== undefined && isDelegated(x509, issuer.x509, now))
}

function isResponder({ responder }: OcspResponse, der: CertificateDer | undefined): boolean {
  if (der === undefined) return false
  if ('name' in responder) return responder.name.equals(der.subject)
  return responder.key.equals(createHash('sha1').update(der.publicKey).digest())
}

function isDelegated(x509: X509Certificate, issuer: X509Certificate, now: EpochMs): boolean {
  if (now < Date.parse(x509.validFrom) || now > Date.parse(x509.validTo)) return false
  // Without the extension Node has `undefined`, which its types omit.
  const usages = x509.keyUsage as string[] | undefined
  if (usages?.includes(OCSP_SIGNING) !== true) return false
  return attempt(() => x509.checkIssued(issuer) && x509.verify(issuer.publicKey)) === true
}

interface Scheme {
  /** `null`: the key decides. */
  readonly hash: string | null
  readonly keys: readonly string[]
  readonly pss?: true
}

const RSA = ['rsa']
const EC = ['ec']

/** By OID. Signatures over SHA-1 prove nothing any more (CA/Browser Forum Baseline Requirements, 7.1.3.2.1). */
const SCHEMES: Readonly<Record<string, Scheme>> = {
  '2a864886f70d01010b': { hash: 'sha256', keys: RSA },
  '2a864886f70d01010c': { hash: 'sha384', keys: RSA },
  '2a864886f70d01010d': { hash: 'sha512', keys: RSA },
  '2a8648ce3d040302': { hash: 'sha256', keys: EC },
  '2a8648ce3d040303': { hash: 'sha384', keys: EC },
  '2a8648ce3d040304': { hash: 'sha512', keys: EC },
  '2b6570': { hash: null, keys: ['ed25519'] },
  '2b6571': { hash: null, keys: ['ed448'] },
}

/** RSASSA-PSS, whose parameters name the hash (RFC 4055, 3.1). */
const PSS = '2a864886f70d01010a'

function schemeOf(algorithm: DerElement): Scheme | undefined {
  const [oid, parameters] = sequenceIn(algorithm, 2)
  const name = oid === undefined ? '' : oidHex(oid)
  if (name !== PSS) return SCHEMES[name]
  const [first] = sequenceIn(parameters, 4)
  const [hashOid] = first?.tag === 0xa0 ? sequenceIn(firstOf(first.content), 2) : []
  const hash = hashOid === undefined ? undefined : HASHES[oidHex(hashOid)]
  if (hash === undefined || hash === 'sha1') return undefined
  return { hash, keys: ['rsa', 'rsa-pss'], pss: true }
}

function isSigned({ signed, signature }: OcspResponse, scheme: Scheme, key: KeyObject): boolean {
  const { hash, keys, pss } = scheme
  if (!keys.includes(key.asymmetricKeyType ?? '')) return false
  const padding = pss === true ? PSS_PADDING : {}
  return attempt(() => verify(hash, signed, { key, ...padding }, signature)) === true
}

const PSS_PADDING = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_AUTO,
}

/** OpenSSL refuses some keys and certificates by an error. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
