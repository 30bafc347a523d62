/**
 * Receives webhooks in a Next.js app: put this into app/hook/route.js. It runs on Node and at the edge.
 */

import { createReplayGuard, verifyWebhook } from 'watchpost/verify'

// Remembers within one process. Where the platform starts many, put a table behind the `ReplayGuard`
// interface: insert where absent, and say whether it was.
const replays = createReplayGuard()

/** @param {Request} request */
export async function POST(request) {
  const result = verifyWebhook({
    // The bytes, not request.json(): they are what is signed.
    body: await request.arrayBuffer(),
    header: request.headers.get('x-service-signature'),
    secret: process.env['WEBHOOK_SECRET'],
  })
  if (!result.ok) {
    console.warn(`refused: ${result.reason}`)
    return new Response(null, { status: 401 })
  }
  // A repetition is answered with 2xx too: it has arrived. Long work goes into after() of next/server: the
  // sender waits for 10 seconds only.
  if (replays.accept(result.notificationId)) {
    const { event, monitor, incident } = result.payload
    console.log(event, monitor?.name ?? '', incident?.cause_text ?? '')
  }
  return new Response(null, { status: 204 })
}
