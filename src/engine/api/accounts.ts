/**
 * Accounts as users of the engine see them.
 *
 * @module
 */

import type { AccountQuotas } from '../../model.ts'
import type { AccountUseView, AccountView } from './views.ts'

export interface AccountInput {
  /** 1 to 200 characters. */
  readonly name: string
  /** Its id in your own books, 1 to 200 characters; at most one account has it. */
  readonly external_id?: string | null | undefined
  /** What it may have at most, instead of the engine's `quotas`; `null` is without limit. */
  readonly quotas?: AccountQuotas | undefined
}

export interface Accounts {
  /**
   * Where there is one with this `external_id` already, it is the answer, as it is: may be called at every
   * sign-in. @throws ValidationError
   */
  create(input: AccountInput): Promise<AccountView>
  /** `quotas` are replaced as a whole. @throws ConflictError `external_id_taken` */
  update(id: number, patch: Partial<AccountInput>): Promise<AccountView>
  /**
   * Removes it with all that is its own: monitors and their history, incidents, contacts, keys, the log of
   * notifications. What waits to be sent is not sent, checks that run are dropped. The first account stays.
   *
   * @throws ConflictError `first_account`
   */
  remove(id: number): Promise<void>
  /** `undefined` where no account has this `external_id`. */
  find(wanted: { readonly external_id: string }): Promise<AccountView | undefined>
  /** What it may have, and what it has. @throws NotFoundError */
  use(id: number): Promise<AccountUseView>
  /** @throws NotFoundError */
  get(id: number): Promise<AccountView>
  list(): Promise<readonly AccountView[]>
  /**
   * For doors of your own: whether this value is the id of an account. Anything else than such an id is `false`,
   * `undefined` too. An account that another process removed is known for 5 seconds more.
   */
  exists(id: unknown): Promise<boolean>
}
