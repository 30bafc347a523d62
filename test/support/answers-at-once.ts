/**
 * A server in a thread of its own that answers only when so many connections have asked it, and then all of them at
 * once.
 *
 * @module
 */

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'

const PROGRAM = `
const { createServer } = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
const { count, first, before, later, dns } = workerData
let waiting = []
const server = createServer((socket) => {
  socket.on('error', () => undefined)
  if (first !== undefined) socket.write(first)
  const left = [...before]
  socket.on('data', function hear(bytes) {
    const next = left.shift()
    if (next !== undefined) return void socket.write(next)
    socket.off('data', hear)
    socket.resume()
    waiting.push([socket, bytes])
    if (waiting.length < count) return
    const all = waiting
    waiting = []
    // Until the other thread does nothing else.
    setTimeout(() => all.forEach(([each, asked]) => each.write(answerTo(asked))), 200)
  })
})
function answerTo(asked) {
  if (dns) return reply(asked.subarray(2))
  const key = /sec-websocket-key: *(\\S+)/i.exec(asked.toString('latin1'))?.[1]
  if (key === undefined) return later
  const accept = require('node:crypto').createHash('sha1').update(key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64')
  const head = 'HTTP/1.1 101 S\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept
  return Buffer.concat([Buffer.from(head + '\\r\\n\\r\\n'), later])
}
/** As many addresses as a message of 64 KiB has room for. */
function reply(query) {
  let end = 12
  while (query[end] !== 0) end += query[end] + 1
  end += 5
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 1, 2, 3, 4])
  const records = Math.floor((65535 - end) / record.length)
  const message = Buffer.concat([query.subarray(0, end), Buffer.alloc(records * record.length, record)])
  message.writeUInt16BE(0x8180, 2)
  message.writeUInt16BE(records, 6)
  message.writeUInt32BE(0, 8)
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message])
}
server.listen(0, '127.0.0.1', 4096, () => parentPort.postMessage(server.address().port))
`

export interface AtOnce {
  /** Connections that ask before any of them is answered. */
  readonly count: number
  /** What each of them hears first. */
  readonly first?: string
  /** What each is answered at once, to what it says first, second and so on. */
  readonly before?: readonly (string | Uint8Array)[]
  /** What all of them are answered; behind a handshake of WebSocket where they ask for one. */
  readonly later?: string | Uint8Array
  /** Answers queries of DNS over TCP instead. */
  readonly dns?: boolean
}

/** The port on 127.0.0.1. */
export async function answersAtOnce(said: AtOnce): Promise<number> {
  const workerData = { before: [], ...said, later: Buffer.from((said.later ?? '') as string) }
  const worker = new Worker(PROGRAM, { eval: true, workerData })
  onTestFinished(async () => void (await worker.terminate()))
  const [port] = (await once(worker, 'message')) as [number]
  return port
}
