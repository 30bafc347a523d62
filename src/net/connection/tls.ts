/**
 * TLS handshakes, directly or after STARTTLS. Sessions are never resumed: a resumed session shows
 * the certificate of an earlier handshake instead of the one that the server uses now.
 *
 * @module
 */

import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { TcpSocketConnectOpts } from 'node:net'
// As a whole: bundlers turn the members of `* as tls` into named imports, and not every Node has all of them.
import tls from 'node:tls'
import type { PeerCertificate, SecureContext, TLSSocket } from 'node:tls'
import type { Clock } from '../../clock.ts'
import { createIdentityContexts, noteShown } from './client-identity.ts'
import type { IdentityContexts } from './client-identity.ts'
import { hostPort } from './endpoint.ts'
import { toFailure } from '../explain.ts'
import { CheckFailure } from '../failure.ts'
import type { Connection, TlsFacts, TlsOptions } from '../net.ts'
import { waitFor } from '../timing/stop.ts'
import { readWithoutUsages } from './peer-certificate.ts'
import { receivedBytes } from './tls-overhead.ts'
import type { StopSignal } from '../timing/stop.ts'
import type { Trace } from '../timing/trace.ts'

/** TLS contexts shared by all handshakes of one network: creating one parses every trusted root. */
export interface TlsContexts {
  readonly strict: SecureContext
  /**
   * Also accepts obsolete protocol versions and ciphers: with `verify: false`, old devices must be
   * reachable.
   */
  readonly lenient: SecureContext
  /** The same with a certificate of the client. */
  readonly identities: IdentityContexts
  /** PEM of all roots that `strict` trusts. */
  readonly roots: () => readonly string[]
}

/**
 * `ca`: PEM of roots that are trusted besides the default ones. Contexts are created on first use.
 */
export function createTlsContexts(ca?: string | readonly string[]): TlsContexts {
  let strict: SecureContext | undefined
  let lenient: SecureContext | undefined
  let identities: IdentityContexts | undefined
  const ofUs = [ca ?? []].flat()
  const allRoots = (): string[] => [...defaultRoots(), ...ofUs]
  const roots = ca === undefined ? {} : { ca: allRoots() }
  return {
    roots: allRoots,
    get strict() {
      return (strict ??= tls.createSecureContext({ ...roots, ...contextOptions(true) }))
    },
    get lenient() {
      return (lenient ??= tls.createSecureContext({ ...roots, ...contextOptions(false) }))
    },
    get identities() {
      return (identities ??= createIdentityContexts(contextOptions, ofUs))
    },
  }
}

function contextOptions(verify: boolean): tls.SecureContextOptions {
  const ecdhCurve = keyAgreements()
  return verify
    ? { ecdhCurve, ciphers: `${tls.DEFAULT_CIPHERS}:${NO_FINITE_FIELDS}` }
    : { ecdhCurve, minVersion: 'TLSv1', ciphers: `DEFAULT:${NO_FINITE_FIELDS}@SECLEVEL=0` }
}

/**
 * Diffie-Hellman over finite fields runs in one turn of the event loop, and the server chooses the size of the field:
 * the largest one takes a second. TLS 1.2 and before by the cipher, TLS 1.3 by {@link keyAgreements}.
 */
const NO_FINITE_FIELDS = '!DHE'

const CURVES = 'X25519:P-256:X448:P-521:P-384'

/** The groups that OpenSSL offers by default, without finite fields; the post-quantum one since OpenSSL 3.5. */
function keyAgreements(): string {
  const ecdhCurve = `X25519MLKEM768:${CURVES}`
  try {
    tls.createSecureContext({ ecdhCurve, ca: [] })
    return ecdhCurve
  } catch {
    return CURVES
  }
}

/** Transport of the handshake: an established connection, or an address to connect to. */
export type TlsWay = Pick<tls.ConnectionOptions, 'socket'> | TcpSocketConnectOpts

/** A TLS socket whose handshake has not completed or not started. */
export interface Opening {
  readonly socket: TLSSocket
  /** `valid_to` of the peer's certificate as Node formats it, set when the name is verified. */
  ends?: string
}

export interface OpeningOptions {
  readonly host: string
  readonly tls: TlsOptions
  /** From {@link contextFor}. */
  readonly context: SecureContext
  readonly roots: TlsContexts['roots']
}

/**
 * Call it before timing starts: the first call of a network creates the context, which can take 100
 * ms.
 */
export function contextFor(
  { context, verify = true, identity }: TlsOptions,
  contexts: TlsContexts,
): SecureContext {
  if (identity !== undefined) return contexts.identities.get(identity, verify)
  return context ?? (verify ? contexts.strict : contexts.lenient)
}

/** Read ahead while nobody reads: of records of one byte, 16 KiB take 50 ms. A longer record is read all the same. */
const AHEAD_BYTES = 4096

/**
 * The returned socket has no listeners yet: register it with its owner and pass it to {@link
 * handshake} in the same turn.
 */
export function openTls(
  { host, tls: asked, context, roots }: OpeningOptions,
  way: TlsWay,
): Opening {
  const { servername = host, verify = true, alpn, onStaple, onVerified } = asked
  const socket = tls.connect({
    servername: isIP(servername) === 0 ? servername : '',
    ...way,
    secureContext: context,
    rejectUnauthorized: verify,
    // Node's types omit it.
    ...{ highWaterMark: AHEAD_BYTES },
    ...(onStaple === undefined ? {} : { requestOCSP: true }),
    ...(alpn === undefined ? {} : { ALPNProtocols: [...alpn] }),
    // Uses the requested name: without SNI, Node would pass the address of the connection.
    checkServerIdentity(_name, certificate) {
      opening.ends = certificate.valid_to
      onVerified?.(roots)
      return nameProblem(servername, certificate)
    },
  })
  readWithoutUsages(socket)
  const opening: Opening = { socket }
  return opening
}

