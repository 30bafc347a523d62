/**
 * Receives webhooks with Express 4 or 5.
 *
 *   npm run build && WEBHOOK_SECRET=… node examples/webhook-receiver-express.mjs
 */

import { createServer } from 'node:http'
import express from 'express'
import { createReplayGuard, verifyWebhook } from 'watchpost/verify'

const app = express()
const replays = createReplayGuard()

// Before any express.json(): that one would leave no raw body, and only its bytes are signed.
app.post('/hook', express.raw({ type: '*/*', limit: '1mb' }), (req, res) => {
  const result = verifyWebhook({
    // Express has no bytes where the body was empty.
    body: Buffer.isBuffer(req.body) ? req.body : '',
    header: req.headers['x-service-signature'],
    secret: process.env['WEBHOOK_SECRET'],
  })
  if (!result.ok) {
    console.warn(`refused: ${result.reason}`)
    res.sendStatus(401)
    return
  }
  // Answered first: the sender waits for 10 seconds only. A repetition has arrived as well.
  res.sendStatus(204)
  if (!replays.accept(result.notificationId)) return
  const { event, monitor, incident } = result.payload
  console.log(event, monitor?.name ?? '', incident?.cause_text ?? '')
})

const server = createServer(app).listen(Number(process.env['PORT'] ?? 4000), '127.0.0.1', () => {
  const address = server.address()
  console.log(`Listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})
