/**
 * Ports that a server can give up and take again: below the range from which the system hands out ports
 * by itself, so that no outgoing connection and no `listen(0)` takes one while its server is stopped.
 *
 * @module
 */

import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

const FIRST = 15_000
const LAST = 32_000
const TRIES = 200

/**
 * Different ports of 127.0.0.1, each free for TCP and for UDP a moment ago, and on Linux given to no other process of
 * tests while this one lives: what answers there is then not the server of somebody else.
 */
export async function freePorts<P extends string>(names: readonly P[]): Promise<Record<P, number>> {
  const found = new Set<number>()
  for (let tries = 0; found.size < names.length; tries++) {
    if (tries === TRIES) throw new Error('no free port found')
    const port = randomInt(FIRST, LAST)
    if ((await reserve(port)) && (await isTcpFree(port)) && (await isUdpFree(port))) found.add(port)
  }
  const ports = [...found]
  return Object.fromEntries(names.map((name, i) => [name, ports[i]])) as Record<P, number>
}

/** One of `freePorts`: for a server that ends before the test does, or has to be the only one on it on any address. */
export async function freePort(): Promise<number> {
  return (await freePorts(['port'])).port
}

/** Whether the port is ours until this process ends: it holds an abstract Unix socket named after the port. */
export async function reserve(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const holder = createServer()
  holder.unref()
  try {
    holder.listen(`\0watchpost-test-port-${port}`)
    await once(holder, 'listening')
    return true
  } catch {
    return false
  }
}

async function isTcpFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

async function isUdpFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  try {
    socket.bind(port, '127.0.0.1')
    await once(socket, 'listening')
    return true
  } catch {
    return false
  } finally {
    socket.close()
  }
}
