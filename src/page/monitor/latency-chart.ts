/**
 * Response times as a line (the median) in a band (up to the 95th percentile). The chart stretches, its labels do
 * not, so that they stay legible on a phone.
 *
 * @module
 */

import type { IncidentView } from '../../engine/api/views.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import { msText } from '../layout/words.ts'

export interface LatencyPoint {
  /** The label of this point: `3 Mar 2026`, `14:15`. */
  readonly label: string
  /** `null` without a successful check. */
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly max_ms?: number | null
  /** What failed, in words. */
  readonly failed?: string | undefined
}

export interface ChartOptions {
  /** The description for the text alternative. */
  readonly title: string
  /** The label below the first point; the last one's likewise. */
  readonly from: string
  readonly to: string
  /** The times of the first and behind the last point. */
  readonly begin: number
  readonly end: number
  /** Those that overlap with the chart are shaded. */
  readonly incidents: readonly Pick<IncidentView, 'started_at' | 'ended_at'>[]
  /** The medians of single locations. */
  readonly lines: readonly { readonly name: string; readonly p50_ms: readonly (number | null)[] }[]
  /** A sentence on what is not in the chart. */
  readonly note?: string
}

type Spot = readonly [x: number, p50: number, p95: number]

const WIDTH = 1000
const HEIGHT = 200

export function latencyChart(points: readonly LatencyPoint[], options: ChartOptions): Markup {
  if (points.every(({ p50_ms }) => p50_ms === null))
    return html`<p class="empty">No successful check in this period.</p>`
  const top = scaleTop(Math.max(0, ...points.map(({ p95_ms }) => p95_ms ?? 0)))
  const runs = runsOf(points, top)
  const step = WIDTH / Math.max(1, points.length)
  const marks = failMarks(points, step)
  return html`<figure class="chart">
    <div class="scale" aria-hidden="true">
      <span>${scaleText(top)}</span><span>${scaleText(top / 2)}</span><span>0</span>
    </div>
    <svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${alternative(points, options)}"
    >
      <path class="grid" d="M0 .5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}" />
      ${shades(options).map(({ x, width }) => html`<rect class="incident" x="${x}" y="0" width="${width}" height="${HEIGHT}" />`)}
      ${options.lines.map(
        ({ p50_ms }, at) =>
          html`<path
            class="at at-${at % 6}"
            d="${runsOf(
              p50_ms.map((ms) => ({ label: '', p50_ms: ms, p95_ms: ms })),
              top,
            )
              .map((run) => lineOf(run, 1))
              .join('')}"
          />`,
      )}
      ${runs.map((run) => html`<path class="band" d="${bandOf(run)}" /><path class="p95" d="${lineOf(run, 2)}" /><path class="p50" d="${lineOf(run, 1)}" />`)}
      ${marks !== '' && html`<path class="fails" d="${marks}" />`}
      ${points.map((point, at) => html`<rect x="${round(at * step)}" y="0" width="${round(step)}" height="${HEIGHT}" class="area"><title>${pointText(point)}</title></rect>`)}
    </svg>
    <div class="span" aria-hidden="true">
      <span>${options.from}</span><span>${options.to}</span>
    </div>
    <figcaption>
      <span class="key p50"></span>Median <span class="key p95"></span>p95
      ${marks !== '' && html`<span class="key fails"></span>Failed`}${options.lines.map(({ name }, at) => html` <span class="key at at-${at % 6}"></span>${foreign(name)}`)}
      ${options.note !== undefined && html`<span>${options.note}</span>`}
    </figcaption>
  </figure>`
}

/** The readout of a point. */
function pointText({ label, p50_ms, p95_ms, max_ms = null, failed }: LatencyPoint): string {
  const times =
    p50_ms === null
      ? 'no successful check'
      : `median ${msText(p50_ms)}, p95 ${msText(p95_ms)}${max_ms === null ? '' : `, max ${msText(max_ms)}`}`
  return `${label}: ${times}${failed === undefined ? '' : `; ${failed}`}`
}

/** Marks at the foot of the chart where something failed. */
function failMarks(points: readonly LatencyPoint[], step: number): string {
  return points
    .map(({ failed }, at) =>
      failed === undefined ? '' : `M${round((at + 0.5) * step)} ${HEIGHT - 14}V${HEIGHT}`,
    )
    .join('')
}

/** Where incidents are, in the coordinates of the chart; a short one is still visible. */
function shades({
  incidents,
  begin,
  end,
}: ChartOptions): readonly { readonly x: number; readonly width: number }[] {
  const at = (time: number): number =>
    Math.min(WIDTH, Math.max(0, ((time - begin) / Math.max(1, end - begin)) * WIDTH))
  return incidents.flatMap(({ started_at, ended_at }) => {
    const [from, to] = [Date.parse(started_at), ended_at === null ? end : Date.parse(ended_at)]
    if (to < begin || from > end) return []
    return [{ x: round(at(from)), width: round(Math.max(2, at(to) - at(from))) }]
  })
}

/** Round values, without insignificant digits. */
function scaleText(ms: number): string {
  return ms < 1000 ? `${Number(ms.toPrecision(2))} ms` : `${ms / 1000} s`
}

/** The next value above whose half is round as well. */
function scaleTop(max: number): number {
  if (max <= 0) return 1
  const unit = 10 ** Math.floor(Math.log10(max))
  return unit * ([1, 2, 4, 6, 8].find((factor) => unit * factor >= max) ?? 10)
}

/** Consecutive points without a gap, in the coordinates of the chart. */
function runsOf(points: readonly LatencyPoint[], top: number): readonly (readonly Spot[])[] {
  const runs: Spot[][] = [[]]
  const step = WIDTH / Math.max(1, points.length)
  for (const [at, { p50_ms, p95_ms }] of points.entries()) {
    if (p50_ms === null || p95_ms === null) {
      runs.push([])
      continue
    }
    const y = (ms: number): number => round(HEIGHT - (ms / top) * HEIGHT)
    runs.at(-1)?.push([round((at + 0.5) * step), y(p50_ms), y(p95_ms)])
  }
  return runs.flatMap(([first, ...more]) => {
    if (first === undefined) return []
    return more.length > 0 ? [[first, ...more]] : [alone(first, step)]
  })
}

/** A single point is drawn as wide as its step: a line without length is invisible. */
function alone([x, p50, p95]: Spot, step: number): readonly Spot[] {
  return [
    [round(x - step / 2), p50, p95],
    [round(x + step / 2), p50, p95],
  ]
}

function lineOf(run: readonly Spot[], of: 1 | 2): string {
  return run.map((spot, at) => `${at === 0 ? 'M' : 'L'}${spot[0]} ${spot[of]}`).join('')
}

function bandOf(run: readonly Spot[]): string {
  const back = [...run].reverse().map(([x, p50]) => `L${x} ${p50}`)
  return `${lineOf(run, 2)}${back.join('')}Z`
}

function alternative(points: readonly LatencyPoint[], { title }: ChartOptions): string {
  const medians = points.flatMap(({ p50_ms }) => (p50_ms === null ? [] : [p50_ms]))
  const high = points.flatMap(({ p95_ms }) => (p95_ms === null ? [] : [p95_ms]))
  const range = `median from ${msText(Math.min(...medians))} to ${msText(Math.max(...medians))}`
  return `${title}: ${range}, 95th percentile at most ${msText(Math.max(...high))}`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
