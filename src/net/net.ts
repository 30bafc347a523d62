/**
 * The network as a checker sees it. Whatever is opened here is guarded (every address is judged before
 * it is dialled), timed (phases go to the trace), bounded (reads have a size, waits a deadline) and
 * owned by the check: it is destroyed when the check ends, so that a leak is impossible.
 *
 * @module
 */

import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import type { DnsRecord } from './dns/message.ts'
import type { DnsScheme } from './dns/name-server.ts'
import type { DnsType } from './dns/record-types.ts'
import type { Address, IpFamily } from './connection/endpoint.ts'

export interface TlsOptions {
  /** Name for SNI and for the certificate; defaults to the host. Not sent where it is an IP address (RFC 6066, 3). */
  readonly servername?: string
  /** Default `true`: chain, name and dates must be right, or the handshake fails. */
  readonly verify?: boolean
  readonly alpn?: readonly string[]
  /** Instead of the shared context with the default trust store. */
  readonly context?: SecureContext
  /**
   * Asks for a stapled OCSP answer and is told of it, `null` where there is none. That comes with the
   * certificate and before the end of the handshake: `socket` has shown it even where the handshake fails
   * after it. On Node 20 `socket.getPeerX509Certificate()` answers only once, and a handshake that
   * verifies finds no name any more after it: ask in here only without `verify`.
   */
  readonly onStaple?: (staple: Buffer | null, socket: TLSSocket) => void
}

export interface ConnectOptions {
  readonly host: string
  readonly port: number
  /** Default `auto`: addresses in the resolver's order, one at a time, at most four. */
  readonly ip_family?: IpFamily
  /** Speak TLS from the first byte. */
  readonly tls?: TlsOptions | undefined
}

/** What a TLS handshake agreed on. */
export interface TlsFacts {
  readonly protocol: string | null
  readonly cipher: string
  readonly alpn: string | null
  /** Whether chain, name and dates are right; only ever `false` where `verify` was off. */
  readonly authorized: boolean
  /** End of the peer's certificate, ISO 8601, `null` where none was shown. */
  readonly not_after: string | null
}

export interface ReadOptions {
  /** Most bytes that are taken; beyond it the read fails with `too_long`. Default 4096. */
  readonly max?: number
  /** The end of the stream is enough too: what was gathered is returned instead of failing with `closed_early`. */
  readonly orEnd?: boolean
  /** Asked about a line that has begun and not ended; `false` ends the wait with `protocol_error`. Only for `readLine`. */
  readonly plausible?: (beginning: string) => boolean
}

/** One try to connect to one address. */
export interface Attempt {
  readonly address: string
  /** `null` for the one that succeeded. */
  readonly cause_code: string | null
  readonly duration_ms: number
}

/** One stream socket. All reads share one buffer, so that nothing is lost between them. */
export interface Connection {
  readonly remote: Address & { readonly port: number }
  /** Every address that was tried, the one that answered last. */
  readonly attempts: readonly Attempt[]
  /** For libraries that take a stream. After handing it over, do not read from the connection. */
  readonly socket: Socket | TLSSocket
  /** `null` on a plain connection. */
  readonly tls: TlsFacts | null
  /** Resolves when the bytes are handed to the system. */
  write(data: string | Uint8Array): Promise<void>
  /** The next line without its end (LF or CRLF), as latin1 text. Fails with `closed_early` at the end of the stream. */
  readLine(options?: ReadOptions): Promise<string>
  /** Gathers bytes until `enough` says so; returns everything gathered. Fails with `closed_early` or `too_long`. */
  readUntil(enough: (gathered: Buffer) => boolean, options?: ReadOptions): Promise<Buffer>
  /** The bytes that have arrived and were not read yet. */
  buffered(): number
  /** STARTTLS: a TLS handshake on this socket. Plaintext that the peer sent beyond its consent is refused (CVE-2011-0411). */
  upgrade(options?: TlsOptions): Promise<Connection>
  /**
   * Sends the end after what was written; resolves when both are with the system, or the connection is gone.
   * Without it a TLS server may never hear that its handshake was good, and log an error.
   */
  end(): Promise<void>
  /** Destroys the socket. */
  close(): void
}

