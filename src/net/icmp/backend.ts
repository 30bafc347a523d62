/**
 * Who sends the ICMP echo requests: the system's own `ping`, or whatever a host puts in its place.
 *
 * Node has no raw sockets, and an echo request needs one, or a privilege of the process; the system's
 * program has what it takes.
 *
 * @module
 */

import type { IcmpError } from '../net.ts'
import type { Address } from '../connection/endpoint.ts'

/** One run of packets to one address. */
export interface PingOrder {
  /** Judged already; never a name. */
  readonly address: Address
  /** Packets to send, at least 1. */
  readonly count: number
  /** From packet to packet, ms. */
  readonly interval_ms: number
  /** How long a reply to the last packet may take, ms. */
  readonly reply_wait_ms: number
  /** The report has to be there by then, of as many packets as were sent; ms. */
  readonly budget_ms: number
  /** Where nothing at all came back by then, the rest is left out; ms. */
  readonly patience_ms?: number
  /** Ends everything at once; its reason is what the report rejects with. */
  readonly signal: AbortSignal
}

/** The first reply to a packet. */
export interface PingReply {
  /** Which packet: 0 is the first. */
  readonly index: number
  readonly rtt_ms: number
  /** Hops left in the reply, `null` where the backend does not see it. */
  readonly ttl: number | null
}

/** What came of an order. */
export interface PingReport {
  /** Packets sent; fewer than ordered where the time was up before. */
  readonly sent: number
  /** At most one per packet. */
  readonly replies: readonly PingReply[]
  /** Replies beyond the first one to each packet. */
  readonly duplicates: number
  /** What a host on the way answered instead, the last time. */
  readonly error: IcmpError | null
}

/** Injectable: one object may serve many checks at the same time. */
export interface PingBackend {
  /**
   * Settles only once nothing of it is left: no process, no socket, no timer.
   *
   * @throws CheckFailure `probe_unsupported` where this machine cannot ping, with the remedy in its text;
   * `host_unreachable` where its own routes do not lead there
   */
  ping(order: PingOrder): Promise<PingReport>
}
