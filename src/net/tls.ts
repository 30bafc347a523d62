/**
 * TLS handshakes, from the first byte or by STARTTLS. Sessions are never reused: a resumed one shows
 * the certificate of the last handshake, not the one that is served now.
 *
 * @module
 */

import { isIP } from 'node:net'
import type { Socket } from 'node:net'
import * as tls from 'node:tls'
import type { PeerCertificate, SecureContext, TLSSocket } from 'node:tls'
import { hostPort } from './endpoint.ts'
import { toFailure } from './explain.ts'
import { CheckFailure } from './failure.ts'
import type { TlsFacts, TlsOptions } from './net.ts'
import { waitFor } from './wait.ts'

/** Contexts shared by all handshakes of one network: making one parses every trusted root. */
export interface TlsContexts {
  readonly strict: SecureContext
  /** Also speaks what no longer counts as secure: who does not verify wants an answer from an old device. */
  readonly lenient: SecureContext
}

/** `ca`: PEM of roots that are trusted besides the default ones. Made on first use. */
export function createTlsContexts(ca?: string | readonly string[]): TlsContexts {
  let strict: SecureContext | undefined
  let lenient: SecureContext | undefined
  const trust = (): tls.SecureContextOptions =>
    ca === undefined ? {} : { ca: [...defaultRoots(), ...[ca].flat()] }
  return {
    get strict() {
      return (strict ??= tls.createSecureContext(trust()))
    },
    get lenient() {
      return (lenient ??= tls.createSecureContext({
        ...trust(),
        minVersion: 'TLSv1',
        ciphers: 'DEFAULT@SECLEVEL=0',
      }))
    },
  }
}

export interface HandshakeOptions {
  readonly socket: Socket
  readonly host: string
  readonly port: number
  readonly tls: TlsOptions
  readonly contexts: TlsContexts
  readonly phase: 'tls' | 'starttls'
  readonly signal: AbortSignal
  /** Told at once of the socket that takes the place of `socket`, so that it cannot be lost. */
  readonly takeOver: (from: Socket, to: TLSSocket) => void
}

/**
 * Resolves when the peer has proven who it is, or, without `verify`, when it has shown anything.
 *
 * @throws CheckFailure `tls_…`, `connect_reset`; its `cause` is Node's error with its own code
 */
export async function handshake(options: HandshakeOptions): Promise<TLSSocket> {
  const { socket, host, signal, phase } = options
  const { servername = host, verify = true, alpn, context, onStaple } = options.tls
  const target = hostPort(host, options.port)
  try {
    return await waitFor<TLSSocket>(signal, ({ resolve, reject }) => {
      const secure = tls.connect({
        socket,
        // Both: `servername` is what is sent, `host` what the certificate is held against where nothing is.
        servername: isIP(servername) === 0 ? servername : '',
        host: servername,
        secureContext: context ?? (verify ? options.contexts.strict : options.contexts.lenient),
        rejectUnauthorized: verify,
        ...(onStaple === undefined ? {} : { requestOCSP: true }),
        ...(alpn === undefined ? {} : { ALPNProtocols: [...alpn] }),
      })
      options.takeOver(socket, secure)
      if (onStaple !== undefined) tellOfStaple(secure, onStaple, reject)
      let done = false
      const agreed = (): void => {
        done = true
        resolve(secure)
      }
      const closed = (): void => reject(closedDuringHandshake(target, phase))
      secure.once('secureConnect', agreed).once('error', reject).once('close', closed)
      return () => {
        secure.off('secureConnect', agreed).off('error', reject).off('close', closed)
        if (!done) secure.destroy()
      }
    })
  } catch (error) {
    if (signal.aborted) throw error
    throw isEarlyEnd(error)
      ? closedDuringHandshake(target, phase, error)
      : toFailure(error, { phase, target })
  }
}

/** What the hook throws fails the handshake; thrown inside an event it would end the process. */
function tellOfStaple(
  secure: TLSSocket,
  onStaple: NonNullable<TlsOptions['onStaple']>,
  reject: (error: unknown) => void,
): void {
  secure.once('OCSPResponse', (staple: Buffer | null) => {
    try {
      onStaple(staple, secure)
    } catch (error) {
      reject(error)
    }
  })
}

export function tlsFacts(socket: TLSSocket): TlsFacts {
  // Not `getPeerX509Certificate`: on Node 20 it answers only once per socket, and that is the checker's.
  const ends = new Date(shown(socket)?.valid_to ?? NaN)
  return {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher().standardName,
    alpn: typeof socket.alpnProtocol === 'string' ? socket.alpnProtocol : null,
    authorized: socket.authorized,
    not_after: Number.isNaN(ends.getTime()) ? null : ends.toISOString(),
  }
}

/** Empty where the peer has shown no certificate, `null` once the socket is gone, whatever the types say. */
function shown(socket: TLSSocket): Partial<PeerCertificate> | null {
  return socket.getPeerCertificate()
}

/** All that Node trusts by default, system and NODE_EXTRA_CA_CERTS included where it can tell (22.15). */
function defaultRoots(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] }
  return getCACertificates?.('default') ?? tls.rootCertificates
}

/** Node reports the end of the stream in mid-handshake as an ECONNRESET without a system call. */
function isEarlyEnd(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException
  return code === 'ECONNRESET' && syscall === undefined
}

function closedDuringHandshake(
  target: string,
  phase: 'tls' | 'starttls',
  cause?: unknown,
): CheckFailure {
  const text = `${target} closed the connection during the TLS handshake`
  return new CheckFailure('tls_handshake', text, { phase, cause })
}
