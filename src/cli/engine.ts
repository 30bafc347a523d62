/**
 * The engine of a command that works on the store of a server: with the same checkers, contact kinds and secrets.
 *
 * @module
 */

import { builtinCheckers } from '../checkers/index.ts'
import { builtinContacts } from '../contacts/index.ts'
import type { Engine } from '../engine/api/engine.ts'
import { createEngine } from '../engine/engine.ts'
import type { EngineOptions } from '../engine/options.ts'
import { ConfigurationError } from '../errors.ts'
import { createSeal } from '../seal.ts'
import type { Store } from '../store/store.ts'
import type { SettingValues } from './environment.ts'
import { checkerOptions, CHECKER_SETTINGS } from './providers.ts'

/** What such a command has to know of the server. */
export const ENGINE_SETTINGS = [
  'data',
  'database_url',
  'secret_key',
  'locations',
  ...CHECKER_SETTINGS,
] as const

/** Behind a contact that is refused for its address. */
export const ALLOW_HINT = ' (WATCHPOST_WEBHOOK_ALLOW opens a range)'

/** Open, and not started. @throws ConfigurationError for another secret key than that of the store */
export async function openedEngine(
  store: Store,
  settings: SettingValues<(typeof ENGINE_SETTINGS)[number]>,
  options: Pick<EngineOptions, 'targets' | 'monitorDefaults' | 'contacts'> = {},
): Promise<Engine> {
  const { locations, secret_key } = settings
  const engine: Engine = createEngine({
    store,
    checkers: builtinCheckers(await checkerOptions(settings)),
    contacts: builtinContacts(),
    locations,
    ...(secret_key === undefined ? {} : { secretKey: secret_key }),
    ...options,
  })
  try {
    await engine.open()
    await checkSecretKey(store, secret_key)
  } catch (error) {
    await engine.stop()
    throw error
  }
  return engine
}

const NAME = 'secret_key_check'
const PLACE = `meta.${NAME}`

/**
 * Monitors whose secrets cannot be decrypted would not be checked, while health reports no problem.
 *
 * @throws ConfigurationError where the key is missing or another one
 */
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
