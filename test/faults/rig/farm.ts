/**
 * Targets on this machine that go down and come back as the rig wants: HTTP servers that answer 200 or
 * 500, and TCP servers that greet as expected or not.
 *
 * @module
 */

import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'

export interface Target {
  readonly type: 'http' | 'tcp'
  readonly port: number
  readonly good: boolean
  set(good: boolean): void
}

export interface Farm {
  readonly targets: readonly Target[]
  setAll(good: boolean): void
  close(): void
}

export async function startFarm(counts: {
  readonly http: number
  readonly tcp: number
}): Promise<Farm> {
  const servers: Server[] = []
  const http = Array.from({ length: counts.http }, () => httpTarget(servers))
  const tcp = Array.from({ length: counts.tcp }, () => tcpTarget(servers))
  const targets = await Promise.all([...http, ...tcp])
  return {
    targets,
    setAll: (good) => targets.forEach((target) => target.set(good)),
    close: () => servers.forEach((server) => server.close()),
  }
}

async function httpTarget(servers: Server[]): Promise<Target> {
  let good = true
  const server = createHttpServer((_request, response) => {
    response.writeHead(good ? 200 : 500, { Connection: 'close' }).end()
  })
  servers.push(server)
  const port = await listen(server)
  return {
    type: 'http',
    port,
    get good() {
      return good
    },
    set: (wanted) => void (good = wanted),
  }
}

/** Never gives its port back: somebody else might take it meanwhile. */
async function tcpTarget(servers: Server[]): Promise<Target> {
  let good = true
  const server = createTcpServer((socket) =>
    socket.on('error', () => undefined).end(good ? 'good\r\n' : 'bad\r\n'),
  )
  servers.push(server)
  const port = await listen(server)
  return {
    type: 'tcp',
    port,
    get good() {
      return good
    },
    set: (wanted) => void (good = wanted),
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
