/**
 * `ssl`: the certificate of a server and its chain, their validity and expiry.
 *
 * @module watchpost/checkers/ssl
 */

import { daysList } from '../../fields/days.ts'
import type { Settings, Stored } from '../../fields/field.ts'
import { field } from '../../fields/vocabulary.ts'
import type { EpochMs, JsonObject } from '../../model.ts'
import { hostPort } from '../../net/connection/endpoint.ts'
import { defineChecker, down, unknown, up } from '../checker.ts'
import {
  clientCertificateFields,
  clientCertificateProblems,
  identityOf,
} from '../client-certificate.ts'
import { CONNECTION_MEASUREMENTS } from '../connection-details.ts'
import {
  chainDetails,
  chainSent,
  dateOf,
  daysLeft,
  isSelfIssued,
  leafDetails,
  pathOf,
} from './certificate.ts'
import type { CertificateFacts } from './certificate.ts'
import { compared, expiryNotices } from './notices.ts'
import { faultsOf, OCSP_STAPLING, SSL_CAUSES } from './judge.ts'
import type { Fault } from './judge.ts'
import { examine, nodeCode } from './examine.ts'
import type { Examination } from './examine.ts'
import { OCSP_PROOFS } from './ocsp-proof.ts'
import type { OcspProofs } from './ocsp-proof.ts'
import { STARTTLS_PORTS } from './starttls.ts'
import type { StartTls } from './starttls.ts'
import { staplingDetails, staplingOf } from './staple.ts'
import type { Stapling } from './staple.ts'

const STARTTLS = Object.keys(STARTTLS_PORTS) as readonly StartTls[]
const HTTPS_PORT = 443

const fields = {
  host: field.host({ description: 'Host name (sent as SNI) or IP address' }).required(),
  port: field
    .port({ description: 'TCP port; 443 with starttls is the usual port of that protocol' })
    .default(HTTPS_PORT),
  starttls: field.oneOf(STARTTLS, {
    description:
      'The connection begins in clear, in this protocol, and changes to TLS; where absent it is TLS from the first byte',
  }),
  days_warn: daysList({
    description:
      'Days before the end at which to warn, one or several. Default: 14, at most a third of the lifetime',
  }),
  check_chain: field
    .flag({ description: 'Fail where the chain does not lead to a trusted authority or has ended' })
    .default(true),
  check_hostname: field
    .flag({ description: 'Fail where the certificate is for another name' })
    .default(true),
  alert_on_change: field
    .flag({ description: 'Tell of a certificate that was not seen before' })
    .default(false),
  ocsp_stapling: field
    .oneOf(OCSP_STAPLING, {
      description:
        'The OCSP response that the server staples to its certificate: optional; expected: without one there is a weakness; required: fail without one that says the certificate is good. A revoked certificate always fails, and a must-staple one always requires it',
    })
    .default('optional'),
  ...clientCertificateFields,
}

export const ssl = () =>
  defineChecker({
    type: 'ssl',
    title: 'SSL certificate',
    description:
      'Examines the certificate of a server: dates, name, chain, key. Warns before it ends and, if wanted, when it changes.',
    fields,
    common: { interval_sec: { default: 3600 } },
    events: ['ssl_expiring', 'ssl_changed'],
    causes: SSL_CAUSES,
    figures: ['days_left', 'chain_days_left', 'names_total', 'weaknesses_total', 'ocsp_hours_left'],
    measurements: MEASUREMENTS,
    highlights: {
      not_after: { title: 'Certificate ends', format: 'end' },
      chain_not_after: { title: 'Chain ends', format: 'end' },
      not_before: { title: 'Valid since', format: 'time' },
      issuer: { title: 'Issuer' },
      protocol: { title: 'Protocol' },
    },
    charts: [{ title: 'Days left', unit: 'days', figures: { days_left: 'Certificate' } }],
    refine(settings) {
      const problems = clientCertificateProblems(settings)
      if (Object.keys(problems).length > 0) return { fields: problems }
      return { settings: { ...settings, port: usualPort(settings) } }
    },
    target: ({ host, port }) => hostPort(host, port),

    async run(ctx, settings) {
      const { host, port, starttls, days_warn } = settings
      const seen = await examine(ctx, { host, port, starttls, identity: identityOf(settings) })
      const now = ctx.clock.now()
      const chain = chainSent(seen.certificate)
      const path = pathOf(chain)
      const [leaf] = path
      if (leaf === undefined)
        throw new TypeError('A chain has at least the certificate it begins with')
      const { staple } = seen
      const unsent = staple === null || path.length > 1 ? undefined : seen.trustedIssuer()
      const stapling = staplingOf(
        { staple, leaf: leaf.x509, issuer: path[1]?.x509 ?? unsent },
        { now, proofs: ctx.shared(OCSP_PROOFS, (): OcspProofs => new Map()) },
      )
      const { ocsp_stapling } = settings
      const evidence = { server: { host, port }, leaf, path, stapling, now }
      const faults = faultsOf({ ...seen, ...evidence, ocsp_stapling })
      ctx.measure(detailsOf({ seen, chain, path, leaf, faults, stapling, now }))

      const change = settings.alert_on_change
        ? compared(ctx.memo, leaf, hostPort(host, port))
        : undefined
      const watched = settings.check_chain ? endingOf(path) : [leaf]
      const findings = {
        notices: [...expiryNotices(watched, days_warn, now), ...(change?.notices ?? [])],
        ...(change === undefined ? {} : { memo: change.memo }),
      }
      const fault = faults.find(({ of }) => counts(of, settings))
      if (fault === undefined) return up(findings)
      const judged = fault.code === 'too_long' ? unknown : down
      return judged(fault.code, fault.text, findings)
    },
  })

