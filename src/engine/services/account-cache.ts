/**
 * Which accounts there are. Every call of a group asks, so what was found is remembered for a moment; another
 * process may remove an account meanwhile, and what is written for one that is gone the store refuses itself.
 *
 * @module
 */

import { NotFoundError } from '../../errors.ts'
import { isAccountId } from '../../model.ts'
import type { Core } from '../core/core.ts'

/** The first account of a store: made when the store is new, meant where none is named. */
export const FIRST_ACCOUNT = 1

/** For so long an account that was found is taken to be there. */
const KNOWN_MS = 5_000
/** Those found longest ago are forgotten beyond it. */
const KNOWN_LIMIT = 10_000

export interface AccountCache {
  exists(account_id: unknown): Promise<boolean>
  /** @throws NotFoundError */
  demand(account_id: unknown): Promise<void>
  forget(account_id: number): void
}

export function createAccountCache({ clock, store }: Pick<Core, 'clock' | 'store'>): AccountCache {
  /** Until when, the one found longest ago first. */
  const known = new Map<number, number>()

  async function exists(account_id: unknown): Promise<boolean> {
    if (!isAccountId(account_id)) return false
    const now = clock.monotonic()
    if ((known.get(account_id) ?? now) > now) return true
    known.delete(account_id)
    if ((await store.accounts.get(account_id)) === undefined) return false
    known.set(account_id, now + KNOWN_MS)
    const [oldest] = known.keys()
    if (known.size > KNOWN_LIMIT && oldest !== undefined) known.delete(oldest)
    return true
  }

  return {
    exists,
    async demand(account_id) {
      if (!(await exists(account_id))) throw new NotFoundError('account')
    },
    forget: (account_id) => void known.delete(account_id),
  }
}
