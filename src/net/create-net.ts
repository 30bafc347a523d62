/**
 * The network of an engine: the parts that all checks share (resolver, TLS contexts, policy), and
 * one `Net` per check, which owns every socket that the check opens.
 *
 * @module
 */

import type { TcpSocketConnectOpts } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../clock.ts'
import { createConnection } from './connection/connection.ts'
import type { OwnIdleConnections } from './connection/idle-connections.ts'
import { reach } from './connection/reach.ts'
import type { Reached, Standing } from './connection/reach.ts'
import { dial } from './connection/dial.ts'
import { ownSockets } from './connection/own-sockets.ts'
import { outgoing, placeOf, proxyTiming, toProxyFailure } from './proxy/proxy.ts'
import type { OutgoingProxy, Proxy, ProxyPlace } from './proxy/proxy.ts'
import { openTunnel } from './proxy/tunnel.ts'
import type { Dialled, DialOptions } from './connection/dial.ts'
import { createInside } from './dns/inside.ts'
import type { Inside } from './dns/inside.ts'
import { codecLoader } from './dns/message.ts'
import type { CodecLoader } from './dns/message.ts'
import { planOf } from './dns/client.ts'
import type { Plan } from './dns/client.ts'
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
import type { Address } from './connection/endpoint.ts'
import { oncePer } from './timing/once-per.ts'
import { ownQuestions } from './resolve/questions.ts'
import type { OwnedQuestions } from './resolve/questions.ts'
import { judgedAddresses } from './resolve/judged-addresses.ts'
import { createResolver } from './resolve/resolver.ts'
import type { Resolver } from './resolve/resolver.ts'
import { contextFor, createTlsContexts, handshake, openTls } from './connection/tls.ts'
import type { HandshakeOptions, Opening, TlsContexts } from './connection/tls.ts'
import { createTrace, overlapping } from './timing/trace.ts'
import type { Trace } from './timing/trace.ts'
import type { StopSignal } from './timing/stop.ts'
import { createTurns } from './timing/turns.ts'
import type { Turns } from './timing/turns.ts'

export interface NetworkOptions {
  readonly clock: Clock
  /** Decides about every address before a connection to it. */
  readonly policy: TargetPolicy
  /**
   * The users who configure checks are not trusted: the policy also restricts which names are sent
   * to the location's name servers and which records are returned, and the addresses of those name
   * servers are not shown. Default `false`.
   */
  readonly strangers?: boolean
  /** Default: hosts file and name servers of the system. */
  readonly resolver?: Resolver
  /**
   * Name servers of `net.dns` for queries that name none. Default: those of the system, read again
   * for every query.
   */
  readonly nameservers?: readonly string[]
  /** Certificates (PEM) trusted in addition to the default ones. */
  readonly ca?: string | readonly string[]
  /** The proxy of the operator, used by callers of {@link Network.proxyFor}. */
  readonly proxy?: OutgoingProxy | undefined
  /** Sends ICMP echo requests. Default: the `ping` program of the system. */
  readonly ping?: PingBackend
}

export interface OpenOptions {
  /** Ends all operations at once; all waits reject with its reason. */
  readonly signal: StopSignal
  /** Milliseconds until the signal is due. */
  readonly deadlineIn: () => number
  readonly trace: Trace
  /** Default: no connection outlives the check. */
  readonly idle?: OwnIdleConnections | undefined
}

/** The network of one check. */
export interface OwnedNet extends Net {
  /**
   * A connection for one request, with {@link OpenOptions.idle} one that waits, if its address is allowed now. `fresh`: a
   * new one in any case.
   */
  reach(to: ConnectOptions, options?: { readonly fresh?: boolean }): Promise<Reached>
  /**
   * Destroys everything that is still open; resolves when the handles are closed, `undefined` if
   * none is open.
   */
  close(): Promise<void> | undefined
}

export interface Network {
  open(options: OpenOptions): OwnedNet
  /** Splits long parsing work into steps. */
  readonly turns: Turns
  /** The proxy for a target; `undefined` where it is connected to directly. */
  proxyFor(host: string, port: number): Proxy | undefined
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
    proxyFor: outgoing(options.proxy),
  }
}

/** Shared by all checks. */
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

interface Securing extends Pick<HandshakeOptions, 'phase'> {
  readonly tls: TlsOptions
  readonly opening: Opening
  readonly timing: Pick<Trace, 'begin'>
}

interface Way extends Pick<DialOptions, 'addresses'> {
  readonly unnamed: boolean
  readonly timing: DialOptions['trace']
}

