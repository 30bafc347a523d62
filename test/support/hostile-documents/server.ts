/**
 * A server that says what it was given, whoever asks for whatever: in another thread, so that none of its work
 * is taken for a turn of ours.
 *
 * @module
 */

import { once } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { HostilePage } from './document.ts'

export interface DocumentServer {
  readonly port: number
  close(): Promise<void>
}

export interface Saying {
  /** What is said, the first of it at once where `greets` is set, each other one when something was heard. */
  readonly says: readonly Uint8Array[]
  readonly greets?: boolean
  /** The connection is closed after the last of it. Default `true`. */
  readonly ends?: boolean
  /** Sent again and again behind the last of them, for as long as somebody reads. */
  readonly flood?: Uint8Array
  /** Each byte in a packet of its own, a millisecond after the other. */
  readonly drips?: boolean
}

/** Plain JavaScript, as a worker of Node 20 reads no other. Each server has a port of messages: its number, its end. */
const PROGRAM = `
const { createServer } = require('node:net')
const { parentPort } = require('node:worker_threads')
parentPort.on('message', ({ says, greets, ends, flood, drips, control }) => {
  const drip = (socket, bytes, at) => {
    if (socket.destroyed) return
    if (at >= bytes.length) return ends ? socket.end() : undefined
    socket.write(bytes.subarray(at, at + 1))
    setTimeout(drip, 1, socket, bytes, at + 1)
  }
  const sockets = new Set()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    let next = 0
    const say = () => {
      if (next >= says.length) return
      const bytes = says[next++]
      if (drips) return drip(socket, bytes, 0)
      if (next === says.length && flood) {
        socket.write(bytes)
        const more = () => { while (!socket.destroyed && socket.write(flood)); }
        socket.on('drain', more)
        more()
      } else if (next === says.length && ends) socket.end(bytes)
      else socket.write(bytes)
    }
    socket.on('error', () => undefined)
    socket.on('data', say)
    if (greets) say()
  })
  control.once('message', () => {
    server.close(() => control.close())
    for (const socket of sockets) socket.destroy()
  })
  server.listen(0, '127.0.0.1', () => control.postMessage(server.address().port))
})
`

/** One for all servers of this process. */
let thread: Worker | undefined

export async function documentServer({
  says,
  greets = false,
  ends = true,
  drips = false,
  flood,
}: Saying): Promise<DocumentServer> {
  if (thread === undefined) {
    thread = new Worker(PROGRAM, { eval: true })
    thread.unref()
  }
  const { port1: control, port2 } = new MessageChannel()
  thread.postMessage({ says, greets, ends, drips, flood, control: port2 }, [port2])
  const [port] = (await once(control, 'message')) as [number]
  return {
    port,
    async close() {
      // Nothing else may keep this process alive until then.
      control.ref()
      const closed = once(control, 'close')
      control.postMessage('close')
      await closed
    },
  }
}

export function pageServer(page: HostilePage): Promise<DocumentServer> {
  return documentServer({ says: [answerOf(page)] })
}

/** The whole answer, header section and all. */
function answerOf(page: HostilePage): Buffer {
  const { type, coding, headers = [], chunkBytes, status = '200 OK', make } = page
  const body = make()
  const head = [
    `HTTP/1.1 ${status}`,
    `Content-Type: ${type}`,
    ...(coding === undefined ? [] : [`Content-Encoding: ${coding}`]),
    chunkBytes === undefined ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked',
    ...headers,
    '\r\n',
  ].join('\r\n')
  const sent = chunkBytes === undefined ? body : chunked(body, chunkBytes, page)
  return Buffer.concat([Buffer.from(head), sent])
}

function chunked(
  body: Buffer,
  bytes: number,
  { extension = '', trailers = '' }: Pick<HostilePage, 'extension' | 'trailers'>,
): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; at += bytes) {
    const part = body.subarray(at, at + bytes)
    parts.push(
      Buffer.from(`${part.length.toString(16)}${extension}\r\n`),
      part,
      Buffer.from('\r\n'),
    )
  }
  return Buffer.concat([...parts, Buffer.from(`0\r\n${trailers}\r\n`)])
}
