/**
 * Detects a new certificate. Servers behind a load balancer may present several in turn, so the
 * memo keeps every certificate of the last rounds instead of only the last one.
 *
 * @module
 */

import type { Json, JsonObject, Notice } from '../../model.ts'
import { dateOf } from './certificate.ts'
import type { CertificateFacts } from './certificate.ts'

/** Rounds after which a certificate that was not seen again is dropped. */
const ROUNDS_REMEMBERED = 20

interface Known {
  readonly subject: string
  readonly issuer: string
  readonly not_after: string | null
  readonly fingerprint256: string
}

interface Seen {
  readonly certificate: Known
  /** Rounds since it was last seen. */
  readonly rounds_ago: number
}

export interface Compared {
  readonly memo: Json
  readonly notices: readonly Notice[]
}

/** `address`: a memo of another server is ignored. The first check only records. */
export function compared(
  memo: Json | undefined,
  leaf: CertificateFacts,
  address: string,
): Compared {
  const met = knownOf(leaf)
  const seen = seenIn(memo, address)
  const [latest] = seen
  const isKnown = seen.some((each) => isSame(each.certificate, met))
  return {
    memo: { address, seen: [{ certificate: { ...met }, rounds_ago: 0 }, ...aged(seen, met)] },
    notices: latest === undefined || isKnown ? [] : [changed(latest.certificate, met)],
  }
}

function changed(old: Known, met: Known): Notice {
  return {
    event: 'ssl_changed',
    key: `${old.fingerprint256}:${met.fingerprint256}`,
    data: { old: { ...old }, new: { ...met } },
  }
}

function aged(seen: readonly Seen[], met: Known): JsonObject[] {
  return seen
    .filter(({ certificate, rounds_ago }) => {
      return !isSame(certificate, met) && rounds_ago < ROUNDS_REMEMBERED
    })
    .map(({ certificate, rounds_ago }) => ({
      certificate: { ...certificate },
      rounds_ago: rounds_ago + 1,
    }))
}

/** Newest first, as written by this module. */
function seenIn(memo: Json | undefined, address: string): readonly Seen[] {
  const { address: of, seen } = (memo ?? {}) as Partial<{ address: string; seen: readonly Seen[] }>
  return of === address && Array.isArray(seen) ? (seen as readonly Seen[]) : []
}

function isSame(one: Known, other: Known): boolean {
  return one.fingerprint256 === other.fingerprint256
}

function knownOf({ subject, issuer, not_after, fingerprint256 }: CertificateFacts): Known {
  return { subject, issuer, not_after: dateOf(not_after), fingerprint256 }
}
