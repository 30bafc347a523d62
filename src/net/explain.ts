/**
 * Turns a thrown error into a cause: a stable code, one sentence, and whether the server or the
 * location failed.
 *
 * @module
 */

import { ClosedError, MissingDependencyError } from '../errors.ts'
import type { BuiltinPhase, Phase } from '../model.ts'
import { DeadlineError } from './timing/deadline.ts'
import { CheckFailure, type Cause } from './failure.ts'
import { asTlsCause } from './connection/tls-causes.ts'

export interface Explanation {
  /** `unknown`: the location could not measure. */
  readonly verdict: 'fail' | 'unknown'
  readonly cause_code: string
  readonly cause_text: string
  readonly phase: Phase | null
}

export interface ExplainContext {
  /** The current phase. */
  readonly phase: Phase | null
  /** `host:port` for the text. */
  readonly target?: string
}

/** Never throws. An `internal_error` has a neutral text: log the error itself. */
export function explain(error: unknown, { phase, target }: ExplainContext): Explanation {
  const where = { phase, target: target ?? 'The server' }
  for (const each of withCauses(error)) {
    if (each instanceof CheckFailure) {
      return explanation([each.code, each.message], each.phase ?? phase)
    }
    const cause = asAbort(each, where) ?? asTlsCause(each, where.target) ?? asSystem(each, where)
    if (cause !== undefined) return explanation(cause, phase)
  }
  return explanation(['internal_error', 'The check failed for a reason of its own'], phase)
}

/** {@link explain} as an error to rethrow, for callers that know the target. */
export function toFailure(error: unknown, context: ExplainContext): CheckFailure {
  if (error instanceof CheckFailure) return error
  const { cause_code, cause_text, phase } = explain(error, context)
  return new CheckFailure(cause_code, cause_text, { phase: phase ?? undefined, cause: error })
}

interface Where {
  readonly phase: Phase | null
  readonly target: string
}

/**
 * Codes of the location besides `probe_…`; `too_long`: more data than the engine reads, which does
 * not mean that the server failed.
 */
const OURS: readonly string[] = ['internal_error', 'too_long']

function explanation([code, text]: readonly [string, string], phase: Phase | null): Explanation {
  const ours = code.startsWith('probe_') || OURS.includes(code)
  return { verdict: ours ? 'unknown' : 'fail', cause_code: code, cause_text: text, phase }
}

/**
 * The error, its causes, and the members of an `AggregateError`; bounded, since errors may be
 * circular.
 */
function withCauses(error: unknown): readonly unknown[] {
  const all: unknown[] = [error]
  for (let at = 0; at < Math.min(all.length, 8); at++) {
    const each = all[at]
    if (!(each instanceof Error)) continue
    if (each instanceof AggregateError) all.push(...(each.errors as unknown[]))
    if (each.cause !== undefined) all.push(each.cause)
  }
  return all.slice(0, 16)
}

function asAbort(error: unknown, { phase }: Where): Cause | undefined {
  if (error instanceof MissingDependencyError) return ['probe_unsupported', error.message]
  if (error instanceof DeadlineError) return overdue(phase, ` within ${error.timeout_ms} ms`)
  const name = error instanceof Error ? error.name : undefined
  if (name === 'TimeoutError') return overdue(phase, ' in time')
  if (name === 'AbortError' || error instanceof ClosedError) {
    return ['probe_stopped', 'The check was stopped before it was complete']
  }
  return undefined
}

const OVERDUE: Readonly<Record<BuiltinPhase, Cause>> = {
  resolve: ['dns_timeout', 'The host name was not resolved'],
  connect: ['connect_timeout', 'The connection was not accepted'],
  tls: ['tls_timeout', 'The TLS handshake was not complete'],
  starttls: ['tls_timeout', 'The change to TLS was not complete'],
  greeting: ['banner_timeout', 'The server did not say what was expected'],
  send: ['timeout', 'The data could not be sent'],
  auth: ['auth_timeout', 'The login was not complete'],
  query: ['query_timeout', 'The query was not complete'],
  first_byte: ['http_response_timeout', 'The request was not answered'],
  transfer: ['http_body_timeout', 'The body was not complete'],
}

function overdue(phase: Phase | null, when: string): Cause {
  const [code, text] = phase === null ? WITHOUT_PHASE : overdueIn(phase)
  return [code, text + when]
}

const WITHOUT_PHASE: Cause = ['timeout', 'The check was not complete']

function overdueIn(phase: Phase): Cause {
  if (phase === 'proxy') return ['proxy_timeout', 'The proxy did not open the way']
  if (phase === 'oauth') return ['oauth_timeout', 'The token endpoint did not answer']
  return isBuiltin(phase) ? OVERDUE[phase] : ['timeout', `The phase ${phase} was not complete`]
}

function isBuiltin(phase: Phase): phase is BuiltinPhase {
  return Object.hasOwn(OVERDUE, phase)
}

/** Error codes of Node and libuv. `{target}` stands for `host:port`. */
const SYSTEM: Readonly<Record<string, Cause>> = {
  ECONNREFUSED: ['connect_refused', '{target} refused the connection'],
  ECONNRESET: ['connect_reset', '{target} reset the connection'],
  ECONNABORTED: ['connect_reset', '{target} reset the connection'],
  EPIPE: ['closed_early', '{target} closed the connection'],
  ERR_STREAM_PREMATURE_CLOSE: ['closed_early', '{target} closed the connection'],
  ERR_STREAM_DESTROYED: ['closed_early', '{target} closed the connection'],
  ERR_SOCKET_CLOSED: ['closed_early', '{target} closed the connection'],
  EHOSTUNREACH: ['connect_unreachable', 'There is no way to the host of {target}'],
  EHOSTDOWN: ['connect_unreachable', 'There is no way to the host of {target}'],
  ENETUNREACH: ['connect_unreachable', 'There is no way to the network of {target}'],
  EINVAL: ['connect_unreachable', 'The address of {target} cannot be connected to'],
  ENOTFOUND: ['dns_nxdomain', 'The host name of {target} does not exist'],
  ENETDOWN: ['probe_offline', 'The network of this location is down'],
  EADDRNOTAVAIL: ['probe_overloaded', 'This machine has no address or port left to connect from'],
  EAGAIN: ['probe_overloaded', 'This machine has no port left to connect from'],
  EMFILE: ['probe_overloaded', 'This process has too many open files'],
  ENFILE: ['probe_overloaded', 'This machine has too many open files'],
  ENOBUFS: ['probe_overloaded', 'This machine is out of network buffers'],
  ENOMEM: ['probe_overloaded', 'This machine is out of memory'],
  EACCES: ['probe_unsupported', 'This machine does not permit the connection'],
  EPERM: ['probe_unsupported', 'This machine does not permit the connection'],
  EAFNOSUPPORT: ['probe_unsupported', 'This machine does not have the address family'],
  EPROTONOSUPPORT: ['probe_unsupported', 'This machine does not have the protocol'],
}

function asSystem(error: unknown, { phase, target }: Where): Cause | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  if (typeof code !== 'string') return undefined
  if (code === 'ETIMEDOUT') return overdue(phase, ' in time')
  const cause = Object.hasOwn(SYSTEM, code) ? SYSTEM[code] : undefined
  return cause === undefined ? undefined : [cause[0], cause[1].replace('{target}', () => target)]
}
