/**
 * What is drawn of the data: response times with a line per location, phases one above the other, and what the type
 * charts. Nothing here depends on a type.
 *
 * @module
 */

import type { ChartView, TypeView } from '../../engine/api/engine.ts'
import type { TotalsView } from '../../engine/api/hours.ts'
import { english, foreign } from '../layout/markup.ts'
import type { Content } from '../layout/markup.ts'
import type { Language } from '../words/language.ts'
import { inOrder, phaseClass, phaseWord } from '../layout/words.ts'
import type { ChartData } from './chart-data.ts'
import type { StepTotals } from './result-totals.ts'

export type Values = readonly (number | null)[]
export type Unit = ChartView['unit'] | 'count'

/** One column of the readout and of the table. */
export interface Column {
  readonly name: Content
  /** The class of its key; absent: it is not drawn. */
  readonly key?: string
  readonly values: Values
  readonly unit: Unit
}

export interface Line {
  /** The class of the line. */
  readonly key: string
  readonly values: Values
}

/** Charts of one unit on one scale; the panels of a chart share its time axis. */
export interface Panel {
  readonly title: string
  readonly unit: ChartView['unit']
  /** Drawn in this order, the last on top. */
  readonly lines: readonly Line[]
  readonly band?: { readonly low: Values; readonly high: Values }
  /** Single extremes, which do not stretch the scale. */
  readonly peaks?: Values
  /** Drawn one above the other instead of lines. */
  readonly stack?: readonly Line[]
  readonly columns: readonly Column[]
}

/** Locations that have a line of their own. */
export const MAX_LINES = 6

interface PanelsInput {
  readonly data: ChartData
  readonly type: TypeView | undefined
  /** The type's name of its response time; absent: it has none. */
  readonly response: string | undefined
  readonly locations: ReadonlyMap<number, string>
}

export function panelsOf(
  { data, type, response, locations }: PanelsInput,
  language: Language,
): readonly Panel[] {
  const { totals } = data
  const phases = response === undefined ? undefined : phasePanel(totals, language)
  return [
    ...(response === undefined
      ? []
      : [responsePanel(data, { title: response, names: locations, language })]),
    ...(phases === undefined ? [] : [phases]),
    ...(type?.charts ?? []).map((chart) => figurePanel(totals, chart, language)),
  ]
}

type Totals = readonly (StepTotals | undefined)[]

const valuesOf = (totals: Totals, value: (step: StepTotals) => number | null | undefined): Values =>
  totals.map((step) => (step === undefined ? null : (value(step) ?? null)))

interface ResponseOptions {
  readonly title: string
  /** Of locations. */
  readonly names: ReadonlyMap<number, string>
  readonly language: Language
}

function responsePanel({ totals }: ChartData, { title, names, language }: ResponseOptions): Panel {
  const { monitor: words } = language.words
  const p50 = valuesOf(totals, ({ p50_ms }) => p50_ms)
  const p95 = valuesOf(totals, ({ p95_ms }) => p95_ms)
  const max = valuesOf(totals, ({ max_ms }) => max_ms)
  const lines = locationLines(totals)
  const unit = 'ms'
  return {
    ...{ title, unit, band: { low: p50, high: p95 }, peaks: max },
    lines: [...lines, { key: 'p95', values: p95 }, { key: 'p50', values: p50 }],
    columns: [
      { name: words.median, key: 'p50', values: p50, unit },
      { name: 'p95', key: 'p95', values: p95, unit },
      { name: 'p99', values: valuesOf(totals, ({ p99_ms }) => p99_ms), unit },
      { name: words.maximum, key: 'peak', values: max, unit },
      ...lines.map(({ location_id, key, values }): Column => ({
        ...{
          name: foreign(names.get(location_id) ?? words.location(location_id)),
          key,
          values,
          unit,
        },
      })),
    ],
  }
}

/** The median of each location, where there are several. */
function locationLines(totals: Totals): readonly (Line & { readonly location_id: number })[] {
  const ids = new Set(
    totals.flatMap((step) => step?.locations.map((each) => each.location_id) ?? []),
  )
  if (ids.size < 2) return []
  return [...ids]
    .sort((a, b) => a - b)
    .slice(0, MAX_LINES)
    .map((location_id, at) => ({
      location_id,
      key: `at-${at}`,
      values: valuesOf(
        totals,
        ({ locations }) => locations.find((each) => each.location_id === location_id)?.p50_ms,
      ),
    }))
}

/** With one phase alone the response time says it all. */
function phasePanel(totals: Totals, { words }: Language): Panel | undefined {
  const present = new Set(totals.flatMap((step) => Object.keys(step?.phases ?? {})))
  const phases = inOrder([...present].map((name) => name.replace(/_ms$/, '')))
  if (phases.length < 2) return undefined
  const stack = phases.map((phase) => ({
    key: phaseClass(phase),
    values: valuesOf(totals, (step) =>
      // Without good checks there are no phases, not phases of no length.
      step.ok === 0 || Object.keys(step.phases).length === 0
        ? null
        : (step.phases[`${phase}_ms`] ?? 0),
    ),
  }))
  return {
    ...{ title: words.chart.phases, unit: 'ms', lines: [], stack },
    columns: stack.map(({ key, values }, at) => ({
      ...{ name: foreign(phaseWord(phases[at] ?? '')), key, values, unit: 'ms' as const },
    })),
  }
}

/** Of days the fewest count; of everything else the mean, with the extremes where there is one figure alone. */
function figurePanel(
  totals: Totals,
  { title, unit, figures }: ChartView,
  { words }: Language,
): Panel {
  const of = (name: string, which: keyof TotalsView['figures'][string]): Values =>
    valuesOf(totals, (step) => step.figures[name]?.[which])
  const lines = figures.map(({ name }, at) => ({
    key: `figure-${at}`,
    values: of(name, unit === 'days' ? 'min' : 'avg'),
  }))
  const columns: readonly Column[] = lines.map(({ key, values }, at) => ({
    ...{ name: english(figures[at]?.label ?? ''), key, values, unit },
  }))
  const [only] = figures
  if (only === undefined || figures.length > 1 || unit === 'days')
    return { title, unit, lines, columns }
  const [low, high] = [of(only.name, 'min'), of(only.name, 'max')]
  return {
    ...{ title, unit, lines, band: { low, high } },
    columns: [
      ...columns,
      { name: words.chart.lowest, values: low, unit },
      { name: words.chart.highest, values: high, unit },
    ],
  }
}

/** A value with its unit; empty without one. */
export function valueText(
  value: number | null,
  unit: Unit,
  { number, figure, ms, words }: Language,
): string {
  const { units } = words.common
  if (value === null) return ''
  if (unit === 'ms') return value === 0 ? figure(`${number(0)} ${units.ms}`) : ms(value)
  if (unit === 'days') return figure(`${number(Math.floor(value))} ${units.d}`)
  if (unit === 'percent') return figure(`${number(Math.round(value * 10) / 10)} %`)
  return number(value)
}
