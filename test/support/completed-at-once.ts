/**
 * Requests whose last bytes a client in a thread of its own sends all at once, while this thread stands still: they
 * are all there in its next turn.
 *
 * @module
 */

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Sends all but the last byte of each request, and the last bytes when it is told to. */
const CLIENT = `
const { connect } = require('node:net')
const { parentPort, workerData: { port, count, text, sent } } = require('node:worker_threads')
const statuses = []
const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
let written = 0
for (const socket of sockets) {
  socket.write(text.slice(0, -1), () => ++written === count && parentPort.postMessage('written'))
  socket.once('data', (bytes) => {
    statuses.push(Number(bytes.toString('latin1', 9, 12)))
    socket.resume()
    if (statuses.length === count) parentPort.postMessage(statuses)
  })
}
parentPort.once('message', () => {
  for (const socket of sockets) socket.write(text.slice(-1))
  Atomics.store(sent, 0, 1)
  Atomics.notify(sent, 0)
})
`

/** This thread waits no longer for the last bytes, without using the processor. */
const SENDING_MS = 5000

interface Crowd {
  /** On 127.0.0.1. */
  readonly port: number
  readonly count: number
  /** What each of them sends, as ASCII: it ends with its body. */
  readonly text: string
}

/** `work` is given what sends the last bytes, which settles with the statuses of the answers. */
export async function withCrowd<T>(
  crowd: Crowd,
  work: (complete: () => Promise<readonly number[]>) => Promise<T>,
): Promise<T> {
  const sent = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(CLIENT, { eval: true, workerData: { ...crowd, sent } })
  try {
    await once(worker, 'message')
    return await work(async () => {
      worker.postMessage('complete them')
      Atomics.wait(sent, 0, 0, SENDING_MS)
      const [statuses] = (await once(worker, 'message')) as [number[]]
      return statuses
    })
  } finally {
    await worker.terminate()
  }
}
