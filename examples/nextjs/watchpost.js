/**
 * One engine for the whole Next.js server: this module may be loaded more than once, by every bundle and
 * after every change while you develop, so the engine hangs on `globalThis`.
 */

import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { createRest } from 'watchpost/rest'
import { sqliteStore } from 'watchpost/store/sqlite'

/** @typedef {{ engine: import('watchpost').Engine, rest: import('watchpost/rest').Rest }} Watchpost */

const shared = /** @type {{ watchpost?: Promise<Watchpost> }} */ (globalThis)

/** @returns {Promise<Watchpost>} */
export function watchpost() {
  return (shared.watchpost ??= start())
}

/** @returns {Promise<Watchpost>} */
async function start() {
  const engine = createEngine({
    store: sqliteStore({ file: process.env['WATCHPOST_DATA'] ?? 'data/next.db' }),
    checkers: builtinCheckers(),
    baseUrl: process.env['PUBLIC_URL'] ?? 'http://localhost:3000',
  })
  await engine.start()
  return { engine, rest: createRest(engine) }
}
