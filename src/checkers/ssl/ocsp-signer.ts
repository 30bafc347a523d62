/**
 * Whether an OCSP response was signed by who may sign it: the issuer of the certificate, or a responder whose
 * certificate the issuer itself has made for this purpose (RFC 6960, 4.2.2.2).
 *
 * @module
 */

import { constants, createHash, verify, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { EpochMs } from '../../model.ts'
import { DER_TAGS, firstOf, oidHex } from '../der.ts'
import type { DerElement } from '../der.ts'
import { derOf, HASHES, sequenceIn } from './certificate-der.ts'
import type { CertificateDer } from './certificate-der.ts'
import type { OcspResponse } from './ocsp-response.ts'

/** Certificates of the responder that are tried: each costs the verification of two signatures. */
const MAX_RESPONDERS = 3

/** id-ce-extKeyUsage, id-kp-OCSPSigning. */
const KEY_USAGE = '551d25'
const OCSP_SIGNING = '2b06010505070309'
const MAX_USAGES = 100

/** A certificate in both forms. */
interface Issuer {
  readonly x509: X509Certificate
  readonly der: CertificateDer
}

/** One who may sign for the issuer. */
export interface OcspSigner {
  /** When it may. */
  readonly from: EpochMs
  readonly to: EpochMs
  /** Whether the signature is one of its key. */
  readonly signed: boolean
}

/** Who may have signed the response, by its own words; `undefined` if the kind of signature proves nothing. */
export function signersOf(
  response: OcspResponse,
  issuer: Issuer,
): readonly OcspSigner[] | undefined {
  const scheme = schemeOf(response.algorithm)
  if (scheme === undefined) return undefined
  const signer = (x509: X509Certificate, from: EpochMs, to: EpochMs): OcspSigner[] => {
    const key = attempt(() => x509.publicKey)
    return key === undefined ? [] : [{ from, to, signed: isSigned(response, scheme, key) }]
  }
  // Whether the issuer itself has ended is a matter of the chain.
  if (isResponder(response, issuer.der)) return signer(issuer.x509, -Infinity, Infinity)
  return delegatesOf(response, issuer).flatMap((x509) =>
    signer(x509, Date.parse(x509.validFrom), Date.parse(x509.validTo)),
  )
}

function delegatesOf(response: OcspResponse, issuer: Issuer): readonly X509Certificate[] {
  return response.certificates
    .filter((certificate) => {
      const der = derOf(certificate)
      return isResponder(response, der) && signsResponses(der)
    })
    .slice(0, MAX_RESPONDERS)
    .map((certificate) => attempt(() => new X509Certificate(certificate)))
    .filter((x509) => x509 !== undefined)
    .filter((x509) => isDelegated(x509, issuer.x509))
}

function isResponder(
  { responder }: OcspResponse,
  der: CertificateDer | undefined,
): der is CertificateDer {
  if (der === undefined) return false
  if ('name' in responder) return responder.name.equals(der.subject)
  return responder.key.equals(createHash('sha1').update(der.publicKey).digest())
}

/** Not by `keyUsage`: Node 20 and 22 end the process where an identifier in it has more than 586 bytes. */
function signsResponses({ extensions }: CertificateDer): boolean {
  const usages = extensions.find(({ oid }) => oid === KEY_USAGE)
  const listed = sequenceIn(usages && firstOf(usages.value), MAX_USAGES)
  return listed.some((usage) => usage.tag === DER_TAGS.oid && oidHex(usage) === OCSP_SIGNING)
}

function isDelegated(x509: X509Certificate, issuer: X509Certificate): boolean {
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
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
