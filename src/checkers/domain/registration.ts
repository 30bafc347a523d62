/**
 * The registration data of a name, from RDAP or WHOIS: its statuses in the spelling of EPP (RFC 5731,
 * RFC 3915), and its standing at a time.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import { DAY_MS } from '../../model/time.ts'

export interface Registration {
  readonly registrar: string | null
  readonly created_at: EpochMs | null
  readonly updated_at: EpochMs | null
  /** `null` if the registry does not publish it. */
  readonly expires_at: EpochMs | null
  /** The registrar's own date, if reported in addition to the registry's. */
  readonly registrar_expires_at: EpochMs | null
  /** As EPP status (`clientHold`) if it is one, else as the registry reports it. */
  readonly statuses: readonly string[]
  readonly nameservers: readonly string[]
  /** Whether the delegation is signed, `null` if unknown. */
  readonly dnssec: boolean | null
}

export type Source = 'rdap' | 'whois'

/** Why a registry gave no usable answer. The name does not fail for any of these. */
export type Unanswered =
  | 'probe_rdap_unreachable'
  | 'probe_rdap_unparsed'
  | 'probe_rate_limited'
  | 'probe_whois_unreachable'
  | 'probe_whois_empty'
  | 'probe_whois_unparsed'
  | 'probe_registry_unknown'
  | 'probe_expiry_unpublished'
  | 'probe_overloaded'

export type Answer =
  | { readonly state: 'registered'; readonly registration: Registration }
  /** The name is not registered. */
  | { readonly state: 'free' }
  | { readonly state: 'unanswered'; readonly cause_code: Unanswered; readonly cause_text: string }

/** An answer with its source. */
export type Sourced = Answer & { readonly source: Source; readonly server: string }

/** Limits of the lists that a registry sends. */
const MAX_STATUSES = 24
export const MAX_NAMESERVERS = 24
const MAX_TEXT_CHARACTERS = 200

/**
 * External text on one line, without control characters and of bounded length; `null` if nothing is
 * left.
 */
export function cleanText(text: string): string | null {
  const clean = text
    .slice(0, 4 * MAX_TEXT_CHARACTERS)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  return clean === '' ? null : clean.slice(0, MAX_TEXT_CHARACTERS)
}

/** RFC 5731, 2.3, and the grace periods of RFC 3915, 3.1. */
const EPP = [
  'ok',
  'inactive',
  'linked',
  'clientDeleteProhibited',
  'clientHold',
  'clientRenewProhibited',
  'clientTransferProhibited',
  'clientUpdateProhibited',
  'serverDeleteProhibited',
  'serverHold',
  'serverRenewProhibited',
  'serverTransferProhibited',
  'serverUpdateProhibited',
  'pendingCreate',
  'pendingDelete',
  'pendingRenew',
  'pendingRestore',
  'pendingTransfer',
  'pendingUpdate',
  'addPeriod',
  'autoRenewPeriod',
  'redemptionPeriod',
  'renewPeriod',
  'transferPeriod',
] as const

/** RDAP terms (RFC 8056, 2) and registry-specific terms for the same statuses. */
const OTHERS: Readonly<Record<string, string>> = {
  active: 'ok',
  associated: 'linked',
  connect: 'ok',
  published: 'ok',
  quarantine: 'redemptionPeriod',
  inquarantine: 'redemptionPeriod',
  redemption: 'redemptionPeriod',
  onhold: 'serverHold',
  dnshold: 'serverHold',
  notdelegated: 'inactive',
}

const KNOWN: ReadonlyMap<string, string> = new Map([
  ...EPP.map((word) => [word.toLowerCase(), word] as const),
  ...Object.entries(OTHERS),
])

/** `client hold`, `clientHold https://icann.org/epp#clientHold` and `CLIENT-HOLD` are all `clientHold`. */
function readStatus(text: string): string | null {
  const bare = text.replace(/\(?https?:\/\/.*$/i, '')
  const clean = cleanText(bare)
  if (clean === null) return null
  return KNOWN.get(clean.toLowerCase().replace(/[^a-z]/g, '')) ?? clean.slice(0, 64)
}

/** Each once, in the order of the answer, at most {@link MAX_STATUSES}. */
export function readStatuses(texts: readonly string[]): readonly string[] {
  const all = texts.slice(0, 4 * MAX_STATUSES).map(readStatus)
  return [...new Set(all.filter((status) => status !== null))].slice(0, MAX_STATUSES)
}

type Standing =
  'good' | 'domain_redemption' | 'domain_pending_delete' | 'domain_expired' | 'domain_hold'

/**
 * The most severe first. During redemption EPP has `pendingDelete` as well (RFC 3915, 3.1), so
 * `pendingDelete` alone means that a restore is no longer possible. Registrars often put expired
 * names on hold.
 */
export function standingOf({ statuses, expires_at }: Registration, now: EpochMs): Standing {
  const has = (...words: readonly string[]): boolean =>
    words.some((word) => statuses.includes(word))
  if (has('redemptionPeriod', 'pendingRestore')) return 'domain_redemption'
  if (has('pendingDelete')) return 'domain_pending_delete'
  if (expires_at !== null && expires_at <= now) return 'domain_expired'
  if (has('clientHold', 'serverHold')) return 'domain_hold'
  return 'good'
}

/** Whole days, rounded down: 0 on the last day, negative afterwards. */
export function daysLeft(expires_at: EpochMs, now: EpochMs): number {
  return Math.floor((expires_at - now) / DAY_MS)
}

/** The threshold passed last: the smallest one that is not below the days left. */
export function thresholdPassed(
  days_left: number,
  days_warn: readonly number[],
): number | undefined {
  const passed = days_warn.filter((days) => days_left <= days)
  return passed.length === 0 ? undefined : Math.min(...passed)
}
