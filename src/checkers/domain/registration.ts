/**
 * The registration data of a name, from RDAP or WHOIS.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'

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
export const MAX_STATUSES = 24
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
