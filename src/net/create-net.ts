/**
 * The network of an engine: the parts that all checks share (resolver, TLS contexts, policy), and
 * one `Net` per check, which owns every socket that the check opens.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { createConnector } from './connection/connector.ts'
import type { OwnIdleConnections } from './connection/idle-connections.ts'
import { reach } from './connection/reach.ts'
import type { Reached, TakeIdle } from './connection/reach.ts'
import { ownSockets } from './connection/own-sockets.ts'
import { outgoing } from './proxy/proxy.ts'
import type { OutgoingProxy, Proxy } from './proxy/proxy.ts'
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
import type { ConnectOptions, DnsQuery, HttpRequest, Net, TargetPolicy } from './net.ts'
import { oncePer } from './timing/once-per.ts'
import { ownQuestions } from './resolve/questions.ts'
import type { OwnedQuestions } from './resolve/questions.ts'
import { judgedAddresses } from './resolve/judged-addresses.ts'
import { createResolver } from './resolve/resolver.ts'
import type { Resolver } from './resolve/resolver.ts'
import { createTlsContexts } from './connection/tls.ts'
import type { TlsContexts } from './connection/tls.ts'
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
  /** Whose turn a lookup of the system takes. Default: that of the operator. */
  readonly account_id?: number | undefined
  /** Default: no connection outlives the check. */
  readonly idle?: OwnIdleConnections | undefined
}

/** The network of one check. */
export interface OwnedNet extends Net {
  /**
   * A connection for one request: with {@link OpenOptions.idle} an idle one, if its address is allowed now. `fresh`: a new
   * one in any case.
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

function openNet(shared: Shared, check: OpenOptions): OwnedNet {
  const { clock, contexts, resolver, firstOf, turns } = shared
  const { signal, trace, deadlineIn, account_id } = check
  const sockets = ownSockets(signal)
  const addresses = judgedAddresses(shared, check)
  const { known, lookUp, resolve } = addresses
  const strangers = shared.inside !== undefined
  const parts = {
    clock,
    contexts,
    resolver,
    strangers,
    signal,
    trace,
    deadlineIn,
    account_id,
    sockets,
    addresses,
  }
  const connect = createConnector(parts)
  let questions: OwnedQuestions | undefined
  let beside: OwnedNet | undefined
  let closed = false
  const inTurns = <T>(steps: Generator<void, T>): Promise<T> => turns.run(signal, steps)

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
        inTurns,
        http: net.http,
        timed: overlapping(trace, 'resolve', signal),
        loading: (work) => trace.loading(work),
        reaches: (address) => trace.reaches(address),
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
      const connecting = (takeIdle: TakeIdle) => connect(to, undefined, takeIdle)
      const { idle } = check
      return reach(to, { clock, turns, idle, sockets, fresh, connect: connecting })
    },
    dns: (query) => asked().dns(query),
    ping: (request) => asked().ping(request),
    http(request, reader) {
      if (request.aside === true) return openAside().http({ ...request, aside: false }, reader)
      return httpExchange(net, trace, request, { signal, clock, firstOf, reader, inTurns, turns })
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
