/**
 * One engine for the whole Next.js server: this module may be loaded more than once, by every bundle and
 * after every change while you develop, so the engine hangs on `globalThis`.
 */

import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { createMetrics } from 'watchpost/metrics'
import { createPage } from 'watchpost/page'
import { createRest } from 'watchpost/rest'
import { sqliteStore } from 'watchpost/store/sqlite'

const shared = /** @type {{ watchpost?: ReturnType<typeof start> }} */ (globalThis)

export function watchpost() {
  return (shared.watchpost ??= start())
}

async function start() {
  const engine = createEngine({
    store: sqliteStore({ file: process.env['WATCHPOST_DATA'] ?? 'data/next.db' }),
    checkers: builtinCheckers(),
    baseUrl: process.env['PUBLIC_URL'] ?? 'http://localhost:3000',
  })
  const metrics = createMetrics(engine)
  await engine.start()
  if ((await engine.keys.list()).length === 0) {
    const { key } = await engine.keys.create({ name: 'first' })
    console.log(`API key: ${key}`)
  }
  return {
    engine,
    rest: createRest(engine),
    page: createPage(engine, { basePath: '/status' }),
    metrics,
  }
}
