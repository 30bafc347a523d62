/**
 * The REST API and the status page inside a Hono app, beside routes of your own.
 *
 *   npm run build && npm install hono && node examples/hono.mjs
 *
 * Everything is a function from `Request` to `Response`, so it is mounted as it is. `toNodeHandler` of
 * watchpost serves the app here; with @hono/node-server it is `serve(app)`.
 */

import { createServer } from 'node:http'
import { Hono } from 'hono'
import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { createPage } from 'watchpost/page'
import { createRest } from 'watchpost/rest'
import { toNodeHandler } from 'watchpost/rest/node'
import { memoryStore } from 'watchpost/store/memory'

// In memory, so that it can be tried as often as you like; sqliteStore({ file }) keeps everything.
const engine = createEngine({ store: memoryStore(), checkers: builtinCheckers() })
await engine.start()
const rest = createRest(engine)
const page = createPage(engine, { basePath: '/status' })

const app = new Hono()
app.get('/', (c) => c.text('An app with monitoring inside: see /status\n'))
app.all('/api/v1/*', (c) => rest.fetch(c.req.raw))
app.all('/hb/*', (c) => rest.fetch(c.req.raw))
app.all('/status/*', (c) => page.fetch(c.req.raw))

const server = createServer(
  toNodeHandler({ fetch: async (request) => app.fetch(request), owns: () => true }),
)
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address()
  console.log(`Listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})

const { key } = await engine.keys.create({ name: 'first' })
console.log(`API key: ${key}`)

process.once('SIGTERM', () => {
  server.close()
  void engine.stop()
})
