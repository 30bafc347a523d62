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
import { counted } from '../layout/words.ts'
import { beginText, scaleText, stepText, ticksOf, topOf } from './axis.ts'
import type { ChartData } from './chart-data.ts'
import { MOST_LINES, valueText } from './panels.ts'
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

const SHADE_WORDS: Readonly<Record<AvailabilitySpan['availability'], string>> = {
  down: 'Down',
  maintenance: 'Maintenance',
  paused: 'Paused',
  degraded: 'Degraded',
  unknown: 'Unknown',
}

/** A column of the table, with the text of each step. */
interface Texts {
  readonly name: Content
  readonly texts: readonly string[]
}

export function chart({ data, panels, title, locations }: ChartOptions): Markup {
  if (panels.every(isEmpty)) return html`<p class="empty">No successful check in this period.</p>`
  const shades = shadesOf(data.spans, data)
  const failed = data.totals.map((step) => (step?.fail ?? 0) > 0)
  const general = generalColumns(data)
  const columns = [
    ...general,
    ...panels.flatMap((panel) =>
      panel.columns.map(({ name, values, unit }) => ({
        name,
        texts: values.map((value) => valueText(value, unit)),
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
            ${heading}${panel.columns.map((column, index) => keyOf(column, from + index, newest))}
          </div>
          ${isEmpty(panel) ? html`<p class="empty">Not measured in this period.</p>` : plot(panel, { data, shades, failed: at === 0 ? failed : [], title })}
        </div>`
      })}
      ${timeAxis(data)}${pointer(title, columns, { newest, last: data.count - 1 })}
    </div>
    ${caption({ data, shades, failed, locations, over: panels.some(isCut) })}${table(columns, data.count)}
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
function generalColumns(data: ChartData): readonly Texts[] {
  const { totals, begin, step_ms, count, spans } = data
  const withDay = step_ms * count > DAY_MS
  const indices = totals.map((_, at) => at)
  const failures = totals.map((step) => {
    if (step === undefined) return 'no check'
    const checks = step.ok + step.fail + step.unknown
    return step.fail === 0 ? '' : `${step.fail} of ${counted(checks, 'check')} failed`
  })
  const states = indices.map((at) => {
    const [from, to] = [begin + at * step_ms, begin + (at + 1) * step_ms]
    const within = spans.filter(
      (span) =>
        span.availability !== 'unknown' && Date.parse(span.from) < to && Date.parse(span.to) > from,
    )
    return [...new Set(within.map(({ availability }) => SHADE_WORDS[availability]))].join(', ')
  })
  return [
    {
      name: 'Time (UTC)',
      texts: indices.map((at) => stepText(begin + at * step_ms, step_ms, withDay)),
    },
    { name: 'State', texts: states },
    { name: 'Failures', texts: failures },
  ]
}

function keyOf({ name, key, values, unit }: Column, column: number, at: number): Markup {
  const mark = key === undefined ? false : html`<i class="key ${key}"></i>`
  const text = valueText(values[at] ?? null, unit)
  return html`<span>${mark}${name} <b data-col="${column}">${text === '' ? '–' : text}</b></span> `
}

interface Scene {
  readonly data: ChartData
  readonly shades: readonly Shade[]
  readonly failed: readonly boolean[]
  readonly title: string
}

function plot(panel: Panel, { data, shades, failed, title }: Scene): Markup {
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
      <span>${scaleText(top, unit)}</span><span>${scaleText(top / 2, unit)}</span><span>0</span>
    </div>
    <svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${alternative(panel, title)}"
    >
      ${shades.map(({ availability, x, width }) => html`<rect class="${availability}" x="${x}" y="0" width="${width}" height="${HEIGHT}" />`)}${path('grid', gridOf(data))}${stackPaths(stack, ground).map(({ key, d }) => path(`area ${key}`, d))}${band !== undefined && path('band', bandPath(band.low, band.high, ground))}${lines.map(({ key, values }) => path(`trace ${key}`, linePath(values, ground)))}${path('peak', extremes.within)}${path('over', extremes.over)}${path('fails', failPath(failed, data))}
      <path class="cursor" d="" />
    </svg>
  </div>`
}

function gridOf(data: ChartData): string {
  const upright = ticksOf(data).map(({ at }) => `M${Math.round(at * WIDTH)} 0V${HEIGHT}`)
  return `M0 .5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}${upright.join('')}`
}

function timeAxis(data: ChartData): Markup {
  const text = (at: string, anchor: string, words: string): Markup =>
    html`<text x="${at}" y="13" class="${anchor}">${words}</text>`
  return html`<svg class="times" aria-hidden="true">
    ${text('0', 'begin', beginText(data))}${ticksOf(data).map((tick) => text(`${Math.round(tick.at * 1000) / 10}%`, tick.minor ? 'minor' : 'major', tick.text))}${text('100%', 'end', data.step_ms >= DAY_MS ? 'Today' : 'Now')}
  </svg>`
}

/** Over all panels: a range has the keyboard and the touch of the browser. */
function pointer(
  title: string,
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
    aria-label="Moment in the chart: ${title}"
    aria-valuetext="${said.slice(0, 3).join(', ')}"
  />`
}

function caption({
  data,
  shades,
  failed,
  locations,
  over,
}: Omit<Scene, 'title'> & Pick<ChartOptions, 'locations'> & { readonly over: boolean }):
  Markup | false {
  const present = new Set(shades.map(({ availability }) => availability))
  const items = [
    ...Object.entries(SHADE_WORDS)
      .filter(([name]) => present.has(name as AvailabilitySpan['availability']))
      .map(([name, words]) => html`<span><i class="key ${name}"></i>${words}</span> `),
    failed.includes(true) && html`<span><i class="key fails"></i>Failed checks</span> `,
    over && html`<span><i class="key over"></i>Maximum beyond the scale</span> `,
    data.read !== undefined &&
      html`<span>Of the newest ${counted(data.read, 'check')} only</span> `,
    locations > MOST_LINES && html`<span>Lines of ${MOST_LINES} of ${locations} locations</span> `,
  ].filter((item) => item !== false)
  return items.length > 0 && html`<figcaption>${items}</figcaption>`
}

/** Newest first. The readout takes its texts from here. */
function table(columns: readonly Texts[], count: number): Markup {
  const rows = Array.from({ length: count }, (_, at) => count - 1 - at)
  return html`<details class="as-table" id="chart-table">
    <summary>Chart as a table</summary>
    <div class="wide" tabindex="0" role="group" aria-label="Chart as a table">
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

function alternative({ title, unit, columns, stack }: Panel, whole: string): string {
  const [main] = columns
  const known = main?.values.filter((value) => value !== null) ?? []
  const [least, most] = [Math.min(...known), Math.max(...known)]
  const said = (value: number): string => valueText(value, unit)
  if (stack !== undefined) return `${title}: ${columns.length} phases, one above the other`
  if (known.length === 0) return whole
  const highest = columns[1]?.values.filter((value) => value !== null) ?? []
  const p95 = columns[1]?.key === 'p95' ? `, p95 at most ${said(Math.max(...highest))}` : ''
  const name = columns[0]?.key === 'p50' ? 'median ' : ''
  return `${columns[0]?.key === 'p50' ? whole : title}: ${name}from ${said(least)} to ${said(most)}${p95}`
}
