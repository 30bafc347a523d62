/**
 * The accounts of the store. One that is damaged must not keep the others from being watched.
 *
 * @module
 */

import { UnreadableError } from '../../errors.ts'
import type { AccountRecord } from '../../model.ts'
import type { Core } from './core.ts'
import { setAside } from './damaged-rows.ts'

/** Those that can be read; each of the others is logged. */
export function readableAccounts(core: Core): Promise<readonly AccountRecord[]> {
  return core.store.accounts.list(setAside(core, 'account'))
}

/** Creates the first account if it is missing. */
export async function ensureFirstAccount(core: Core): Promise<void> {
  const { store, clock } = core
  try {
    await store.accounts.ensureFirst({ name: 'default', created_at: clock.now() })
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    setAside(core, 'account')(error)
  }
}
