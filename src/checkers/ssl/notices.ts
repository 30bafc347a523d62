/**
 * The notices about certificates: a warning before the end, once per certificate and threshold, and
 * a new certificate. Servers behind a load balancer may present several in turn, so the memo keeps
 * every certificate of the last rounds instead of only the last one.
 *
 * @module
 */

import type { EpochMs, Notice, Json, JsonObject } from '../../model.ts'
import { dateOf, daysLeft } from './certificate.ts'
import type { CertificateFacts } from './certificate.ts'
import { DAY_MS } from '../../model/time.ts'

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

interface Compared {
  readonly memo: Json
  readonly notices: readonly Notice[]
}

/** Default threshold in days. */
const DEFAULT_DAYS = 14

/**
 * Certificate lifetimes become shorter (200 days since March 2026, 47 from March 2029: CA/Browser
 * Forum ballot SC-081v3): the default threshold is at most the last third of the lifetime.
 */
const SHARE = 3

/**
 * A notice per certificate that is within a threshold; of several thresholds the smallest.
 * `days_warn` is used as set; `undefined` means the default, 14 days or a third of the lifetime.
 */
export function expiryNotices(
  certificates: readonly CertificateFacts[],
  days_warn: readonly number[] | undefined,
  now: EpochMs,
): readonly Notice[] {
  return certificates.flatMap((certificate) => {
    const threshold = thresholdPassed(certificate, days_warn, now)
    return threshold === undefined ? [] : [notice(certificate, threshold, now)]
  })
}

/** The smallest of the passed thresholds, in days. */
function thresholdPassed(
  { not_before, not_after }: CertificateFacts,
  days_warn: readonly number[] | undefined,
  now: EpochMs,
): number | undefined {
  const left_ms = not_after - now
  if (!(left_ms >= 0)) return undefined
  const thresholds = days_warn ?? [defaultDays((not_after - not_before) / DAY_MS)]
  const passed = thresholds
    // 0 is the last day.
    .filter((days) => left_ms <= (days === 0 ? 1 : days) * DAY_MS)
  return passed.length === 0 ? undefined : Math.min(...passed)
}

/**
 * In whole days; without rounding, certificates of less than three days would always be within the
 * threshold.
 */
function defaultDays(lifetime_days: number): number {
  const third = lifetime_days / SHARE
  return Math.min(DEFAULT_DAYS, third < 1 ? Math.round(third * 100) / 100 : Math.ceil(third))
}

function notice(certificate: CertificateFacts, threshold: number, now: EpochMs): Notice {
  const { subject, issuer, fingerprint256, not_after } = certificate
  return {
    event: 'ssl_expiring',
    key: `${fingerprint256}:${threshold}`,
    data: {
      certificate: {
        subject,
        issuer,
        not_after: dateOf(not_after),
        days_left: daysLeft(not_after, now),
        threshold,
        fingerprint256,
      },
    },
  }
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
  return of === address && Array.isArray(seen) ? seen.filter(isSeen) : []
}

/** A probe elsewhere may have written anything. */
function isSeen(value: unknown): value is Seen {
  const { certificate, rounds_ago } = (value ?? {}) as Partial<Seen>
  return typeof certificate?.fingerprint256 === 'string' && typeof rounds_ago === 'number'
}

function isSame(one: Known, other: Known): boolean {
  return one.fingerprint256 === other.fingerprint256
}

function knownOf({ subject, issuer, not_after, fingerprint256 }: CertificateFacts): Known {
  return { subject, issuer, not_after: dateOf(not_after), fingerprint256 }
}
