/**
 * The REST API inside a Fastify app, beside routes of your own.
 *
 *   npm run build && npm install fastify && node examples/fastify.mjs
 */

import { fastify } from 'fastify'
import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { createRest } from 'watchpost/rest'
import { toNodeHandler } from 'watchpost/rest/node'
import { memoryStore } from 'watchpost/store/memory'

// In memory, so that it can be tried as often as you like; sqliteStore({ file }) keeps everything.
const engine = createEngine({ store: memoryStore(), checkers: builtinCheckers() })
await engine.start()

const app = fastify()
app.get('/', () => 'An app with monitoring inside: see /api/v1/openapi.json\n')

const handler = toNodeHandler(createRest(engine))
for (const path of ['/api/v1/*', '/hb/*']) {
  app.all(path, (request, reply) => {
    reply.hijack()
    // Fastify has read the body already: it is handed on as what became of it.
    handler(Object.assign(request.raw, { body: request.body }), reply.raw)
  })
}
// Ends with the app, in whichever way that ends.
app.addHook('onClose', () => engine.stop())

const { key } = await engine.keys.create({ name: 'first' })
console.log(`API key: ${key}`)
const port = Number(process.env['PORT'] ?? 3000)
console.log(`Listening on ${await app.listen({ port, host: '127.0.0.1' })}`)

process.once('SIGTERM', () => void app.close())
