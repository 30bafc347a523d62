/**
 * The REST API, the status page and the metrics inside a Fastify app, beside routes of your own.
 *
 *   npm run build && npm install fastify && node examples/fastify.mjs
 */

import { fastify } from 'fastify'
import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { createMetrics } from 'watchpost/metrics'
import { createPage } from 'watchpost/page'
import { createRest } from 'watchpost/rest'
import { toNodeHandler } from 'watchpost/rest/node'
import { sqliteStore } from 'watchpost/store/sqlite'

const engine = createEngine({
  store: sqliteStore({ file: process.env['WATCHPOST_DATA'] ?? 'data/fastify.db' }),
  checkers: builtinCheckers(),
})
const metrics = createMetrics(engine)
await engine.start()
const rest = createRest(engine)
const page = createPage(engine, { basePath: '/status' })

// #region mount
const app = fastify()
app.register((scope, _options, done) => {
  // Within this scope bodies are left to the API, whatever their type; your own routes keep Fastify's parsers.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, unread) => unread(null))
  const mounts = [
    { handler: toNodeHandler(rest), paths: ['/api/v1/*', '/hb/*'] },
    { handler: toNodeHandler(page), paths: ['/status', '/status/*'] },
    { handler: toNodeHandler(metrics), paths: ['/metrics'] },
  ]
  for (const { handler, paths } of mounts) {
    for (const path of paths) {
      scope.all(path, (request, reply) => {
        reply.hijack()
        handler(request.raw, reply.raw)
      })
    }
  }
  done()
})
// #endregion
app.get('/', () => 'An app with monitoring inside: see /status/\n')

// Ends with the app, in whichever way that ends.
app.addHook('onClose', () => engine.stop())

const port = Number(process.env['PORT'] ?? 3000)
console.log(`Listening on ${await app.listen({ port, host: '127.0.0.1' })}`)

if ((await engine.keys.list()).length === 0) {
  const { key } = await engine.keys.create({ name: 'first' })
  console.log(`API key: ${key}`)
}

process.once('SIGTERM', () => void app.close())
