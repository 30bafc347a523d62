/**
 * The network of an engine: what all checks share (resolver, TLS contexts, the policy), and one `Net`
 * per check, which owns every socket that the check opens.
 *
 * @module
 */

import type { Socket, TcpSocketConnectOpts } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../clock.ts'
import { createConnection } from './connection/connection.ts'
import { dial } from './connection/dial.ts'
import type { Dialled } from './connection/dial.ts'
import { createInside } from './dns/inside.ts'
import type { Inside } from './dns/inside.ts'
import { codecLoader } from './dns/message.ts'
import type { CodecLoader } from './dns/message.ts'
import { parseDnsName } from './dns/names.ts'
import { planOf } from './dns/plan.ts'
import type { Plan } from './dns/plan.ts'
import { toAddress } from './connection/endpoint.ts'
import { CheckFailure } from './failure.ts'
import { firstRequest, httpExchange } from './http/exchange.ts'
import type { HopRequest } from './http/headers.ts'
import type { PingBackend } from './icmp/backend.ts'
import { systemPing } from './icmp/system-ping.ts'
import type {
  Connection,
  ConnectOptions,
  DnsQuery,
  HttpRequest,
  Net,
  TargetPolicy,
  TlsFacts,
  TlsOptions,
} from './net.ts'
import type { IpFamily } from './connection/endpoint.ts'
import type { Address } from './connection/endpoint.ts'
import { oncePer } from './timing/once-per.ts'
import { ownQuestions } from './resolve/questions.ts'
import type { OwnedQuestions } from './resolve/questions.ts'
import { createResolver, literal } from './resolve/resolver.ts'
import type { Resolver } from './resolve/resolver.ts'
import { contextFor, createTlsContexts, handshake, openTls } from './connection/tls.ts'
import type { HandshakeOptions, Opening, TlsContexts } from './connection/tls.ts'
import { overlapping } from './timing/trace.ts'
import type { Trace } from './timing/trace.ts'
import type { StopSignal } from './timing/stop.ts'
import { createTurns } from './timing/turns.ts'
import type { Turns } from './timing/turns.ts'

export interface NetworkOptions {
  readonly clock: Clock
  /** Judges every address before it is dialled. */
  readonly policy: TargetPolicy
  /**
   * Those who make the checks are strangers here: the policy also decides what the name servers of this location are
   * asked about and what of their answers is passed on, and nobody is told who they are. Default `false`.
   */
  readonly strangers?: boolean
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
  readonly signal: StopSignal
  /** Milliseconds left until the signal is due. */
  readonly deadlineIn: () => number
  readonly trace: Trace
}

/** The network of one check. */
export interface OwnedNet extends Net {
  /** Destroys whatever is still open; resolves when the handles are gone, `undefined` where they are already. */
  close(): Promise<void> | undefined
}

export interface Network {
  open(options: OpenOptions): OwnedNet
  /** For what takes long to read. */
  readonly turns: Turns
}

export function createNetwork(options: NetworkOptions): Network {
  const { clock, policy, strangers = false, nameservers } = options
  const { resolver = createResolver({ clock, discreet: strangers }) } = options
  const shared: Shared = {
    clock,
    policy,
    inside: strangers ? createInside(policy) : undefined,
    resolver,
    nameservers,
    contexts: createTlsContexts(options.ca),
    backend: options.ping ?? systemPing({ clock }),
    codec: codecLoader(),
    planned: oncePer(planOf),
    firstOf: oncePer(firstRequest),
    turns: createTurns(clock),
  }
  return {
    open: (check) => openNet(shared, check),
    turns: shared.turns,
  }
}

/** What all checks have in common. */
interface Shared {
  readonly clock: Clock
  readonly policy: TargetPolicy
  readonly inside: Inside | undefined
  readonly resolver: Resolver
  readonly nameservers: readonly string[] | undefined
  readonly contexts: TlsContexts
  readonly backend: PingBackend
  readonly codec: CodecLoader
  readonly planned: (query: DnsQuery) => Plan
  readonly firstOf: (request: HttpRequest) => HopRequest
  readonly turns: Turns
}

interface Securing extends Pick<HandshakeOptions, 'onStaple' | 'phase'> {
  readonly opening: Opening
}

