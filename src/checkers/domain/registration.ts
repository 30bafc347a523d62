/**
 * What a registry says of a name, whichever way it was asked.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'

export interface Registration {
  readonly registrar: string | null
  readonly created_at: EpochMs | null
  readonly updated_at: EpochMs | null
  /** `null` where the registry does not publish it. */
  readonly expires_at: EpochMs | null
  /** The registrar's own date, where it is told besides the registry's. */
  readonly registrar_expires_at: EpochMs | null
  /** In the spelling of EPP (`clientHold`) where it is one of its words, else as the registry has it. */
  readonly statuses: readonly string[]
  readonly nameservers: readonly string[]
  /** Whether the delegation is signed, where that is told. */
  readonly dnssec: boolean | null
}

export type Source = 'rdap' | 'whois'

/** Why a registry gave no usable answer. All of these are our own lack of knowledge, never a failure of the name. */
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
  /** Nobody has the name. */
  | { readonly state: 'free' }
  | { readonly state: 'unanswered'; readonly cause_code: Unanswered; readonly cause_text: string }

/** An answer with whom it came from. */
export type Sourced = Answer & { readonly source: Source; readonly server: string }

/** Bounds of what is kept of the lists that a registry sends. */
export const MAX_STATUSES = 24
export const MAX_NAMESERVERS = 24
const MAX_TEXT_CHARACTERS = 200

/** Text of a stranger on one line, without controls and of bounded length; `null` where nothing is left. */
export function cleanText(text: string): string | null {
  const clean = text
    .slice(0, 4 * MAX_TEXT_CHARACTERS)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  return clean === '' ? null : clean.slice(0, MAX_TEXT_CHARACTERS)
}
