/**
 * Which response times are usual at an hour, learned from the hourly totals of the last weeks, and whether the latest
 * ones are within. Pure.
 *
 * An hour is compared with the same hour of other days and of other weeks. Usual is what three quarters of these stay
 * below, plus a margin: neither an outage nor one slow week among four changes it. The hours before and after count as
 * the same hour, since a nightly job may begin a minute earlier, or with summer time an hour.
 *
 * @module
 */

import { DAY_MS, HOUR_MS } from '../model/time.ts'
import type { AvailabilityChange, EpochMs, HourlyStats } from '../model.ts'
import { hourOf } from './hours.ts'
import { percentileOfHour, roundedMs } from './latency.ts'

export const LEARNED_MS = 28 * DAY_MS
/** Two weeks: a job that runs once a week has run twice. */
const HOURS_NEEDED = 336
/** For monitors that are not checked in every hour. */
const FEWEST_NEEDED = 14
/** The median of so many latest checks is judged: three slow ones among them do not warn. */
export const JUDGED_CHECKS = 7

/** Days that have an hour of the day, and weeks that have an hour of the week: fewer are not compared. */
const DAYS_SEEN = 7
const WEEKS_SEEN = 2
/** Share of the hours below the edge: what more than a quarter of them have is usual, as on busy days. */
const USUAL_SHARE = 0.75
/** The margin above the edge is at least this: from three to six milliseconds is no warning, nor is a quarter more. */
const FLOOR_MS = 25
const FLOOR_SHARE = 0.3
/** The margin in median deviations; the factor makes one comparable to a standard deviation. */
const DEVIATIONS = 3.5 * 1.4826
/** Share of the band, from its upper end down, in which a degraded monitor is not restored yet. */
const HYSTERESIS = 0.5
/** An hour is not learned from if a larger share of it was down or in maintenance, or of its checks failed. */
const TROUBLED = 0.1

/** Hours with a band, from the one before learning: a day, and six hours in which it is learned again. */
const HOURS_AHEAD = 31

/** What was usual in one hour: a tenth of the checks was faster, and a tenth slower. */
export interface UsualHour {
  readonly hour: EpochMs
  readonly fast: number
  readonly slow: number
}

export interface Band {
  readonly low: number
  readonly high: number
}

export interface Baseline {
  /** Hours that it was learned from. */
  readonly hours: number
  readonly weeks: number
  /** The hour of the first band. */
  readonly from: EpochMs
  /** Low and high of each hour from `from` on: small, since there is one for each monitor and location. */
  readonly bands: Float32Array
}

/** Hours that must be learned from before a monitor of this interval is judged. */
export function hoursNeeded(interval_sec: number): number {
  const checked = (HOURS_NEEDED * 3600) / Math.max(3600, interval_sec)
  return Math.max(FEWEST_NEEDED, Math.floor(checked))
}

/** The hour, unless nothing can be learned from it. */
export function usualHour(
  { hour, ok, fail, unknown, latency }: HourlyStats,
  troubled: ReadonlyMap<EpochMs, number>,
): UsualHour | undefined {
  if (fail > (ok + fail + unknown) * TROUBLED) return undefined
  if ((troubled.get(hour) ?? 0) > HOUR_MS * TROUBLED) return undefined
  const fast = percentileOfHour(latency, 0.1)
  const slow = percentileOfHour(latency, 0.9)
  return fast === null || slow === null ? undefined : { hour, fast, slow }
}

/** How long each hour was down or in maintenance, in ms; of changes that are oldest first, until `to`. */
export function troubledHours(
  changes: readonly Pick<AvailabilityChange, 'at' | 'availability'>[],
  from: EpochMs,
  to: EpochMs,
): ReadonlyMap<EpochMs, number> {
  const hours = new Map<EpochMs, number>()
  for (const [index, { at, availability }] of changes.entries()) {
    if (availability !== 'down' && availability !== 'maintenance') continue
    const end = Math.min(changes[index + 1]?.at ?? to, to)
    for (let start = Math.max(at, from); start < end;) {
      const hour = hourOf(start)
      const next = Math.min(hour + HOUR_MS, end)
      hours.set(hour, (hours.get(hour) ?? 0) + next - start)
      start = next
    }
  }
  return hours
}

