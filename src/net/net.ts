/**
 * The network as a checker sees it. Everything opened here is guarded (every address is checked by
 * the policy before the connection), timed (phases go to the trace), bounded (reads have a size,
 * waits a deadline) and owned by the check, which destroys it at its end, so that nothing leaks.
 *
 * @module
 */

import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { DnsRecord } from './dns/message.ts'
import type { DnsScheme } from './dns/names.ts'
import type { DnsType } from './dns/records.ts'
import type { ConnectOptions, TlsFacts, TlsOptions } from './connection/connect-options.ts'
import type { Address, IpFamily } from './connection/endpoint.ts'
import type { ClientIdentity } from './connection/client-identity.ts'
import type { Proxy } from './proxy/proxy.ts'
import type { HttpVersion } from './http/headers.ts'

export type { ConnectOptions, TlsFacts, TlsOptions }

export interface ReadOptions {
  /** Maximum bytes read; beyond it the read fails with `too_long`. Default 4096. */
  readonly max?: number
  /**
   * The end of the stream also completes the read: returns the bytes read so far instead of failing
   * with `closed_early`.
   */
  readonly orEnd?: boolean
  /**
   * Called with an incomplete line; `false` ends the wait with `protocol_error`. Only for
   * `readLine`.
   */
  readonly plausible?: (beginning: string) => boolean
}

/** One attempt to connect to one address. */
export interface Attempt {
  readonly address: string
  /** `null` for the successful one. */
  readonly cause_code: string | null
  readonly duration_ms: number
}

/** A stream socket. All reads share one buffer, so no bytes are lost between them. */
export interface Connection {
  readonly remote: Address & { readonly port: number }
  /** Every address that was tried; the connected one is last. */
  readonly attempts: readonly Attempt[]
  /** For libraries that take a stream. After passing it on, do not read from the connection. */
  readonly socket: Socket | TLSSocket
  /** `null` on a plain connection. */
  readonly tls: TlsFacts | null
  /** Resolves when the bytes are passed to the operating system. */
  write(data: string | Uint8Array): Promise<void>
  /** The next line without its end (LF or CRLF), as latin1 text. Fails with `closed_early` at the end of the stream. */
  readLine(options?: ReadOptions): Promise<string>
  /**
   * Reads bytes until `enough` returns true; returns all of them. Fails with `closed_early` or
   * `too_long`.
   */
  readUntil(enough: (gathered: Buffer) => boolean, options?: ReadOptions): Promise<Buffer>
  /** Number of received bytes that are not read yet. */
  buffered(): number
  /**
   * STARTTLS: a TLS handshake on this socket. Plain text that the peer sent after its consent is
   * refused (CVE-2011-0411).
   */
  upgrade(options?: TlsOptions): Promise<Connection>
  /**
   * Ends the stream after pending writes; resolves when both are passed to the operating system, or
   * the connection is closed. Without it a TLS server may not see the handshake complete, and log
   * an error.
   */
  end(): Promise<void>
  /** Destroys the socket. */
  close(): void
}

export interface HttpRequest {
  readonly url: string
  /** Default `1.1`. `2` over plain TCP: with prior knowledge (RFC 9113, 3.3). */
  readonly http_version?: HttpVersion | undefined
  /** Default GET. */
  readonly method?: string
  /** A list of pairs keeps order and repeated names. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Uint8Array
  readonly ip_family?: IpFamily
  readonly proxy?: Proxy | undefined
  /** Default `true`. */
  readonly verify?: boolean
  /** Maximum redirects; 0 follows none. Default 10. */
  readonly redirects?: number
  /** Sent to the first origin only; dropped when a redirect leads to another origin. */
  readonly auth?: { readonly user: string; readonly pass: string } | undefined
  /** Presented to the first origin only, as `auth`. */
  readonly identity?: ClientIdentity | undefined
  /** Maximum decoded bytes of the body; then the transfer ends. Default 4 MiB. */
  readonly bodyLimit?: number
  /**
   * Whether the body is kept; otherwise it is only counted and passed to the reader. Default
   * `true`.
   */
  readonly keepBody?: boolean
  /**
   * For another server than the target of the check: neither its phases nor its address are recorded. Default `false`.
   */
  readonly aside?: boolean
}