export interface HttpRequest {
  readonly url: string
  /** Default GET. */
  readonly method?: string
  /** A list of pairs keeps order and repeated names. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Uint8Array
  readonly ip_family?: IpFamily
  /** Default `true`. */
  readonly verify?: boolean
  /** Redirects followed at most; 0 follows none. Default 10. */
  readonly redirects?: number
  /** Sent to the first origin only; dropped when a redirect leads to another origin. */
  readonly auth?: { readonly user: string; readonly pass: string } | undefined
  /** Decoded bytes read of the body, then the transfer ends. Default 4 MiB. */
  readonly bodyLimit?: number
  /** Whether the body is kept; else it is only counted, and shown to a reader. Default `true`. */
  readonly keepBody?: boolean
}

/** Reads the text of a body as it streams by, so that none of it need be kept. */
export interface TextReader {
  /** While this is so, the body is read beyond `bodyLimit`, up to 64 MiB. */
  readonly wantsMore: boolean
  /** The next piece, at most 64 Ki characters; in steps as for `ctx.inTurns`. */
  take(text: string): Generator<void, void>
  /** Nothing more comes. */
  end(read: BodyRead): Generator<void, void>
}

/** What was read of a body. */
export interface BodyRead {
  /** Unpacked. */
  readonly bytes: number
  /** Nothing was left. */
  readonly whole: boolean
}

/** One request and its answer; an exchange with redirects has several. */
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
  readonly http_version: string
  /** From the first look-up to the last byte, redirects included, in ms. */
  readonly elapsed_ms: number
  /** Every hop, the final one last. */
  readonly hops: readonly HttpHop[]
  /** After redirects, without fragment and userinfo. */
  readonly final_url: string
  /** Decoded (gzip, deflate, br in any order), at most `bodyLimit` bytes; empty where it is not kept. */
  readonly body: Buffer
  /** Decoded bytes that were read, whether they are kept or not. */
  readonly decoded_bytes: number
  /** The decoded body went on beyond what was read of it. */
  readonly body_cut: boolean
  /** Bytes of the body on the wire. */
  readonly body_bytes: number
  readonly tls: TlsFacts | null
  /** The body as text, by the charset of header, byte order mark or meta element; UTF-8 otherwise. */
  text(): string
  /** The same in steps, for `ctx.inTurns`: some charsets take a tenth of a second for a body of 4 MiB. */
  textSteps(): Generator<void, string>
}

export interface DnsQuery {
  /** IDN is sent as A-labels. */
  readonly name: string
  readonly type: DnsType
  /**
   * Asked in this order until one decides, at most 8: `ip` or `host`, `:port`, `[ipv6]:port`, with
   * `tcp://` or `tls://` in front. Their addresses are judged like any target. Default: those of the
   * location, which are not.
   */
  readonly nameservers?: readonly string[]
  /** The name servers are the operator's own and need no judging. Default `false`. */
  readonly trusted?: boolean
  /**
   * The answer of the location's own name servers is for the checker alone and shown to nobody: it is taken as it
   * is where those who make the checks are strangers, too. Default `false`.
   */
  readonly unshown?: boolean
  /**
   * The operator vouches for the name, which may be one of the inner network. Where those who make the checks are
   * strangers, another one is not asked for at the operator's name servers. Default `false`.
   */
  readonly vouched?: boolean
  /** RD. Default `true`. */
  readonly recursion?: boolean
  /** For this query; the deadline of the check holds besides. */
  readonly timeout_ms?: number
}

/** What came of asking one name server. */
export interface DnsAttempt {
  readonly server: string
  /** A response code, or the cause of having none. */
  readonly result: string
  readonly duration_ms: number
}

