/**
 * Accounts: their quotas, their use, their API keys.
 *
 * @module
 */

import type { KeyScope } from './scopes.ts'
import type { MonitorDefaults } from './settings.ts'
import type { EpochMs } from './time.ts'

/** The first account of a store: created with the store, and the default where none is named. */
export const FIRST_ACCOUNT = 1

/** Whether a value can be the id of an account: a positive safe integer. */
export function isAccountId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

/** The usage of an account. */
export interface AccountUse {
  readonly monitors: number
  readonly contacts: number
  readonly checks_per_min: number
}

export interface AccountRecord {
  readonly id: number
  readonly name: string
  /** Its id in the host's system, unique in a store. */
  readonly external_id: string | null
  readonly quotas: AccountQuotas
  /** Settings of its new monitors where their input does not give them; before those of the engine's options. */
  readonly monitor_defaults: MonitorDefaults
  readonly created_at: EpochMs
}

export interface KeyRecord {
  readonly id: number
  readonly account_id: number
  readonly name: string
  /** The first characters, to identify a key. */
  readonly prefix: string
  /** SHA-256 of the key, hex. The key itself is shown once and never stored. */
  readonly hash: string
  readonly scopes: readonly KeyScope[]
  readonly created_at: EpochMs
  readonly last_used_at: EpochMs | null
  readonly revoked_at: EpochMs | null
}

/** The quotas of an account. Absent: those of the engine's options. `null`: unlimited. */
export interface AccountQuotas {
  readonly monitors?: number | null | undefined
  readonly contacts?: number | null | undefined
  /** The shortest interval of a monitor, in seconds. */
  readonly min_interval_sec?: number | null | undefined
  /** Of all monitors that are checked and not paused: locations × 60 / interval. */
  readonly checks_per_min?: number | null | undefined
  /** Maintenance windows of the account, besides those of single monitors; at most 1000. */
  readonly maintenance_windows?: number | null | undefined
  /** Public pages made at run time; default 20, at most 1000. */
  readonly public_pages?: number | null | undefined
  /** Status reports, resolved ones as well; default 500, at most 1000. */
  readonly status_reports?: number | null | undefined
}
