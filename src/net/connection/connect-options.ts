/**
 * What a connection to a target is opened with, and what its TLS handshake agreed on.
 *
 * @module
 */

import type { SecureContext, TLSSocket } from 'node:tls'
import type { ClientIdentity } from './client-identity.ts'
import type { Proxy } from '../proxy/proxy.ts'
import type { IpFamily } from './endpoint.ts'

export interface TlsOptions {
  /**
   * Name for SNI and for the certificate; defaults to the host. Not sent if it is an IP address
   * (RFC 6066, 3).
   */
  readonly servername?: string
  /** Default `true`: chain, name and dates must be valid, or the handshake fails. */
  readonly verify?: boolean
  readonly alpn?: readonly string[]
  /** The certificate of this side, for servers that ask for one. */
  readonly identity?: ClientIdentity | undefined
  /** Replaces the shared context with the default trust store. */
  readonly context?: SecureContext
  /**
   * Requests a stapled OCSP response and receives it, `null` if there is none. It comes with the
   * certificate, before the end of the handshake, so `socket` has the certificate even if the
   * handshake then fails.
   */
  readonly onStaple?: (staple: Buffer | null, socket: TLSSocket) => void
  /** Receives the trusted roots, PEM, once the chain is verified and before the name is. */
  readonly onVerified?: (roots: () => readonly string[]) => void
}

export interface ConnectOptions {
  readonly host: string
  readonly port: number
  /** Default `auto`: addresses in the resolver's order, one at a time, at most four. */
  readonly ip_family?: IpFamily
  /** Use TLS from the first byte. */
  readonly tls?: TlsOptions | undefined
  /** Connects through it. A name is resolved by the proxy, and here as well where users are not trusted. */
  readonly proxy?: Proxy | undefined
  /** Connects to the proxy only, which is to forward a request. Default `false`. */
  readonly forward?: boolean
}

/** Parameters of a completed TLS handshake. */
export interface TlsFacts {
  readonly protocol: string | null
  readonly cipher: string
  readonly alpn: string | null
  /** Whether chain, name and dates are valid; can be `false` only with `verify: false`. */
  readonly authorized: boolean
  /** Expiry of the peer's certificate, ISO 8601, `null` if none was presented. */
  readonly not_after: string | null
}
