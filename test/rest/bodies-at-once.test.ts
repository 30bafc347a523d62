/** Requests of one key whose bodies are all complete at the same moment. */

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { createRest } from '../../src/rest/index.ts'
import { toNodeHandler } from '../../src/rest/node.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { tcpMonitor } from './client.ts'
import { listen } from './hosts.ts'
import { KEY } from './service.ts'

/** A key may send 60 in a minute. */
const REQUESTS = 24
/** One body takes up to 30 ms. */
const TURN_MS = 100

/** Sends all but the last byte of each request at once, and the last bytes when it is told to. */
const CLIENT = `
const { connect } = require('node:net')
const { parentPort, workerData: { port, count, text } } = require('node:worker_threads')
const statuses = []
const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
let written = 0
for (const socket of sockets) {
  socket.write(text.slice(0, -1), () => ++written === count && parentPort.postMessage('written'))
  socket.once('data', (bytes) => {
    statuses.push(Number(bytes.toString('latin1', 9, 12)))
    if (statuses.length === count) parentPort.postMessage(statuses)
  })
}
parentPort.once('message', () => sockets.forEach((socket) => socket.write(text.slice(-1))))
`

it.each([
  ['lists of empty objects', `[${`[${Array(1000).fill('{}').join(',')}],`.repeat(84)}0]`],
  ['lists of numbers', `[${`[${Array(1000).fill('0').join(',')}],`.repeat(100)}0]`],
])('bodies with %s take short turns', async (_, metadata) => {
  const engine = createEngine({ store: memoryStore(), checkers: [tcp()], logger: false })
  await engine.start()
  await engine.keys.create({ key: KEY })
  const rest = createRest(engine, { logger: false, rateLimit: false })
  const host = await listen(toNodeHandler(rest))
  onTestFinished(async () => {
    await host.close()
    await engine.stop()
  })
  const body = JSON.stringify(tcpMonitor).replace(/\}$/, `,"metadata":{"x":${metadata}}}`)
  const text = `POST /api/v1/monitors HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

  async function sending() {
    const workerData = { port: host.port, count: REQUESTS, text }
    const worker = new Worker(CLIENT, { eval: true, workerData })
    try {
      await once(worker, 'message')
      return await measureTurns(async () => {
        worker.postMessage('complete them')
        const [statuses] = (await once(worker, 'message')) as [number[]]
        return statuses
      })
    } finally {
      await worker.terminate()
    }
  }

  const { value, longest_ms } = await leastOf(3, sending, TURN_MS)
  expect(new Set(value)).toEqual(new Set([422]))
  expect(longest_ms).toBeLessThan(TURN_MS)
})
