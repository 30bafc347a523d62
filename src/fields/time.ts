/**
 * Times as ISO 8601 text, parsed in one place.
 *
 * @module
 */

import type { EpochMs } from '../model.ts'

/** The end of the year 9999, the last one in ISO 8601 without a sign. */
const LAST_MS = 253_402_300_799_999

const ISO_TIME =
  /^(?<date>\d{4}-\d\d-\d\d)(?<time>T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?(?<offset>Z|[+-]\d\d:?\d\d)?$/i

/**
 * A date, or a date and a time; UTC if no offset is given. `undefined` for any other text, also for
 * an invalid day of a month.
 */
export function readIsoTime(text: string): EpochMs | undefined {
  const { date, time, offset } = ISO_TIME.exec(text)?.groups ?? {}
  if (date === undefined || !isDay(date)) return undefined
  const at = Date.parse(time !== undefined && offset === undefined ? `${text}Z` : text)
  return isTime(at) ? at : undefined
}

/** Whether a number can be a time in epoch milliseconds: from 1970 to 9999. */
export function isTime(at: number): boolean {
  return at >= 0 && at <= LAST_MS
}

/** Rejects invalid days: `Date.parse` reads February 30 as March 2. */
function isDay(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date)
}
