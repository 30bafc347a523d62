/**
 * Schedules as cron expressions with a time zone.
 *
 * @module
 */

import { Cron } from 'croner'
import * as v from 'valibot'
import type { EpochMs } from '../model.ts'
import { DAY_MS, isTimeZone, timeZones } from '../model/time.ts'
import type { NextOccurrence, TimeZones } from '../model/time.ts'
import { defineField } from './field.ts'
import type { FieldBuilder } from './field.ts'

const MAX_CHARACTERS = 100

/** Excludes `?`, which Croner replaces with the current time. */
const ALLOWED = /^@?[\dA-Za-z*,/#\s-]+$/

/** A cron expression of five fields, or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. */
export const cronExpression = v.pipe(
  v.string('invalid: a cron expression such as "0 3 * * *" is expected'),
  v.trim(),
  v.maxLength(MAX_CHARACTERS, `out_of_range: 1..${MAX_CHARACTERS} characters`),
  v.check(
    (text) => readCron(text) !== undefined,
    'invalid: a cron expression of five fields is expected, such as "0 3 * * *"',
  ),
  v.check((text) => hasDay(readCron(text), text), 'invalid: there is no such day'),
)

/** A {@link cronExpression}. */
export function cronField(info: { readonly description: string }): FieldBuilder<string> {
  return defineField(
    {
      kind: 'string',
      format: 'cron',
      min: 1,
      max: MAX_CHARACTERS,
      example: '0 3 * * *',
      ...info,
    },
    cronExpression,
  )
}

/** The name of an IANA time zone. */
export function timeZoneField(info: { readonly description: string }): FieldBuilder<string> {
  return defineField(
    { kind: 'string', format: 'time_zone', min: 1, max: 64, example: 'Europe/Berlin', ...info },
    v.pipe(
      v.string('invalid: a time zone is expected'),
      v.check(isTimeZone, 'invalid: an IANA time zone is expected, such as Europe/Berlin'),
    ),
  )
}

/** Expressions kept with their last result; an entry takes about two kilobytes. */
const MAX_KEPT = 2000

/** An expression in a time zone. Parsing it takes half a millisecond. */
interface Schedule {
  readonly local: Cron
  /** The same in UTC, to compare with the wall clock. */
  readonly wall: Cron
}

interface Kept {
  readonly schedule: Schedule
  /** No occurrence lies between the two. */
  readonly after: EpochMs
  readonly next: EpochMs
}

/**
 * When a job is due: as {@link cronOccurrences}, but a time that the clocks have just skipped is no longer due after
 * the skip. Most of those that start such a job at all start it at once. For one computation, in which times are asked
 * for repeatedly. Throws a `RangeError` if the expression is never due.
 */
export function occurrencesOf(cron: string, time_zone: string): (after: EpochMs) => EpochMs {
  const schedule = parse(cron, time_zone)
  const zone = timeZones()(time_zone)
  const known = new Map<EpochMs, EpochMs>()
  return (after) => {
    const next = known.get(after) ?? dueAfter(schedule, { zone, after })
    known.set(after, next)
    return next
  }
}

/**
 * The first time after `after` at which the expression is due. A time of day that a clock change
 * skips uses the offset before the change, a repeated one means the first (RFC 5545, 3.3.5); an
 * hourly or minutely expression is due in both.
 *
 * Keeps parsed expressions and their last results: the next occurrence of a nightly one takes most
 * of a millisecond, and many monitors ask for the same. Beyond `max_kept` expressions, the one that was computed
 * longest ago is forgotten.
 */
export function cronOccurrences(zones: TimeZones, max_kept = MAX_KEPT): NextOccurrence {
  const kept = new Map<string, Kept>()
  return (cron, time_zone, after) => {
    const key = `${cron}\n${time_zone}`
    const known = kept.get(key)
    if (known && known.after <= after && after < known.next) return known.next
    const schedule = known?.schedule ?? parse(cron, time_zone)
    const next = dueAfter(schedule, { zone: zones(time_zone), after }, true)
    kept.delete(key)
    kept.set(key, { schedule, after, next })
    for (const oldest of kept.keys()) {
      if (kept.size <= max_kept) break
      kept.delete(oldest)
    }
    return next
  }
}

/** `late`: a time that the clocks have just skipped is still due. */
function dueAfter(
  { local, wall }: Schedule,
  { zone, after }: { readonly zone: ReturnType<TimeZones>; readonly after: EpochMs },
  late?: boolean,
): EpochMs {
  const next = local.nextRun(new Date(after))?.getTime()
  if (!next) throw new RangeError(`"${local.getPattern()}" is never due`)
  // Croner moves a skipped time to the end of the gap, where the wall clock shows a different time.
  const isMoved = !wall.match(new Date(zone.wallClock(next)))
  const from = isMoved ? next - 1 : after
  const before = zone.offsetOf(startOf(from) - DAY_MS)
  const since = Math.max(...[from, next].map((at) => zone.offsetOf(startOf(at) + DAY_MS)))
  if (since <= before) return next
  if (!isMoved && !late && zone.wallClock(after) - after === since) return next
  // Croner finds neither one that was just skipped and is still to come, nor one in the last hour of a day.
  const wanted = wall.nextRun(new Date(from + before))?.getTime() ?? next + since
  if (zone.wallClock(wanted - since) === wanted) return next
  return isMoved ? wanted - before : Math.min(next, wanted - before)
}

function startOf(at: EpochMs): EpochMs {
  return at - (at % DAY_MS)
}

function parse(cron: string, time_zone: string): Schedule {
  return { local: parsed(cron, time_zone), wall: parsed(cron, 'UTC') }
}

function parsed(cron: string, time_zone: string): Cron {
  return new Cron(cron, { timezone: time_zone, mode: '5-part' })
}

/**
 * The first `count` times from 2024 on, in UTC, fewer of a rare expression; none of what is no expression or never
 * occurs.
 */
export function firstOccurrences(cron: string, count: number): readonly EpochMs[] {
  const schedule = readCron(cron)
  if (!schedule || !hasDay(schedule, cron)) return []
  const times: EpochMs[] = []
  for (let from: Date | null = new Date(Date.UTC(2024) - 1); times.length < count;) {
    // A rare one is due on single days: what follows the first years, and the first two times, is alike.
    if (times.length > 1 && from.getTime() > Date.UTC(2032)) break
    from = schedule.nextRun(from)
    if (!from) break
    times.push(from.getTime())
  }
  return times
}

/** In UTC; `undefined` for what is no expression. */
function readCron(text: string): Cron | undefined {
  try {
    return ALLOWED.test(text) ? parsed(text, 'UTC') : undefined
  } catch {
    return undefined
  }
}

/**
 * Croner searches up to the year 3000, which takes up to 20 ms for a day that does not exist. One that exists is in the
 * last four years, one of which is a leap year.
 */
const LAST_YEARS = '2996-01-01'

/** A weekday such as `MON#5` always comes, if only on 29 February. What is no expression counts as having one. */
function hasDay(cron: Cron | undefined, text: string): boolean {
  return text.includes('#') || cron?.nextRun(LAST_YEARS) !== null
}
