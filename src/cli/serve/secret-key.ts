/**
 * Verifies the secret key against the store. Without this check, monitors whose secrets cannot be
 * decrypted would not be monitored, while health reports no problem.
 *
 * @module
 */

import { createSeal } from '../../seal.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'

const NAME = 'secret_key_check'
const PLACE = `meta.${NAME}`

/** @throws ConfigurationError where the key is missing or another one */
export async function checkSecretKey(store: Store, key: string | undefined): Promise<void> {
  const seal = createSeal(key)
  const stored = await store.meta.get(NAME)
  if (stored === undefined) {
    if (key !== undefined) await store.meta.set(NAME, seal.encrypt('watchpost', PLACE))
    return
  }
  try {
    seal.decrypt(stored, PLACE)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigurationError(`WATCHPOST_SECRET_KEY: ${problem}`, { cause })
  }
}