function openNet(shared: Shared, check: OpenOptions): OwnedNet {
  const { clock, contexts, firstOf, turns } = shared
  const { signal, trace, deadlineIn } = check
  const sockets = ownSockets(signal)
  const { known, lookUp, resolve } = judgedAddresses(shared, check)
  let questions: OwnedQuestions | undefined
  let beside: OwnedNet | undefined
  let closed = false
  const inTurns = <T>(steps: Generator<void, T>): Promise<T> => turns.run(signal, steps)

  /** `judged`: the addresses, if they are already allowed or need no decision. */
  async function connect(
    options: ConnectOptions,
    judged?: { readonly address: Address; readonly unnamed: boolean },
    standing?: Standing,
  ): Promise<Connection> {
    const { host, ip_family, proxy } = options
    if (proxy !== undefined) return connectThrough(proxy, options, standing)
    const { address, unnamed = false } = judged ?? {}
    const addresses = address === undefined ? await resolve(host, ip_family) : [address]
    return standing?.(addresses) ?? connectTo(options, { addresses, unnamed, timing: trace })
  }

  async function connectTo(options: ConnectOptions, way: Way): Promise<Connection> {
    const { host, port, tls } = options
    const { own } = sockets
    const { addresses, unnamed, timing: trace } = way
    // Without spreading, which takes a tenth of a check of tcp.
    const dialling = { host, port, addresses, unnamed, own, clock, signal, deadlineIn, trace }
    if (tls === undefined) return connection(options, await dial(dialling), null)
    const context = contextFor(tls, contexts)
    let opening: Opening | undefined
    const open = (options: TcpSocketConnectOpts): TLSSocket => {
      opening = openTls({ host, tls, context }, options)
      return opening.socket.setNoDelay(true)
    }
    const dialled = await dial({ ...dialling, open })
    if (opening === undefined) throw new Error('A connection stands that nobody has opened')
    return secure(options, dialled, { opening, tls, phase: 'tls', timing: trace })
  }

  /** Upgrades the connection from plain text to TLS. */
  function upgrade(
    target: ConnectOptions,
    dialled: Dialled,
    tls: TlsOptions,
    phase: Securing['phase'] = 'starttls',
  ): Promise<Connection> {
    const { socket } = dialled
    signal.throwIfAborted()
    const context = contextFor(tls, contexts)
    const opening = openTls({ host: target.host, tls, context }, { socket })
    sockets.takeOver(socket, opening.socket)
    return secure(target, dialled, { opening, tls, phase, timing: trace })
  }

  /** Proxy and target are judged before anything is dialled; the proxy resolves the name again. */
  async function connectThrough(
    proxy: Proxy,
    options: ConnectOptions,
    standing: Standing = () => undefined,
  ): Promise<Connection> {
    const { host, ip_family, tls, forward = false } = options
    const named = shared.inside !== undefined || proxy.trusted === true
    await (named ? resolve : known)(host, ip_family)
    const place = placeOf(proxy)
    const addresses = await toProxy(place, () => addressesOfProxy(proxy))
    const stood = standing(addresses)
    if (stood !== undefined) return stood
    const through = await toProxy(place, () => {
      const target = { ...place, ...(place.scheme === 'https' ? { tls: {} } : {}) }
      return connectTo(target, { addresses, unnamed: false, timing: proxyTiming(trace) })
    })
    if (forward) return through
    await trace.phase('proxy', () => openTunnel(through, { proxy, target: options, signal }))
    const { socket, attempts, remote: address } = through
    if (tls === undefined) return connection(options, { socket, attempts, address }, null)
    return upgrade(options, { socket, attempts, address }, tls, 'tls')
  }

  async function addressesOfProxy(proxy: Proxy): Promise<readonly Address[]> {
    const { host } = placeOf(proxy)
    return proxy.trusted === true
      ? shared.resolver.resolve(host, 'auto', { signal, within_ms: deadlineIn() })
      : resolve(host)
  }

  async function toProxy<T>(place: ProxyPlace, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw signal.aborted ? error : toProxyFailure(error, place)
    }
  }

  async function secure(
    { host, port }: ConnectOptions,
    { address, attempts }: Dialled,
    { opening, tls: { onStaple, identity }, phase, timing }: Securing,
  ): Promise<Connection> {
    const way = { host, port, onStaple, identity, phase, signal, clock, trace: timing }
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

  /** Created on first use: most checks send neither DNS queries nor pings. */
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
        http: net.http,
        timed: overlapping(trace, 'resolve', signal),
        loading: (work) => trace.loading(work),
        reaches: (address) => (trace.remote_ip = address),
      }),
    })
    // First used after the end: it must not start.
    if (closed) void questions.close()
    return questions
  }

  /** With a trace of its own; first used after the end, it must not start. */
  function openAside(): OwnedNet {
    beside ??= openNet(shared, { ...check, idle: undefined, trace: createTrace(clock) })
    if (closed) void beside.close()
    return beside
  }

  const net: OwnedNet = {
    resolve: (host, options) => resolve(host, options?.ip_family),
    connect: (options) => connect(options),
    reach(to, { fresh = false } = {}) {
      const connecting = (standing: Standing) => connect(to, undefined, standing)
      return reach(to, { clock, idle: check.idle, sockets, fresh, connect: connecting })
    },
    dns: (query) => asked().dns(query),
    ping: (request) => asked().ping(request),
    http(request, reader) {
      if (request.aside === true) return openAside().http({ ...request, aside: false }, reader)
      return httpExchange(net, trace, request, { signal, clock, firstOf, reader, inTurns })
    },
    close() {
      closed = true
      const all = [sockets.close(), questions?.close(), beside?.close()]
      const left = all.filter((each) => each !== undefined)
      return left.length === 0 ? undefined : Promise.all(left).then(ignore)
    },
  }
  return net
}

function ignore(): void {}
