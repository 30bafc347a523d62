/**
 * Parses the dates of registries strictly: an ambiguous date is rejected.
 *
 * `new Date` reads `1.3.2027` as the third of January and `2027.03.01` as local time; here every
 * accepted form has one meaning. `01/02/2027` and two-digit years are always rejected.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import { MINUTE_MS } from '../../model/time.ts'

/** No name was registered before 1985; a year beyond 2200 means "never", or an overflow. */
const YEARS = { min: 1985, max: 2200 }

const MAX_CHARACTERS = 64

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

/** Minutes east of UTC. Names that several zones share (CST, IST, BST) are left out. */
const ZONES: Readonly<Record<string, number>> = {
  z: 0,
  utc: 0,
  gmt: 0,
  jst: 540,
  kst: 540,
  msk: 180,
  cet: 60,
  cest: 120,
  eet: 120,
  eest: 180,
}

const TIME = String.raw`(?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)`
const ZONE = String.raw`(?<zone>[+-]\d{2}(?::?\d{2})?|\(?[a-z]{1,5}\)?)`
const WEEKDAY = String.raw`(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},?\s+)?`
const MONTH = String.raw`(?<word>[a-z]{3,9})`
const AFTER = String.raw`(?:(?:\s+|t)${TIME}(?:\s*${ZONE})?)?`

/** The accepted forms; the whole text must match one. */
const FORMS: readonly RegExp[] = [
  // 2027-03-01, 2027.03.01, 2027/03/01 and "2027. 03. 01.": after the year the month always comes
  // first.
  String.raw`(?<year>\d{4})(?<sep>[-./])(?<month>\d{2})\k<sep>(?<day>\d{2})${AFTER}`,
  String.raw`(?<year>\d{4})\. (?<month>\d{2})\. (?<day>\d{2})\.?${AFTER}`,
  // 20270301, followed by a ticket number at .br
  String.raw`(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?:\s+${TIME}(?:\s*${ZONE})?)?(?:\s+#\d{1,12})?`,
  // 01.03.2027: with dots the day always comes first
  String.raw`(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})${AFTER}`,
  // 01-Mar-2027, 1 March 2027, Mon, 01 Mar 2027 10:00:00 GMT
  String.raw`${WEEKDAY}(?<day>\d{1,2})(?<sep>[- ])${MONTH}\k<sep>(?<year>\d{4})${AFTER}`,
  // March 1, 2027
  String.raw`${WEEKDAY}${MONTH}\s+(?<day>\d{1,2}),?\s+(?<year>\d{4})${AFTER}`,
  // Mon Mar  1 10:00:00 GMT 2027
  String.raw`${WEEKDAY}${MONTH}\s+(?<day>\d{1,2})\s+${TIME}\s+(?:${ZONE}\s+)?(?<year>\d{4})`,
].map((form) => new RegExp(`^${form}$`, 'i'))

/**
 * The time that a text denotes, or `undefined` if it is ambiguous. Without a time of day or an
 * unambiguous zone, the last second of that day in UTC, so that an expiry is never reported too
 * early.
 */
export function parseDate(text: string): EpochMs | undefined {
  const trimmed = text.trim()
  if (trimmed.length > MAX_CHARACTERS) return undefined
  for (const form of FORMS) {
    const groups = form.exec(trimmed)?.groups
    if (groups !== undefined) return momentOf(groups)
  }
  return undefined
}

type Groups = Readonly<Record<string, string | undefined>>

function momentOf({ year, month, word, day, time, zone }: Groups): EpochMs | undefined {
  const parts = {
    year: Number(year),
    month: word === undefined ? Number(month) : monthNumber(word),
    day: Number(day),
  }
  if (!isDay(parts)) return undefined
  const midnight = Date.UTC(parts.year, parts.month - 1, parts.day)
  const sinceMidnight = time === undefined ? undefined : timeOfDay(time)
  if (time !== undefined && sinceMidnight === undefined) return undefined
  const offset = zone === undefined ? null : zoneOffset(zone)
  if (offset === undefined) return undefined
  if (sinceMidnight === undefined || offset === null) return midnight + END_OF_DAY_MS
  return midnight + sinceMidnight - offset * MINUTE_MS
}

const END_OF_DAY_MS = 24 * 60 * MINUTE_MS - 1000

/** 0 for an unknown word. Full names, or their first three letters (also "Sept"). */
function monthNumber(word: string): number {
  const lower = word.toLowerCase()
  const at = MONTHS.findIndex((name) => name === lower || name.slice(0, 3) === lower)
  return lower === 'sept' ? 9 : at + 1
}

function isDay({ year, month, day }: { year: number; month: number; day: number }): boolean {
  if (year < YEARS.min || year > YEARS.max || month < 1 || month > 12 || day < 1) return false
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

function timeOfDay(text: string): number | undefined {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number)
  // 60 is a leap second (RFC 3339, 5.6).
  if (hours > 23 || minutes > 59 || seconds >= 61) return undefined
  return (hours * 60 + minutes) * MINUTE_MS + Math.floor(Math.min(seconds, 59.999) * 1000)
}

/**
 * Minutes east of UTC; `null` for an ambiguous zone name; `undefined` if the text is not a zone.
 */
function zoneOffset(text: string): number | null | undefined {
  const numeric = /^([+-])(\d{2}):?(\d{2})?$/.exec(text)
  if (numeric === null) return ZONES[text.toLowerCase().replace(/[()]/g, '')] ?? null
  const minutes = Number(numeric[2]) * 60 + Number(numeric[3] ?? 0)
  if (minutes > 14 * 60 || Number(numeric[3] ?? 0) > 59) return undefined
  return numeric[1] === '-' ? -minutes : minutes
}
