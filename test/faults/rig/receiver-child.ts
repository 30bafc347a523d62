/**
 * A receiver of webhooks in a process of its own. It writes down each request, bytes and time, and has
 * it on the disk before it answers; answers are scripted per path over IPC.
 * Usage: node receiver.mjs <log file> <port>
 */

import { fsyncSync, openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer, Entry, ReceiverOrder } from './receiver.ts'

const [, , file = '', port] = process.argv
const log = openSync(file, 'a')
const scripts = new Map<string, { next: Answer[]; fallback: Answer }>()

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('error', () => undefined)
  request.on('end', () => receive(request, response, Buffer.concat(chunks)))
})

function receive(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const path = request.url ?? '/'
  const script = scripts.get(path)
  const answer = script?.next.shift() ?? script?.fallback ?? { status: 200 }
  const entry: Entry = {
    at: Date.now(),
    path,
    method: request.method ?? '',
    headers: request.rawHeaders,
    body: body.toString('base64'),
    answer,
  }
  writeSync(log, `${JSON.stringify(entry)}\n`)
  fsyncSync(log)
  // A connection that nobody is at the other end of any more.
  response.on('error', () => undefined)
  give(answer, response)
}

function give(answer: Answer, response: ServerResponse): void {
  const { socket } = response
  if (answer.do === 'hang') return
  if (answer.do === 'reset') return void socket?.resetAndDestroy()
  if (answer.do === 'close') return void socket?.end()
  if (answer.do === 'garbage') return void socket?.end('this is no HTTP\r\n\r\n')
  if (answer.do === 'die') {
    socket?.write('HTTP/1.1 200 OK\r\nContent-Le', () => process.kill(process.pid, 'SIGKILL'))
    return
  }
  setTimeout(() => {
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? 'ok')
  }, answer.delay_ms ?? 0)
}

process.on('message', (order: ReceiverOrder) => {
  scripts.set(order.path, { next: [...order.next], fallback: order.fallback })
  process.send?.({ scripted: order.id })
})
// Whoever started it is gone.
process.on('disconnect', () => process.exit(0))

server.listen(Number(port), '127.0.0.1', () => process.send?.('listening'))
