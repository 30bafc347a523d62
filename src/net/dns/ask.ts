/**
 * Sends one DNS question to one name server over UDP, TCP or TLS.
 *
 * @module
 */

import { randomInt } from 'node:crypto'
import type { Socket } from 'node:dgram'
import { isIP } from 'node:net'
import type { Clock } from '../../clock.ts'
import { hostPort } from '../connection/endpoint.ts'
import { CheckFailure } from '../failure.ts'
import type { Connection, ConnectOptions, Net } from '../net.ts'
import type { Address } from '../connection/endpoint.ts'
import type { ReadingOptions } from '../http/reading.ts'
import { decodeReply, encodeQuery, mayAnswer } from './message.ts'
import type { Codec, Question, Reply } from './message.ts'
import { urlOf } from './names.ts'
import type { NameServer } from './names.ts'
import { exchangeHttps, exchangeStream, exchangeUdp } from './exchange.ts'
import type { StopSignal } from '../timing/stop.ts'

export interface AskerParts {
  readonly clock: Pick<Clock, 'timer' | 'monotonic'>
  readonly signal: StopSignal
  /** An address as a list of itself, allowed by the policy; `undefined` for a name. */
  readonly known: (host: string) => readonly Address[] | undefined
  /** Addresses of a name, allowed by the policy. */
  readonly lookUp: (host: string) => Promise<readonly Address[]>
  /** Connects to an address that is already allowed or trusted. */
  readonly connect: (options: ConnectOptions, dialled: Dialled) => Promise<Connection>
  readonly own: (socket: Socket) => void
  /** `Turns.run` for this check: a message may have thousands of records. */
  readonly inTurns: ReadingOptions['inTurns']
  /** For DNS over HTTPS. */
  readonly http: Net['http']
  /**
   * Starts timing an exchange, which may run in parallel to others; the returned function stops it.
   */
  readonly timed: () => () => void
  /** Receives the address before a query over UDP is sent; a connection tells its own. */
  readonly reaches: (address: string) => void
}

export interface Dialled {
  readonly address: Address
  /** Its address is left out of the trace. */
  readonly unnamed: boolean
}

/** Shown instead of the address of a name server that must not be revealed. */
export const UNNAMED = 'resolver'

/** A name server whose address is known. */
export interface Place extends NameServer {
  readonly address: Address
  /** `host:port`, or {@link UNNAMED}. */
  readonly server: string
}

export interface Asker {
  /** For an address; `undefined` for a name. @throws CheckFailure `connect_blocked` */
  placed(server: NameServer, trusted: boolean): Place | undefined
  /** @throws CheckFailure `dns_nameserver_unresolvable`, `connect_blocked`, `probe_resolver_broken` */
  locate(server: NameServer): Promise<Place>
  overUdp(question: Question, place: Place, timeout_ms: number): Promise<Reply>
  /** Over TCP or TLS, as the scheme of `place` says. */
  overStream(question: Question, place: Place, timeout_ms: number): Promise<Reply>
  overHttps(question: Question, server: Named, timeout_ms: number): Promise<Reply>
}

/** A name server as it is shown. */
type Named = NameServer & Pick<Place, 'server'>

export function createAsker(parts: AskerParts, codec: Codec): Asker {
  const { clock, signal, timed, inTurns } = parts

  function message(
    question: Question,
    { server }: Pick<Place, 'server'>,
    edns: boolean,
    id = randomInt(0x10000),
  ) {
    return {
      message: encodeQuery(codec, question, { id, edns }),
      read: (bytes: Buffer) => decodeReply(codec, bytes, { id, question, server }),
    }
  }

  function datagram(question: Question, place: Place, timeout_ms: number, edns: boolean) {
    const { address, port, server } = place
    const { message: bytes, read } = message(question, place, edns)
    const concerns = (datagram: Buffer): boolean => mayAnswer(datagram, bytes)
    if (server !== UNNAMED) parts.reaches(address.address)
    return exchangeUdp({
      address: address.address,
      port,
      server,
      message: bytes,
      concerns,
      read,
      inTurns,
      timeout_ms,
      clock,
      signal,
      own: parts.own,
      timed,
    })
  }

  return {
    placed: (server, trusted) => placed(parts, server, trusted),
    locate: (server) => locate(parts, server),
    async overUdp(question, place, timeout_ms) {
      const from = clock.monotonic()
      const reply = await datagram(question, place, timeout_ms, true)
      if (!dislikesEdns(reply)) return reply
      const left_ms = Math.max(1, timeout_ms - (clock.monotonic() - from))
      return datagram(question, place, left_ms, false)
    },
    overStream(question, place, timeout_ms) {
      const { address, port, host, server, scheme } = place
      const unnamed = server === UNNAMED
      const tls = scheme === 'tls' ? { servername: host, alpn: ['dot'] } : undefined
      const connect = (): Promise<Connection> =>
        parts.connect({ host, port, tls }, { address, unnamed })
      return exchangeStream({
        ...{ connect, server, timeout_ms, clock, signal, timed, inTurns },
        ...message(question, place, scheme === 'tls'),
      })
    },
    overHttps(question, server, timeout_ms) {
      return exchangeHttps({
        ...{ http: parts.http, url: urlOf(server), server: server.server },
        ...{ timeout_ms, clock, signal, inTurns },
        // RFC 8484, 4.1: the id is 0, for caches.
        ...message(question, server, true, 0),
      })
    },
  }
}

/** Servers from before 1999 answer unknown options this way (RFC 6891, 7). */
function dislikesEdns({ rcode }: Reply): boolean {
  return rcode === 'FORMERR' || rcode === 'NOTIMP' || rcode === 'BADVERS'
}

function placed({ known }: AskerParts, server: NameServer, trusted: boolean): Place | undefined {
  const { host, port } = server
  const version = isIP(host)
  if (version === 0) return undefined
  const family = version === 4 ? 4 : 6
  // A scoped address of the system's configuration is not subject to the policy.
  const address = trusted ? ({ address: host, family } as const) : known(host)?.[0]
  return address === undefined ? undefined : { ...server, address, server: hostPort(host, port) }
}

async function locate({ lookUp }: AskerParts, server: NameServer): Promise<Place> {
  const { host, port } = server
  try {
    const [address] = await lookUp(host)
    if (address !== undefined) return { ...server, address, server: hostPort(host, port) }
  } catch (error) {
    const isName = error instanceof CheckFailure && error.code.startsWith('dns_')
    throw isName ? unresolvable(host, error) : error
  }
  throw unresolvable(host)
}

function unresolvable(host: string, cause?: CheckFailure): CheckFailure {
  const why = cause === undefined ? '' : `: ${cause.message}`
  const text = `The name server ${host} has no address${why}`
  return new CheckFailure('dns_nameserver_unresolvable', text, { phase: 'resolve', cause })
}
