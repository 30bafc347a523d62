/**
 * What the hostile servers are made of: a listener on 127.0.0.1 whose every connection plays a script.
 *
 * @module
 */

import { createSocket } from 'node:dgram'
import type { Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { SharedCause } from '../../../src/checkers/causes.ts'
import type { Peer } from './peer.ts'
import { isGone, peerOf } from './peer.ts'

/** `any`: misbehaves before a protocol can be told. `tls`: on the way into TLS. */
export type HostileProtocol =
  'any' | 'tls' | 'http' | 'http2' | 'smtp' | 'imap' | 'pop3' | 'ftp' | 'mysql' | 'postgres' | 'dns'

export interface HostileServer {
  /** Unique, says what it does: "smtp: closes after half a greeting". */
  readonly name: string
  readonly protocol: HostileProtocol
  /** Speaks TLS (with the good test certificate) from the first byte. */
  readonly secure?: boolean
  /** How the connection ends once the client has done its part; absent where it stays open or it depends. */
  readonly ends?: Ending
  /** Shared causes of which any is right; absent where the protocol's own causes apply, or none fails. */
  readonly expect?: readonly SharedCause[]
  readonly start: () => Promise<RunningHostile>
}

export type Ending = 'closes' | 'resets'

export interface RunningHostile {
  readonly port: number
  /** Connections and datagrams so far. */
  readonly accepted: () => number
  /** Connections that are open. */
  readonly open: () => number
  /** What went wrong in a script, other than the client going away. Must stay empty. */
  readonly faults: () => readonly unknown[]
  /** Ends every connection, the listener and every timer. */
  readonly close: () => Promise<void>
}

/** Plays once per connection. The connection stays open when the script is over. */
export type Script = (peer: Peer) => void | Promise<void>

/** What to send back to a datagram, one or more of them. */
export type UdpScript = (message: Buffer) => readonly Uint8Array[]

export interface DatagramScripts {
  readonly udp: UdpScript
  /** The same port over TCP. Default: silence. */
  readonly tcp?: Script
}

/** A listener for streams. */
export async function listen(script: Script, port = 0): Promise<RunningHostile> {
  const peers = new Set<Peer>()
  const faults: unknown[] = []
  let accepted = 0
  const play = async (peer: Peer): Promise<void> => {
    try {
      await script(peer)
    } catch (error) {
      if (!isGone(error)) faults.push(error)
    }
  }
  const server: Server = createServer({ allowHalfOpen: true }, (socket: Socket) => {
    accepted++
    const peer = peerOf(socket)
    peers.add(peer)
    socket.once('close', () => peers.delete(peer))
    void play(peer)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    accepted: () => accepted,
    open: () => peers.size,
    faults: () => faults,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const peer of peers) peer.vanish()
      await closed
    },
  }
}

/** A listener for datagrams, and for streams on the same port. */
export async function listenBoth({ udp, tcp }: DatagramScripts): Promise<RunningHostile> {
  const streams = await listen(tcp ?? (() => {}))
  const socket = createSocket('udp4')
  let accepted = 0
  socket.on('message', (message, from) => {
    accepted++
    for (const answer of udp(message)) socket.send(answer, from.port, from.address)
  })
  try {
    await bindUdp(socket, streams.port)
  } catch {
    // Somebody has the port for UDP: take another one.
    await streams.close()
    return listenBoth({ udp, ...(tcp && { tcp }) })
  }
  return {
    ...streams,
    accepted: () => accepted + streams.accepted(),
    async close() {
      const closed = once(socket, 'close')
      socket.close()
      await Promise.all([closed, streams.close()])
    },
  }
}

async function bindUdp(socket: UdpSocket, port: number): Promise<void> {
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  // An answer to a client that has left comes back as an error of the socket.
  socket.on('error', () => {})
}
