/**
 * A contact kind of your own: the same events, delays, repetitions, retries and log as the webhook, told
 * in another way. Here to a chat that takes `{ "text": … }`, over Node's fetch.
 *
 *   node examples/custom-contact-kind.mjs
 */

import { createServer } from 'node:http'
import { createEngine, field } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { classify, defineContactKind } from 'watchpost/contacts'
import { memoryStore } from 'watchpost/store/memory'

export const chat = () =>
  defineContactKind({
    kind: 'chat',
    title: 'Chat',
    fields: {
      // Whoever has the address can post: a secret, never shown again.
      post_url: field.secret({ description: 'Address to post to' }).required(),
      mention: field.text({ description: 'Whom to mention', max: 100 }),
    },
    // Judges what `ctx.network` dials. This kind does not use it; its addresses are the operator's own.
    policy: () => undefined,
    check: ({ post_url }) =>
      Promise.resolve(isUrl(post_url) ? {} : { post_url: 'invalid: an absolute URL is expected' }),

    async deliver(ctx, { post_url, mention }, { event, payload }) {
      const from = ctx.clock.monotonic()
      const ended = await post(post_url, textOf(event, payload, mention), ctx.signal)
      return {
        ...ended,
        class: classify(ended),
        answer: null,
        duration_ms: Math.round(ctx.clock.monotonic() - from),
        retry_after_ms: null,
      }
    },
  })

/**
 * Not `URL.canParse`: in Node 20 it refuses letters such as `ü` after some thousand calls.
 *
 * @param {string} text
 */
function isUrl(text) {
  try {
    return Boolean(new URL(text))
  } catch {
    return false
  }
}

/**
 * Never throws: a failed attempt is an answer too.
 *
 * @param {string} url
 * @param {string} text
 * @param {AbortSignal} stopped
 */
async function post(url, text, stopped) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
      redirect: 'manual',
      signal: AbortSignal.any([stopped, AbortSignal.timeout(10_000)]),
    })
    await response.body?.cancel()
    const error = response.ok ? null : `http_${response.status}`
    return { http_status: response.status, error }
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError'
    return { http_status: null, error: late ? 'timeout' : 'connect_failed' }
  }
}

/**
 * @param {string} event
 * @param {import('watchpost').JsonObject} payload the body that a webhook would have
 * @param {string | undefined} mention
 */
function textOf(event, payload, mention) {
  const { monitor, incident } = /** @type {import('watchpost/verify').WebhookPayload} */ (payload)
  const text = `${monitor?.name ?? 'test'}: ${event} ${incident?.cause_text ?? ''}`.trim()
  return mention === undefined ? text : `@${mention} ${text}`
}

// A chat server, and an engine that tells it about a port where nobody listens.
const told = new Promise((resolve) => {
  const server = createServer((req, res) => {
    req.setEncoding('utf8').once('data', (body) => {
      res.setHeader('connection', 'close').end()
      server.close()
      resolve(body)
    })
  }).listen(0, '127.0.0.1', () => void tell(server.address()))
})

/** @param {ReturnType<import('node:net').Server['address']>} address */
async function tell(address) {
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const engine = createEngine({
    store: memoryStore(),
    checkers: builtinCheckers(),
    contacts: [chat()],
  })
  await engine.start()
  const post_url = `http://127.0.0.1:${port}/post`
  await engine.contacts.create({ kind: 'chat', name: 'ops', post_url, all_monitors: true })
  const { id } = await engine.monitors.create({
    type: 'tcp',
    name: 'Nobody',
    host: '127.0.0.1',
    port: 1,
    fail_threshold: 1,
  })
  await engine.monitors.check(id)
  console.log('told:', await told)
  await engine.stop()
}