/** Node 22.23 takes an IPv6 address for a host name, which no certificate has. */
function nameProblem(servername: string, certificate: PeerCertificate): Error | undefined {
  const isNamed =
    isIP(servername) === 6 && new X509Certificate(certificate.raw).checkIP(servername) !== undefined
  return isNamed ? undefined : tls.checkServerIdentity(servername, certificate)
}

export interface HandshakeOptions {
  readonly host: string
  readonly port: number
  readonly onStaple: TlsOptions['onStaple']
  readonly identity: TlsOptions['identity']
  readonly phase: 'tls' | 'starttls'
  readonly clock: Pick<Clock, 'now'>
  readonly signal: StopSignal
  readonly trace: Pick<Trace, 'begin'>
}

export interface Secured {
  readonly socket: TLSSocket
  readonly facts: TlsFacts
}

/**
 * Resolves when the peer is authenticated or, without `verify`, when it has presented any
 * certificate. Settles at the latest when the socket closes; the abort signal of the check destroys
 * the socket.
 *
 * @throws CheckFailure `tls_…`, `connect_reset`; its `cause` is Node's error with its own code
 */
export function handshake(opening: Opening, options: HandshakeOptions): Promise<Secured> {
  const { socket: secure } = opening
  const { host, signal, phase, clock, onStaple, identity } = options
  const over = options.trace.begin(phase)
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      over(true)
      return reject(signal.reason)
    }
    secure.once('secureConnect', agreed).once('error', failed).once('close', closed)
    if (onStaple !== undefined) tellOfStaple(secure, onStaple, failed)
    // Under TLS 1.3 a server refuses it after the handshake.
    const later = (error: unknown): void =>
      noteShown(error, { identity, metServer: true, now: clock.now() })

    function settled(failure: boolean): void {
      over(failure)
      secure.off('secureConnect', agreed).off('error', failed).off('close', closed)
    }
    function agreed(): void {
      settled(false)
      if (identity !== undefined) secure.prependListener('error', later)
      resolve({ socket: secure, facts: tlsFacts(secure, opening.ends) })
    }
    function failed(error: unknown): void {
      settled(true)
      // Deferred: this event can be emitted from within a handshake in progress.
      queueMicrotask(() => secure.destroy())
      const target = hostPort(host, options.port)
      if (signal.aborted) reject(signal.reason)
      else if (isEarlyEnd(error)) reject(closedDuringHandshake(target, phase, error))
      else {
        const metServer = shown(secure).valid_to !== undefined
        noteShown(error, { identity, metServer, now: clock.now() })
        reject(toFailure(error, { phase, target }))
      }
    }
    function closed(): void {
      settled(true)
      if (signal.aborted) reject(signal.reason)
      else reject(closedDuringHandshake(hostPort(host, options.port), phase))
    }
  })
}

/** An error of the hook fails the handshake; thrown inside an event it would end the process. */
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

/** `ends`: `valid_to` of the certificate, if already known. */
function tlsFacts(socket: TLSSocket, ends: string | undefined): TlsFacts {
  const not_after = new Date(ends ?? shown(socket).valid_to ?? NaN)
  return {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher().standardName,
    alpn: typeof socket.alpnProtocol === 'string' ? socket.alpnProtocol : null,
    authorized: socket.authorized,
    not_after: Number.isNaN(not_after.getTime()) ? null : not_after.toISOString(),
  }
}

/** Empty if the peer presented no certificate, which Node's types omit. */
function shown(socket: TLSSocket): { readonly valid_to?: string } {
  return socket.getPeerCertificate()
}

/**
 * Node's default roots, with the system store and NODE_EXTRA_CA_CERTS if Node can list them (22.15
 * and later).
 */
function defaultRoots(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] }
  return getCACertificates?.('default') ?? tls.rootCertificates
}

/** Node reports the end of the stream during a handshake as an ECONNRESET without a system call. */
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

/** Servers that send neither a ticket nor data. */
const ACCEPTANCE_MS = 300
const POLL_MS = 5

/**
 * Under TLS 1.3 a client has completed the handshake before the server sees its certificate. Resolves when the server
 * has answered anything, and at the latest after 300 ms.
 *
 * @throws CheckFailure `tls_client_cert_…` if it refuses the certificate
 */
export async function awaitAcceptance(
  { socket, tls: facts, remote }: Connection,
  { clock, signal }: { readonly clock: Pick<Clock, 'timer'>; readonly signal: StopSignal },
): Promise<void> {
  if (facts?.protocol !== 'TLSv1.3') return
  const target = hostPort(remote.address, remote.port)
  const before = receivedBytes(socket)
  await waitFor<void>(signal, ({ resolve, reject }) => {
    const heard = (): void => resolve()
    const refused = (error: Error): void => reject(toFailure(error, { phase: 'tls', target }))
    // A ticket, by its bytes: with a listener for `session`, Node would write down each of thousands in one turn.
    const look = (left_ms: number): void => {
      if (left_ms <= 0 || receivedBytes(socket) > before) heard()
      else timer = clock.timer(POLL_MS, () => look(left_ms - POLL_MS))
    }
    let timer = clock.timer(POLL_MS, () => look(ACCEPTANCE_MS - POLL_MS))
    for (const event of ANSWERS) socket.once(event, heard)
    socket.once('error', refused)
    return () => {
      timer.cancel()
      for (const event of ANSWERS) socket.off(event, heard)
      socket.off('error', refused)
    }
  })
}

/** A server that has accepted a certificate sends a ticket, or data, or waits. */
const ANSWERS = ['readable', 'end', 'close'] as const
