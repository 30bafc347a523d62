/**
 * The REST API, the status page and the metrics inside an Express app (4 or 5), beside routes of your own.
 *
 *   npm run build && npm install express && node examples/express.mjs
 */

import { createServer } from 'node:http'
import express from 'express'
import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { createMetrics } from 'watchpost/metrics'
import { createPage } from 'watchpost/page'
import { createRest } from 'watchpost/rest'
import { toNodeHandler } from 'watchpost/rest/node'
import { sqliteStore } from 'watchpost/store/sqlite'

const engine = createEngine({
  store: sqliteStore({ file: process.env['WATCHPOST_DATA'] ?? 'data/express.db' }),
  checkers: builtinCheckers(),
})
const metrics = createMetrics(engine)
await engine.start()
const rest = createRest(engine)
const page = createPage(engine, { basePath: '/status' })

// #region mount
const app = express()
for (const door of [rest, page, metrics]) app.use(toNodeHandler(door))
// #endregion
app.get('/', (_req, res) => res.end('An app with monitoring inside: see /status/\n'))

const server = createServer(app)
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address()
  console.log(`Listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})

if ((await engine.keys.list()).length === 0) {
  const { key } = await engine.keys.create({ name: 'first' })
  console.log(`API key: ${key}`)
}

process.once('SIGTERM', () => {
  server.close()
  void engine.stop()
})
