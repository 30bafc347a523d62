/**
 * One query and its answer: over UDP, each with its own socket and therefore a random source port; over TCP (RFC
 * 7766) or TLS (RFC 7858), each message prefixed with its length.
 *
 * @module
 */

import { createSocket } from 'node:dgram'
import type { Socket, SocketOptions } from 'node:dgram'
import type { Clock } from '../../clock.ts'
import { toFailure } from '../explain.ts'
import { CheckFailure } from '../failure.ts'
import type { ReadingOptions } from '../http/reading.ts'
import { waitFor } from '../timing/stop.ts'
import type { StopSignal } from '../timing/stop.ts'
import type { Connection, Net } from '../net.ts'

/** `read`: an exchange that gets something else than the answer keeps waiting. */
export interface UdpExchange<T> extends Reading<T> {
  readonly address: string
  readonly port: number
  /** `host:port` for error texts. */
  readonly server: string
  readonly message: Uint8Array
  /** Whether to read a datagram. Called for each of thousands that a server may send. */
  readonly concerns: (datagram: Buffer) => boolean
  readonly timeout_ms: number
  readonly clock: Pick<Clock, 'timer'>
  readonly signal: StopSignal
  /** Receives the socket before it is used. */
  readonly own: (socket: Socket) => void
  /** Starts timing the exchange; the returned function stops it. */
  readonly timed: () => () => void
}

/** Three times what is asked for. A longer one is ignored. */
const MAX_DATAGRAM_BYTES = 4096
/** Datagrams of one exchange that wait to be read; reading one takes up to 6 ms, and the first is usually the answer. */
const MAX_WAITING = 4

/** No lookup: the host is an address. */
const asItIs: SocketOptions['lookup'] = (address, family, done) =>
  done(null, address, family as number)

/**
 * The socket is connected: the kernel drops datagrams from other addresses and ports, and reports
 * ICMP "port unreachable".
 *
 * @throws CheckFailure `dns_timeout`, `connect_refused`, `connect_unreachable`, …; what `read`
 * throws; the signal's reason
 */
