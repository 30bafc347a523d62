/**
 * The accounts of the store. One that is damaged must not keep the others from being watched.
 *
 * @module
 */

import { UnreadableError } from '../../errors.ts'
import type { AccountRecord } from '../../model.ts'
import { logError } from './core.ts'
import type { Core } from './core.ts'

/** Those that can be read; each of the others is logged. */
export function readableAccounts(core: Core): Promise<readonly AccountRecord[]> {
  return core.store.accounts.list((error) => setAside(core, error))
}

/** Creates the first account if it is missing. */
export async function ensureFirstAccount(core: Core): Promise<void> {
  const { store, clock } = core
  try {
    await store.accounts.ensureFirst({ name: 'default', created_at: clock.now() })
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    setAside(core, error)
  }
}

function setAside(core: Core, error: unknown): void {
  logError(core, error, 'an account cannot be read; what needs its quotas and defaults is refused')
}
