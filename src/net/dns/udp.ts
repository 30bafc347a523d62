/**
 * One query over UDP: a socket of its own, and with it a random port, for every query.
 *
 * @module
 */

import { createSocket } from 'node:dgram'
import type { Socket, SocketOptions } from 'node:dgram'
import type { Clock } from '../../clock.ts'
import { toFailure } from '../explain.ts'
import { CheckFailure } from '../failure.ts'
import { waitFor } from '../timing/wait.ts'
import type { StopSignal } from '../timing/stop.ts'

export interface UdpExchange<T> {
  readonly address: string
  readonly port: number
  /** `host:port` for the texts of failures. */
  readonly server: string
  readonly message: Uint8Array
  /** Reads a datagram; `undefined` for one that is not the answer: the wait goes on. */
  readonly read: (datagram: Buffer) => T | undefined
  readonly patience_ms: number
  readonly clock: Pick<Clock, 'timer'>
  readonly signal: StopSignal
  /** Told of the socket before it is used. */
  readonly own: (socket: Socket) => void
  /** Begins to time the exchange; what it returns ends that. */
  readonly timed: () => () => void
}

/** Nothing is looked up: it is an address. */
const asItIs: SocketOptions['lookup'] = (address, family, done) =>
  done(null, address, family as number)

/**
 * The socket is connected: the system drops whatever another address or port sends, and tells when
 * nobody listens.
 *
 * @throws CheckFailure `dns_timeout`, `connect_refused`, `connect_unreachable`, …; what `read` throws;
 * the signal's reason
 */
export function exchangeUdp<T>(options: UdpExchange<T>): Promise<T> {
  const { address, port, server, clock, patience_ms } = options
  return waitFor<T>(options.signal, ({ resolve, reject }) => {
    const timed = options.timed()
    const type = address.includes(':') ? 'udp6' : 'udp4'
    const socket = createSocket({ type, lookup: asItIs })
    options.own(socket)
    let ignored = 0
    const fail = (error: unknown): void =>
      reject(toFailure(error, { phase: 'resolve', target: server }))
    const timer = clock.timer(patience_ms, () => reject(noAnswer(server, ignored)))
    socket.on('error', fail)
    socket.on('message', (datagram) => {
      try {
        const answer = options.read(datagram)
        if (answer === undefined) ignored += 1
        else resolve(answer)
      } catch (error) {
        reject(error)
      }
    })
    // Typed without its argument, which is there when the connection fails.
    const connected = (error?: unknown): void => {
      if (error != null) return fail(error)
      socket.send(options.message, (problem) => {
        if (problem !== null) fail(problem)
      })
    }
    socket.connect(port, address, connected)
    return () => {
      timer.cancel()
      socket.close()
      timed()
    }
  })
}

export function noAnswer(server: string, ignored = 0): CheckFailure {
  const others = ignored === 0 ? '' : ` (${ignored} that belong to no query of ours were ignored)`
  return new CheckFailure('dns_timeout', `${server} sent no answer in time${others}`, {
    phase: 'resolve',
  })
}
