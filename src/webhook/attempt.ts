/**
 * The limits of one attempt, for any protocol: its own network, one total deadline, the stop of the
 * engine, and an error code for every failure.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { DeadlineError, deadlineTimer } from '../net/timing/deadline.ts'
import { explain } from '../net/explain.ts'
import type { OwnIdleConnections } from '../net/connection/idle-connections.ts'
import type { Network, OwnedNet } from '../net/create-net.ts'
import { createStop } from '../net/timing/stop.ts'
import type { StopSignal } from '../net/timing/stop.ts'
import { createTrace, hundredths } from '../net/timing/trace.ts'

/** Maximum time of an attempt, whatever its own deadline; the engine aborts it then. */
export const LONGEST_ATTEMPT_MS = 14_000
/** Time to read data that arrived while the process was suspended. */
const READING_MS = 1_000
/** Errors of node:http for an invalid method or header; a path is that of a URL, which is escaped. */
const UNSENDABLE = ['ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN']

export interface AttemptContext {
  /** With the policy of the contact kind. */
  readonly network: Network
  readonly clock: Clock
  /** Aborts the attempt when the engine stops. */
  readonly signal: AbortSignal
  /** Connections of the same account that wait. Default: a new one for every attempt. */
  readonly idle?: OwnIdleConnections | undefined
}

export interface Attempt {
  readonly net: Omit<OwnedNet, 'close'>
  /** Aborts at the deadline and when the engine stops. */
  readonly signal: StopSignal
  /** Milliseconds until the deadline. */
  remaining(): number
  /** Milliseconds since the start. */
  elapsed(): number
  /** Yields to the event loop. Rejects when the attempt has ended. */
  rest(): Promise<void>
  /** Runs work in turns that all attempts and checks share. Rejects when the attempt has ended. */
  inTurns<T>(steps: Generator<void, T>): Promise<T>
  /**
   * The codes of check causes, and four more: `timeout`, `stopped`, `blocked`, `invalid_request`.
   */
  codeOf(error: unknown): string
  /** Closes everything that is open. */
  end(): Promise<void>
}

export function beginAttempt(
  { network, clock, signal, idle }: AttemptContext,
  deadline_ms: number,
): Attempt {
  const from = clock.monotonic()
  const stop = createStop()
  const trace = createTrace(clock)
  const elapsed = (): number => clock.monotonic() - from
  const remaining = (): number => Math.max(0, deadline_ms - elapsed())
  const timer = deadlineTimer(clock, { ms: deadline_ms, reading_ms: READING_MS }, () =>
    stop.abort(new DeadlineError(deadline_ms)),
  )
  const follow = (): void => stop.abort(signal.reason as Error)
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  const net = network.open({ signal: stop, deadlineIn: remaining, trace, idle })
  return {
    net,
    signal: stop,
    remaining,
    elapsed: () => hundredths(elapsed()),
    rest: () => clock.sleep(0, stop.platformSignal()),
    inTurns: (steps) => network.turns.run(stop, steps),
    codeOf(error) {
      if (stop.aborted) return stop.reason instanceof DeadlineError ? 'timeout' : 'stopped'
      const { code = '' } = (error ?? {}) as { readonly code?: string }
      if (UNSENDABLE.includes(code)) return 'invalid_request'
      const { cause_code } = explain(error, { phase: trace.current })
      return cause_code === 'connect_blocked' ? 'blocked' : cause_code
    },
    async end() {
      timer.cancel()
      signal.removeEventListener('abort', follow)
      await net.close()
    },
  }
}
