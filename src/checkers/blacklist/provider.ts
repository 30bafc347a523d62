/**
 * Whoever else knows about bad sites: registered by the host for `gsb` and `rkn`.
 *
 * @module
 */

import type { CheckContext } from '../checker.ts'
import type { Subject } from './target.ts'

export type ProviderContext = Pick<CheckContext, 'net' | 'clock' | 'signal' | 'remaining' | 'log'>

/** `unknown`: the provider cannot say now; its code is one of the causes of `blacklist`. */
export type ProviderFinding =
  | { readonly state: 'clean' }
  | {
      readonly state: 'listed'
      /** What it is listed for, in words of the provider. */
      readonly categories: readonly string[]
      /** The entry that matched, or other words for a person; no secrets. */
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
   * Judges one target. May hold state of its own; must hear `ctx.signal`. What it throws becomes
   * `probe_provider_failed`.
   */
  lookUp(ctx: ProviderContext, subject: Subject): Promise<ProviderFinding>
}
