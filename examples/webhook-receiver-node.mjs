/**
 * Receives webhooks with node:http alone, and shows what is genuine.
 *
 *   npm run build && WEBHOOK_SECRET=s3cret node examples/webhook-receiver-node.mjs
 */

import { createServer } from 'node:http'
import { createReplayGuard, verifyWebhook } from 'watchpost/verify'

const secret = process.env['WEBHOOK_SECRET'] ?? 's3cret'
const replays = createReplayGuard()
const BODY_LIMIT_BYTES = 1024 * 1024

const server = createServer((req, res) => {
  receive(req)
    .then((status) => res.writeHead(status).end())
    .catch(() => res.destroy())
})

/** @param {import('node:http').IncomingMessage} req */
async function receive(req) {
  if (req.method !== 'POST') return 405
  // Raw bytes: a body that was parsed and written again has another signature.
  /** @type {Buffer[]} */
  const chunks = []
  let size = 0
  for await (const chunk of /** @type {AsyncIterable<Buffer>} */ (req)) {
    size += chunk.length
    if (size > BODY_LIMIT_BYTES) return 413
    chunks.push(chunk)
  }
  const header = req.headers['x-service-signature']
  const result = verifyWebhook({ body: Buffer.concat(chunks), header, secret })
  if (!result.ok) {
    console.warn(`refused: ${result.reason}`)
    return 401
  }
  if (replays.accept(result.notificationId)) {
    const { event, monitor, incident } = result.payload
    console.log(event, monitor?.name ?? '', incident?.cause_text ?? '')
  }
  // Also for a repetition: it has arrived.
  return 204
}

server.listen(Number(process.env['PORT'] ?? 4000), '127.0.0.1', () => {
  const address = server.address()
  console.log(`Listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})
