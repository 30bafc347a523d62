/**
 * Receives webhooks with Fastify.
 *
 *   npm run build && WEBHOOK_SECRET=… node examples/webhook-receiver-fastify.mjs
 */

import { fastify } from 'fastify'
import { createReplayGuard, verifyWebhook } from 'watchpost/verify'

const app = fastify({ bodyLimit: 1024 * 1024 })
const replays = createReplayGuard()

await app.register((scope, _options, ready) => {
  // Inside this scope bodies stay bytes, which are what is signed; your other routes keep their parsers.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  scope.post('/hook', (request, reply) => {
    const result = verifyWebhook({
      body: /** @type {Buffer | undefined} */ (request.body) ?? '',
      header: request.headers['x-service-signature'],
      secret: process.env['WEBHOOK_SECRET'],
    })
    if (!result.ok) {
      console.warn(`refused: ${result.reason}`)
      reply.code(401).send()
      return
    }
    // Answered first: the sender waits for 10 seconds only. A repetition has arrived as well.
    reply.code(204).send()
    if (!replays.accept(result.notificationId)) return
    const { event, monitor, incident } = result.payload
    console.log(event, monitor?.name ?? '', incident?.cause_text ?? '')
  })
  ready()
})

const address = await app.listen({ port: Number(process.env['PORT'] ?? 4000), host: '127.0.0.1' })
console.log(`Listening on ${address}`)
