/**
 * Other sources of listings, registered by the host for `gsb` and `rkn`.
 *
 * @module
 */

import type { CheckContext } from '../checker.ts'
import type { Subject } from './target.ts'

export type ProviderContext = Pick<CheckContext, 'net' | 'clock' | 'signal' | 'remaining' | 'log'>

/** `unknown`: the provider has no answer now; its code is one of the causes of `blacklist`. */
export type ProviderFinding =
  | { readonly state: 'clean' }
  | {
      readonly state: 'listed'
      /** Why it is listed, in the provider's terms. */
      readonly categories: readonly string[]
      /** The matching entry, or another explanation for people; no secrets. */
      readonly reason: string | null
    }
  | {
      readonly state: 'unknown'
      readonly cause_code: ProviderCause
      readonly cause_text: string
    }

export type ProviderCause =
  | 'probe_provider_failed'
  | 'probe_provider_unconfigured'
  | 'probe_rate_limited'
  | 'probe_feed_stale'

export interface BlacklistProvider {
  /**
   * Looks up one target. May keep state; must respect `ctx.signal`. An error that it throws becomes
   * `probe_provider_failed`.
   */
  lookUp(ctx: ProviderContext, subject: Subject): Promise<ProviderFinding>
}
