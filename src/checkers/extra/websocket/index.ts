/**
 * WebSocket (RFC 6455): the opening handshake, and behind it a ping or an expected message.
 *
 * @module watchpost/checkers/extra/websocket
 */

import { randomBytes } from 'node:crypto'
import { escapeBytes } from '../../../fields/escapes.ts'
import type { Pattern } from '../../../fields/pattern.ts'
import { field } from '../../../fields/vocabulary.ts'
import { redactUrl } from '../../../net/http/redact-url.ts'
import type { CauseTable, CheckContext } from '../../checker.ts'
import { defineChecker, down, unknown, up } from '../../checker.ts'
import { notSearched } from '../../causes.ts'
import {
  clientCertificateFields,
  clientCertificateProblems,
  identityOf,
} from '../../client-certificate.ts'
import type { ClientCertificate } from '../../client-certificate.ts'
import {
  connectionDetails,
  CONNECTION_HIGHLIGHTS,
  CONNECTION_MEASUREMENTS,
} from '../../connection-details.ts'
import { HTTP_CAUSES } from '../../http/causes.ts'
import { createFrames } from './frames.ts'
import type { Frames, Received } from './frames.ts'
import { open } from './handshake.ts'

/** RFC 6455, 4.1: a token of HTTP. */
const SUBPROTOCOL = /^[!#$%&'*+.^_`|~0-9a-zA-Z-]+$/
/** Wait for the server's answer to the close frame; the verdict is already known. */
const GOODBYE_MS = 300
/** RFC 6455, 7.4.1: normal closure. */
const NORMAL = Buffer.from([0x03, 0xe8])
/** As for the banner of `tcp`: searching takes at most a tenth of the time, whatever a server sends. */
const EAGER_SEARCHES = 16
const SEARCH_SHARE = 9

const CAUSES = {
  /**
   * settings: `cause_text` has the status. 401 and 403: the headers or the Origin; 404: the path; 426 or 400: a
   * proxy in front does not forward the upgrade; 5xx: the service behind the proxy.
   */
  websocket_refused: { text: 'The server did not switch to WebSocket', phase: 'first_byte' },
  /** settings: Compare `details.subprotocol` with the subprotocols that the server knows. */
  websocket_subprotocol: { text: 'The server chose no subprotocol', phase: 'first_byte' },
  /** The code and reason of the server are in `cause_text`; its log has the rest. */
  websocket_closed: { text: 'The server closed the WebSocket' },
  /** settings: Compare `details.message` with the pattern. */
  websocket_message_mismatch: { text: 'No message of the server matches', phase: 'greeting' },
  // Of the handshake, with the verdicts that `http` gives them.
  http_protocol_error: HTTP_CAUSES.http_protocol_error,
  http_header_limit: HTTP_CAUSES.http_header_limit,
} as const satisfies CauseTable

export const websocket = () =>
  defineChecker({
    type: 'websocket',
    title: 'WebSocket',
    description: 'Opens a WebSocket, and waits for the answer to a ping or for a message.',

    fields: {
      url: field
        .url({
          description: 'Address to open',
          example: 'wss://example.com/live',
          schemes: ['ws', 'wss'],
        })
        .required(),
      subprotocols: field.list(
        field.text({ description: 'Name of a subprotocol', max: 100, trim: true }),
        { description: 'Offered subprotocols; the server must choose one', max: 10, commas: true },
      ),
      headers: field.headers({
        description:
          'More request headers, such as Origin; values of all but well-known harmless ones are secrets',
      }),
      send: field.text({
        description: 'Text message that is sent once the WebSocket is open',
        max: 4096,
        multiline: true,
      }),
      message_regex: field.regex({
        description:
          'Pattern that a message of the server must match; binary ones are read as latin1',
      }),
      ping: field
        .flag({ description: 'Without message_regex: sends a ping and waits for its pong' })
        .default(true),
      ignore_tls_errors: field
        .flag({ description: 'Accept any certificate', destination: [true] })
        .default(false),
      ip_family: field.ipFamily().default('auto'),
      ...clientCertificateFields,
    },

    causes: CAUSES,
    figures: ['pong_ms', 'messages'],
    measurements: {
      subprotocol: 'Subprotocol that the server has chosen',
      pong_ms: 'Time from the ping to its pong, ms',
      message: 'The beginning of the last message, at most 256 characters, escaped',
      messages: 'Number of received messages',
      ...CONNECTION_MEASUREMENTS,
    },
    highlights: { ...CONNECTION_HIGHLIGHTS, message: { title: 'Message' } },
    target: ({ url }) => redactUrl(url),
    refine(settings) {
      const problems: Record<string, string> = { ...clientCertificateProblems(settings) }
      if (!(settings.subprotocols ?? []).every((name) => SUBPROTOCOL.test(name)))
        problems.subprotocols = 'invalid: a name has no spaces and no separators'
      return Object.keys(problems).length > 0 ? { fields: problems } : { settings }
    },
    unused: ({ message_regex }) =>
      message_regex === undefined ? {} : { ping: 'message_regex waits for a message' },

    async run(ctx, settings) {
      const { frames, chosen } = await opened(ctx, settings)
      const { subprotocols = [], send, message_regex, ping } = settings
      if (subprotocols.length > 0 && chosen === null) {
        const text = `The server chose none of ${subprotocols.join(', ')}`
        return down('websocket_subprotocol', text, { phase: 'first_byte' })
      }
      if (send !== undefined) {
        await ctx.phase('send', () => frames.send('text', Buffer.from(send, 'utf8')))
      }
      if (message_regex !== undefined) {
        return ctx.phase('greeting', () => hearMessage(ctx, frames, message_regex))
      }
      return ping ? ctx.phase('query', () => exchangePing(ctx, frames)) : up()
    },
  })

interface Where extends ClientCertificate {
  readonly url: string
  readonly subprotocols?: readonly string[] | undefined
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined
  readonly ignore_tls_errors: boolean
  readonly ip_family: 'auto' | 'ipv4' | 'ipv6'
}

async function opened(
  ctx: CheckContext,
  settings: Where,
): Promise<{ readonly frames: Frames; readonly chosen: string | null }> {
  const { url: address, subprotocols = [], headers = [], ignore_tls_errors, ip_family } = settings
  const url = new URL(address)
  const secure = url.protocol === 'wss:'
  const connection = await ctx.net.connect({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    ip_family,
    tls: secure
      ? { verify: !ignore_tls_errors, identity: identityOf(settings), alpn: ['http/1.1'] }
      : undefined,
  })
  ctx.measure(connectionDetails(connection))
  const { subprotocol } = await ctx.phase('first_byte', () =>
    open(connection, { url, headers, subprotocols }, ctx.signal),
  )
  if (subprotocol !== null) ctx.measure({ subprotocol })
  const frames = createFrames(connection, () => ctx.clock.sleep(0, ctx.signal))
  ctx.onEnd(() => sayGoodbye(ctx, frames))
  return { frames, chosen: subprotocol }
}

async function hearMessage(ctx: CheckContext, frames: Frames, pattern: Pattern) {
  let unsearched = false
  for (let messages = 1; ; messages++) {
    const received = await next(frames)
    if (received.kind === 'close') {
      if (unsearched) return unknown('too_long', notSearched(pattern))
      if (messages === 1) return closed(received)
      const text = `None of the ${messages - 1} messages of the server matches; it closed the WebSocket`
      return down('websocket_message_mismatch', text)
    }
    if (received.kind === 'pong') continue
    const { text } = received
    const message = escapeBytes(Buffer.from(text, 'utf8').toString('latin1'), 256)
    ctx.measure({ message, messages })
    const from = ctx.clock.monotonic()
    if (pattern.test(text)) return up()
    unsearched ||= text.length > pattern.searched
    const took_ms = ctx.clock.monotonic() - from
    if (messages > EAGER_SEARCHES) await ctx.clock.sleep(SEARCH_SHARE * took_ms, ctx.signal)
  }
}

async function exchangePing(ctx: CheckContext, frames: Frames) {
  const payload = randomBytes(8)
  const from = ctx.clock.monotonic()
  await frames.send('ping', payload)
  for (;;) {
    const received = await next(frames)
    if (received.kind === 'close') return closed(received)
    if (received.kind === 'pong' && received.payload.equals(payload)) {
      return up({ details: { pong_ms: ctx.clock.monotonic() - from } })
    }
  }
}

const next = (frames: Frames): Promise<Received> => frames.receive()

function closed({ code, reason }: Extract<Received, { kind: 'close' }>) {
  const said = reason === '' ? '' : `: "${escapeBytes(reason, 125)}"`
  return down('websocket_closed', `The server closed the WebSocket with the code ${code}${said}`)
}

/** Runs after the check, so that it is not measured; its result is ignored. */
async function sayGoodbye(ctx: CheckContext, frames: Frames): Promise<void> {
  if (ctx.signal.aborted) return
  const over = new AbortController()
  const exchange = async (): Promise<void> => {
    await frames.send('close', NORMAL)
    while ((await frames.receive()).kind !== 'close');
  }
  const limit = ctx.clock.sleep(GOODBYE_MS, over.signal)
  try {
    await Promise.race([exchange(), limit])
  } catch {
    // Already closed or broken.
  } finally {
    limit.catch(() => undefined)
    over.abort()
  }
}
