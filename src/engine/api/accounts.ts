/**
 * Accounts in the public API of the engine.
 *
 * @module
 */

import type { AccountQuotas, AccountUse, MonitorDefaults } from '../../model.ts'
import type { ActorOptions } from './filters.ts'

export interface AccountInput {
  /** 1 to 200 characters. */
  readonly name: string
  /** Its id in the host's system, 1 to 200 characters; unique among accounts. */
  readonly external_id?: string | null | undefined
  /** Quotas that replace the engine's `quotas`; `null` is unlimited. */
  readonly quotas?: AccountQuotas | undefined
  /**
   * Settings of its new monitors where their input does not give them; they go over `monitorDefaults` of the engine,
   * one by one. A change affects no existing monitor. A new account has no contacts that they could name.
   */
  readonly monitor_defaults?: MonitorDefaults | undefined
}

export interface AccountView {
  readonly id: number
  readonly name: string
  /** Its id in the host's system. */
  readonly external_id: string | null
  /** The quotas set for this account; absent ones are those of the engine's options. */
  readonly quotas: AccountQuotas
  /** The defaults of its new monitors, as set for this account; absent ones are those of the engine's options. */
  readonly monitor_defaults: MonitorDefaults
  readonly created_at: string
}

export interface AccountUseView {
  /** The effective quotas; `null` is unlimited. */
  readonly quotas: { readonly [Q in keyof AccountQuotas]-?: number | null }
  readonly use: AccountUse
  /** The defaults of its new monitors, with those of the engine's options; absent ones are those of the type. */
  readonly monitor_defaults: MonitorDefaults
}

export interface Accounts {
  /**
   * If an account with this `external_id` exists, returns it unchanged: may be called at every sign-in.
   *
   * @throws ValidationError
   */
  create(input: AccountInput, options?: ActorOptions): Promise<AccountView>
  /** Replaces `quotas` and `monitor_defaults` as a whole. @throws ValidationError @throws ConflictError `external_id_taken` */
  update(id: number, patch: Partial<AccountInput>, options?: ActorOptions): Promise<AccountView>
  /**
   * Removes the account with everything it owns: monitors and their history, incidents, contacts, keys, the
   * notification log, its audit log. The audit log of the first account says that it was removed. Waiting
   * notifications are not sent, running checks are dropped. The first account cannot be removed.
   *
   * @throws ConflictError `first_account`
   */
  remove(id: number, options?: ActorOptions): Promise<void>
  /** `undefined` if no account has this `external_id`. */
  find(wanted: { readonly external_id: string }): Promise<AccountView | undefined>
  /** The quotas and the usage of the account. @throws NotFoundError */
  use(id: number): Promise<AccountUseView>
  /** @throws NotFoundError */
  get(id: number): Promise<AccountView>
  list(): Promise<readonly AccountView[]>
  /**
   * For your own endpoints: whether the value is the id of an existing account. Any other value returns `false`,
   * `undefined` too. An account that another process removed counts as existing for up to 5 seconds.
   */
  exists(id: unknown): Promise<boolean>
}
