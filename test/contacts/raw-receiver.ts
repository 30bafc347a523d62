/** An HTTP server that keeps every request as it came, until the test ends. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The status of the answer to a request. */
type Answer = number | ((request: RawRequest) => number)

export async function rawReceiver() {
  const received: RawRequest[] = []
  let next: Answer = 200
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const { method = '', url: path = '', headers } = req
      const request = { method, path, headers, body: Buffer.concat(chunks).toString() }
      received.push(request)
      res.writeHead(typeof next === 'number' ? next : next(request)).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: received as readonly RawRequest[],
    /** The only request so far. */
    only(): RawRequest {
      const [first, second] = received
      if (first === undefined || second !== undefined)
        throw new Error(`${received.length} requests`)
      return first
    },
    answer: (answer: Answer) => void (next = answer),
  }
}
