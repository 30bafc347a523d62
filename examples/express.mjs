/**
 * The REST API inside an Express app, beside routes of your own.
 *
 *   npm run build && npm install express && node examples/express.mjs
 */

import { createServer } from 'node:http'
import express from 'express'
import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { createRest } from 'watchpost/rest'
import { toNodeHandler } from 'watchpost/rest/node'
import { sqliteStore } from 'watchpost/store/sqlite'

const engine = createEngine({
  store: sqliteStore({ file: process.env['WATCHPOST_DATA'] ?? 'data/express.db' }),
  checkers: builtinCheckers(),
})
await engine.start()

const app = express()
app.get('/', (_req, res) => res.end('An app with monitoring inside: see /api/v1/openapi.json\n'))
// Takes /api/v1 and /hb, leaves all other paths to you. With accounts of your own, give createRest your
// `authenticate`; without it, keys of the engine are asked for.
app.use(toNodeHandler(createRest(engine)))

const server = createServer(app).listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : address
  console.log(`Listening on http://127.0.0.1:${port}`)
})

if ((await engine.keys.list()).length === 0) {
  const { key } = await engine.keys.create({ name: 'first' })
  console.log(`API key: ${key}`)
}

process.once('SIGTERM', () => {
  server.close()
  void engine.stop()
})
