/**
 * A TCP or TLS server on this machine that does what the test says: the other end of every checker.
 *
 * @module
 */

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { TestCertificate } from './certificates.ts'
import { reserve } from './servers/ports.ts'

export interface ScriptedServer {
  readonly port: number
  /** Connections accepted so far. */
  readonly connections: number
  /** Connections that are open now. */
  readonly open: number
  /** Everything received so far, of all connections, as latin1. For TLS: after decryption. */
  readonly received: string
  /** Resolves once every connection has ended. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface ScriptedOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  readonly port?: number
  /** TLS from the first byte; `chain` is what is sent. */
  readonly tls?: TestCertificate
  readonly alpn?: readonly string[]
  /** Of the context of a test that runs beside others. */
  readonly onTestFinished?: (close: () => Promise<void>) => void
}

/** May be asynchronous; when it fails, the connection is cut. */
export type Script = (socket: Socket) => unknown

/** Closed when the test ends. */
export async function scriptedServer(
  script: Script,
  options: ScriptedOptions = {},
): Promise<ScriptedServer> {
  const { host = '127.0.0.1', port = 0, tls, alpn = [] } = options
  const sockets = new Set<Socket>()
  let connections = 0
  let received = ''
  const greet = (socket: Socket): void => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')))
    void (async () => script(socket))().catch(() => socket.destroy())
  }
  const server: Server =
    tls === undefined
      ? createServer(greet)
      : createTlsServer({ cert: tls.chain, key: tls.key, ALPNProtocols: [...alpn] }, greet).on(
          'tlsClientError',
          () => undefined,
        )
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(port, host)
  await once(server, 'listening')

  const scripted: ScriptedServer = {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    get open() {
      return sockets.size
    },
    get received() {
      return received
    },
    async idle() {
      const ended = (socket: Socket): Promise<void> =>
        new Promise((resolve) => void socket.once('close', () => resolve()))
      await Promise.all([...sockets].map(ended))
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
  const atEnd = options.onTestFinished ?? onTestFinished
  atEnd(() => scripted.close())
  return scripted
}

/** The server's side of STARTTLS; resolves with the secured socket. */
export async function secureServerSide(
  socket: Socket,
  { chain, key }: TestCertificate,
): Promise<TLSSocket> {
  const secure = new TLSSocket(socket, { isServer: true, cert: chain, key })
  secure.on('error', () => undefined)
  await once(secure, 'secure')
  return secure
}

/** A port on which nobody listens, and nobody will: below those that the system and `freePorts` hand out. */
export async function closedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 15_000)
    // Who looks for one listens there for a moment.
    if (!(await reserve(port))) continue
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
    } catch {
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
