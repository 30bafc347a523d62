/**
 * Time, timers and chance as a port: the only file that touches the platform's own.
 *
 * @module
 */

import type { EpochMs } from './model.ts'

/** Node fires timers above 2^31-1 ms at once; no timer of ours is set beyond half of that. */
const MAX_TIMER_MS = 2 ** 30

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Wall time in epoch milliseconds; may jump when the system's clock is set. */
  now(): EpochMs
  /** Monotonic milliseconds with fractions, for durations. */
  monotonic(): number
  /** Calls `run` once after `ms` (bounded to 2^30); 0 is the next turn of the event loop. `background` timers do not keep the process alive. */
  timer(ms: number, run: () => void, options?: { readonly background?: boolean }): Timer
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. Any length is allowed; 0 lets everybody else have a turn. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Uniform in [0, 1). For spreading load, never for secrets. */
  random(): number
}

/* eslint-disable no-restricted-globals, no-restricted-properties -- this is the one place where they live */

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  timer(ms, run, options) {
    if (ms === 0) return turn(run, options)
    const handle = setTimeout(run, Math.min(Math.max(0, ms), MAX_TIMER_MS))
    if (options?.background === true) handle.unref()
    return { cancel: () => clearTimeout(handle) }
  },
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
}

/** The next turn of the event loop; a timer of Node waits for a millisecond at the least. */
function turn(run: () => void, options?: { readonly background?: boolean }): Timer {
  const handle = setImmediate(run)
  if (options?.background === true) handle.unref()
  return { cancel: () => clearImmediate(handle) }
}

/* eslint-enable no-restricted-globals, no-restricted-properties */

/** `sleep` for any clock that has timers: long waits are cut into steps that a timer can do. */
export async function sleepOn(
  clock: Pick<Clock, 'timer'>,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  let left = ms
  do {
    await pause(clock, Math.min(left, MAX_TIMER_MS), signal)
    left -= MAX_TIMER_MS
  } while (left > 0)
}

function pause(clock: Pick<Clock, 'timer'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error)
      return
    }
    const stop = () => {
      timer.cancel()
      reject(signal?.reason as Error)
    }
    const timer = clock.timer(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** What long work does before everybody else has a turn. */
const STEP_MS = 10

/**
 * For long work to await between its parts: others have a turn where it has taken 10 ms since the last one. On a
 * simulated clock work takes no time, and never waits for the clock to be advanced.
 */
export function stepsOf(clock: Pick<Clock, 'monotonic' | 'sleep'>): () => Promise<void> {
  let begun = clock.monotonic()
  return async () => {
    if (clock.monotonic() - begun < STEP_MS) return
    await clock.sleep(0)
    begun = clock.monotonic()
  }
}

/** ISO 8601 UTC with milliseconds, the form of every time that leaves the engine. */
export function iso(at: EpochMs): string {
  return new Date(at).toISOString()
}

/** {@link iso} for times that may not have come. */
export function isoOrNull(at: EpochMs | null): string | null {
  return at === null ? null : iso(at)
}