/** Reads the text of a body as it arrives, so that the body need not be kept. */
export interface TextReader {
  /** While true, the body is read beyond `bodyLimit`, up to 64 MiB. */
  wantsMore(): boolean
  /** Receives the next piece, at most 64 Ki characters; in steps as for `ctx.inTurns`. */
  take(text: string): Generator<void, void>
  /** Called after the last piece. */
  end(read: BodyRead): Generator<void, void>
}

/** How much of a body was read. */
export interface BodyRead {
  /** Unpacked. */
  readonly bytes: number
  /** The body was read to its end. */
  readonly whole: boolean
}

/** One request and its response; an exchange with redirects has several. */
export interface HttpHop {
  readonly url: string
  readonly status: number
  readonly remote_ip: string | null
  readonly resolve_ms: number
  readonly connect_ms: number
  readonly tls_ms: number
  readonly first_byte_ms: number
  readonly transfer_ms: number
}

export interface HttpExchange {
  readonly status: number
  /** Lower-case names; repeated headers joined as node:http does. */
  readonly headers: Readonly<Record<string, string>>
  /** `1.0`, `1.1`, `2`. */
  readonly http_version: string
  /** From the first lookup to the last byte, redirects included, in ms. */
  readonly elapsed_ms: number
  /** Every hop, the final one last. */
  readonly hops: readonly HttpHop[]
  /** After redirects, without fragment and userinfo. */
  readonly final_url: string
  /**
   * Decoded (gzip, deflate, br in any order), at most `bodyLimit` bytes; empty if it is not kept.
   */
  readonly body: Buffer
  /** Decoded bytes that were read, kept or not. */
  readonly decoded_bytes: number
  /** The decoded body was longer than what was read of it. */
  readonly body_cut: boolean
  /** Bytes of the body on the wire. */
  readonly body_bytes: number
  readonly tls: TlsFacts | null
  /** The body as text, by the charset of header, byte order mark or meta element; UTF-8 otherwise. */
  text(): string
  /**
   * {@link HttpResponse.text} in steps, for `ctx.inTurns`: some charsets take 100 ms for a body of
   * 4 MiB.
   */
  textSteps(): Generator<void, string>
}

export interface DnsQuery {
  /** IDN is sent as A-labels. */
  readonly name: string
  readonly type: DnsType
  /**
   * Queried in this order until one decides, at most 8: `ip` or `host`, `:port`, `[ipv6]:port`,
   * with `tcp://` or `tls://` in front, or an `https://` address (RFC 8484). The policy applies to their addresses. Default: the name
   * servers of the location, to which it does not apply.
   */
  readonly nameservers?: readonly string[]
  /**
   * The name servers belong to the operator; the policy does not apply to them. Default `false`.
   */
  readonly trusted?: boolean
  /**
   * The checker does not show the answer, so that internal addresses in it are kept even if users
   * are not trusted. Default `false`.
   */
  readonly unshown?: boolean
  /**
   * The operator allows this name, even if it is internal. If users are not trusted, other internal
   * names are not sent to the operator's name servers. Default `false`.
   */
  readonly vouched?: boolean
  /** RD. Default `true`. */
  readonly recursion?: boolean
  /** AD: asks a validating resolver to say whether DNSSEC proves the answer (RFC 6840, 5.7). Default `false`. */
  readonly validated?: boolean
  /** CD: asks for the answer even if DNSSEC refutes it (RFC 4035, 3.2.2). Default `false`. */
  readonly unchecked?: boolean
  /** For this query; the deadline of the check applies as well. */
  readonly timeout_ms?: number
}

/** The result of querying one name server. */
export interface DnsAttempt {
  readonly server: string
  /** A response code, or the cause of having none. */
  readonly result: string
  readonly duration_ms: number
}

