/**
 * First words with a server over a raw socket, without any of our own protocol code: what is tested with
 * these servers must not be what tells that they work.
 *
 * @module
 */

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'

const WAIT_MS = 60_000
const LIMIT = 1024 * 1024

/** For `until`: all that comes. */
export const END_OF_STREAM = /(?!)/

export interface HelloOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Sent at once; most servers speak first and need none. */
  readonly send?: string | Uint8Array
  /** Waits for this before it sends. Default: nothing. */
  readonly after?: RegExp
  /** Reading ends when this matches what has come so far. Default: the end of a line. */
  readonly until?: RegExp
  /** TLS from the first byte, without judging the certificate. */
  readonly tls?: boolean
}

/** What the server says, as latin1 text, up to `until` or the end of the stream. */
export async function hello(port: number, options: HelloOptions = {}): Promise<string> {
  const where = { port, host: options.host ?? '127.0.0.1' }
  const socket = options.tls
    ? connectTls({ ...where, rejectUnauthorized: false, servername: 'localhost' })
    : connect(where)
  socket.setTimeout(WAIT_MS, () => socket.destroy(new Error(`no answer on port ${port}`)))
  try {
    await once(socket, options.tls ? 'secureConnect' : 'connect')
    const before = options.after === undefined ? '' : await readText(socket, options.after)
    if (options.send !== undefined && !socket.readableEnded) socket.write(options.send)
    return before + (await readText(socket, options.until ?? /\n/))
  } finally {
    socket.destroy()
  }
}

/** Rejects unless the answer to `send` matches. For probing whether a server is ready. */
export async function answersTo(port: number, send: string, wanted: RegExp): Promise<void> {
  const answer = await hello(port, { send })
  if (!wanted.test(answer)) throw new Error(`port ${port} answered ${answer.slice(0, 200)}`)
}

/** One datagram there and one back. */
export async function helloUdp(port: number, message: Uint8Array): Promise<Buffer> {
  const socket = createSocket('udp4')
  try {
    socket.connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const answer = once(socket, 'message', { signal: AbortSignal.timeout(WAIT_MS) })
    socket.send(message)
    return (await answer)[0] as Buffer
  } finally {
    socket.close()
  }
}

/** Ends with the match, with the stream, or at the bound; what comes later stays unread. */
async function readText(stream: Duplex, until: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += (chunk as Buffer).toString('latin1')
    if (until.test(text) || text.length > LIMIT) break
  }
  return text
}
