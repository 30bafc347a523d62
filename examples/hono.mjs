/**
 * The REST API, the status page and the metrics inside a Hono app, beside routes of your own.
 *
 *   npm run build && npm install hono @hono/node-server && node examples/hono.mjs
 */

import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { cloneRawRequest } from 'hono/request'
import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { createMetrics } from 'watchpost/metrics'
import { createPage } from 'watchpost/page'
import { createRest } from 'watchpost/rest'
import { sqliteStore } from 'watchpost/store/sqlite'

const engine = createEngine({
  store: sqliteStore({ file: process.env['WATCHPOST_DATA'] ?? 'data/hono.db' }),
  checkers: builtinCheckers(),
})
const metrics = createMetrics(engine)
await engine.start()
const rest = createRest(engine)
const page = createPage(engine, { basePath: '/status' })

// #region mount
const app = new Hono()
for (const door of [rest, page, metrics]) {
  app.use(async (c, next) => {
    if (!door.owns(new URL(c.req.url).pathname)) return next()
    // A middleware before this may have read the body.
    return door.fetch(c.req.raw.bodyUsed ? await cloneRawRequest(c.req) : c.req.raw)
  })
}
// #endregion
app.get('/', (c) => c.text('An app with monitoring inside: see /status/\n'))

const port = Number(process.env['PORT'] ?? 3000)
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) => {
  console.log(`Listening on http://127.0.0.1:${address.port}`)
})

if ((await engine.keys.list()).length === 0) {
  const { key } = await engine.keys.create({ name: 'first' })
  console.log(`API key: ${key}`)
}

process.once('SIGTERM', () => {
  server.close()
  void engine.stop()
})
