/**
 * The network of an engine: what all checks share (resolver, TLS contexts, the policy), and one `Net`
 * per check, which owns every socket that the check opens.
 *
 * @module
 */

import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../clock.ts'
import { createConnection } from './connection.ts'
import { dial } from './dial.ts'
import type { Dialled } from './dial.ts'
import { hostPort, toAddress } from './endpoint.ts'
import { CheckFailure } from './failure.ts'
import { httpExchange } from './http/exchange.ts'
import type { PingBackend } from './icmp/backend.ts'
import { systemPing } from './icmp/system-ping.ts'
import type {
  Address,
  Connection,
  ConnectOptions,
  IpFamily,
  Net,
  TargetPolicy,
  TlsOptions,
} from './net.ts'
import { ownQuestions } from './questions.ts'
import { createResolver } from './resolver.ts'
import type { Resolver } from './resolver.ts'
import { createTlsContexts, handshake, tlsFacts } from './tls.ts'
import type { TlsContexts } from './tls.ts'
import { overlapping } from './trace.ts'
import type { Trace } from './trace.ts'

export interface NetworkOptions {
  readonly clock: Clock
  /** Judges every address before it is dialled. */
  readonly policy: TargetPolicy
  /** Default: hosts file and name servers of the system. */
  readonly resolver?: Resolver
  /** Those that `net.dns` asks where a query names none. Default: those of the system, read anew for every query. */
  readonly nameservers?: readonly string[]
  /** Certificates (PEM) trusted besides the default ones. */
  readonly ca?: string | readonly string[]
  /** Who pings. Default: the system's program. */
  readonly ping?: PingBackend
}

export interface OpenOptions {
  /** Ends everything at once; its reason is what all waits reject with. */
  readonly signal: AbortSignal
  /** Milliseconds left until the signal is due. */
  readonly deadlineIn: () => number
  readonly trace: Trace
}

/** The network of one check. */
export interface OwnedNet extends Net {
  /** Destroys whatever is still open; resolves when the handles are gone. */
  close(): Promise<void>
}

export interface Network {
  open(options: OpenOptions): OwnedNet
}

export function createNetwork(options: NetworkOptions): Network {
  const { clock, policy, resolver = createResolver({ clock }), nameservers } = options
  const contexts = createTlsContexts(options.ca)
  const backend = options.ping ?? systemPing({ clock })
  return {
    open: (check) => openNet({ clock, policy, resolver, nameservers, contexts, backend, ...check }),
  }
}

interface Session extends OpenOptions {
  readonly clock: Clock
  readonly policy: TargetPolicy
  readonly resolver: Resolver
  readonly nameservers: readonly string[] | undefined
  readonly contexts: TlsContexts
  readonly backend: PingBackend
}

function openNet(session: Session): OwnedNet {
  const { signal, trace, clock } = session
  const sockets = ownSockets(signal)

  async function resolve(host: string, ip_family: IpFamily = 'auto'): Promise<readonly Address[]> {
    const find = (): Promise<readonly Address[]> =>
      session.resolver.resolve(host, ip_family, { signal, within_ms: session.deadlineIn() })
    // Nothing is looked up for an address, so there is no such phase.
    const addresses = await (toAddress(host) === undefined ? trace.phase('resolve', find) : find())
    judge(session.policy, host, addresses)
    return addresses
  }

  async function connect(options: ConnectOptions): Promise<Connection> {
    return connectTo(options, await resolve(options.host, options.ip_family))
  }

  async function connectTo(
    options: ConnectOptions,
    addresses: readonly Address[],
  ): Promise<Connection> {
    const dialled = await trace.phase('connect', () =>
      dial({ ...session, host: options.host, port: options.port, addresses, own: sockets.own }),
    )
    if (options.tls === undefined) return connection(options, dialled)
    return secure(options, dialled, options.tls, 'tls')
  }

  async function secure(
    { host, port }: ConnectOptions,
    dialled: Dialled,
    tls: TlsOptions,
    phase: 'tls' | 'starttls',
  ): Promise<Connection> {
    const { socket } = dialled
    const upgraded = await trace.phase(phase, () =>
      handshake({ ...session, socket, host, port, tls, phase, takeOver: sockets.takeOver }),
    )
    return connection({ host, port }, { ...dialled, socket: upgraded }, upgraded)
  }

  function connection(target: ConnectOptions, dialled: Dialled, upgraded?: TLSSocket): Connection {
    const { socket, address, attempts } = dialled
    return createConnection({
      socket,
      attempts,
      remote: { ...address, port: target.port },
      tls: upgraded === undefined ? null : tlsFacts(upgraded),
      name: hostPort(target.host, target.port),
      signal,
      secure: (tls) => secure(target, dialled, tls, 'starttls'),
    })
  }

  const net: Pick<Net, 'resolve' | 'connect'> = {
    resolve: (host, options) => resolve(host, options?.ip_family),
    connect,
  }
  const questions = ownQuestions({
    signal,
    pings: (ended) => ({ ...session, signal: ended, resolve: net.resolve }),
    dns: (ended) => ({
      ...session,
      signal: ended,
      resolve,
      connect: (options, address) => connectTo(options, [address]),
      timed: overlapping(trace, 'resolve', signal),
      loading: (work) => trace.loading(work),
      reaches: (address) => (trace.remote_ip = address),
    }),
  })
  return {
    ...net,
    dns: questions.dns,
    ping: questions.ping,
    http: (request) => httpExchange(net, trace, request, { signal, clock }),
    async close() {
      await Promise.all([sockets.close(), questions.close()])
    },
  }
}

/**
 * One refused address refuses the name: an attacker's name server would otherwise be asked until it
 * gives the wanted one. The text does not tell what the name resolves to.
 */
function judge(policy: TargetPolicy, host: string, addresses: readonly Address[]): void {
  const refused = addresses.some(({ address }) => policy({ host, address }) !== undefined)
  if (!refused) return
  const text = `The address of ${host} is not allowed as a target`
  throw new CheckFailure('connect_blocked', text, { phase: 'connect' })
}

interface OwnedSockets {
  own(socket: Socket): void
  /**
   * `to` speaks TLS through `from` and destroys it with itself. `from` is let go: destroying both from
   * within a handshake crashes Node 20 (a segmentation fault, when the one below goes first).
   */
  takeOver(from: Socket, to: Socket): void
  close(): Promise<void>
}

function ownSockets(signal: AbortSignal): OwnedSockets {
  const open = new Set<Socket>()
  let closed = false
  const destroyAll = (): void => {
    for (const socket of open) socket.destroy()
  }
  signal.addEventListener('abort', destroyAll, { once: true })
  function own(socket: Socket): void {
    // Errors that nobody waits for any more must not end the process.
    socket.on('error', () => undefined)
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (closed || signal.aborted) socket.destroy()
  }
  return {
    own,
    takeOver(from, to) {
      open.delete(from)
      own(to)
    },
    async close() {
      closed = true
      signal.removeEventListener('abort', destroyAll)
      const gone = [...open].map(
        (socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve())),
      )
      destroyAll()
      await Promise.all(gone)
    },
  }
}
