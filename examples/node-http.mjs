/**
 * The REST API, the status page and the metrics on Node's own server, beside answers of your own.
 *
 *   npm run build && node examples/node-http.mjs
 */

import { createServer } from 'node:http'
import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { createMetrics } from 'watchpost/metrics'
import { createPage } from 'watchpost/page'
import { createRest } from 'watchpost/rest'
import { toNodeHandler } from 'watchpost/rest/node'
import { sqliteStore } from 'watchpost/store/sqlite'

const engine = createEngine({
  store: sqliteStore({ file: process.env['WATCHPOST_DATA'] ?? 'data/node-http.db' }),
  checkers: builtinCheckers(),
})
const metrics = createMetrics(engine)
await engine.start()
const rest = createRest(engine)
const page = createPage(engine, { basePath: '/status' })

// #region mount
const [api, status, prometheus] = [toNodeHandler(rest), toNodeHandler(page), toNodeHandler(metrics)]

const server = createServer((req, res) => {
  api(req, res, () => status(req, res, () => prometheus(req, res, () => own(res))))
})
// #endregion

/** @param {import('node:http').ServerResponse} res */
function own(res) {
  res.end('An app with monitoring inside: see /status/\n')
}

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
