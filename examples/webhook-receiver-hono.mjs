/**
 * Receives webhooks with Hono, wherever it runs: the app is exported, as Workers, Deno and Bun want it; on
 * Node give it to `serve` of @hono/node-server.
 */

import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createReplayGuard, verifyWebhook } from 'watchpost/verify'

const app = new Hono()
const replays = createReplayGuard()

app.post('/hook', bodyLimit({ maxSize: 1024 * 1024 }), async (c) => {
  const result = verifyWebhook({
    // The bytes, not c.req.json(): they are what is signed.
    body: await c.req.arrayBuffer(),
    header: c.req.header('x-service-signature'),
    secret: process.env['WEBHOOK_SECRET'],
  })
  if (!result.ok) {
    console.warn(`refused: ${result.reason}`)
    return c.body(null, 401)
  }
  // A repetition is answered with 2xx too: it has arrived. Do not await long work here: the sender waits
  // for 10 seconds only.
  if (replays.accept(result.notificationId)) {
    const { event, monitor, incident } = result.payload
    console.log(event, monitor?.name ?? '', incident?.cause_text ?? '')
  }
  return c.body(null, 204)
})

export default app
