/**
 * Connects to one of the checked addresses: in order, one at a time, at most four.
 *
 * Node's own "happy eyeballs" is not used: it allows 250 ms per address, so that slow links fail,
 * and it does not accept a list of addresses that the guard has already checked.
 *
 * @module
 */

import { connect } from 'node:net'
import type { Socket, TcpSocketConnectOpts } from 'node:net'
import type { Clock } from '../../clock.ts'
import { hostPort, toAddress } from './endpoint.ts'
import { toFailure } from '../explain.ts'
import { CheckFailure } from '../failure.ts'
import type { Attempt } from '../net.ts'
import type { Address } from './endpoint.ts'
import { missingNetwork } from '../guard/own-network.ts'
import type { Trace } from '../timing/trace.ts'
import type { StopSignal } from '../timing/stop.ts'

/** Maximum number of addresses tried. */
const MAX_ADDRESSES = 4

/**
 * With several addresses, each one gets at most this time, and at most half of the remaining time.
 */
const TIMEOUT_MS = 3000

export interface DialOptions {
  /** For error texts. */
  readonly host: string
  readonly port: number
  /** Already allowed by the policy; at least one. */
  readonly addresses: readonly Address[]
  /** Leaves the addresses out of the trace. Default `false`. */
  readonly unnamed?: boolean
  readonly clock: Pick<Clock, 'timer' | 'monotonic'>
  readonly signal: StopSignal
  /** Milliseconds until the deadline of the check. */
  readonly deadlineIn: () => number
  readonly trace: Pick<Trace, 'begin' | 'reaches'>
  /** Receives every socket before it connects, so that the check can close it. */
  readonly own: (socket: Socket) => void
  /** Creates a socket that connects to this address. Default: a plain TCP socket. */
  readonly open?: ((to: TcpSocketConnectOpts) => Socket) | undefined
}

export interface Dialled {
  readonly socket: Socket
  readonly address: Address
  /** Every attempt; a successful one is last. */
  readonly attempts: readonly Attempt[]
}

/**
 * @throws CheckFailure `connect_refused`, `connect_timeout`, `connect_reset`, `connect_unreachable`, …
 * of the first address; the signal's reason when it aborts
 */
export async function dial(options: DialOptions): Promise<Dialled> {
  const { clock, trace } = options
  const over = trace.begin('connect')
  const queue = options.addresses.slice(0, MAX_ADDRESSES)
  const several = queue.length > 1
  const attempts: Attempt[] = []
  let failure: CheckFailure | undefined
  let resets = 0
  try {
    for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
      if (options.unnamed !== true) trace.reaches(address.address)
      const limit_ms = several ? Math.min(options.deadlineIn() / 2, TIMEOUT_MS) : undefined
      const from = clock.monotonic()
      const outcome = await dialOne(address, options, { limit_ms, over })
      const duration_ms = Math.round(clock.monotonic() - from)
      const cause_code = outcome instanceof CheckFailure ? outcome.code : null
      attempts.push({ address: address.address, cause_code, duration_ms })
      if (!(outcome instanceof CheckFailure)) return { socket: outcome, address, attempts }
      failure = weightier(failure, outcome)
      // A connection that is accepted and reset: a listener with a full queue, or a load balancer
      // that changes state. Retry once.
      if (outcome.code === 'connect_reset' && resets++ === 0) queue.unshift(address)
    }
    throw summary(failure, attempts)
  } finally {
    // Once connected, the connect phase has already ended.
    over(true)
  }
}

interface Try {
  readonly limit_ms: number | undefined
  /**
   * Called synchronously when the connection is established, so that later work in the same turn is
   * not timed as connecting.
   */
  readonly over: () => void
}

/**
 * Settles at the latest when the socket closes; the abort signal of the check destroys the socket.
 */
function dialOne(
  target: Address,
  { host, port, signal, clock, own, open = connect }: DialOptions,
  { limit_ms, over }: Try,
): Promise<Socket | CheckFailure> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const { address, family } = target
    const socket = open({ host: address, port, family, autoSelectFamily: false, noDelay: true })
    own(socket)
    const timer = limit_ms === undefined ? undefined : clock.timer(limit_ms, late)
    // Prepended, so that the peer address is checked before TLS sends a ClientHello.
    socket.prependOnceListener('connect', connected).once('error', failed).once('close', closed)

    function settle(outcome: Socket | CheckFailure): void {
      timer?.cancel()
      socket.off('error', failed).off('close', closed)
      if (socket.connecting) socket.destroy()
      resolve(outcome)
    }
    function connected(): void {
      const problem = problemOf(socket, target, { host, port })
      if (problem === undefined) over()
      settle(problem ?? socket)
    }
    function late(): void {
      const text = `${hostPort(host, port)} did not accept the connection in time`
      settle(new CheckFailure('connect_timeout', text, { phase: 'connect' }))
    }
    function failed(error: unknown): void {
      const where = { phase: 'connect', target: hostPort(host, port) } as const
      settle(missingNetwork(error, target.family) ?? toFailure(error, where))
    }
    function closed(): void {
      timer?.cancel()
      if (signal.aborted) reject(signal.reason)
      else settle(resetBy({ host, port }))
    }
  })
}

type Place = Pick<DialOptions, 'host' | 'port'>

/**
 * Verifies, before the first byte is sent, that the peer is the address that the policy allowed.
 */
function problemOf(socket: Socket, target: Address, place: Place): CheckFailure | undefined {
  const { remoteAddress } = socket
  if (remoteAddress === target.address) return undefined
  if (toAddress(remoteAddress ?? '')?.address === target.address) return undefined
  socket.destroy()
  if (remoteAddress === undefined) return resetBy(place)
  const text = `The connection to ${hostPort(place.host, place.port)} ended up elsewhere`
  return new CheckFailure('connect_blocked', text)
}

function resetBy({ host, port }: Place): CheckFailure {
  return new CheckFailure('connect_reset', `${hostPort(host, port)} reset the connection`)
}

function summary(failure: CheckFailure | undefined, attempts: readonly Attempt[]): CheckFailure {
  if (failure === undefined) return new CheckFailure('dns_no_records', 'The name has no address')
  const tried = new Set(attempts.map(({ address }) => address)).size
  if (tried === 1) return failure
  const text = `${failure.message} (${tried} addresses tried)`
  return new CheckFailure(failure.code, text, { phase: failure.phase, cause: failure.cause })
}

/** Of two failures, the one that says more about the server; the first if they are equal. */
function weightier(first: CheckFailure | undefined, second: CheckFailure): CheckFailure {
  return first === undefined || weight(second) > weight(first) ? second : first
}

function weight({ code }: CheckFailure): number {
  if (code.startsWith('probe_')) return 0
  return code === 'connect_unreachable' ? 1 : 2
}
