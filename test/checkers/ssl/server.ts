/**
 * A TLS server that does nothing but shake hands, in whatever way a test wants.
 *
 * @module
 */

import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:tls'
import type { TlsOptions } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { TestCertificate } from '../../support/certificates.ts'

export interface Handshaker {
  readonly port: number
  /** SNI of every handshake so far, `''` where none was sent. */
  readonly names: readonly string[]
  /** Handshakes that a session of an earlier one shortened. */
  readonly resumed: number
  readonly open: number
  /** Shows another certificate from the next handshake on. */
  show(certificate: Pick<TestCertificate, 'chain' | 'key'>): void
  /** Sends this along as the OCSP answer from the next handshake on. */
  staple(answer: Buffer | (() => Buffer)): void
}

/** Closed when the test ends. */
export async function handshaker(
  { chain, key }: Pick<TestCertificate, 'chain' | 'key'>,
  options: TlsOptions = {},
): Promise<Handshaker> {
  const sockets = new Set<Socket>()
  const names: string[] = []
  let resumed = 0
  const server = createServer({ cert: chain, key, ...options }, (socket) => {
    socket.on('error', () => undefined)
    names.push(socket.servername || '')
    if (socket.isSessionReused()) resumed += 1
  })
  server.on('tlsClientError', () => undefined)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return {
    port: (server.address() as AddressInfo).port,
    names,
    get resumed() {
      return resumed
    },
    get open() {
      return sockets.size
    },
    staple: (answer) => {
      server.on('OCSPRequest', (_certificate, _issuer, respond) => {
        respond(null, typeof answer === 'function' ? answer() : answer)
      })
    },
    show: (next) => server.setSecureContext({ cert: next.chain, key: next.key }),
  }
}