export function exchangeUdp<T>(options: UdpExchange<T>): Promise<T> {
  const { address, port, server, clock, timeout_ms } = options
  return waitFor<T>(options.signal, ({ resolve, reject }) => {
    const timed = options.timed()
    const type = address.includes(':') ? 'udp6' : 'udp4'
    const socket = createSocket({ type, lookup: asItIs })
    options.own(socket)
    let ignored = 0
    let waiting = 0
    const isToRead = (datagram: Buffer): boolean =>
      datagram.length <= MAX_DATAGRAM_BYTES && waiting < MAX_WAITING && options.concerns(datagram)
    const fail = (error: unknown): void =>
      reject(toFailure(error, { phase: 'resolve', target: server }))
    const timer = clock.timer(timeout_ms, () => reject(noAnswer(server, ignored)))
    socket.on('error', fail)
    socket.on('message', (datagram) => {
      if (!isToRead(datagram)) return void (ignored += 1)
      waiting += 1
      readInTurn(options, datagram).then((answer) => {
        waiting -= 1
        if (answer === undefined) ignored += 1
        else resolve(answer)
      }, reject)
    })
    // Node's types omit the error argument, which is set when connecting fails.
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

function noAnswer(server: string, ignored = 0): CheckFailure {
  const others = ignored === 0 ? '' : ` (${ignored} that belong to no query of ours were ignored)`
  return new CheckFailure('dns_timeout', `${server} sent no answer in time${others}`, {
    phase: 'resolve',
  })
}

const LENGTH_BYTES = 2
const MAX_FRAME_BYTES = LENGTH_BYTES + 0xffff

/** What reads a message of up to 64 KiB. */
interface Reading<T> {
  /** Reads a message; `undefined` for one that is not the answer. */
  readonly read: (message: Buffer) => T | undefined
  /** `Turns.run` for this check. */
  readonly inTurns: ReadingOptions['inTurns']
}

function readInTurn<T>({ read, inTurns }: Reading<T>, message: Buffer): Promise<T | undefined> {
  return inTurns(
    (function* () {
      return read(message)
    })(),
  )
}

interface StreamExchange<T> extends Reading<T> {
  readonly connect: () => Promise<Connection>
  /** `host:port` for error texts. */
  readonly server: string
  readonly message: Uint8Array
  readonly timeout_ms: number
  readonly clock: Pick<Clock, 'timer'>
  readonly signal: StopSignal
  /** Starts timing after the connection is established; the returned function stops it. */
  readonly timed: () => () => void
}

/**
 * @throws CheckFailure `dns_timeout`, `dns_malformed`, `connect_…`, `tls_…`, `closed_early`; the
 * signal's reason
 */
export function exchangeStream<T>(options: StreamExchange<T>): Promise<T> {
  const { clock, timeout_ms, server } = options
  return waitFor<T>(options.signal, ({ resolve, reject }) => {
    let connection: Connection | undefined
    let over = false
    const timer = clock.timer(timeout_ms, () => reject(noAnswer(server)))
    const ask = async (): Promise<T> => {
      const opened = await options.connect()
      connection = opened
      if (over) opened.close()
      const timed = options.timed()
      return converse(opened, options).finally(timed)
    }
    ask().then(resolve, reject)
    return () => {
      over = true
      timer.cancel()
      connection?.close()
    }
  })
}

async function converse<T>(connection: Connection, options: StreamExchange<T>): Promise<T> {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16BE(options.message.length)
  await connection.write(Buffer.concat([length, options.message]))
  const frame = await connection.readUntil(isWhole, { max: MAX_FRAME_BYTES })
  const received = frame.subarray(LENGTH_BYTES, LENGTH_BYTES + frame.readUInt16BE())
  const answer = await readInTurn(options, received)
  if (answer !== undefined) return answer
  // On a stream connection no third party can inject messages, so a mismatch is the server's fault.
  const text = `${options.server} answered another question than ours`
  throw new CheckFailure('dns_malformed', text, { phase: 'resolve' })
}

function isWhole(gathered: Buffer): boolean {
  return (
    gathered.length >= LENGTH_BYTES && gathered.length >= LENGTH_BYTES + gathered.readUInt16BE()
  )
}

interface HttpsExchange<T> extends Reading<T> {
  readonly http: Net['http']
  readonly url: string
  /** For error texts. */
  readonly server: string
  readonly message: Buffer
  readonly timeout_ms: number
  readonly clock: Pick<Clock, 'timer'>
  readonly signal: StopSignal
}

const DNS_MESSAGE = 'application/dns-message'

/**
 * DNS over HTTPS (RFC 8484), by POST. The request ends with the check, or at its timeout.
 *
 * @throws CheckFailure `dns_timeout`, `dns_malformed`, `connect_…`, `tls_…`, `http_…`; the signal's reason
 */
export function exchangeHttps<T>(options: HttpsExchange<T>): Promise<T> {
  const { clock, timeout_ms, server } = options
  return waitFor<T>(options.signal, ({ resolve, reject }) => {
    const timer = clock.timer(timeout_ms, () => reject(noAnswer(server)))
    posted(options).then(resolve, reject)
    return () => timer.cancel()
  })
}

async function posted<T>(options: HttpsExchange<T>): Promise<T> {
  const { http, url, message, server } = options
  const { status, headers, body, body_cut } = await http({
    url,
    method: 'POST',
    headers: [
      ['content-type', DNS_MESSAGE],
      ['accept', DNS_MESSAGE],
    ],
    body: message,
    redirects: 0,
    bodyLimit: MAX_FRAME_BYTES,
  })
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  const isMessage = status === 200 && type === DNS_MESSAGE && !body_cut
  const answer = isMessage ? await readInTurn(options, body) : undefined
  if (answer !== undefined) return answer
  const what = status === 200 ? 'something else than an answer' : `the status ${status}`
  throw new CheckFailure('dns_malformed', `${server} sent ${what}`, { phase: 'resolve' })
}
