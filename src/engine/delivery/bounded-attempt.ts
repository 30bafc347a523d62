/**
 * Bounds one attempt of any contact kind. A kind must end within its deadline and never reject; a custom kind may do
 * neither, and must not affect other deliveries.
 *
 * @module
 */

import { deadlineTimer } from '../../net/timing/deadline.ts'
import { LONGEST_ATTEMPT_MS } from '../../webhook/attempt.ts'
import type { AttemptResult } from '../../webhook/contact-kind.ts'
import type { Core } from '../core/core.ts'

/** Time for a kind to end after the engine stops. */
const GRACE_MS = 200
/** After a suspended process the kind's deadline is late as well, and a response may wait to be read. */
const READING_MS = 2_000

/**
 * Resolves with the result of `deliver`, or with an internal failure: it threw, returned an invalid value, or did not
 * end.
 */
export function bounded(
  { clock, log }: Pick<Core, 'clock' | 'log'>,
  signal: AbortSignal,
  deliver: () => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const from = clock.monotonic()
  const elapsed = (): number => Math.round(clock.monotonic() - from)
  return new Promise((resolve) => {
    const giveUp = (error: string) => () => {
      log.error({}, `a contact kind did not end its delivery: ${error}`)
      end(cut(error, elapsed()))
    }
    // Within the lease, with time for recording.
    const limit = { ms: LONGEST_ATTEMPT_MS, reading_ms: READING_MS }
    let timer = deadlineTimer(clock, limit, giveUp('timeout'))
    const onStop = (): void => {
      timer.cancel()
      timer = clock.timer(GRACE_MS, giveUp('stopped'))
    }
    const end = (result: AttemptResult): void => {
      timer.cancel()
      signal.removeEventListener('abort', onStop)
      resolve(result)
    }
    if (signal.aborted) onStop()
    else signal.addEventListener('abort', onStop, { once: true })
    // In a microtask, so that a synchronous throw is caught as well.
    Promise.resolve()
      .then(deliver)
      .then((answer: unknown) => {
        const result = readResult(answer)
        if (result !== undefined) return end(result)
        throw new TypeError(
          'The contact kind returned something that is not the result of an attempt',
        )
      })
      .catch((err: unknown) => {
        log.error({ err }, 'a contact kind failed')
        end(internalFailure(elapsed()))
      })
  })
}

/** An attempt that failed internally. It counts, since otherwise a row that always fails would be retried for ever. */
export function internalFailure(duration_ms: number): AttemptResult {
  return cut('internal_error', duration_ms)
}

function cut(error: string, duration_ms: number): AttemptResult {
  return {
    class: 'temporary',
    http_status: null,
    error,
    answer: null,
    duration_ms,
    retry_after_ms: null,
  }
}

const CLASSES: readonly unknown[] = ['delivered', 'temporary', 'failed']

/** A plugin may return anything at run time, whatever the types say; the store accepts only this shape. */
function readResult(value: unknown): AttemptResult | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const given = value as Partial<AttemptResult>
  if (!CLASSES.includes(given.class)) return undefined
  const { http_status, error, answer, duration_ms, retry_after_ms } = given
  return {
    ...(value as AttemptResult),
    http_status: Number.isInteger(http_status) ? (http_status ?? null) : null,
    error: typeof error === 'string' ? error : null,
    answer: typeof answer === 'string' ? answer : null,
    duration_ms: Number.isFinite(duration_ms) ? (duration_ms ?? 0) : 0,
    retry_after_ms: Number.isFinite(retry_after_ms) ? (retry_after_ms ?? null) : null,
  }
}
