/**
 * The axes of a chart: a scale from zero to a round number, and times that do not run into each other.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../model/time.ts'
import type { Language } from '../words/language.ts'
import type { Steps } from './ranges.ts'
import type { Panel, Unit, Values } from './panels.ts'

/** The scale ends at a round number whose half is round as well. Extremes of single checks do not stretch it. */
export function topOf({ unit, lines, band, stack }: Panel): number {
  const all: Values[] = [...lines.map(({ values }) => values)]
  if (band !== undefined) all.push(band.high)
  if (stack !== undefined) all.push(sumsOf(stack.map(({ values }) => values)))
  const max = all.reduce((top, values) => Math.max(top, largest(values)), 0)
  if (unit === 'percent') return max > 40 ? 100 : Math.max(10, rounded(max))
  return max <= 0 ? 1 : rounded(max)
}

function largest(values: Values): number {
  return values.reduce<number>((top, value) => Math.max(top, value ?? 0), 0)
}

/** `null` where one of them has no value. */
export function sumsOf(all: readonly Values[]): Values {
  const [first = [], ...others] = all
  return first.map((value, at) =>
    others.reduce<number | null>((sum, values) => {
      const more = values[at] ?? null
      return sum === null || more === null ? null : sum + more
    }, value),
  )
}

function rounded(max: number): number {
  const unit = 10 ** Math.floor(Math.log10(max))
  const factor = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8].find((each) => unit * each >= max) ?? 10
  return Number((unit * factor).toPrecision(2))
}

/** In one unit, rounded. */
export function scaleText(value: number, unit: Unit, { number, figure, words }: Language): string {
  const { units } = words.common
  const text = (of: number, unit: string, digits = 3): string =>
    figure(`${number(Number(of.toPrecision(digits)))} ${unit}`)
  if (value === 0) return number(0)
  if (unit === 'percent') return text(value, '%')
  if (unit === 'days') return text(value, units.d)
  if (value < 1000) return text(value, units.ms)
  if (value < MINUTE_MS) return text(value / 1000, units.s)
  return value < HOUR_MS ? text(value / MINUTE_MS, units.min, 2) : text(value / HOUR_MS, units.h, 2)
}

interface AxisLabel {
  /** From 0, the begin of the chart, to 1. */
  readonly at: number
  readonly text: string
  /** Near an end, or every other one: a phone has no room for it. */
  readonly minor: boolean
}

const APART = [
  ...[5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS],
  ...[DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS],
]
const MAX_LABELS = 7
/** The share of the chart at either end that is left to the texts of its begin and its end. */
const MARGIN = 0.1
const MARGIN_ON_PHONE = 0.22

/** Round UTC times within the chart, without its begin and end. */
export function axisLabelsOf(
  { begin, step_ms, count }: Steps,
  language: Language,
): readonly AxisLabel[] {
  const length = step_ms * count
  const apart = APART.find((each) => length / each <= MAX_LABELS) ?? 14 * DAY_MS
  const labels: { at: number; time: EpochMs }[] = []
  for (let time = Math.ceil(begin / apart) * apart; time < begin + length; time += apart) {
    const at = (time - begin) / length
    if (at >= MARGIN && at <= 1 - MARGIN) labels.push({ at, time })
  }
  let inner = 0
  return labels.map(({ at, time }) => ({
    at,
    text: apart < DAY_MS ? clock(time) : shortDay(time, language),
    minor: Math.min(at, 1 - at) < MARGIN_ON_PHONE || inner++ % 2 === 1,
  }))
}

/** The text at the begin of the chart. */
export function beginText({ begin, step_ms, count }: Steps, language: Language): string {
  return step_ms * count > DAY_MS ? shortDay(begin, language) : clock(begin)
}

/** `14:15`, `14:15–14:30`, `3 Mar, 12:00–16:00`, `3 Mar 2026`. */
export function stepText(
  at: EpochMs,
  { step_ms, count }: Pick<Steps, 'step_ms' | 'count'>,
  language: Language,
): string {
  if (step_ms >= DAY_MS) return language.day(new Date(at).toISOString())
  const time = step_ms > MINUTE_MS ? `${clock(at)}–${clock(at + step_ms)}` : clock(at)
  return step_ms * count > DAY_MS ? `${shortDay(at, language)}, ${time}` : time
}

function clock(at: EpochMs): string {
  return new Date(at).toISOString().slice(11, 16)
}

/** Without the year. */
function shortDay(at: EpochMs, { dayOfYear }: Language): string {
  return dayOfYear(new Date(at).toISOString())
}
