/**
 * Uptime from the intervals between state changes, not from the share of successful checks: the seconds of a day add
 * up to the day, whatever the check interval.
 *
 * @module
 */

import type { Availability, AvailabilityChange, EpochMs } from '../model.ts'
import { DAY_MS } from '../model/time.ts'

/** `degraded` is a part of `up`; the others add up to the time. */
export type Seconds = Readonly<Record<Availability, number>>

export const NO_SECONDS: Seconds = {
  up: 0,
  degraded: 0,
  down: 0,
  unknown: 0,
  paused: 0,
  maintenance: 0,
}

/**
 * A duration in whole seconds, used wherever the length of an outage is shown. It counts the clock's seconds that
 * begin within it, so that the parts of an outage (its days, its states) add up to it.
 */
export function secondsFrom(from: EpochMs, to: EpochMs): number {
  return Math.max(0, wholeSeconds(to) - wholeSeconds(from))
}

/** Whole seconds per kind within [from, to). `changes` are ordered; time before the first is unknown. */
export function secondsBetween(
  changes: readonly AvailabilityChange[],
  from: EpochMs,
  to: EpochMs,
): Seconds {
  let availability: Availability = 'unknown'
  const seconds = { up: 0, degraded: 0, down: 0, unknown: 0, paused: 0, maintenance: 0 }
  const add = (more: number): void => {
    seconds[availability] += more
    if (availability === 'degraded') seconds.up += more
  }
  let at = from
  for (const change of changes) {
    const until = Math.min(Math.max(change.at, from), to)
    add(secondsFrom(at, until))
    at = until
    availability = change.availability
  }
  add(secondsFrom(at, to))
  return seconds
}

/** {@link secondsBetween} for each of these days up to `to`; reads each change once, however many days there are. */
export function secondsOfDays(
  changes: readonly AvailabilityChange[],
  begins: readonly EpochMs[],
  to: EpochMs,
): Seconds[] {
  let next = 0
  return begins.map((begin, index) => {
    const end = begins[index + 1] ?? to
    // The last change before a day is the state at its start.
    while ((changes[next + 1]?.at ?? Infinity) < begin) next += 1
    const first = next
    while ((changes[next]?.at ?? Infinity) < end) next += 1
    const within = changes.slice(first, next)
    next = Math.max(first, next - 1)
    return secondsBetween(within, begin, end)
  })
}

/**
 * Percent of the known time, floored to four digits so that a second of downtime never shows as 100; `null` if no
 * time is known.
 */
export function uptimePercent({ up, down }: Pick<Seconds, 'up' | 'down'>): number | null {
  const known = up + down
  if (known === 0) return null
  return Math.floor((up / known) * 1e6) / 1e4
}

export function addSeconds(a: Seconds, b: Seconds): Seconds {
  return {
    up: a.up + b.up,
    degraded: a.degraded + b.degraded,
    down: a.down + b.down,
    unknown: a.unknown + b.unknown,
    paused: a.paused + b.paused,
    maintenance: a.maintenance + b.maintenance,
  }
}

/** The starts of the last `days` UTC days up to and including that of `now`, oldest first. */
export function lastDays(now: EpochMs, days: number): EpochMs[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  return Array.from({ length: days }, (_, index) => today - (days - 1 - index) * DAY_MS)
}

/** Differences of floored boundaries add up exactly, which rounded differences do not. */
function wholeSeconds(at: EpochMs): number {
  return Math.floor(at / 1000)
}
