/**
 * The measurements that a type declares as highlights: dates of certificates and domains, figures of a server, the
 * last signal of a job. Nothing here depends on a type.
 *
 * @module
 */

import type { HighlightView, TypeView } from '../../engine/api/engine.ts'
import type { ResultView } from '../../engine/api/views.ts'
import type { EpochMs, Json, JsonObject } from '../../model.ts'
import { icon } from '../layout/icons.ts'
import { english, foreign, html } from '../layout/markup.ts'
import type { Content, Markup, Said } from '../layout/markup.ts'
import { relative } from '../layout/words.ts'
import type { Language } from '../words/language.ts'
import { DAY_MS } from '../../model/time.ts'

/** How much of a value is written. */
interface TextLimits {
  /** Maximum items of a list; the others are counted. */
  readonly items: number
  /** Maximum length in total; a longer text is cut. */
  readonly chars: number
}

const LONG: TextLimits = { items: 20, chars: 1000 }

const SHORT = { items: 6, chars: 200 }

export interface HighlightFacts {
  readonly type: TypeView | undefined
  /** Newest first: each value is taken from the latest check that has it. */
  readonly results: readonly Pick<ResultView, 'details'>[]
  readonly now: EpochMs
}

export function highlights({ type, results, now }: HighlightFacts): readonly Markup[] {
  return (type?.highlights ?? []).flatMap((highlight) => {
    const value = latestOf(results, highlight.name)
    if (value === undefined) return []
    return [
      html`<div>
        <dt>${english(highlight.title)}</dt>
        <dd>${shown(highlight, value, now)}</dd>
      </div>`,
    ]
  })
}

function latestOf(results: HighlightFacts['results'], path: string): Json | undefined {
  for (const { details } of results) {
    const value = path.split('.').reduce<Json | undefined>(within, details)
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
}

function within(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined
}

function shown({ format }: HighlightView, value: Json, now: EpochMs): Content {
  if ((format === 'end' || format === 'time') && isTime(value))
    return format === 'end' ? ending(value, now) : [dayOf(value), ' · ', relative(value, now)]
  if (format === 'ms' && typeof value === 'number') return ({ ms }) => ms(value)
  if (format === 'percent' && typeof value === 'number')
    return ({ number, figure }) => figure(`${number(Math.round(value * 10) / 10)} %`)
  return foreign(inWords(value, SHORT))
}

function isTime(value: Json): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

const DAY_SEC = 86_400
/** Ends within this time are marked: an automatic renewal has happened before. */
const NEAR_DAYS = 14

function daysUntil(value: string, now: EpochMs): number {
  return (Date.parse(value) - now) / DAY_MS
}

/** Whole days; hours if less than two days remain. */
function daysText(days: number): Said {
  return ({ words: { common }, roughly }) => {
    if (days < 0) return common.hasEnded
    return days < 2 ? common.inTime(roughly(days * DAY_SEC)) : common.inDays(Math.floor(days))
  }
}

function dayOf(iso: string): Said {
  return ({ day }) => day(iso)
}

interface End {
  readonly title: string
  readonly at: EpochMs
}

function endsOf({ type, results }: Omit<HighlightFacts, 'now'>): readonly End[] {
  return (type?.highlights ?? []).flatMap(({ name, title, format }) => {
    const value = format === 'end' ? latestOf(results, name) : undefined
    return value !== undefined && isTime(value) ? [{ title, at: Date.parse(value) }] : []
  })
}

/** From when on `nearestEnd` has a text. */
export function nearFrom(facts: Omit<HighlightFacts, 'now'>): EpochMs {
  return Math.min(...endsOf(facts).map(({ at }) => at)) - NEAR_DAYS * DAY_MS
}

/** The next end within the limit, as a text: `Certificate ends in 4 days`. */
export function nearestEnd(facts: HighlightFacts): Said | undefined {
  const { now } = facts
  const ends = endsOf(facts).map(({ title, at }) => ({ title, days: (at - now) / DAY_MS }))
  const [first] = ends.filter(({ days }) => days < NEAR_DAYS).sort((a, b) => a.days - b.days)
  if (first === undefined) return undefined
  const { title, days } = first
  if (days < 0) return ({ words }) => words.common.ended(title)
  return (language) => language.words.common.endsIn(title, daysText(days)(language))
}

function ending(value: string, now: EpochMs): Content {
  const days = daysUntil(value, now)
  const words = daysText(days)
  const date = html`<time datetime="${value}" title="${value}">${dayOf(value)}</time>`
  if (days >= NEAR_DAYS) return [date, ' · ', words]
  return html`<span class="near"
    >${icon(days < 0 ? 'cross' : 'alert', days < 0 ? 'bad' : 'warn')}${date} · ${words}</span
  >`
}

/** `yes`, `a, b`, `bits 2048, weak no`; items of a list of objects are separated by semicolons. */
export function inWords(value: Json, limits: TextLimits = LONG): Said {
  return (language) => {
    const text = said(value, limits, language)
    return text.length > limits.chars ? `${text.slice(0, limits.chars)}…` : text
  }
}

function said(value: Json, limits: TextLimits, language: Language): string {
  const { common } = language.words
  if (value === null) return '–'
  if (typeof value === 'boolean') return value ? common.yes : common.no
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return listed(value as readonly Json[], limits, language)
  return Object.entries(value as JsonObject)
    .flatMap(([name, part]) =>
      part === undefined || part === null ? [] : [`${name} ${said(part, limits, language)}`],
    )
    .join(', ')
}

function listed(values: readonly Json[], limits: TextLimits, language: Language): string {
  const { common } = language.words
  const shown = values.slice(0, limits.items).map((each) => said(each, limits, language))
  const rest = values.length - shown.length
  const between = values.some((each) => typeof each === 'object') ? '; ' : ', '
  return shown.length === 0
    ? common.none
    : shown.join(between) + (rest > 0 ? common.andMore(rest) : '')
}
