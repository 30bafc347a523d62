/**
 * Looking at a server's certificate: a strict handshake decides, a lenient one reads what the strict
 * one refused. Sessions are never reused (`net/connection/tls.ts`), so what is seen is what is served now. Both
 * end in peace, with a close_notify: what is cut off is an error in the logs of servers.
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
  /** What the strict handshake said, `null` where it was content. */
  readonly refusal: CheckFailure | null
  /** Issuers hang on it as they were sent. */
  readonly certificate: X509Certificate
  /** `null` where no handshake came to its end. */
  readonly tls: TlsFacts | null
  readonly ocsp_stapled: boolean
  /** The server broke off because we have no certificate of our own; its own was read, its chain not judged. */
  readonly wantsClient: boolean
  /** How the server was reached, for the details. */
  readonly way: JsonObject
}

const ALPN = ['h2', 'http/1.1']

/**
 * RFC 8446, 6.2 and the older names: alerts of servers that were not given a certificate. OpenSSL 3.2, in
 * Node from 22 on, says `ssl/tls` where it said `sslv3`.
 */
const NO_CLIENT_CERTIFICATE =
  /^ERR_SSL_((SSLV3|SSL\/TLS)_ALERT_(HANDSHAKE_FAILURE|BAD_CERTIFICATE)|TLSV13_ALERT_CERTIFICATE_REQUIRED)$/

/** A server that speaks none of the offered protocols may end the handshake (RFC 7301, 3.2). */
const NO_APPLICATION_PROTOCOL = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'

/** @throws CheckFailure where no certificate was shown */
export async function look(net: Net, server: Server): Promise<Look> {
  const strict = await strictly(net, server)
  if (!(strict instanceof CheckFailure)) return { ...strict, refusal: null, wantsClient: false }
  if (!isOfTls(strict)) throw strict
  const read = await leniently(net, server)
  if (read === undefined) throw strict
  return { ...read, refusal: strict }
}

/** Node's own code of what went wrong, e.g. `CERT_HAS_EXPIRED`. */
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

/** Reads the certificate even where the handshake fails after it; `undefined` where none was shown. */
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

/** What the handshake agreed on is told elsewhere, and in more detail. */
function wayOf(connection: Connection): JsonObject {
  return reached({ ...connection, tls: null })
}

function certificateOf({ socket }: Pick<Connection, 'socket'>): X509Certificate | undefined {
  return 'getPeerX509Certificate' in socket ? socket.getPeerX509Certificate() : undefined
}

/** The server was reached and spoke TLS of some kind; only then is a second look worth while. */
function isOfTls({ code }: CheckFailure): boolean {
  return code.startsWith('tls_') && code !== 'tls_not_tls' && code !== 'tls_timeout'
}
