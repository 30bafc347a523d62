/**
 * TLS handshakes, from the first byte or by STARTTLS. Sessions are never reused: a resumed one shows
 * the certificate of the last handshake, not the one that is served now.
 *
 * @module
 */

import { isIP } from 'node:net'
import type { TcpSocketConnectOpts } from 'node:net'
import * as tls from 'node:tls'
import type { PeerCertificate, SecureContext, TLSSocket } from 'node:tls'
import { hostPort } from './endpoint.ts'
import { toFailure } from '../explain.ts'
import { CheckFailure } from '../failure.ts'
import type { TlsFacts, TlsOptions } from '../net.ts'
import type { StopSignal } from '../timing/stop.ts'
import type { Trace } from '../timing/trace.ts'

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

/** Where the handshake goes: over a connection that stands, or to an address that is dialled first. */
export type TlsWay = Pick<tls.ConnectionOptions, 'socket'> | TcpSocketConnectOpts

/** A TLS socket whose handshake is not over, or has not begun. */
export interface Opening {
  readonly socket: TLSSocket
  /** End of the peer's certificate in Node's words, as soon as its name was looked at. */
  ends?: string
}

export interface OpeningOptions {
  readonly host: string
  readonly tls: TlsOptions
  /** From {@link contextFor}. */
  readonly context: SecureContext
}

/** Asked before anything is timed: the first one of a network is made here, which can take a tenth of a second. */
export function contextFor(
  { context, verify = true }: TlsOptions,
  contexts: TlsContexts,
): SecureContext {
  return context ?? (verify ? contexts.strict : contexts.lenient)
}

/** Nobody listens to the socket yet: it has to be owned, and given to {@link handshake}, in the same turn. */
export function openTls({ host, tls: asked, context }: OpeningOptions, way: TlsWay): Opening {
  const { servername = host, verify = true, alpn, onStaple } = asked
  const socket = tls.connect({
    ...way,
    servername: isIP(servername) === 0 ? servername : '',
    secureContext: context,
    rejectUnauthorized: verify,
    ...(onStaple === undefined ? {} : { requestOCSP: true }),
    ...(alpn === undefined ? {} : { ALPNProtocols: [...alpn] }),
    // Not the name that Node has, which is the address dialled where none is sent.
    checkServerIdentity(_name, certificate) {
      // Node makes the whole chain of objects for this anyway; asking for it again costs a tenth of a handshake.
      opening.ends = certificate.valid_to
      return tls.checkServerIdentity(servername, certificate)
    },
  })
  const opening: Opening = { socket }
  return opening
}

export interface HandshakeOptions {
  readonly host: string
  readonly port: number
  readonly onStaple: TlsOptions['onStaple']
  readonly phase: 'tls' | 'starttls'
  readonly signal: StopSignal
  readonly trace: Pick<Trace, 'begin'>
}

export interface Secured {
  readonly socket: TLSSocket
  readonly facts: TlsFacts
}

/**
 * Resolves when the peer has proven who it is, or, without `verify`, when it has shown anything.
 * Settles at the latest with the socket, which the abort signal of its check destroys.
 *
 * @throws CheckFailure `tls_…`, `connect_reset`; its `cause` is Node's error with its own code
 */
export function handshake(opening: Opening, options: HandshakeOptions): Promise<Secured> {
  const { socket: secure } = opening
  const { host, signal, phase, onStaple } = options
  const over = options.trace.begin(phase)
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      over(true)
      return reject(signal.reason)
    }
    secure.once('secureConnect', agreed).once('error', failed).once('close', closed)
    if (onStaple !== undefined) tellOfStaple(secure, onStaple, failed)

    function settled(failure: boolean): void {
      over(failure)
      secure.off('secureConnect', agreed).off('error', failed).off('close', closed)
    }
    function agreed(): void {
      settled(false)
      resolve({ socket: secure, facts: tlsFacts(secure, opening.ends) })
    }
    function failed(error: unknown): void {
      settled(true)
      // Not from within: it may be a handshake under way that tells of this.
      queueMicrotask(() => secure.destroy())
      const target = hostPort(host, options.port)
      if (signal.aborted) reject(signal.reason)
      else if (isEarlyEnd(error)) reject(closedDuringHandshake(target, phase, error))
      else reject(toFailure(error, { phase, target }))
    }
    function closed(): void {
      settled(true)
      if (signal.aborted) reject(signal.reason)
      else reject(closedDuringHandshake(hostPort(host, options.port), phase))
    }
  })
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

/** `ends`: of the certificate, where it is known already. */
function tlsFacts(socket: TLSSocket, ends: string | undefined): TlsFacts {
  // Not `getPeerX509Certificate`: on Node 20 it answers only once per socket, and that is the checker's.
  const not_after = new Date(ends ?? shown(socket)?.valid_to ?? NaN)
  return {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher().standardName,
    alpn: typeof socket.alpnProtocol === 'string' ? socket.alpnProtocol : null,
    authorized: socket.authorized,
    not_after: Number.isNaN(not_after.getTime()) ? null : not_after.toISOString(),
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
