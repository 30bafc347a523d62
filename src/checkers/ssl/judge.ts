/**
 * Evaluates the observed certificates, without network access. The strict handshake reports one
 * fault at a time and does not know the ignore settings, so dates and name are checked separately.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import type { EpochMs } from '../../model.ts'
import { hostPort, toAddress } from '../../net/connection/endpoint.ts'
import type { SharedCause } from '../causes.ts'
import { daysLeft, issuersUrl, namesOf } from './certificate.ts'
import type { CertificateFacts } from './certificate.ts'
import { nodeCode } from './examine.ts'
import type { Examination, Server } from './examine.ts'
import type { StapleProblem, Stapling } from './staple.ts'

export const SSL_CAUSES = {
  /**
   * The certificate requires a stapled OCSP response (must-staple), or `ocsp_stapling` does. Switch stapling on, and let
   * the server reach the responder of its issuer: nginx needs a `resolver`, and staples nothing right after its start.
   */
  ocsp_missing: { text: 'The server staples no OCSP response to its certificate', phase: 'tls' },
  /** As `ocsp_missing`: the server has not been able to renew it. */
  ocsp_expired: { text: 'The stapled OCSP response has ended', phase: 'tls' },
  /**
   * Often the response of an earlier certificate: reload the server, and empty its cache of responses. `details.ocsp`
   * says what is wrong with it.
   */
  ocsp_invalid: {
    text: 'The stapled OCSP response does not show that the certificate is good',
    phase: 'tls',
  },
} as const

export type SslCause = keyof typeof SSL_CAUSES | SharedCause

export const OCSP_STAPLING = ['optional', 'expected', 'required'] as const

export interface Fault {
  readonly code: SslCause
  readonly text: string
  /** The setting that decides whether it counts; `null`: it does. */
  readonly of: 'check_chain' | 'check_hostname' | 'ocsp_stapling' | null
}

export interface Evidence extends Pick<Examination, 'refusal' | 'wantsClient'> {
  readonly server: Server
  readonly leaf: CertificateFacts
  readonly stapling: Stapling
  readonly ocsp_stapling: (typeof OCSP_STAPLING)[number]
  /** The leaf first, then the issuers that were sent. */
  readonly path: readonly CertificateFacts[]
  readonly now: EpochMs
}

/** Chain faults, as the strict handshake reports them. */
const OF_CHAIN: ReadonlySet<string> = new Set<SharedCause>([
  'tls_expired',
  'tls_not_yet_valid',
  'tls_self_signed',
  'tls_chain_incomplete',
  'tls_untrusted',
  'tls_revoked',
])

const NAMES_SHOWN = 5

/** All faults, the most severe first; each code once. */
export function faultsOf(evidence: Evidence): readonly Fault[] {
  const all = [dates, handshake, chain, name, revocation].flatMap((rule) => rule(evidence) ?? [])
  return all.filter(({ code }, at) => all.findIndex((fault) => fault.code === code) === at)
}

function dates({ server, leaf, now }: Evidence): Fault | undefined {
  const whose = `The certificate of ${nameOf(server)}`
  return ended(whose, leaf, now) ?? notBegun(whose, leaf, now)
}

function ended(whose: string, { not_after }: CertificateFacts, now: EpochMs) {
  // Valid up to and including the second of its end (RFC 5280, 4.1.2.5).
  if (!(now >= not_after + 1000)) return undefined
  const days = -(daysLeft(not_after, now) ?? 0) - 1
  const ago = days < 1 ? 'today' : `${days} ${days === 1 ? 'day' : 'days'} ago`
  const text = `${whose} ended at ${iso(not_after)}, ${ago}`
  return { code: 'tls_expired', text, of: null } as const
}

function notBegun(whose: string, { not_before }: CertificateFacts, now: EpochMs) {
  if (!(now < not_before)) return undefined
  // A slow clock at this location has the same symptom; with both times a person can distinguish
  // them.
  const text = `${whose} begins at ${iso(not_before)}; the clock of this location says ${iso(now)}`
  return { code: 'tls_not_yet_valid', text, of: null } as const
}

/** Refused for another reason than the certificate: versions, ciphers, a broken handshake. */
function handshake({ refusal, wantsClient }: Evidence): Fault | undefined {
  if (refusal === null || wantsClient) return undefined
  if (OF_CHAIN.has(refusal.code) || refusal.code === 'tls_name_mismatch') return undefined
  return { code: refusal.code as SharedCause, text: refusal.message, of: null }
}