function openNet(shared: Shared, check: OpenOptions): OwnedNet {
  const { clock, policy, contexts, firstOf, turns } = shared
  const { signal, trace, deadlineIn } = check
  const sockets = ownSockets(signal)
  let questions: OwnedQuestions | undefined
  let closed = false
  const inTurns = <T>(steps: Generator<void, T>): Promise<T> => turns.run(signal, steps)

  /** Nothing is looked up for an address, so there is no such phase. */
  function known(host: string, ip_family: IpFamily = 'auto'): readonly Address[] | undefined {
    if (toAddress(host) === undefined) return undefined
    return judged(policy, host, literal(host, ip_family))
  }

  async function lookUp(host: string, ip_family: IpFamily = 'auto'): Promise<readonly Address[]> {
    // Whether there is such a name is an answer, too.
    shared.inside?.refuse(parseDnsName(host) ?? host)
    const found = await trace.phase('resolve', () =>
      shared.resolver.resolve(host, ip_family, { signal, within_ms: deadlineIn() }),
    )
    return judged(policy, host, found)
  }

  async function resolve(host: string, ip_family?: IpFamily): Promise<readonly Address[]> {
    return known(host, ip_family) ?? lookUp(host, ip_family)
  }

  /** `judged`: where that is done already, or not needed. */
  async function connect(
    options: ConnectOptions,
    judged?: { readonly address: Address; readonly unnamed: boolean },
  ): Promise<Connection> {
    const { host, port, ip_family, tls } = options
    const { address, unnamed = false } = judged ?? {}
    const addresses =
      address === undefined
        ? (known(host, ip_family) ?? (await lookUp(host, ip_family)))
        : [address]
    const { own } = sockets
    const way = { host, port, addresses, unnamed, own, clock, signal, deadlineIn, trace }
    if (tls === undefined) return connection(options, await dial(way), null)
    const context = contextFor(tls, contexts)
    let opening: Opening | undefined
    const open = (to: TcpSocketConnectOpts): TLSSocket => {
      opening = openTls({ host, tls, context }, to)
      return opening.socket.setNoDelay(true)
    }
    const dialled = await dial({ ...way, open })
    if (opening === undefined) throw new Error('A connection stands that nobody has opened')
    return secure(options, dialled, { opening, onStaple: tls.onStaple, phase: 'tls' })
  }

  /** From clear text to TLS on the same connection. */
  function upgrade(target: ConnectOptions, dialled: Dialled, tls: TlsOptions): Promise<Connection> {
    const { socket } = dialled
    signal.throwIfAborted()
    const context = contextFor(tls, contexts)
    const opening = openTls({ host: target.host, tls, context }, { socket })
    sockets.takeOver(socket, opening.socket)
    return secure(target, dialled, { opening, onStaple: tls.onStaple, phase: 'starttls' })
  }

  async function secure(
    { host, port }: ConnectOptions,
    { address, attempts }: Dialled,
    { opening, onStaple, phase }: Securing,
  ): Promise<Connection> {
    const way = { host, port, onStaple, phase, signal, trace }
    const { socket, facts } = await handshake(opening, way)
    return connection({ host, port }, { socket, address, attempts }, facts)
  }

  function connection(
    target: ConnectOptions,
    dialled: Dialled,
    facts: TlsFacts | null,
  ): Connection {
    const { socket, address, attempts } = dialled
    return createConnection({
      socket,
      attempts,
      remote: { address: address.address, family: address.family, port: target.port },
      tls: facts,
      target,
      signal,
      secure: async (tls) => upgrade(target, dialled, tls),
    })
  }

  /** Most checks ask no name server and ping nobody. */
  function asked(): OwnedQuestions {
    if (questions !== undefined) return questions
    questions = ownQuestions({
      signal,
      pings: (ended) => ({ ...shared, ...check, signal: ended, resolve: net.resolve }),
      dns: (ended, own) => ({
        own,
        clock,
        codec: shared.codec,
        planned: shared.planned,
        nameservers: shared.nameservers,
        deadlineIn,
        signal: ended,
        known,
        lookUp,
        inside: shared.inside,
        connect,
        timed: overlapping(trace, 'resolve', signal),
        loading: (work) => trace.loading(work),
        reaches: (address) => (trace.remote_ip = address),
      }),
    })
    // Asked for the first time after the end: it must not begin.
    if (closed) void questions.close()
    return questions
  }

  const net: OwnedNet = {
    resolve: (host, options) => resolve(host, options?.ip_family),
    connect: (options) => connect(options),
    dns: (query) => asked().dns(query),
    ping: (request) => asked().ping(request),
    http: (request, reader) =>
      httpExchange(net, trace, request, { signal, clock, firstOf, reader, inTurns }),
    close() {
      closed = true
      const left = [sockets.close(), questions?.close()].filter((each) => each !== undefined)
      return left.length === 0 ? undefined : Promise.all(left).then(ignore)
    },
  }
  return net
}

/**
 * One refused address refuses the name: an attacker's name server would otherwise be asked until it
 * gives the wanted one. The text does not tell what the name resolves to.
 */
function judged(
  policy: TargetPolicy,
  host: string,
  addresses: readonly Address[],
): readonly Address[] {
  const refused = addresses.some(({ address }) => policy({ host, address }) !== undefined)
  if (!refused) return addresses
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
  close(): Promise<void> | undefined
}

function ownSockets(signal: StopSignal): OwnedSockets {
  const open = new Set<Socket>()
  let closed = false
  let gone: (() => void) | undefined
  const destroyAll = (): void => {
    for (const socket of open) socket.destroy()
  }
  signal.addEventListener('abort', destroyAll, { once: true })
  function own(socket: Socket): void {
    // Errors that nobody waits for any more must not end the process.
    socket.on('error', ignore)
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      if (open.size === 0) gone?.()
    })
    if (closed || signal.aborted) socket.destroy()
  }
  return {
    own,
    takeOver(from, to) {
      open.delete(from)
      own(to)
    },
    close() {
      closed = true
      signal.removeEventListener('abort', destroyAll)
      if (open.size === 0) return undefined
      return new Promise((resolve) => {
        gone = resolve
        destroyAll()
      })
    },
  }
}

function ignore(): void {}
