/** A server within bounds, answers that wait for a word, and clients that speak letter by letter. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { limitServer } from '../../src/rest/node.ts'
import type { LimitEvent, LimitServerOptions } from '../../src/rest/node.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'

/** The handler of `limited` holds the answers to these until they are released. */
export const HELD = 'GET /held HTTP/1.1\r\nHost: a\r\n\r\n'
export const ASK = 'GET /now HTTP/1.1\r\nHost: a\r\n\r\n'

export interface Limited {
  readonly server: Server
  readonly port: number
  readonly clock: SimulatedClock
  /** What was ended at which bound, in order. */
  readonly events: LimitEvent[]
  /** Paths whose listener was called, in order. */
  readonly begun: string[]
  /** Answers that wait. */
  readonly held: ServerResponse[]
  /** The server's ends of the connections, in order. */
  readonly sockets: Socket[]
  connect(options?: { readonly from?: string; readonly deaf?: boolean }): Promise<Client>
}

export interface Client {
  readonly socket: Socket
  send(text: string): void
  text(): string
  /** Status codes that have come. */
  statuses(): readonly number[]
  closed(): boolean
}

export async function limited(
  options: LimitServerOptions = {},
  made: (listener: RequestListener) => Server = createServer,
): Promise<Limited> {
  const clock = simulatedClock()
  const events: LimitEvent[] = []
  const begun: string[] = []
  const held: ServerResponse[] = []
  const server = made((req, res) => {
    begun.push(req.url ?? '')
    if (req.url === '/held') held.push(res)
    else if (req.url === '/large') res.end(Buffer.alloc(LARGE_BYTES))
    else if (req.url === '/body') req.resume().once('end', () => res.end('read'))
    else res.end('now')
  })
  limitServer(server, {
    clock: { ...clock, timer: timerOf(clock) },
    onLimit: (event) => events.push(event),
    ...options,
  })
  // Node's own deadline between two requests counts seconds of this machine.
  server.on('timeout', () => undefined)
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    server,
    port,
    clock,
    events,
    begun,
    held,
    sockets,
    connect: (how) => client(server, port, how),
  }
}

/** Turns of the event loop are those of this process, all else is simulated. */
function timerOf(clock: SimulatedClock): SimulatedClock['timer'] {
  return (ms, run, options) => (ms === 0 ? systemClock : clock).timer(ms, run, options)
}

/** More than what kernels keep for a connection that is not read. */
export const LARGE_BYTES = 32 * 2 ** 20

async function client(
  server: Server,
  port: number,
  { from = '127.0.0.1', deaf = false }: { readonly from?: string; readonly deaf?: boolean } = {},
): Promise<Client> {
  const accepted = once(server, 'connection').catch(() => undefined)
  const socket = connect({ host: '127.0.0.1', port, localAddress: from, allowHalfOpen: false })
  let text = ''
  if (deaf) socket.pause()
  else socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await Promise.race([accepted, once(socket, 'close')])
  return {
    socket,
    send: (what) => void socket.write(what),
    text: () => text,
    statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code)),
    closed: () => socket.closed,
  }
}