/** What a name server answered. Every response code is an answer. */
export interface DnsAnswer {
  /** As it was asked for: lower case, A-labels, without the trailing dot. */
  readonly name: string
  readonly type: DnsType
  /** `NOERROR`, `NXDOMAIN`, `SERVFAIL`, …, those of EDNS included. */
  readonly rcode: string
  /** AA: from a server of the zone itself. */
  readonly authoritative: boolean
  /** TC: cut off over UDP, so that it was asked for again over TCP. */
  readonly truncated: boolean
  /** AD: the resolver has checked it with DNSSEC. */
  readonly authenticated: boolean
  /** RA: the server would ask others. */
  readonly recursion_available: boolean
  /** The whole answer section; aliases stand beside what was asked for. */
  readonly records: readonly DnsRecord[]
  /** Records that lead into an inner network; only where some were left out. */
  readonly left_out?: number
  /** `host:port` of the server that answered; `resolver` where its address is nobody's business. */
  readonly server: string
  readonly transport: DnsScheme
  /** Every name server that was asked, the one that answered last. */
  readonly attempts: readonly DnsAttempt[]
}

export interface PingRequest {
  readonly host: string
  /** Packets, at least 1. Fewer are sent where the time does not allow for them. */
  readonly count: number
  /** From packet to packet at most, ms. Default 1000; at least 200 is kept where this process is not root. */
  readonly interval_ms?: number
  readonly ip_family?: IpFamily
}

/** What a router, or the host itself, answered instead of an echo. */
export interface IcmpError {
  readonly kind: 'host_unreachable' | 'ttl_exceeded'
  /** Who said so. */
  readonly from: string | null
  /** In the words of the program that reads them; at most 100 characters. */
  readonly text: string
}

export interface PingResult {
  /** The one that answered, else the first of the host. */
  readonly address: Address
  /** Every address that was tried, in order. */
  readonly attempts: readonly Attempt[]
  readonly sent: number
  /** Packets that were answered, never more than `sent`. */
  readonly received: number
  /** Round-trip time of each packet sent, in order; `null`: no reply. */
  readonly rtts_ms: readonly (number | null)[]
  /** Hops left in the last reply, `null` where it is not known. */
  readonly ttl: number | null
  /** Replies beyond the first one to each packet. */
  readonly duplicates: number
  /** The last error on the way, `null` where there was none. */
  readonly error: IcmpError | null
}

export interface Net {
  /**
   * ICMP echo requests to the first address that answers. Ends before the deadline of the check, with
   * what is known by then.
   *
   * @throws CheckFailure `probe_unsupported` where this machine cannot ping, `probe_offline`,
   * `probe_overloaded`; `host_unreachable` where its own routes do not lead there
   */
  ping(request: PingRequest): Promise<PingResult>
  /**
   * One DNS question. Each name server is tried twice, then the next one. Answers from another address,
   * under another id or to another question are ignored.
   *
   * @throws CheckFailure where no server answered: `dns_timeout`, `dns_malformed`,
   * `dns_nameserver_unresolvable`, `connect_…`, `tls_…`, `closed_early`; `probe_resolver_broken` where
   * the location's own do not; `connect_blocked` for a name inside that they may not be asked about
   */
  dns(query: DnsQuery): Promise<DnsAnswer>
  /** Guarded addresses of a name, in the resolver's order; an address stands for itself. */
  resolve(host: string, options?: { readonly ip_family?: IpFamily }): Promise<readonly Address[]>
  connect(options: ConnectOptions): Promise<Connection>
  /** `reader` is asked once, with the status of the final answer, who reads its body as it comes. */
  http(
    request: HttpRequest,
    reader?: (status: number) => TextReader | undefined,
  ): Promise<HttpExchange>
}

/** Says why an address may not be dialled, or `undefined` where it may. */
export type TargetPolicy = (target: {
  readonly host: string
  readonly address: string
}) => string | undefined
