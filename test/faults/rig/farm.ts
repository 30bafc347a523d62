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
  readonly host: string
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
  /** Addresses that they are spread over, 127.0.0.1 and those after it (Linux). Default 1, at most 250. */
  readonly hosts?: number
}): Promise<Farm> {
  const servers: Server[] = []
  const hostOf = (index: number): string => `127.0.0.${1 + (index % (counts.hosts ?? 1))}`
  const http = Array.from({ length: counts.http }, (_, at) => httpTarget(servers, hostOf(at)))
  const tcp = Array.from({ length: counts.tcp }, (_, at) => tcpTarget(servers, hostOf(at)))
  const targets = await Promise.all([...http, ...tcp])
  return {
    targets,
    setAll: (good) => targets.forEach((target) => target.set(good)),
    close: () => servers.forEach((server) => server.close()),
  }
}

async function httpTarget(servers: Server[], host: string): Promise<Target> {
  let good = true
  const server = createHttpServer((_request, response) => {
    response.writeHead(good ? 200 : 500, { Connection: 'close' }).end()
  })
  servers.push(server)
  const port = await listen(server, host)
  return {
    type: 'http',
    host,
    port,
    get good() {
      return good
    },
    set: (wanted) => void (good = wanted),
  }
}

/** Never gives its port back: somebody else might take it meanwhile. */
async function tcpTarget(servers: Server[], host: string): Promise<Target> {
  let good = true
  const server = createTcpServer((socket) =>
    socket.on('error', () => undefined).end(good ? 'good\r\n' : 'bad\r\n'),
  )
  servers.push(server)
  const port = await listen(server, host)
  return {
    type: 'tcp',
    host,
    port,
    get good() {
      return good
    },
    set: (wanted) => void (good = wanted),
  }
}

async function listen(server: Server, host: string): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
