/**
 * What a type shows beside its response time: highlights, and figures in charts.
 *
 * @module
 */

import type { MeasurementFormat } from '../model.ts'

export interface Highlight {
  /** One to three words: `Certificate ends`. */
  readonly title: string
  /** Default: unformatted. */
  readonly format?: MeasurementFormat
}

/** Figures that are charted together, in one unit. */
export interface FigureChart {
  /** One to three words: `Packet loss`. */
  readonly title: string
  readonly unit: 'ms' | 'percent' | 'days'
  /** Names of `measurements` that are numbers, each with its label; at most {@link MAX_FIGURES} in all charts. */
  readonly figures: Readonly<Record<string, string>>
}

/** Charted figures of a type: each is stored with every hour. */
const MAX_FIGURES = 8

/** The entries of `details` that the charts of a type show. */
export function chartedFigures({
  charts = [],
}: {
  readonly charts?: readonly FigureChart[] | undefined
}): readonly string[] {
  return charts.flatMap(({ figures }) => Object.keys(figures)).slice(0, MAX_FIGURES)
}