/** With `starttls`, port 443 means that none was set: HTTPS never begins in clear. */
function usualPort({ port, starttls }: Pick<Stored<typeof fields>, 'port' | 'starttls'>): number {
  return port === HTTPS_PORT && starttls !== undefined ? STARTTLS_PORTS[starttls] : port
}

function counts(of: Fault['of'], settings: Settings<typeof fields>): boolean {
  if (of === 'ocsp_stapling') return settings[of] === 'required'
  return of === null || settings[of]
}

/**
 * The certificates whose expiry matters: a root that is sent along does not, since clients have
 * their own copy.
 */
function endingOf(path: readonly CertificateFacts[]): readonly CertificateFacts[] {
  return path.filter((certificate, at) => at === 0 || !isSelfIssued(certificate))
}

interface Read {
  readonly seen: Examination
  readonly chain: readonly CertificateFacts[]
  readonly path: readonly CertificateFacts[]
  readonly leaf: CertificateFacts
  readonly faults: readonly Fault[]
  readonly stapling: Stapling
  readonly now: EpochMs
}

function detailsOf({ seen, chain, path, leaf, faults, stapling, now }: Read): JsonObject {
  const { refusal, tls, wantsClient } = seen
  const weaknesses = weaknessesOf(path, tls?.protocol ?? null, faults)
  const earliest = endingOf(path).reduce((one, other) =>
    other.not_after < one.not_after ? other : one,
  )
  return {
    ...leafDetails(leaf, now),
    chain: chainDetails(chain, now),
    chain_not_after: dateOf(earliest.not_after),
    chain_days_left: daysLeft(earliest.not_after, now),
    protocol: tls?.protocol ?? null,
    cipher: tls?.cipher ?? null,
    alpn: tls?.alpn ?? null,
    authorized: wantsClient ? null : refusal === null,
    authorization_error:
      refusal === null || wantsClient ? null : (nodeCode(refusal) ?? refusal.code),
    faults: faults.map(({ code }) => code),
    weaknesses,
    weaknesses_total: weaknesses.length,
    ...staplingDetails(stapling, now),
    ...(wantsClient ? { client_certificate: 'required' } : {}),
    ...seen.details,
  }
}

/** What still works and should not be relied on. RFC 8996 retires TLS 1.0 and 1.1. */
function weaknessesOf(
  path: readonly CertificateFacts[],
  protocol: string | null,
  faults: readonly Fault[],
): string[] {
  const ofStapling = faults.filter(({ code }) => Object.hasOwn(SSL_CAUSES, code))
  const [leaf, ...issuers] = path
  return [
    ...(leaf?.key?.weak === true ? ['weak_key'] : []),
    ...(issuers.some(({ key }) => key?.weak === true) ? ['weak_issuer_key'] : []),
    ...(protocol === 'TLSv1' || protocol === 'TLSv1.1' ? ['old_protocol'] : []),
    ...ofStapling.map(({ code }) => code),
  ]
}

const MEASUREMENTS = {
  subject: "Subject of the server's certificate",
  names: 'Names it is for (subject alternative names), at most 100',
  names_total: 'How many names it is for',
  issuer: 'Who issued it',
  serial: 'Serial number, hex',
  fingerprint256: 'SHA-256 of the certificate, hex with colons',
  not_before: 'Begin of its validity (ISO 8601 UTC)',
  not_after: 'End of its validity (ISO 8601 UTC)',
  days_left: 'Whole days until its end, negative after it',
  key: 'Its public key: type, bits, curve, and whether it is weak by the rules of today',
  ca_issuers: "Where its issuer's certificate can be fetched",
  chain:
    'Every certificate as it was sent, at most 10: subject, issuer, fingerprint256, not_after, days_left',
  chain_not_after:
    'Earliest end among the certificate and its issuers that were sent, roots left out',
  chain_days_left: 'Whole days until then',
  protocol: 'TLS version; null where no handshake came to its end, here and below',
  cipher: 'Cipher suite',
  alpn: 'Protocol the server chose of h2 and http/1.1',
  authorized:
    'Whether the strict handshake was content; null where the server broke it off for want of a client certificate',
  authorization_error: 'What it was refused for, in the words of Node.js',
  faults: 'Every cause found, those that the settings ignore included',
  weaknesses:
    'What is outdated: weak_key, weak_issuer_key (too short), old_protocol (TLS 1.0 or 1.1); and what is wrong with the OCSP response: ocsp_missing (if it is expected), ocsp_expired, ocsp_invalid; empty where nothing is',
  weaknesses_total: 'How many these are',
  must_staple: 'Whether the certificate requires an OCSP response with it',
  ocsp_stapled: 'Whether the server sent an OCSP response along',
  ocsp: 'What it says: status (good, revoked, unknown; null where it proves nothing), problem, this_update, next_update, revoked_at, reason; null where none was sent',
  ocsp_hours_left: 'Whole hours until it ends, negative after it; null where it proves nothing',
  client_certificate: 'required: the server speaks only to clients with a certificate of their own',
  attempts: CONNECTION_MEASUREMENTS.attempts,
  fallback: CONNECTION_MEASUREMENTS.fallback,
} as const