/** What is usual around `now`, of hours that are over. */
export function learned(hours: readonly UsualHour[], now: EpochMs): Baseline {
  const first = hours.reduce((least, { hour }) => Math.min(least, hour), now)
  const from = hourOf(now) - HOUR_MS
  const bands = new Float32Array(2 * HOURS_AHEAD)
  const bandAt = bandsOf(hours)
  for (let index = 0; index < HOURS_AHEAD && hours.length > 0; index++) {
    const { low, high } = bandAt(from + index * HOUR_MS)
    bands.set([low, high], 2 * index)
  }
  const weeks = Math.round((now - first) / (7 * DAY_MS))
  return { hours: hours.length, weeks, from, bands }
}

/** What is usual in the hour of `at`; `undefined` where it was learned too long ago. */
export function bandOf({ from, bands }: Baseline, at: EpochMs): Band | undefined {
  const index = (hourOf(at) - from) / HOUR_MS
  const [low, high] = [bands[2 * index], bands[2 * index + 1]]
  return low === undefined || high === undefined || high === 0
    ? undefined
    : { low: roundedMs(low), high: roundedMs(high) }
}

/** `near`: within the band, and too near to its upper end to end a warning. */
export function placeIn({ low, high }: Band, value: number): 'within' | 'near' | 'beyond' {
  if (value > high) return 'beyond'
  return value > high - (high - low) * HYSTERESIS ? 'near' : 'within'
}

/** Of two values in the middle, the lower one. */
export function medianOf(values: readonly number[]): number {
  return quantileOf(values, 0.5)
}

function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
}

/** Groups the hours by day and by week, and joins what is usual in the groups of an hour. */
function bandsOf(hours: readonly UsualHour[]): (hour: EpochMs) => Band {
  const ofDay = groupsOf(hours, 24)
  const ofWeek = groupsOf(hours, 168)
  const known = new Map<readonly UsualHour[], Band>()
  const band = (group: readonly UsualHour[]): Band => {
    const made = known.get(group) ?? bandOfGroup(group)
    known.set(group, made)
    return made
  }
  return (hour) => {
    const around = [hour, hour - HOUR_MS, hour + HOUR_MS]
    const days = around.map((at) => ofDay(at)).filter(({ length }) => length >= DAYS_SEEN)
    const weeks = around.map((at) => ofWeek(at)).filter(({ length }) => length >= WEEKS_SEEN)
    // A check every seven hours meets each hour too rarely.
    const groups = ofDay(hour).length < DAYS_SEEN ? [hours, ...days] : days
    const bands = [...groups, ...weeks].map(band)
    return {
      low: Math.min(...bands.map(({ low }) => low)),
      high: Math.max(...bands.map(({ high }) => high)),
    }
  }
}

function groupsOf(
  hours: readonly UsualHour[],
  count: number,
): (hour: EpochMs) => readonly UsualHour[] {
  const groups = Array.from({ length: count }, (): UsualHour[] => [])
  const groupOf = (hour: EpochMs) => groups[(hour / HOUR_MS) % count] ?? []
  for (const each of hours) groupOf(each.hour).push(each)
  return groupOf
}

function bandOfGroup(group: readonly UsualHour[]): Band {
  const slow = group.map((hour) => hour.slow)
  const middle = medianOf(slow)
  const edge = quantileOf(slow, USUAL_SHARE)
  const deviation = medianOf(slow.map((each) => Math.abs(each - middle)))
  const margin = Math.max(DEVIATIONS * deviation, FLOOR_SHARE * edge, FLOOR_MS)
  return { low: medianOf(group.map(({ fast }) => fast)), high: edge + margin }
}
