/**
 * Reads a server's certificate: a strict handshake decides, a lenient one reads what the strict one
 * refused. Sessions are never resumed (`net/connection/tls.ts`), so the certificate is the current
 * one. Both handshakes end with a close_notify: servers log an aborted connection as an error.
 *
 * @module
 */

import { X509Certificate } from 'node:crypto'
import type { JsonObject } from '../../model.ts'
import type { ClientIdentity } from '../../net/connection/client-identity.ts'
import { awaitAcceptance } from '../../net/connection/tls.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { Connection, TlsFacts, TlsOptions } from '../../net/net.ts'
import type { CheckContext } from '../checker.ts'
import { connectionDetails } from '../connection-details.ts'
import { derOf } from './certificate-der.ts'
import type { ShownCertificate } from './ocsp-proof.ts'
import { askForTls } from './starttls.ts'
import type { StartTls } from './starttls.ts'

export interface Server {
  readonly host: string
  readonly port: number
  /** Begins in clear, in this protocol. */
  readonly starttls?: StartTls | undefined
  readonly identity?: ClientIdentity | undefined
}

export interface Examination {
  /** The failure of the strict handshake, `null` if it succeeded. */
  readonly refusal: CheckFailure | null
  /** Linked to its issuers as they were sent. */
  readonly certificate: X509Certificate
  /** `null` if no handshake completed. */
  readonly tls: TlsFacts | null
  /** The OCSP response that came with the certificate. */
  readonly staple: Buffer | null
  /** Finds the issuer of a verified certificate, which need not be sent if it is trusted. */
  readonly trustedIssuer: () => ShownCertificate | undefined
  /**
   * The server aborted because no client certificate was sent; its own certificate was read, its
   * chain not verified.
   */
  readonly wantsClient: boolean
  /** Of the connection. */
  readonly details: JsonObject
}

const ALPN = ['h2', 'http/1.1']

/**
 * RFC 8446, 6.2 and older names: alerts of servers that require a client certificate. OpenSSL 3.2,
 * in Node from 22 on, prints `ssl/tls` instead of `sslv3`.
 */
const NO_CLIENT_CERTIFICATE =
  /^ERR_SSL_((SSLV3|SSL\/TLS)_ALERT_(HANDSHAKE_FAILURE|BAD_CERTIFICATE)|TLSV13_ALERT_CERTIFICATE_REQUIRED)$/

/** A server that supports none of the offered protocols may end the handshake (RFC 7301, 3.2). */
const NO_APPLICATION_PROTOCOL = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'

/** @throws CheckFailure if the server presented no certificate */
export async function examine(ctx: Connecting, server: Server): Promise<Examination> {
  const strict = await strictly(ctx, server)
  if (!(strict instanceof CheckFailure)) return { ...strict, refusal: null, wantsClient: false }
  if (!isOfTls(strict)) throw strict
  const read = await leniently(ctx, server)
  if (read === undefined) throw strict
  return { ...read, refusal: strict }
}

/** Node's code of the failure, e.g. `CERT_HAS_EXPIRED`. */
export function nodeCode({ cause }: CheckFailure): string | null {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : null
}

type Seen = Pick<Examination, 'certificate' | 'tls' | 'staple' | 'trustedIssuer' | 'details'>

type Connecting = Pick<CheckContext, 'net' | 'phase' | 'clock' | 'signal'>

async function secured(
  ctx: Connecting,
  { host, port, starttls, identity }: Server,
  options: TlsOptions,
): Promise<Connection> {
  const tls = { ...options, identity }
  if (starttls === undefined) return ctx.net.connect({ host, port, tls })
  const plain = await ctx.net.connect({ host, port })
  await askForTls(ctx, plain, starttls)
  return plain.upgrade(tls)
}

async function strictly(ctx: Connecting, server: Server): Promise<Seen | CheckFailure> {
  // No application protocol is agreed on behind STARTTLS.
  if (server.starttls !== undefined) return strictlyWith(ctx, server)
  const first = await strictlyWith(ctx, server, ALPN)
  const isAboutAlpn = first instanceof CheckFailure && nodeCode(first) === NO_APPLICATION_PROTOCOL
  return isAboutAlpn ? strictlyWith(ctx, server) : first
}

async function strictlyWith(
  ctx: Connecting,
  server: Server,
  alpn?: readonly string[],
): Promise<Seen | CheckFailure> {
  let staple = null as Buffer | null
  let roots: () => readonly string[] = () => []
  try {
    const connection = await secured(ctx, server, {
      onStaple: (sent) => void (staple = sent),
      onVerified: (trusted) => void (roots = trusted),
      ...(alpn === undefined ? {} : { alpn }),
    })
    const certificate = certificateOf(connection)
    if (server.identity !== undefined) await awaitAcceptance(connection, ctx)
    await connection.end()
    if (certificate === undefined)
      return new CheckFailure('tls_handshake', 'The server shows no certificate', { phase: 'tls' })
    const trustedIssuer = (): X509Certificate | undefined => issuerAmong(roots(), certificate)
    const details = detailsOf(connection)
    return { certificate, tls: connection.tls, staple, trustedIssuer, details }
  } catch (error) {
    if (error instanceof CheckFailure) return error
    throw error
  }
}

/** Reads the certificate even if the handshake then fails; `undefined` if none was presented. */
async function leniently(
  ctx: Connecting,
  server: Server,
): Promise<Omit<Examination, 'refusal'> | undefined> {
  let certificate: X509Certificate | undefined
  let staple: Buffer | null = null
  const tls = {
    verify: false,
    onStaple: (sent: Buffer | null, socket: Pick<Connection, 'socket'>['socket']) => {
      staple = sent
      certificate = certificateOf({ socket })
    },
  }
  try {
    const connection = await secured(ctx, server, tls)
    await connection.end()
    if (certificate === undefined) return undefined
    const seen = { certificate, staple, trustedIssuer: none, details: detailsOf(connection) }
    return { ...seen, tls: connection.tls, wantsClient: false }
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error
    if (certificate === undefined) return undefined
    const wantsClient =
      server.identity === undefined && NO_CLIENT_CERTIFICATE.test(nodeCode(error) ?? '')
    return { certificate, tls: null, staple, trustedIssuer: none, wantsClient, details: {} }
  }
}

const none = (): undefined => undefined

/** Reading all roots takes 30 ms on Node 20: those without the name of the issuer only if no other one is left. */
function issuerAmong(roots: readonly string[], leaf: X509Certificate): X509Certificate | undefined {
  const name = derOf(leaf.raw)?.issuer
  const all = roots.flatMap(certificatesIn)
  const named = all.filter((der) => name !== undefined && der.includes(name))
  const candidates = (named.length > 0 ? named : all).map((der) => new X509Certificate(der))
  return candidates.find((root) => leaf.checkIssued(root) && leaf.verify(root.publicKey))
}

function certificatesIn(pem: string): readonly Buffer[] {
  const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g)
  return [...blocks].map(([, base64 = '']) => Buffer.from(base64, 'base64'))
}

/** Without the TLS parameters, which the caller reports itself. */
function detailsOf(connection: Connection): JsonObject {
  return connectionDetails({ ...connection, tls: null })
}

function certificateOf({ socket }: Pick<Connection, 'socket'>): X509Certificate | undefined {
  return 'getPeerX509Certificate' in socket ? socket.getPeerX509Certificate() : undefined
}

/** Whether the server speaks TLS; only then is a second handshake useful. */
function isOfTls({ code }: CheckFailure): boolean {
  return (
    code.startsWith('tls_') && !['tls_not_tls', 'tls_timeout', 'tls_unsupported'].includes(code)
  )
}
