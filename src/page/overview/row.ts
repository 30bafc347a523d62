/**
 * One monitor in the overview: state, cause and history.
 *
 * @module
 */

import type { AccountScope, TypeView } from '../../engine/api/engine.ts'
import type {
  IncidentView,
  MonitorSummary,
  ResultView,
  UptimeView,
} from '../../engine/api/views.ts'
import { NotFoundError } from '../../errors.ts'
import { bars } from '../layout/bars.ts'
import type { Frame } from '../layout/frame.ts'
import { icon, stateLabel } from '../layout/icons.ts'
import { asideOf } from '../incidents/incidents.ts'
import { BULK_FORM } from './bulk-form.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Markup, Said } from '../layout/markup.ts'
import type { Language } from '../words/language.ts'
import { nearestEnd } from '../monitor/highlights.ts'
import { isUnseen, relative, stateWords } from '../layout/words.ts'

const STEP = 2
const HEIGHT = 48

type Spot = readonly [x: number, p50: number, p95: number]

/** The scale ends here, relative to most days: a much slower day is cut, so that the others are not flat. */
const CUT_ABOVE = 2

const DAYS = 90

export interface Row {
  readonly monitor: MonitorSummary
  readonly uptime: UptimeView
  /** The open incident, if any. */
  readonly open: IncidentView | undefined
  /** What the latest check measured. */
  readonly latest: readonly Pick<ResultView, 'details'>[]
  readonly type: TypeView | undefined
}

/** `undefined` if the monitor was removed meanwhile. */
export async function rowOf(
  { monitors, incidents }: Pick<AccountScope, 'monitors' | 'incidents'>,
  {
    monitor,
    last,
  }: { readonly monitor: MonitorSummary; readonly last: Row['latest'][number] | undefined },
  type: TypeView | undefined,
): Promise<Row | undefined> {
  const { id, open_incident_id } = monitor
  try {
    const [uptime, open] = await Promise.all([
      monitors.uptime(id, { days: DAYS }),
      open_incident_id === null ? undefined : incidents.get(open_incident_id),
    ])
    return { monitor, uptime, open, latest: last === undefined ? [] : [last], type }
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

export interface RowOptions {
  readonly frame: Frame
  /** Whether it can be marked. */
  readonly can_act: boolean
}

export function rowItem(row: Row, { frame: { base, now }, can_act }: RowOptions): Markup {
  const { monitor, uptime } = row
  const { id, name, state, last_check_at, last_response_ms } = monitor
  const style = monitor.stale ? 'row stale' : 'row'
  return html`<li id="m${id}" class="${style}" data-live data-monitor="${id}">
    <div class="who">
      <div class="lead">
        ${can_act && html`<input type="checkbox" id="mark-${id}" form="${BULK_FORM}" name="id" value="${id}" aria-label="${({ words }: Language) => words.overview.mark(name)}" />`}
        <h2><a href="${base}/monitors/${id}" id="m${id}-link">${foreign(name)}</a></h2>
        ${stateLabel(monitor)}
      </div>
      ${sentence(row, now)}
    </div>
    ${bars(uptime, { name, since: monitor.created_at })}
    <dl class="figures">
      <div>
        <dt>${({ words }) => words.overview.uptime}</dt>
        <dd>${({ percent }) => percent(uptime.overall)}</dd>
      </div>
      <div>
        <dt>${({ words }) => words.overview.response}</dt>
        <dd class="response">
          ${responseLine(uptime, name)}<span
            >${state === 'paused' ? '–' : ({ ms }: Language) => ms(last_response_ms)}</span
          >
        </dd>
      </div>
      <div>
        <dt>${({ words }) => words.overview.checked}</dt>
        <dd class="checked">${last_check_at === null ? '–' : relative(last_check_at, now)}</dd>
      </div>
    </dl>
  </li>`
}

function sentence(row: Row, now: number): Markup {
  if (row.open !== undefined) return reason(row.open, row.monitor)
  return isUnseen(row.monitor) ? unseen(row.monitor, now) : target(row, now)
}

/** Shown instead of the address: what is known is old. */
function unseen({ state, last_check_at }: MonitorSummary, now: number): Markup {
  if (last_check_at === null)
    return html`<p class="muted target">${({ words }) => words.overview.neverChecked}</p>`
  const since = relative(last_check_at, now)
  const { short } = stateWords(state)
  return html`<p class="muted target">
    <span
      >${({ words }) => words.overview.notCheckedSince(since)}${(language) => language.words.overview.before(short(language))}</span
    >
  </p>`
}

function target({ monitor, type, latest }: Row, now: number): Markup {
  const { name, target, flapping, degraded } = monitor
  const end = nearestEnd({ type, results: latest, now })
  return html`<p class="muted target">
    ${degraded !== null && html`<span class="near" title="${degraded.cause_text}">${icon('alert', 'warn')}${({ words }: Language) => words.overview.degraded(foreign(degraded.cause_text))}</span>`}${end !== undefined && html`<span class="near">${icon('alert', 'warn')}${end}</span>`}${target !== name && target !== monitor.type && html`<span class="mono">${foreign(target)}</span>`}<span>${type?.name ?? monitor.type}</span>${flapping && html`<span class="tag">${({ words }: Language) => words.overview.flapping}</span>`}
  </p>`
}

/** Shown instead of the address, since the cause matters most. */
function reason(open: IncidentView, { flapping }: MonitorSummary): Markup {
  const aside = asideOf(open)
  const { cause_text, duration_sec } = open
  return html`<p class="reason">
    ${({ roughly }) => roughly(duration_sec)}:
    <span title="${cause_text}">${foreign(cause_text)}</span
    >${aside !== undefined && html`<span class="tag">${aside}</span>`}${flapping && html`<span class="tag">${({ words }: Language) => words.overview.flapping}</span>`}
  </p>`
}

/**
 * A sparkline of the response times of ninety days: the median as a line, in a band up to the 95th percentile. Nothing
 * unless two consecutive days have data.
 */
function responseLine({ days, p50_ms, p95_ms }: UptimeView, name: string): Markup | false {
  const slowest = Math.max(...days.map((day) => day.p95_ms ?? 0))
  // Times that hardly change are a line in the middle, not at the edge.
  const top = Math.max(Math.min(slowest, CUT_ABOVE * (p95_ms ?? slowest)), 2 * (p50_ms ?? 0)) || 1
  const runs: Spot[][] = [[]]
  for (const [at, day] of days.entries()) {
    if (day.p50_ms === null || day.p95_ms === null) runs.push([])
    else runs.at(-1)?.push([at * STEP, height(day.p50_ms / top), height(day.p95_ms / top)])
  }
  const drawn = runs.filter((run) => run.length > 1)
  if (drawn.length === 0) return false
  const label: Said = ({ words, ms }) =>
    words.overview.responseIn(name, days.length, ms(p50_ms), ms(p95_ms))
  return html`<svg
    class="line"
    viewBox="0 0 ${(days.length - 1) * STEP} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    <path class="band" d="${drawn.map(band).join('')}" />
    <path class="p50" d="${drawn.map((run) => path(run, 1)).join('')}" />
  </svg>`
}

function height(share: number): number {
  return Math.round((1 - Math.min(1, share)) * (HEIGHT - 2)) + 1
}

function path(run: readonly Spot[], of: 1 | 2): string {
  return `M${run.map((spot) => `${spot[0]} ${spot[of]}`).join(' ')}`
}

function band(run: readonly Spot[]): string {
  const back = [...run].reverse().map(([x, p50]) => ` ${x} ${p50}`)
  return `${path(run, 2)}${back.join('')}Z`
}
