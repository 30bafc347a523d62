/**
 * Receives webhooks with node:http alone. It takes those of the method GET as well, whose body most
 * frameworks drop.
 *
 *   npm run build && WEBHOOK_SECRET=… node examples/webhook-receiver-node.mjs
 */

import { createServer } from 'node:http'
import { createReplayGuard, verifyWebhook } from 'watchpost/verify'

const secret = process.env['WEBHOOK_SECRET']
const replays = createReplayGuard()
const BODY_LIMIT_BYTES = 1024 * 1024

const server = createServer((req, res) => {
  receive(req)
    .then((status) => res.writeHead(status).end())
    .catch(() => res.destroy())
})

/** @param {import('node:http').IncomingMessage} req */
async function receive(req) {
  const header = req.headers['x-service-signature']
  const result = verifyWebhook({ body: await rawBody(req), header, secret })
  if (!result.ok) {
    console.warn(`refused: ${result.reason}`)
    return 401
  }
  // A repetition is answered with 2xx too: it has arrived. Long work belongs behind the answer, which
  // is awaited for 10 seconds.
  if (replays.accept(result.notificationId)) {
    const { event, monitor, incident } = result.payload
    console.log(event, monitor?.name ?? '', incident?.cause_text ?? '')
  }
  return 204
}

/**
 * The bytes as they came: a body that was parsed and written again has another signature.
 *
 * @param {AsyncIterable<Buffer>} req
 */
async function rawBody(req) {
  /** @type {Buffer[]} */
  const chunks = []
  let size = 0
  for await (const chunk of req) {
    size += chunk.length
    if (size > BODY_LIMIT_BYTES) throw new Error('This is no webhook of ours')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

server.listen(Number(process.env['PORT'] ?? 4000), '127.0.0.1', () => {
  const address = server.address()
  console.log(`Listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})
