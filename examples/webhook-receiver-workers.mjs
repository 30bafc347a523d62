/**
 * Receives webhooks in a worker: `export default { fetch }`, as Cloudflare Workers, Deno and Bun want it.
 */

import { createReplayGuard, verifyWebhook } from 'watchpost/verify'

// Remembers within one isolate. For all of them, put a Durable Object or a table behind the `ReplayGuard`
// interface: insert where absent, and say whether it was.
const replays = createReplayGuard()

export default {
  /**
   * @param {Request} request
   * @param {{ readonly WEBHOOK_SECRET: string }} env
   */
  async fetch(request, env) {
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    const result = verifyWebhook({
      // The bytes, not request.json(): they are what is signed.
      body: await request.arrayBuffer(),
      header: request.headers.get('x-service-signature'),
      secret: env.WEBHOOK_SECRET,
    })
    if (!result.ok) {
      console.warn(`refused: ${result.reason}`)
      return new Response(null, { status: 401 })
    }
    // A repetition is answered with 2xx too: it has arrived. Long work goes into context.waitUntil(): the
    // sender waits for 10 seconds only.
    if (replays.accept(result.notificationId)) {
      const { event, monitor, incident } = result.payload
      console.log(event, monitor?.name ?? '', incident?.cause_text ?? '')
    }
    return new Response(null, { status: 204 })
  },
}
