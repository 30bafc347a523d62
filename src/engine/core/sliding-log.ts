/**
 * A rate limit: admits at most a number of events per key in any window. A sliding log, not a token bucket: a bucket of
 * 60 refilled per minute admits almost 120 within one.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'

interface Bound {
  readonly limit: number
  readonly window_ms: number
}

interface Counted {
  readonly allowed: boolean
  /** The number of further events that would be admitted now. */
  readonly remaining: number
  /** Time until the oldest counted event leaves the window; the next one is admitted then at the latest. */
  readonly reset_ms: number
}

export interface SlidingLog {
  /** Counts an event of `who` if the limit allows it; a rejected event is not counted. */
  take(who: string, bound: Bound): Counted
  /** Whether one would be allowed; counts nothing. */
  look(who: string, bound: Bound): Counted
  /** The number of remembered keys: those counted within the last two windows. */
  readonly size: number
}

/** In the memory of one process, on its monotonic clock, so that setting the clock has no effect. */
export function slidingLog(clock: Pick<Clock, 'monotonic'>): SlidingLog {
  const log = new Map<string, { times: number[]; window_ms: number }>()
  let sweep_at = -Infinity

  function sweep(now: number, window_ms: number): void {
    // The shortest window decides: beside one of an hour, keys of a minute would be remembered for an hour.
    if (now < sweep_at) {
      sweep_at = Math.min(sweep_at, now + window_ms)
      return
    }
    sweep_at = now + window_ms
    for (const [who, { times, window_ms }] of log) {
      if ((times.at(-1) ?? 0) <= now - window_ms) log.delete(who)
    }
  }

  function recent(who: string, now: number, window_ms: number): number[] {
    return (log.get(who)?.times ?? []).filter((at) => at > now - window_ms)
  }

  return {
    get size() {
      return log.size
    },
    take(who, bound) {
      const { limit, window_ms } = bound
      const now = clock.monotonic()
      sweep(now, window_ms)
      const times = recent(who, now, window_ms)
      const allowed = times.length < limit
      if (allowed) times.push(now)
      log.set(who, { times, window_ms })
      return { allowed, ...roomIn(times, now, bound) }
    },
    look(who, bound) {
      const now = clock.monotonic()
      const times = recent(who, now, bound.window_ms)
      return { allowed: times.length < bound.limit, ...roomIn(times, now, bound) }
    },
  }
}

function roomIn(
  times: readonly number[],
  now: number,
  { limit, window_ms }: Bound,
): Omit<Counted, 'allowed'> {
  const reset_ms = (times[0] ?? now) + window_ms - now
  return { remaining: Math.max(0, limit - times.length), reset_ms }
}
