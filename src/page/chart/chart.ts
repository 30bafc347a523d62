/**
 * The chart of a monitor: panels on one time axis, a readout of one moment, and the same facts as a table. The picture
 * stretches, its texts do not, so that they stay legible on a phone. The script of the chart moves the readout; without
 * it the readout has the newest moment.
 *
 * @module
 */

import type { AvailabilitySpan } from '../../engine/api/hours.ts'
import { html } from '../layout/markup.ts'
import type { Content, Markup } from '../layout/markup.ts'
import type { Language } from '../words/language.ts'
import { beginText, scaleText, stepText, axisLabelsOf, topOf } from './axis.ts'
import type { ChartData } from './chart-data.ts'
import { MAX_LINES, valueText } from './panels.ts'
import type { Column, Panel } from './panels.ts'
import {
  bandPath,
  failPath,
  HEIGHT,
  linePath,
  peakPaths,
  shadesOf,
  stackPaths,
  WIDTH,
} from './shapes.ts'
import type { Ground, Shade } from './shapes.ts'
import { DAY_MS } from '../../model/time.ts'

interface ChartOptions {
  readonly data: ChartData
  readonly panels: readonly Panel[]
  /** What the chart shows, and of which time: for those who do not see it. */
  readonly title: string
  /** Locations of the monitor. */
  readonly locations: number
}

type Availability = AvailabilitySpan['availability']

const SHADES = ['down', 'maintenance', 'paused', 'degraded'] as const

function shadeWord(shade: Availability, { words: { common, chart } }: Language): string {
  if (shade === 'degraded') return chart.degraded
  return common.states[shade === 'unknown' ? 'stale' : shade].label
}

/** A column of the table, with the text of each step. */
interface Texts {
  readonly name: Content
  readonly texts: readonly string[]
}

export function chart(
  { data, panels, title, locations }: ChartOptions,
  language: Language,
): Markup {
  const { chart: words } = language.words
  if (panels.every(isEmpty)) return html`<p class="empty">${words.none}</p>`
  const shades = shadesOf(data.spans, data)
  const failed = data.totals.map((step) => (step?.fail ?? 0) > 0)
  const general = generalColumns(data, language)
  const columns = [
    ...general,
    ...panels.flatMap((panel) =>
      panel.columns.map(({ name, values, unit }) => ({
        name,
        texts: values.map((value) => valueText(value, unit, language)),
      })),
    ),
  ]
  // The current step may have no check yet.
  const newest = Math.max(
    0,
    data.totals.findLastIndex((step) => step !== undefined),
  )
  let first = general.length
  return html`<figure class="chart">
    <p class="moment">
      ${general.map(({ texts }, at) => html`<span data-col="${at}">${texts[newest]}</span> `)}
    </p>
    <div class="plots">
      ${panels.map((panel, at) => {
        const from = first
        first += panel.columns.length
        const heading = at === 0 ? false : html`<h3>${panel.title}</h3>`
        return html`<div class="panel">
          <div class="keys">
            ${heading}${panel.columns.map((column, index) => keyOf(column, { column: from + index, at: newest }, language))}
          </div>
          ${isEmpty(panel) ? html`<p class="empty">${words.notMeasured}</p>` : plot(panel, { data, shades, failed: at === 0 ? failed : [], title, language })}
        </div>`
      })}
      ${timeAxis(data, language)}${pointer(words.moment(title), columns, { newest, last: data.count - 1 })}
    </div>
    ${caption({ data, shades, failed, locations, over: panels.some(isCut), language })}${table(columns, data.count, words.asTable)}
  </figure>`
}

/** Whether an extreme lies beyond the scale. */
function isCut(panel: Panel): boolean {
  const top = topOf(panel)
  return panel.peaks?.some((value) => value !== null && value > top) === true
}

function isEmpty({ columns }: Panel): boolean {
  return columns.every(({ values }) => values.every((value) => value === null))
}

/** The moment, and what was with the monitor then. */
function generalColumns(data: ChartData, language: Language): readonly Texts[] {
  const { totals, begin, step_ms, spans } = data
  const { chart: words } = language.words
  const indices = totals.map((_, at) => at)
  const failures = totals.map((step) => {
    if (step === undefined) return words.noCheck
    const checks = step.ok + step.fail + step.unknown
    return step.fail === 0 ? '' : words.failed(step.fail, checks)
  })
  const states = indices.map((at) => {
    const [from, to] = [begin + at * step_ms, begin + (at + 1) * step_ms]
    const within = spans.filter(
      (span) =>
        span.availability !== 'unknown' && Date.parse(span.from) < to && Date.parse(span.to) > from,
    )
    return [...new Set(within.map(({ availability }) => shadeWord(availability, language)))].join(
      ', ',
    )
  })
  return [
    {
      name: words.time,
      texts: indices.map((at) => stepText(begin + at * step_ms, data, language)),
    },
    { name: words.state, texts: states },
    { name: words.failures, texts: failures },
  ]
}

function keyOf(
  { name, key, values, unit }: Column,
  { column, at }: { readonly column: number; readonly at: number },
  language: Language,
): Markup {
  const mark = key === undefined ? false : html`<i class="key ${key}"></i>`
  const text = valueText(values[at] ?? null, unit, language)
  return html`<span>${mark}${name} <b data-col="${column}">${text === '' ? '–' : text}</b></span> `
}

