/**
 * The certificate with which this side authenticates itself to a server (RFC 8446, 4.4.2), and what servers say of it.
 *
 * @module
 */

import { createHash, X509Certificate } from 'node:crypto'
import tls from 'node:tls'
import type { SecureContext, SecureContextOptions } from 'node:tls'
import { iso } from '../../clock.ts'
import type { EpochMs } from '../../model.ts'
import { CheckFailure } from '../failure.ts'
import type { Cause } from '../failure.ts'

export interface ClientIdentity {
  /** PEM: the certificate, then the issuers to send with it. */
  readonly cert: string
  /** PEM. */
  readonly key: string
  /** Of an encrypted key. */
  readonly pass?: string | undefined
}

/** Contexts of identities that are kept: 15 to 70 KiB each. */
const CONTEXTS_KEPT = 64

export interface IdentityContexts {
  get(identity: ClientIdentity, verify: boolean): SecureContext
}

/**
 * `optionsFor`: those of the context without an identity, `ca` left out; `ca`: PEM of roots besides the default ones.
 */
export function createIdentityContexts(
  optionsFor: (verify: boolean) => SecureContextOptions,
  ca: readonly string[],
): IdentityContexts {
  const kept = new Map<string, SecureContext>()
  return {
    get(identity, verify) {
      const key = nameOf(identity, verify)
      const context = kept.get(key) ?? contextOf(identity, optionsFor(verify), ca)
      // The least recently used one is first.
      kept.delete(key)
      kept.set(key, context)
      if (kept.size > CONTEXTS_KEPT)
        for (const oldest of kept.keys()) if (kept.delete(oldest)) break
      return context
    },
  }
}

function nameOf({ cert, key, pass }: ClientIdentity, verify: boolean): string {
  const text = JSON.stringify([cert, key, pass, verify])
  return createHash('sha256').update(text).digest('base64')
}

/** @throws CheckFailure `probe_unsupported` */
function contextOf(
  { cert, key, pass }: ClientIdentity,
  options: SecureContextOptions,
  ca: readonly string[],
): SecureContext {
  try {
    const context = tls.createSecureContext({ ...options, cert, key, passphrase: pass })
    // As the option `ca`, which would parse all the default roots again: 40 ms and 1 MB for each identity.
    const { addCACert } = context.context as NativeContext
    for (const root of ca) addCACert.call(context.context, root)
    return context
  } catch (cause) {
    const text = `This machine cannot use the client certificate (${reasonOf(cause)})`
    throw new CheckFailure('probe_unsupported', text, { phase: 'tls', cause })
  }
}

/** What `createSecureContext` of every Node.js from 20 on calls for each root. */
interface NativeContext {
  addCACert(this: unknown, pem: string): void
}

/** Why OpenSSL rejects the pair, such as `ee key too small`; `undefined` if it can be used. */
export function identityProblem({ cert, key, pass }: ClientIdentity): string | undefined {
  try {
    tls.createSecureContext({ cert, key, passphrase: pass })
    return undefined
  } catch (error) {
    return `it cannot be used (${reasonOf(error)})`
  }
}

function reasonOf(error: unknown): string {
  const { message } = error as Error
  return (message.split(':').at(-1) ?? message).slice(0, 100)
}

/** What this side had presented when the server ended the connection by an alert. */
export interface Shown {
  readonly identity: ClientIdentity | undefined
  /** The server has presented its own certificate. */
  readonly metServer: boolean
  readonly now: EpochMs
}

const SHOWN = Symbol('what the client had shown')

/** Notes it at an error, for {@link clientCertificateCause}. */
export function noteShown(error: unknown, shown: Shown): void {
  if (error instanceof Error) Object.defineProperty(error, SHOWN, { value: shown })
}

/** RFC 8446, 6.2; RFC 5246, 7.2.2. */
const ALERTS = { handshakeFailure: 40, badCertificate: 42, expired: 45, required: 116 } as const

/** Of a certificate: bad, unsupported, revoked, expired, unknown; its issuer unknown; access denied. */
const REFUSALS = [ALERTS.handshakeFailure, 42, 43, 44, 45, 46, 48, 49]

/** The cause, if the error is an alert about the client certificate, or about a missing one. */
export function clientCertificateCause(error: Error, target: string): Cause | undefined {
  const alert = Number(/SSL alert number (\d+)/.exec(error.message)?.[1] ?? NaN)
  const { identity, metServer = false, now = 0 } = (error as { [SHOWN]?: Shown })[SHOWN] ?? {}
  if (alert === ALERTS.required) return required(target)
  if (identity === undefined) {
    const wanting = alert === ALERTS.handshakeFailure ? metServer : alert === ALERTS.badCertificate
    return wanting ? required(target) : undefined
  }
  // Before its certificate, a server refuses versions and ciphers.
  if (!REFUSALS.includes(alert) || (alert === ALERTS.handshakeFailure && !metServer))
    return undefined
  // Some servers have one alert for all that is wrong with a certificate.
  if (alert === ALERTS.expired || hasEnded(identity, now)) return expired(identity, target)
  const [, said = ''] = /alert ([a-z ]+)/.exec(error.message) ?? []
  return ['tls_client_cert_refused', `${target} refuses our client certificate (${said})`]
}

function required(target: string): Cause {
  return ['tls_client_cert_required', `${target} requires a client certificate`]
}

/** `target` refuses a certificate that has ended. */
export function expired(
  identity: ClientIdentity,
  target: string,
): readonly ['tls_client_cert_expired', string] {
  const ended = endOf(identity)
  const when = Number.isNaN(ended) ? 'has expired' : `ended at ${iso(ended)}`
  return ['tls_client_cert_expired', `Our client certificate ${when}, and ${target} refuses it`]
}

/** Whether the certificate has ended. */
export function hasEnded(identity: ClientIdentity, now: EpochMs): boolean {
  return now > endOf(identity)
}

/** `NaN` if it cannot be read. */
function endOf({ cert }: ClientIdentity): number {
  try {
    return Date.parse(new X509Certificate(cert).validTo)
  } catch {
    return NaN
  }
}
