/**
 * Which accounts exist. Every call of a service asks, so the result is cached briefly; another process may remove an
 * account meanwhile, and the store itself rejects writes for a removed one.
 *
 * @module
 */

import { NotFoundError, UnreadableError } from '../../errors.ts'
import { isAccountId } from '../../model.ts'
import type { AccountRecord } from '../../model.ts'
import type { Core } from '../core/core.ts'

/** How long an account that was found counts as existing. */
const KNOWN_MS = 5_000
/** Maximum number of cached accounts; the oldest are dropped. */
const KNOWN_LIMIT = 10_000

export interface AccountCache {
  exists(account_id: unknown): Promise<boolean>
  /** @throws NotFoundError */
  require(account_id: unknown): Promise<void>
  forget(account_id: number): void
}

export function createAccountCache({ clock, store }: Pick<Core, 'clock' | 'store'>): AccountCache {
  /** Expiry by account, the oldest first. */
  const known = new Map<number, number>()

  async function exists(account_id: unknown): Promise<boolean> {
    if (!isAccountId(account_id)) return false
    const now = clock.monotonic()
    if ((known.get(account_id) ?? now) > now) return true
    known.delete(account_id)
    if ((await storedAccount(store, account_id)) === undefined) return false
    known.set(account_id, now + KNOWN_MS)
    const [oldest] = known.keys()
    if (known.size > KNOWN_LIMIT && oldest !== undefined) known.delete(oldest)
    return true
  }

  return {
    exists,
    async require(account_id) {
      if (!(await exists(account_id))) throw new NotFoundError('account')
    },
    forget: (account_id) => void known.delete(account_id),
  }
}

/** An account with damaged quotas or defaults exists: only what needs them is refused. */
export async function storedAccount(
  { accounts }: Core['store'],
  id: number,
): Promise<AccountRecord | 'unreadable' | undefined> {
  try {
    return await accounts.get(id)
  } catch (error) {
    if (error instanceof UnreadableError) return 'unreadable'
    throw error
  }
}