interface Scene {
  readonly data: ChartData
  readonly shades: readonly Shade[]
  readonly failed: readonly boolean[]
  readonly title: string
  readonly language: Language
}

function plot(panel: Panel, { data, shades, failed, title, language }: Scene): Markup {
  const top = topOf(panel)
  const ground: Ground = {
    steps: data,
    top,
    breaks: data.totals.map((step) => step !== undefined),
    reach: data.reach,
  }
  const { band, peaks, lines, stack = [], unit } = panel
  const extremes = peaks === undefined ? { within: '', over: '' } : peakPaths(peaks, ground)
  const path = (key: string, d: string): Markup | false =>
    d !== '' && html`<path class="${key}" d="${d}" />`
  return html`<div class="plot">
    <div class="scale" aria-hidden="true">
      ${[top, top / 2, 0].map((value) => html`<span>${scaleText(value, unit, language)}</span>`)}
    </div>
    <svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${alternative(panel, title, language)}"
    >
      ${shades.map(({ availability, x, width }) => html`<rect class="${availability}" x="${x}" y="0" width="${width}" height="${HEIGHT}" />`)}${path('grid', gridOf(data, language))}${stackPaths(stack, ground).map(({ key, d }) => path(`area ${key}`, d))}${band !== undefined && path('band', bandPath(band.low, band.high, ground))}${lines.map(({ key, values }) => path(`trace ${key}`, linePath(values, ground)))}${path('peak', extremes.within)}${path('over', extremes.over)}${path('fails', failPath(failed, data))}
      <path class="cursor" d="" />
    </svg>
  </div>`
}

function gridOf(data: ChartData, language: Language): string {
  const upright = axisLabelsOf(data, language).map(
    ({ at }) => `M${Math.round(at * WIDTH)} 0V${HEIGHT}`,
  )
  return `M0 .5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}${upright.join('')}`
}

function timeAxis(data: ChartData, language: Language): Markup {
  const { days, chart: words } = language.words
  const text = (at: string, anchor: string, said: string): Markup =>
    html`<text x="${at}" y="13" class="${anchor}">${said}</text>`
  return html`<svg class="times" aria-hidden="true">
    ${text('0', 'begin', beginText(data, language))}${axisLabelsOf(data, language).map((label) => text(`${Math.round(label.at * 1000) / 10}%`, label.minor ? 'minor' : 'major', label.text))}${text('100%', 'end', data.step_ms >= DAY_MS ? days.today : words.now)}
  </svg>`
}

/** Over all panels: a range has the keyboard and the touch of the browser. */
function pointer(
  label: string,
  columns: readonly Texts[],
  { newest, last }: { readonly newest: number; readonly last: number },
): Markup {
  const said = columns.flatMap(({ texts }) => (texts[newest] === '' ? [] : [texts[newest]]))
  return html`<input
    type="range"
    id="chart-at"
    class="pointer"
    min="0"
    max="${last}"
    value="${newest}"
    aria-label="${label}"
    aria-valuetext="${said.slice(0, 3).join(', ')}"
  />`
}

function caption({
  data,
  shades,
  failed,
  locations,
  over,
  language,
}: Omit<Scene, 'title'> & Pick<ChartOptions, 'locations'> & { readonly over: boolean }):
  Markup | false {
  const { chart: words, monitor } = language.words
  const present = new Set(shades.map(({ availability }) => availability))
  const items = [
    ...SHADES.filter((shade) => present.has(shade)).map(
      (shade) => html`<span><i class="key ${shade}"></i>${shadeWord(shade, language)}</span> `,
    ),
    failed.includes(true) && html`<span><i class="key fails"></i>${words.failedChecks}</span> `,
    over && html`<span><i class="key over"></i>${words.beyond}</span> `,
    data.read !== undefined && html`<span>${monitor.newestOnly(data.read)}</span> `,
    locations > MAX_LINES && html`<span>${words.linesOf(MAX_LINES, locations)}</span> `,
  ].filter((item) => item !== false)
  return items.length > 0 && html`<figcaption>${items}</figcaption>`
}

/** Newest first. The readout takes its texts from here. */
function table(columns: readonly Texts[], count: number, title: string): Markup {
  const rows = Array.from({ length: count }, (_, at) => count - 1 - at)
  return html`<details class="as-table" id="chart-table">
    <summary>${title}</summary>
    <div class="wide" tabindex="0" role="group" aria-label="${title}">
      <table>
        <thead>
          <tr>
            ${columns.map(({ name }) => html`<th scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (at) =>
              html`<tr>
                ${columns.map(({ texts }, index) => (index === 0 ? html`<th scope="row">${texts[at]}</th>` : html`<td>${texts[at]}</td>`))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`
}

function alternative(
  { title, unit, columns, stack }: Panel,
  whole: string,
  language: Language,
): string {
  const { chart: words } = language.words
  if (stack !== undefined) return words.stack(title, columns.length)
  const [main, next] = columns
  const known = knownOf(main)
  if (known.length === 0) return whole
  const said = (value: number): string => valueText(value, unit, language)
  const [least, most] = [said(Math.min(...known)), said(Math.max(...known))]
  if (main?.key !== 'p50') return words.fromTo(title, least, most)
  return words.median(whole, least, most) + words.p95(said(Math.max(...knownOf(next))))
}

function knownOf(column: Column | undefined): readonly number[] {
  return column?.values.filter((value) => value !== null) ?? []
}
