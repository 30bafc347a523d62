/**
 * The interface for ICMP echo requests: the system's `ping` program, or a replacement.
 *
 * Node has no raw sockets, and an echo request needs one or a privilege of the process; the
 * system's program has the privilege.
 *
 * @module
 */

import type { IcmpError } from '../net.ts'
import type { Address } from '../connection/endpoint.ts'

/** A series of packets to one address. */
export interface PingOrder {
  /** Already allowed by the policy; never a name. */
  readonly address: Address
  /** Packets to send, at least 1. */
  readonly count: number
  /** Between packets, ms. */
  readonly interval_ms: number
  /** Maximum wait for a reply to the last packet, ms. */
  readonly reply_wait_ms: number
  /** Maximum time until the report, for as many packets as were sent; ms. */
  readonly budget_ms: number
  /** If no reply has arrived by then, the remaining packets are not sent; ms. */
  readonly first_reply_ms?: number
  /** Ends all operations at once; the report rejects with its reason. */
  readonly signal: AbortSignal
}

/** The first reply to a packet. */
export interface PingReply {
  /** Index of the packet: 0 is the first. */
  readonly index: number
  readonly rtt_ms: number
  /** Hops left in the reply, `null` if the backend does not know. */
  readonly ttl: number | null
}

/** The result of an order. */
export interface PingReport {
  /** Packets sent; fewer than ordered if the time ran out. */
  readonly sent: number
  /** At most one per packet. */
  readonly replies: readonly PingReply[]
  /** Replies after the first one to each packet. */
  readonly duplicates: number
  /** The last ICMP error from a host on the path. */
  readonly error: IcmpError | null
}

/** Replaceable: one object may serve many checks at the same time. */
export interface PingBackend {
  /**
   * Settles only after every process, socket and timer of it has ended.
   *
   * @throws CheckFailure `probe_unsupported` if this machine cannot ping, with the remedy in its
   * text; `host_unreachable` if the machine has no route
   */
  ping(order: PingOrder): Promise<PingReport>
}
