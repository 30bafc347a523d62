/**
 * Schedules as cron expressions with a time zone.
 *
 * @module
 */

import { Cron } from 'croner'
import * as v from 'valibot'
import type { EpochMs } from '../model.ts'
import { isTimeZone, wallClockOf } from '../model/time.ts'
import { defineField } from './field.ts'
import type { FieldBuilder } from './field.ts'

const MAX_CHARACTERS = 100

/** Excludes `?`, which Croner replaces with the current time. */
const ALLOWED = /^@?[\dA-Za-z*,/#\s-]+$/

/** A cron expression of five fields, or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. */
export function cronField(info: { readonly description: string }): FieldBuilder<string> {
  const schema = v.pipe(
    v.string('invalid: a cron expression such as "0 3 * * *" is expected'),
    v.trim(),
    v.maxLength(MAX_CHARACTERS, `out_of_range: 1..${MAX_CHARACTERS} characters`),
    v.check(isCron, 'invalid: a cron expression of five fields is expected, such as "0 3 * * *"'),
    v.check(occurs, 'invalid: there is no such day'),
  )
  return defineField(
    {
      kind: 'string',
      format: 'cron',
      min: 1,
      max: MAX_CHARACTERS,
      example: '0 3 * * *',
      ...info,
    },
    schema,
  )
}

/** The name of an IANA time zone. */
export function timeZoneField(info: { readonly description: string }): FieldBuilder<string> {
  const schema = v.pipe(
    v.string('invalid: a time zone is expected'),
    v.check(isTimeZone, 'invalid: an IANA time zone is expected, such as Europe/Berlin'),
  )
  return defineField(
    { kind: 'string', format: 'time_zone', min: 1, max: 64, example: 'Europe/Berlin', ...info },
    schema,
  )
}

/**
 * The first time after `after` at which the expression is due. A time of day that a clock change
 * skips uses the offset before the change, a repeated one means the first (RFC 5545, 3.3.5); an
 * hourly or minutely expression is due in both.
 */
export function nextOccurrence(cron: string, time_zone: string, after: EpochMs): EpochMs {
  const next = parsed(cron, time_zone).nextRun(new Date(after))
  if (next === null) throw new RangeError(`"${cron}" is never due`)
  const wallClock = wallClockOf(time_zone)
  // Croner moves a skipped time to the end of the gap, where the wall clock shows a different time.
  const shown = new Date(wallClock(next.getTime()))
  if (parsed(cron, 'UTC').match(shown)) return next.getTime()
  const before = next.getTime() - 1
  const offset = wallClock(before) - Math.floor(before / 1000) * 1000
  const wanted = parsed(cron, 'UTC').nextRun(new Date(wallClock(before)))
  return wanted === null ? next.getTime() : wanted.getTime() - offset
}

function parsed(cron: string, time_zone: string): Cron {
  return new Cron(cron, { timezone: time_zone, mode: '5-part', paused: true })
}

function isCron(text: string): boolean {
  try {
    return ALLOWED.test(text) && parsed(text, 'UTC') instanceof Cron
  } catch {
    return false
  }
}

function occurs(text: string): boolean {
  return !isCron(text) || parsed(text, 'UTC').nextRun(new Date(0)) !== null
}
