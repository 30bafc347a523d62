/**
 * Connections of one check: a name is resolved and judged, an address dialled, TLS spoken, directly or through a proxy.
 *
 * @module
 */

import type { Socket, TcpSocketConnectOpts } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../clock.ts'
import type { Connection, ConnectOptions, TlsFacts, TlsOptions } from '../net.ts'
import { placeOf, proxyTiming, toProxyFailure } from '../proxy/proxy.ts'
import type { Proxy, ProxyPlace } from '../proxy/proxy.ts'
import { openTunnel } from '../proxy/tunnel.ts'
import type { JudgedAddresses } from '../resolve/judged-addresses.ts'
import type { Resolver } from '../resolve/resolver.ts'
import type { StopSignal } from '../timing/stop.ts'
import type { Trace } from '../timing/trace.ts'
import { createConnection } from './connection.ts'
import { dial } from './dial.ts'
import type { Dialled, DialOptions } from './dial.ts'
import { hostPort } from './endpoint.ts'
import type { Address } from './endpoint.ts'
import type { OwnedSockets } from './own-sockets.ts'
import type { TakeIdle } from './reach.ts'
import { limitOverhead } from './tls-overhead.ts'
import { contextFor, handshake, openTls } from './tls.ts'
import type { HandshakeOptions, Opening, TlsContexts } from './tls.ts'

/** An address that is already allowed, or needs no decision. */
export interface Judged {
  readonly address: Address
  readonly unnamed: boolean
}

/** `takeIdle` may return an idle connection to one of the judged addresses. */
export type Connect = (
  options: ConnectOptions,
  judged?: Judged,
  takeIdle?: TakeIdle,
) => Promise<Connection>

export interface ConnectorParts {
  readonly clock: Clock
  readonly contexts: TlsContexts
  readonly resolver: Resolver
  /** The users who configure checks are not trusted. */
  readonly strangers: boolean
  readonly signal: StopSignal
  readonly deadlineIn: () => number
  readonly account_id: number | undefined
  readonly trace: Trace
  readonly sockets: OwnedSockets
  readonly addresses: Pick<JudgedAddresses, 'known' | 'resolve'>
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

export function createConnector(parts: ConnectorParts): Connect {
  const { clock, contexts, resolver, strangers, signal, deadlineIn, trace, sockets } = parts
  const { account_id } = parts
  const { known, resolve } = parts.addresses
  /** Another connection of TLS runs through them. */
  const covered = new WeakSet<Socket>()

  async function connect(
    options: ConnectOptions,
    judged?: Judged,
    takeIdle?: TakeIdle,
  ): Promise<Connection> {
    const { host, ip_family, proxy } = options
    if (proxy !== undefined) return connectThrough(proxy, options, takeIdle)
    const { address, unnamed = false } = judged ?? {}
    const addresses = address === undefined ? await resolve(host, ip_family) : [address]
    return takeIdle?.(addresses) ?? connectTo(options, { addresses, unnamed, timing: trace })
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
      opening = openTls({ host, tls, context, roots: contexts.roots }, options)
      return opening.socket.setNoDelay(true)
    }
    const dialled = await dial({ open, ...dialling })
    if (opening === undefined) throw new Error('The connection was made without its TLS socket')
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
    const asked = { host: target.host, tls, context, roots: contexts.roots }
    const opening = openTls(asked, { socket })
    sockets.takeOver(socket, opening.socket)
    covered.add(socket)
    return secure(target, dialled, { opening, tls, phase, timing: trace })
  }

  /** Proxy and target are judged before anything is dialled; the proxy resolves the name again. */
  async function connectThrough(
    proxy: Proxy,
    options: ConnectOptions,
    takeIdle: TakeIdle = () => undefined,
  ): Promise<Connection> {
    const { host, ip_family, tls, forward = false } = options
    // Without strangers a name is resolved by the proxy alone, and only an address is judged here.
    const isResolvedHere = strangers || proxy.trusted === true
    await (isResolvedHere ? resolve : known)(host, ip_family)
    const place = placeOf(proxy)
    const addresses = await toProxy(place, () => addressesOfProxy(proxy))
    const idle = takeIdle(addresses)
    if (idle !== undefined) return idle
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
      ? resolver.resolve(host, 'auto', { signal, within_ms: deadlineIn(), account_id })
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
    const isCovered = (): boolean => covered.has(opening.socket)
    limitOverhead(opening.socket, { target: hostPort(host, port), clock, isCovered })
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
      clock,
      secure: async (tls) => upgrade(target, dialled, tls),
    })
  }

  return connect
}