function chain(evidence: Evidence): Fault | undefined {
  const { refusal } = evidence
  if (refusal === null || !OF_CHAIN.has(refusal.code)) return undefined
  const code = refusal.code as SharedCause
  const text = ofIssuer(evidence, code) ?? `${refusal.message}${more(evidence)}`
  return { code, text, of: 'check_chain' }
}

/** The issuer that is expired or not yet valid, if that is the fault. */
function ofIssuer({ server, path, now }: Evidence, code: SharedCause): string | undefined {
  for (const issuer of path.slice(1)) {
    const whose = `An issuer in the chain of ${nameOf(server)}, ${issuer.subject},`
    const fault = ended(whose, issuer, now) ?? notBegun(whose, issuer, now)
    if (fault?.code === code) return fault.text
  }
  return undefined
}

/** Facts that help to find the reason. */
function more({ refusal, path }: Evidence): string {
  const last = path.at(-1)
  const weak = path.find(({ key }) => key?.weak === true)
  if (refusal?.code === 'tls_chain_incomplete' && last !== undefined) {
    const url = issuersUrl(last)
    const where = url === null ? '' : `, to be had from ${url}`
    return `: that of ${last.issuer} is missing${where}`
  }
  if (weak !== undefined && refusal !== null && nodeCode(refusal) === 'UNSPECIFIED') {
    const { type, bits } = weak.key ?? { type: 'unknown', bits: null }
    return `: the key of ${weak.subject} is too weak (${type}, ${bits ?? '?'} bits)`
  }
  return refusal?.code === 'tls_untrusted' && last !== undefined ? ` (${last.issuer})` : ''
}

/**
 * RFC 9525: only the subject alternative names count, and a wildcard stands for one whole label.
 * Node falls back to the common name, browsers do not.
 */
function name({ server, leaf, refusal }: Evidence): Fault | undefined {
  const fault = (text: string): Fault => ({
    code: 'tls_name_mismatch',
    text,
    of: 'check_hostname',
  })
  if (!isNamed(leaf, server.host)) {
    const names = namesOf(leaf)
    const shown = names.slice(0, NAMES_SHOWN).join(', ')
    const rest = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : ''
    const what = names.length === 0 ? 'has no subject alternative name' : `is for ${shown}${rest}`
    return fault(`The certificate of ${nameOf(server)} ${what}`)
  }
  return refusal?.code === 'tls_name_mismatch' ? fault(refusal.message) : undefined
}

/** Revoked is revoked, and a must-staple certificate is refused without a response (RFC 7633, 4.3.3). */
function revocation({ server, stapling, ocsp_stapling }: Evidence): Fault | undefined {
  const { must_staple, staple } = stapling
  const of = must_staple ? null : 'ocsp_stapling'
  if (staple === null) {
    if (of !== null && ocsp_stapling === 'optional') return undefined
    const why = must_staple ? ', which requires one (must-staple)' : ''
    const text = `${nameOf(server)} staples no OCSP response to its certificate${why}`
    return { code: 'ocsp_missing', text, of }
  }
  const { answer, problem } = staple
  if (answer?.revoked != null) {
    const { at, reason } = answer.revoked
    const why = reason === null ? '' : ` (${reason})`
    const text = `The certificate of ${nameOf(server)} was revoked at ${iso(at)}${why}, says the OCSP response stapled to it`
    return { code: 'tls_revoked', text, of: null }
  }
  if (problem === null) return undefined
  const text = `The OCSP response that ${nameOf(server)} staples ${problem.text}`
  return { code: CODES[problem.code] ?? 'ocsp_invalid', text, of }
}

const CODES: Partial<Record<StapleProblem, SslCause>> = {
  too_long: 'too_long',
  expired: 'ocsp_expired',
}

function isNamed({ x509 }: CertificateFacts, host: string): boolean {
  if (x509.subjectAltName === undefined) return false
  if (toAddress(host) !== undefined) return x509.checkIP(host) !== undefined
  return x509.checkHost(host, { subject: 'never', partialWildcards: false }) !== undefined
}

function nameOf({ host, port }: Server): string {
  return hostPort(host, port)
}
