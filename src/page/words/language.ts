/**
 * A language of the page: its words, and how it writes numbers, times and durations.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import { ENGLISH_WORDS } from './en/index.ts'
import type { Words } from './en/index.ts'

/** The same rooms, of which each may leave words out. */
export type SomeWords = { readonly [Room in keyof Words]?: Some<Words[Room]> }
type Some<T> = T extends (...given: never[]) => unknown
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: Some<T[Key]> }
    : T

/** A language that the host brings. */
export interface PageWords {
  /** BCP 47: `fr`, `pt-BR`. It becomes the `lang` of the page. */
  readonly tag: string
  /** As its readers call it: `Français`. At most 40 characters. */
  readonly name: string
  /** Default `ltr`. */
  readonly dir?: 'ltr' | 'rtl' | undefined
  /** Whose numbers and dates it has, for `Intl`. Default: `tag`. */
  readonly locale?: string | undefined
  /** What is left out stays English. */
  readonly words: SomeWords
}

export interface Language {
  readonly tag: string
  readonly locale: string
  readonly dir: 'ltr' | 'rtl'
  readonly words: Words
  /** With at most, or with exactly, so many decimals. */
  readonly number: (value: number, decimals?: number) => string
  /** A number and its unit, held together from right to left as well. */
  readonly figure: (text: string) => string
  /** `0.03 ms`, `8.1 ms`, `143 ms`, `1.24 s`, `21 min 4 s`; a dash if there is none. */
  readonly ms: (ms: number | null) => string
  /** `99.98 %`. Truncated, not rounded: 99.9999 never becomes 100. */
  readonly percent: (percent: number | null) => string
  /** `99.987 %`: three decimals, truncated as well. */
  readonly uptime: (percent: number) => string
  /** `42 s`, `12 min`, `3 h 20 min`, `2 d 4 h`. */
  readonly duration: (sec: number) => string
  /** In one unit. */
  readonly roughly: (sec: number) => string
  /** `12 s ago`, `in 5 min`. The script of the page uses the same form. */
  readonly relative: (iso: string, now: EpochMs) => string
  /** `3 Mar 2026`, of the digits of an ISO date or time. */
  readonly day: (iso: string) => string
  /** `3 Mar` */
  readonly dayOfYear: (iso: string) => string
  /** `March 2026` */
  readonly month: (iso: string) => string
  /** `3 Mar 2026, 14:05` */
  readonly moment: (iso: string) => string
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export type Unit = 's' | 'min' | 'h' | 'd'

/** The largest unit of which there is one at least; days from the second on. */
function inUnit(sec: number): readonly [number, Unit] {
  if (sec < MINUTE) return [Math.floor(sec), 's']
  if (sec < HOUR) return [Math.floor(sec / MINUTE), 'min']
  if (sec < 2 * DAY) return [Math.floor(sec / HOUR), 'h']
  return [Math.floor(sec / DAY), 'd']
}

export function languageOf({ tag, dir = 'ltr', locale = tag, words: own }: PageWords): Language {
  const words = complete(ENGLISH_WORDS, own) as Words
  const { units, relative } = words.common
  const number = numbersOf(locale)
  const figure = dir === 'rtl' ? isolated : asItIs
  const duration = (sec: number): string => {
    if (sec < HOUR) return inOneUnit(sec)
    if (sec < DAY) return twoUnits(sec, [HOUR, units.h], [MINUTE, units.min])
    return twoUnits(sec, [DAY, units.d], [HOUR, units.h])
  }
  const inOneUnit = (sec: number): string => {
    const [count, unit] = inUnit(sec)
    return figure(`${number(count)} ${units[unit]}`)
  }
  const twoUnits = (sec: number, [big, b]: [number, string], [small, s]: [number, string]) => {
    const rest = Math.floor((sec % big) / small)
    return figure(
      `${number(Math.floor(sec / big))} ${b}${rest === 0 ? '' : ` ${number(rest)} ${s}`}`,
    )
  }
  return {
    ...{ tag, locale, dir, words, number, figure, duration, ...datesOf(locale) },
    roughly: inOneUnit,
    relative(iso, now) {
      const sec = (Date.parse(iso) - now) / 1000
      const [count, unit] = inUnit(Math.abs(sec))
      return relative[sec > 0 ? 'in' : 'ago'][unit].replace('#', number(count))
    },
    ms(ms) {
      if (ms === null || ms === 0) return '–'
      if (ms < 0.01) return figure(`< ${number(0.01, 2)} ${units.ms}`)
      if (ms < 0.95) return figure(`${number(ms, 2)} ${units.ms}`)
      if (ms < 9.95) return figure(`${number(ms, 1)} ${units.ms}`)
      if (ms < 999.5) return figure(`${number(Math.round(ms))} ${units.ms}`)
      if (ms >= HOUR * 1000) return duration(ms / 1000)
      if (ms >= MINUTE * 1000) return twoUnits(ms / 1000, [MINUTE, units.min], [1, units.s])
      return figure(`${number(ms / 1000, ms < 9995 ? 2 : 1)} ${units.s}`)
    },
    percent: (percent) =>
      percent === null
        ? '–'
        : figure(`${percent === 100 ? number(100) : number(Math.floor(percent * 100) / 100, 2)} %`),
    uptime: (percent) =>
      figure(`${percent === 100 ? number(100) : number(Math.floor(percent * 1000) / 1000, 3)} %`),
  }
}

/** Isolated, because right-to-left text would otherwise move a number behind a unit in Latin letters. */
const isolated = (text: string): string => `\u2068${text}\u2069`
const asItIs = (text: string): string => text

function numbersOf(locale: string): Language['number'] {
  const exactly = [0, 1, 2, 3].map((digits) => {
    return new Intl.NumberFormat(locale, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    })
  })
  const usual = new Intl.NumberFormat(locale)
  return (value, decimals) => (exactly[decimals ?? -1] ?? usual).format(value)
}