/** The answer of a name server, with any response code. */
export interface DnsAnswer {
  /** The queried name: lower case, A-labels, without the trailing dot. */
  readonly name: string
  readonly type: DnsType
  /** `NOERROR`, `NXDOMAIN`, `SERVFAIL`, …, those of EDNS included. */
  readonly rcode: string
  /** AA: the server is authoritative for the zone. */
  readonly authoritative: boolean
  /** TC: truncated over UDP, and queried again over TCP. */
  readonly truncated: boolean
  /** AD: the resolver has validated it with DNSSEC. */
  readonly authenticated: boolean
  /** RA: the server offers recursion. */
  readonly recursion_available: boolean
  /** The whole answer section, aliases included. */
  readonly records: readonly DnsRecord[]
  /** Number of removed records that lead to internal addresses; absent if none. */
  readonly left_out?: number
  /** `host:port` of the server that answered; `resolver` if its address must not be shown. */
  readonly server: string
  readonly transport: DnsScheme
  /** Every name server that was queried; the one that answered is last. */
  readonly attempts: readonly DnsAttempt[]
}

export interface PingRequest {
  readonly host: string
  /** Packets, at least 1. Fewer are sent if the time is too short. */
  readonly count: number
  /**
   * Maximum interval between packets, ms. Default 1000; at least 200 if this process is not root.
   */
  readonly interval_ms?: number
  readonly ip_family?: IpFamily
}

/** An ICMP error of a router or the host. */
export interface IcmpError {
  readonly kind: 'host_unreachable' | 'ttl_exceeded'
  /** The address that sent it. */
  readonly from: string | null
  /** As the ping program printed it; at most 100 characters. */
  readonly text: string
}

export interface PingResult {
  /** The address that answered, else the first address of the host. */
  readonly address: Address
  /** Every address that was tried, in order. */
  readonly attempts: readonly Attempt[]
  readonly sent: number
  /** Packets with a reply, never more than `sent`. */
  readonly received: number
  /** Round-trip time of each packet sent, in order; `null`: no reply. */
  readonly rtts_ms: readonly (number | null)[]
  /** Hops left in the last reply, `null` if unknown. */
  readonly ttl: number | null
  /** Replies after the first one to each packet. */
  readonly duplicates: number
  /** The last ICMP error, `null` if there was none. */
  readonly error: IcmpError | null
}

export interface Net {
  /**
   * ICMP echo requests to the first address that answers. Returns before the deadline of the check,
   * with the results so far.
   *
   * @throws CheckFailure `probe_unsupported` if this machine cannot ping, `probe_offline`,
   * `probe_overloaded`; `host_unreachable` if the machine has no route
   */
  ping(request: PingRequest): Promise<PingResult>
  /**
   * One DNS question. Each name server is tried twice, then the next one. Answers from another
   * address, with another id or to another question are ignored.
   *
   * @throws CheckFailure if no server answered: `dns_timeout`, `dns_malformed`,
   * `dns_nameserver_unresolvable`, `connect_…`, `tls_…`, `closed_early`; `probe_resolver_broken` if
   * the location's own name servers fail; `connect_blocked` for an internal name that they must not
   * be queried for
   */
  dns(query: DnsQuery): Promise<DnsAnswer>
  /** Allowed addresses of a name, in the resolver's order; an address resolves to itself. */
  resolve(host: string, options?: { readonly ip_family?: IpFamily }): Promise<readonly Address[]>
  connect(options: ConnectOptions): Promise<Connection>
  /**
   * `reader` is called once with the status of the final response and returns the reader of its
   * body.
   */
  http(
    request: HttpRequest,
    reader?: (status: number) => TextReader | undefined,
  ): Promise<HttpExchange>
}

/** Returns why an address must not be connected to, or `undefined` if it may. */
export type TargetPolicy = (target: {
  readonly host: string
  readonly address: string
}) => string | undefined
