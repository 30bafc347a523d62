/**
 * A server that says what it was given, whoever asks for whatever: in a thread of its own, so that none of its work
 * is taken for a turn of ours.
 *
 * @module
 */

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
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

/** Plain JavaScript, as a worker of Node 20 reads no other. */
const PROGRAM = `
const { createServer } = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
const { says, greets, ends, flood, drips } = workerData
const drip = (socket, bytes, at) => {
  if (socket.destroyed) return
  if (at >= bytes.length) return ends ? socket.end() : undefined
  socket.write(bytes.subarray(at, at + 1))
  setTimeout(drip, 1, socket, bytes, at + 1)
}
const server = createServer({ noDelay: true }, (socket) => {
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
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

export async function documentServer({
  says,
  greets = false,
  ends = true,
  drips = false,
  flood,
}: Saying): Promise<DocumentServer> {
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData: { says, greets, ends, drips, flood },
  })
  const [port] = (await once(worker, 'message')) as [number]
  return {
    port,
    async close() {
      await worker.terminate()
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