/** A page names the same days in each of its rows. */
const DAYS_KEPT = 500

/** Formats in UTC; for another time zone the caller passes the date and time of its clocks. */
function datesOf(locale: string): Pick<Language, 'day' | 'dayOfYear' | 'month' | 'moment'> {
  const utc = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  const [day, month] = [{ day: 'numeric' }, { month: 'short' }] as const
  const days = utc({ ...day, ...month, year: 'numeric' })
  const daysOfYear = utc({ ...day, ...month })
  const months = utc({ month: 'long', year: 'numeric' })
  const times = utc({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const at = (iso: string): number => Date.parse(`${iso.slice(0, 10)}T00:00:00Z`)
  const known = new Map<string, string>()
  const dayText = (iso: string): string => {
    const date = iso.slice(0, 10)
    const text = known.get(date) ?? days.format(at(date))
    if (known.size >= DAYS_KEPT) known.clear()
    known.set(date, text)
    return text
  }
  return {
    day: dayText,
    dayOfYear: (iso) => daysOfYear.format(at(iso)),
    month: (iso) => months.format(Date.parse(`${iso.slice(0, 7)}-01T00:00:00Z`)),
    moment: (iso) => `${dayText(iso)}, ${times.format(Date.parse(`${iso.slice(0, 16)}Z`))}`,
  }
}

/** With the words of `whole` where `some` has none. */
function complete(whole: object, some: object): object {
  const own = new Map<string, unknown>(Object.entries(some))
  return Object.fromEntries(
    Object.entries(whole).map(([name, word]: [string, unknown]) => {
      const given = own.get(name) ?? word
      return [name, isGroup(word) && isGroup(given) ? complete(word, given) : given]
    }),
  )
}

function isGroup(word: unknown): word is object {
  return typeof word === 'object' && word !== null
}

export const ENGLISH = languageOf({
  tag: 'en',
  name: 'English',
  // British: the day stands before the month, and hours are counted to 24.
  locale: 'en-GB',
  words: {},
})
