/**
 * Extracts plain facts of a certificate. All of them come from the server: every text is shortened
 * and printable, and unreadable values are `null` instead of an error.
 *
 * @module
 */

import type { KeyObject, X509Certificate } from 'node:crypto'
import { isoOrNull } from '../../clock.ts'
import type { EpochMs, JsonObject } from '../../model.ts'
import { DAY_MS } from '../../model/time.ts'

const TEXT_SHOWN = 300
const NAMES_SHOWN = 100
/** Maximum certificates examined; real chains have two to four. */
const CHAIN_LIMIT = 10

/** CA/Browser Forum Baseline Requirements 6.1.5. */
const MIN_RSA_BITS = 2048
/** The smallest curve that NIST SP 800-57 part 1 still allows. */
const MIN_CURVE_BITS = 224

export interface KeyFacts {
  /** `rsa`, `ec`, `ed25519`, … */
  readonly type: string
  readonly bits: number | null
  readonly curve: string | null
  /** Shorter than current rules require. */
  readonly weak: boolean
}

export interface CertificateFacts {
  readonly x509: X509Certificate
  readonly subject: string
  readonly issuer: string
  readonly serial: string
  /** SHA-256 of the whole certificate, upper-case hex with colons. */
  readonly fingerprint256: string
  /** `NaN` if the date cannot be parsed. */
  readonly not_before: EpochMs
  readonly not_after: EpochMs
  readonly key: KeyFacts | null
}

/** The certificates in the order sent, the server's own first. */
export function chainSent(leaf: X509Certificate): readonly CertificateFacts[] {
  const chain: CertificateFacts[] = []
  for (
    let at: X509Certificate | undefined = leaf;
    at !== undefined && chain.length < CHAIN_LIMIT;
  ) {
    chain.push(certificateFacts(at))
    at = at.issuerCertificate
  }
  return chain
}

/**
 * The server's certificate followed by the issuers among those sent; unrelated certificates are
 * left out.
 */
export function pathOf(chain: readonly CertificateFacts[]): readonly CertificateFacts[] {
  const path = chain.slice(0, 1)
  for (let last = path[0]; last !== undefined && path.length < chain.length;) {
    const issuer = issuerAmong(chain, last)
    if (issuer === undefined || path.includes(issuer)) break
    path.push(issuer)
    last = issuer
  }
  return path
}

function issuerAmong(
  chain: readonly CertificateFacts[],
  { x509 }: CertificateFacts,
): CertificateFacts | undefined {
  return chain.find((candidate) => attempt(() => x509.checkIssued(candidate.x509)) === true)
}

export function isSelfIssued({ x509 }: CertificateFacts): boolean {
  return x509.subject === x509.issuer
}

function certificateFacts(x509: X509Certificate): CertificateFacts {
  return {
    x509,
    subject: printable(x509.subject),
    issuer: printable(x509.issuer),
    serial: printable(x509.serialNumber),
    fingerprint256: x509.fingerprint256,
    not_before: Date.parse(x509.validFrom),
    not_after: Date.parse(x509.validTo),
    key: attempt(() => keyFacts(x509.publicKey)),
  }
}

/** Not of DSA, which no browser takes: Node 20 ends the process where such a key is a negative number. */
function keyFacts(key: KeyObject): KeyFacts {
  const { asymmetricKeyType: type } = key
  const details = type === 'dsa' ? undefined : key.asymmetricKeyDetails
  const { modulusLength = null, namedCurve = null } = details ?? {}
  const curveBits = Number(/\d{3}/.exec(namedCurve ?? '')?.[0] ?? NaN)
  return {
    type: type ?? 'unknown',
    bits: modulusLength ?? (Number.isNaN(curveBits) ? null : curveBits),
    curve: namedCurve,
    weak:
      type === 'dsa' ||
      (modulusLength ?? MIN_RSA_BITS) < MIN_RSA_BITS ||
      curveBits < MIN_CURVE_BITS,
  }
}

/** The names of the certificate, e.g. `DNS:example.com`, `IP Address:192.0.2.1`. */
export function namesOf({ x509 }: CertificateFacts): readonly string[] {
  return (x509.subjectAltName ?? '')
    .split(', ')
    .filter((name) => name !== '')
    .map(printable)
}

/** The URL at which the issuer's certificate can be fetched (RFC 5280, 4.2.2.1). */
export function issuersUrl({ x509 }: CertificateFacts): string | null {
  const url = /^CA Issuers - URI:(\S+)$/m.exec(x509.infoAccess ?? '')?.[1]
  return url === undefined ? null : printable(url)
}

/** Whole days until the expiry, negative after it; `null` if the date cannot be parsed. */
export function daysLeft(not_after: EpochMs, now: EpochMs): number | null {
  return Number.isNaN(not_after) ? null : Math.floor((not_after - now) / DAY_MS)
}

/** Details of the server's own certificate. */
export function leafDetails(leaf: CertificateFacts, now: EpochMs): JsonObject {
  const names = namesOf(leaf)
  return {
    subject: leaf.subject,
    names: names.slice(0, NAMES_SHOWN),
    names_total: names.length,
    issuer: leaf.issuer,
    serial: leaf.serial,
    fingerprint256: leaf.fingerprint256,
    not_before: dateOf(leaf.not_before),
    not_after: dateOf(leaf.not_after),
    days_left: daysLeft(leaf.not_after, now),
    key: leaf.key === null ? null : { ...leaf.key },
    ca_issuers: issuersUrl(leaf),
  }
}

/** Details of each certificate that was sent. */
export function chainDetails(chain: readonly CertificateFacts[], now: EpochMs): JsonObject[] {
  return chain.map(({ subject, issuer, fingerprint256, not_after }) => ({
    subject,
    issuer,
    fingerprint256,
    not_after: dateOf(not_after),
    days_left: daysLeft(not_after, now),
  }))
}

export function dateOf(at: EpochMs): string | null {
  return isoOrNull(Number.isNaN(at) ? null : at)
}

/** Node has no text of an empty name, such as the subject of a certificate for alternative names alone. */
function printable(text: string | undefined): string {
  if (text === undefined) return ''
  const line = text.replaceAll('\n', ', ').replace(/\p{C}/gu, '?')
  return line.length > TEXT_SHOWN ? `${line.slice(0, TEXT_SHOWN)}…` : line
}

/** OpenSSL fails to read some certificates; the check continues without the value. */
function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
