/**
 * Time, timers and randomness as an interface: the only file that uses the platform's own.
 *
 * @module
 */

import type { EpochMs } from './model.ts'

/** Node fires timers above 2^31-1 ms immediately; longer waits are cut at half of that. */
const MAX_TIMER_MS = 2 ** 30

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Wall time in epoch milliseconds; may jump when the system clock is set. */
  now(): EpochMs
  /** Monotonic milliseconds with fractions, for durations. */
  monotonic(): number
  /**
   * Milliseconds of CPU that this thread has used, with fractions; an upper bound where the platform counts all threads
   * of the process together. Optional: without it, limits of CPU time count `monotonic`.
   */
  cpu?(): number
  /**
   * Calls `run` once after `ms` (at most 2^30); 0 is the next turn of the event loop. `background` timers do not keep
   * the process alive.
   */
  timer(ms: number, run: () => void, options?: { readonly background?: boolean }): Timer
  /**
   * Resolves after `ms`; rejects with the signal's reason if it aborts first. Any length is allowed; 0 yields to the
   * event loop.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Uniform in [0, 1). For spreading load, never for secrets. */
  random(): number
}

/* eslint-disable no-restricted-globals, no-restricted-properties -- this is the one place where they live */

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  cpu: cpuOfThread() ?? cpuOfProcess,
  random: () => Math.random(),
  timer(ms, run, options) {
    if (ms === 0) return turn(run, options)
    const handle = setTimeout(run, Math.min(Math.max(0, ms), MAX_TIMER_MS))
    if (options?.background === true) handle.unref()
    return { cancel: () => clearTimeout(handle) }
  },
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
}

/** `undefined` where Node does not tell it: Node 20. */
function cpuOfThread(): (() => number) | undefined {
  const { threadCpuUsage } = process as { threadCpuUsage?: () => NodeJS.CpuUsage }
  return threadCpuUsage && (() => inMs(threadCpuUsage()))
}

function cpuOfProcess(): number {
  return inMs(process.cpuUsage())
}

function inMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000
}

/** The next turn of the event loop; a timer of Node waits at least a millisecond. */
function turn(run: () => void, options?: { readonly background?: boolean }): Timer {
  const handle = setImmediate(run)
  if (options?.background === true) handle.unref()
  return { cancel: () => clearImmediate(handle) }
}

/* eslint-enable no-restricted-globals, no-restricted-properties */

/** `sleep` for any clock with timers: long waits are split into steps that a timer supports. */
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

/** How long work runs before it yields. */
const STEP_MS = 10

/**
 * For long work to await between its parts: yields to the event loop if 10 ms have passed since the last time. On a
 * simulated clock work takes no time, so it never waits for the clock to be advanced.
 */
export function yielderOf(clock: Pick<Clock, 'monotonic' | 'sleep'>): () => Promise<void> {
  let begun = clock.monotonic()
  return async () => {
    if (clock.monotonic() - begun < STEP_MS) return
    await clock.sleep(0)
    begun = clock.monotonic()
  }
}

/**
 * For many callers in one turn of the event loop, each of which awaits it before its work: lets them pass in their
 * order, and yields to the event loop as {@link yielderOf} does. The first caller of a turn passes at once.
 */
export function yieldingQueueOf(
  clock: Pick<Clock, 'monotonic' | 'timer' | 'sleep'>,
): () => Promise<void> {
  let last: Promise<void> | undefined
  let yieldIfLong: (() => Promise<void>) | undefined
  /** Callers that await each call come one at a time, so only a timer can tell that the turn has ended. */
  const begin = (): (() => Promise<void>) => {
    clock.timer(0, () => (yieldIfLong = undefined), { background: true })
    return yielderOf(clock)
  }
  return () => {
    yieldIfLong ??= begin()
    const own = (last ?? Promise.resolve()).then(yieldIfLong)
    const forget = (): void => {
      if (last === own) last = undefined
    }
    last = own
    own.then(forget, forget)
    return own
  }
}

/**
 * For work that many callers begin in one turn of the event loop: whether the turn is longer than 10 ms, as from the
 * first call in it.
 */
export function turnWatchOf(clock: Pick<Clock, 'monotonic' | 'timer'>): () => boolean {
  let begun: number | undefined
  return () => {
    if (begun !== undefined) return clock.monotonic() - begun >= STEP_MS
    begun = clock.monotonic()
    clock.timer(0, () => (begun = undefined), { background: true })
    return false
  }
}

/** ISO 8601 UTC with milliseconds, the form of every time that leaves the engine. */
export function iso(at: EpochMs): string {
  return new Date(at).toISOString()
}

/** {@link iso} for times that may be `null`. */
export function isoOrNull(at: EpochMs | null): string | null {
  return at === null ? null : iso(at)
}
