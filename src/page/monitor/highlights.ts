/**
 * What the type of a monitor measures that people look for first: dates of certificates and domains,
 * figures of a server, the last signal of a job. The type declares it; nothing here knows a type.
 *
 * @module
 */

import type { HighlightView, TypeView } from '../../engine/api.ts'
import type { ResultView } from '../../engine/views.ts'
import type { EpochMs, Json, JsonObject } from '../../model.ts'
import { icon } from '../icons.ts'
import { foreign, html } from '../markup.ts'
import type { Content, Markup } from '../markup.ts'
import { dayText, msText, relative } from '../words.ts'

export interface HighlightFacts {
  readonly type: TypeView | undefined
  /** Newest first: each value is taken from the latest check that has it. */
  readonly results: readonly ResultView[]
  readonly now: EpochMs
}

export function highlights({ type, results, now }: HighlightFacts): readonly Markup[] {
  return (type?.highlights ?? []).flatMap((highlight) => {
    const value = latestOf(results, highlight.name)
    if (value === undefined) return []
    return [
      html`<div>
        <dt>${highlight.title}</dt>
        <dd>${shown(highlight, value, now)}</dd>
      </div>`,
    ]
  })
}

function latestOf(results: readonly ResultView[], path: string): Json | undefined {
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
    return format === 'end' ? ending(value, now) : [dayText(value), ' · ', relative(value, now)]
  if (format === 'ms' && typeof value === 'number') return msText(value)
  if (format === 'percent' && typeof value === 'number') return `${Math.round(value * 10) / 10} %`
  return foreign(plain(value))
}

function isTime(value: Json): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

const DAY_MS = 86_400_000
/** From here on it is marked: a renewal that works by itself has happened by then. */
const NEAR_DAYS = 14

/** Whole days, since these ends are planned for. */
function ending(value: string, now: EpochMs): Content {
  const days = Math.floor((Date.parse(value) - now) / DAY_MS)
  const words =
    days < 0 ? 'has ended' : days === 0 ? 'today' : days === 1 ? 'in 1 day' : `in ${days} days`
  const date = html`<time datetime="${value}" title="${value}">${dayText(value)}</time>`
  if (days >= NEAR_DAYS) return [date, ' · ', words]
  return html`<span class="near"
    >${icon(days < 0 ? 'cross' : 'alert', days < 0 ? 'bad' : 'warn')}${date} · ${words}</span
  >`
}

const ITEMS = 6
const CHARS = 200

function plain(value: Json): string {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).slice(0, ITEMS).map(plain)
    return items.join(', ') + (value.length > ITEMS ? `, and ${value.length - ITEMS} more` : '')
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > CHARS ? `${text.slice(0, CHARS)}…` : text
}
