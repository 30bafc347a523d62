/**
 * A receiver of webhooks on this machine that takes everything.
 *
 * @module
 */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly event: string
  readonly monitor: { readonly id: number; readonly name: string } | null
  readonly notification_id: number
  readonly [more: string]: unknown
}

export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  /** Kinds of what came for one monitor, in order. */
  eventsOf(monitor_id: number): readonly string[]
}

/** Closed when the test ends. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      // Each delivery opens a connection, which a process without free files cannot.
      response.setHeader('Connection', 'close')
      // A check of the receiver itself has no body.
      if (text !== '') received.push(JSON.parse(text) as Received)
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    eventsOf: (id) => received.filter(({ monitor }) => monitor?.id === id).map((one) => one.event),
  }
}
