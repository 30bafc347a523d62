/**
 * Reads a server's certificate: a strict handshake decides, a lenient one reads what the strict one
 * refused. Sessions are never resumed (`net/connection/tls.ts`), so the certificate is the current
 * one. Both handshakes end with a close_notify: servers log an aborted connection as an error.
 *
 * @module
 */

import type { X509Certificate } from 'node:crypto'
import type { JsonObject } from '../../model.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { Connection, Net, TlsFacts } from '../../net/net.ts'
import { reached } from '../reached.ts'

export interface Server {
  readonly host: string
  readonly port: number
}

export interface Look {
  /** The failure of the strict handshake, `null` if it succeeded. */
  readonly refusal: CheckFailure | null
  /** Linked to its issuers as they were sent. */
  readonly certificate: X509Certificate
  /** `null` if no handshake completed. */
  readonly tls: TlsFacts | null
  readonly ocsp_stapled: boolean
  /**
   * The server aborted because we sent no client certificate; its own certificate was read, its
   * chain not verified.
   */
  readonly wantsClient: boolean
  /** The connection details. */
  readonly way: JsonObject
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
export async function look(net: Net, server: Server): Promise<Look> {
  const strict = await strictly(net, server)
  if (!(strict instanceof CheckFailure)) return { ...strict, refusal: null, wantsClient: false }
  if (!isOfTls(strict)) throw strict
  const read = await leniently(net, server)
  if (read === undefined) throw strict
  return { ...read, refusal: strict }
}

/** Node's code of the failure, e.g. `CERT_HAS_EXPIRED`. */
export function nodeCode({ cause }: CheckFailure): string | null {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : null
}

type Seen = Pick<Look, 'certificate' | 'tls' | 'ocsp_stapled' | 'way'>

async function strictly(net: Net, server: Server): Promise<Seen | CheckFailure> {
  const first = await strictlyWith(net, server, ALPN)
  const isAboutAlpn = first instanceof CheckFailure && nodeCode(first) === NO_APPLICATION_PROTOCOL
  return isAboutAlpn ? strictlyWith(net, server) : first
}

async function strictlyWith(
  net: Net,
  server: Server,
  alpn?: readonly string[],
): Promise<Seen | CheckFailure> {
  let ocsp_stapled = false
  const onStaple = (staple: Buffer | null): void => void (ocsp_stapled = staple !== null)
  try {
    const tls = { onStaple, ...(alpn === undefined ? {} : { alpn }) }
    const connection = await net.connect({ ...server, tls })
    const certificate = certificateOf(connection)
    await connection.end()
    return certificate === undefined
      ? new CheckFailure('tls_handshake', 'The server shows no certificate', { phase: 'tls' })
      : { certificate, tls: connection.tls, ocsp_stapled, way: wayOf(connection) }
  } catch (error) {
    if (error instanceof CheckFailure) return error
    throw error
  }
}

/** Reads the certificate even if the handshake then fails; `undefined` if none was presented. */
async function leniently(net: Net, server: Server): Promise<Omit<Look, 'refusal'> | undefined> {
  let certificate: X509Certificate | undefined
  let ocsp_stapled = false
  const tls = {
    verify: false,
    onStaple: (staple: Buffer | null, socket: Pick<Connection, 'socket'>['socket']) => {
      ocsp_stapled = staple !== null
      certificate = certificateOf({ socket })
    },
  }
  try {
    const connection = await net.connect({ ...server, tls })
    await connection.end()
    if (certificate === undefined) return undefined
    const facts = connection.tls
    return { certificate, tls: facts, ocsp_stapled, wantsClient: false, way: wayOf(connection) }
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error
    if (certificate === undefined) return undefined
    const wantsClient = NO_CLIENT_CERTIFICATE.test(nodeCode(error) ?? '')
    return { certificate, tls: null, ocsp_stapled, wantsClient, way: {} }
  }
}

/** The TLS parameters are left out: other details contain them. */
function wayOf(connection: Connection): JsonObject {
  return reached({ ...connection, tls: null })
}

function certificateOf({ socket }: Pick<Connection, 'socket'>): X509Certificate | undefined {
  return 'getPeerX509Certificate' in socket ? socket.getPeerX509Certificate() : undefined
}

/** The server was reached and speaks TLS; only then is a second handshake useful. */
function isOfTls({ code }: CheckFailure): boolean {
  return code.startsWith('tls_') && code !== 'tls_not_tls' && code !== 'tls_timeout'
}
