/**
 * The page of one monitor: state, history, checks and notifications.
 *
 * @module
 */

import type { UptimeView } from '../../engine/api/views.ts'
import { bars, dayWords } from '../layout/bars.ts'
import type { Frame } from '../layout/frame.ts'
import { icon, stateIcon } from '../layout/icons.ts'
import { notificationLog } from '../contacts/notification-log.ts'
import { incidentList } from '../incidents/incidents.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Markup } from '../layout/markup.ts'
import { PLANNED_SHOWN, plannedList } from '../layout/planned.ts'
import {
  counted,
  dayText,
  durationText,
  msText,
  percentText,
  relative,
  roughly,
  isUnseen,
  shownAs,
  STATE_WORDS,
} from '../layout/words.ts'
import { checkList } from './checks.ts'
import { highlights, nearestEnd } from './highlights.ts'
import { chart } from '../chart/chart.ts'
import { panelsOf } from '../chart/panels.ts'
import { RANGES } from '../chart/ranges.ts'
import type { Range } from '../chart/ranges.ts'
import { locationTable } from './locations.ts'
import type { MonitorFacts } from './monitor-facts.ts'
import { acknowledgeButton, notes } from './monitor-facts.ts'

export interface MonitorPageOptions {
  readonly frame: Frame
  /** Whether the buttons are shown. */
  readonly can_act: boolean
}

export function monitorPage(facts: MonitorFacts, options: MonitorPageOptions): Markup {
  const { monitor, uptime, results, type } = facts
  const { frame } = options
  const shown = highlights({ type, results, now: frame.now })
  const locations = new Map(monitor.locations.map(({ location_id, name }) => [location_id, name]))
  return html`<div class="title">
      <div>
        <h1 id="name">${foreign(monitor.name)}</h1>
        <p class="muted target">
          <span>${type?.name ?? monitor.type}</span>
          ${monitor.target !== monitor.name && html`<span class="mono">${foreign(monitor.target)}</span>`}
          ${monitor.tags.map((tag) => html`<span class="tag">${foreign(tag)}</span>`)}
        </p>
      </div>
      ${options.can_act && actions(facts, frame)}
    </div>
    <div id="state" class="headline whole" data-live>
      ${headline(facts, frame)}${options.can_act && acknowledgeButton(facts, frame)}
    </div>
    <dl id="figures" class="tiles" data-live>${tiles(facts)}</dl>
    ${isCharted(facts) && chartSection(facts, frame)}
    <section aria-labelledby="h-days">
      <div class="bar">
        <h2 id="h-days">Availability</h2>
        <span class="muted">90 days</span>
      </div>
      <div id="days" data-live>
        ${bars(uptime[90], { name: monitor.name, each_day: true, since: monitor.created_at })}
        <div class="span" aria-hidden="true">
          <span>${dayText(uptime[90].from)}</span><span>Today</span>
        </div>
        ${daysTable(uptime[90])}
      </div>
    </section>
    <div class="columns">
      ${!isSignalled(facts) && places(facts, frame)}
      <section aria-labelledby="h-facts">
        <h2 id="h-facts">Details</h2>
        <dl id="facts" class="facts" data-live>
          ${options.can_act && signalAddress(facts)}${shown}${settings(facts, frame.now)}
        </dl>
      </section>
    </div>
    <section aria-labelledby="h-checks">
      <div class="bar">
        <h2 id="h-checks">Latest checks</h2>
        <a href="${frame.base}/monitors/${monitor.id}/checks">All checks</a>
      </div>
      <div id="checks" data-live>
        ${results.length === 0 ? html`<p class="empty">No checks yet.</p>` : checkList({ results, locations, type, now: frame.now })}
      </div>
    </section>
    <section aria-labelledby="h-incidents">
      <h2 id="h-incidents">Incidents</h2>
      <div id="incidents" data-live>${incidents(facts, frame)}</div>
    </section>
    <div id="planned" data-live>${planned(facts, frame)}</div>
    ${notices(facts, frame)}`
}

/** A push type: its results have no duration and no location. */
function isSignalled({ monitor }: MonitorFacts): boolean {
  return monitor.ping_url !== undefined
}

function isTimed(facts: MonitorFacts): boolean {
  const { results, chart } = facts
  if (chart.overall.p50_ms !== null || results.some(({ response_ms }) => response_ms !== null))
    return true
  return results.length === 0 && !isSignalled(facts)
}

/** Whether there is anything to chart. */
export function isCharted(facts: MonitorFacts): boolean {
  return isTimed(facts) || (facts.type?.charts ?? []).length > 0
}

function places({ monitor }: MonitorFacts, { now }: Frame): Markup {
  return html`<section aria-labelledby="h-places">
    <h2 id="h-places">Locations</h2>
    <div id="places" data-live>${locationTable(monitor.locations, now)}</div>
  </section>`
}

function chartSection(facts: MonitorFacts, frame: Frame): Markup {
  const { chart: data, monitor, type } = facts
  const response = isTimed(facts) ? responseName(facts) : undefined
  const name = response ?? type?.charts[0]?.title ?? ''
  const locations = new Map(monitor.locations.map(({ location_id, name }) => [location_id, name]))
  return html`<section aria-labelledby="h-time">
    <div class="bar">
      <h2 id="h-time">${name}</h2>
      ${ranges(facts, frame)}
    </div>
    <div id="chart" data-live>
      ${chart({
        ...{ data, panels: panelsOf({ data, type, response, locations }) },
        ...{ title: `${name}, ${RANGE_WORDS[data.range]}`, locations: locations.size },
      })}
    </div>
  </section>`
}

/** The type's name for its response time. */
function responseName({ type }: MonitorFacts): string {
  return type?.highlights.find(({ name }) => name === type.response)?.title ?? 'Response time'
}

function actions({ monitor, status }: MonitorFacts, { base }: Frame): Markup {
  const button = (action: string, label: string): Markup =>
    html`<form method="post" action="${base}/monitors/${monitor.id}/${action}">
      <button>${label}</button>
    </form>`
  const path = `${base}/monitors/${monitor.id}`
  return html`<div class="actions">
    ${status.state === 'paused' ? button('resume', 'Resume') : [button('check', 'Check now'), button('pause', 'Pause')]}
    <a class="button" href="${path}/edit">Edit</a>
    <a class="button" href="${base}/maintenance?monitor=${monitor.id}">Maintenance</a>
    <a class="button" href="${base}/monitors/new?clone=${monitor.id}">Copy</a>
    <a class="button" href="${path}/delete">Delete</a>
  </div>`
}

function headline(facts: MonitorFacts, frame: Frame): Markup {
  const { status, monitor, open } = facts
  const { now } = frame
  const { label, meaning } = shownAs(status)
  // Since the incident started, which was before it was confirmed.
  const down_sec = status.status === 'down' ? open?.duration_sec : undefined
  const since = roughly(down_sec ?? (now - Date.parse(status.since)) / 1000)
  const why = status.status === 'up' ? null : status.cause_text
  const end =
    status.status === 'up' && !isUnseen(status) ? nearestEnd({ ...facts, now }) : undefined
  const how = isUnseen(status)
    ? html`: no check for a while; it was ${STATE_WORDS[status.state].label.toLowerCase()} before`
    : html` for ${since}${status.stale && ', and not checked for a while'}`
  return html`${stateIcon(status)}
    <p>
      <strong>${label}</strong>${how}${notes(facts, frame)}<br />
      <span class="muted"
        >${end !== undefined && html`<span class="near">${icon('alert', 'warn')}${end}</span> · `}${why === null ? meaning : foreign(why)}${monitor.last_check_at !== null && html` · checked ${relative(monitor.last_check_at, now)}`}</span
      >
    </p>`
}

function tiles(facts: MonitorFacts): readonly Markup[] {
  const { uptime, status, chart } = facts
  const tile = (name: string, value: string): Markup =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`
  const known = [
    tile('Uptime, 24 h', percentText(status.uptime_24h)),
    tile('7 days', percentText(uptime[7].overall)),
    tile('30 days', percentText(uptime[30].overall)),
    tile('90 days', percentText(uptime[90].overall)),
  ]
  if (!isTimed(facts)) return known
  const { overall } = chart
  return [
    ...known,
    tile(`Median, ${SHORT_RANGES[chart.range]}`, msText(overall.p50_ms)),
    tile('p95', msText(overall.p95_ms)),
    tile('p99', msText(overall.p99_ms)),
    ...(overall.max_ms === null ? [] : [tile('Maximum', msText(overall.max_ms))]),
  ]
}

const SHORT_RANGES: Readonly<Record<Range, string>> = {
  '1h': '1 h',
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
  '90d': '90 d',
}

const RANGE_WORDS: Readonly<Record<Range, string>> = {
  '1h': '1 hour',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
}

function ranges({ monitor, chart }: MonitorFacts, { base }: Frame): Markup {
  return html`<nav class="choices" aria-label="Time shown">
    ${RANGES.map((range) => html`<a href="${base}/monitors/${monitor.id}?range=${range}" ${range === chart.range && html` aria-current="true"`}>${SHORT_RANGES[range]}</a>`)}
  </nav>`
}

/** The chart as a table, for screen readers. */
function daysTable({ days }: UptimeView): Markup {
  const known = [...days].reverse().filter(({ uptime }) => uptime !== null)
  if (known.length === 0) return html``
  return html`<details class="as-table" id="days-table">
    <summary>Days as a table</summary>
    <div class="wide" tabindex="0" role="group" aria-label="Availability per day">
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Availability</th>
            <th scope="col">Checks</th>
            <th scope="col">Median</th>
            <th scope="col">p95</th>
          </tr>
        </thead>
        <tbody>
          ${known.map(
            (day) =>
              html`<tr>
                <th scope="row">${dayText(day.date)}</th>
                <td>${dayWords(day)}</td>
                <td>${day.checks}</td>
                <td>${msText(day.p50_ms)}</td>
                <td>${msText(day.p95_ms)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`
}

/** The token allows sending signals: not shown to read-only visitors. */
function signalAddress({ monitor: { ping_url } }: MonitorFacts): Markup | false {
  if (ping_url === undefined) return false
  return html`<div class="address">
    <dt>The job calls</dt>
    <dd><code>${ping_url}</code></dd>
  </div>`
}

function settings(facts: MonitorFacts, now: number): readonly Markup[] {
  const { monitor, uptime } = facts
  const row = (name: string, value: Content): Markup =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`
  const { interval_sec, confirm_locations, locations, next_check_at } = monitor
  return [
    row('Checked', `every ${durationText(interval_sec)}`),
    ...(locations.length > 1 && !isSignalled(facts)
      ? [row('Confirmed by', `${confirm_locations} of ${counted(locations.length, 'location')}`)]
      : []),
    ...(next_check_at !== null ? [row('Next check', relative(next_check_at, now))] : []),
    row('Incidents', `${uptime[90].incidents === 0 ? 'none' : uptime[90].incidents} in 90 days`),
    row('Created', dayText(monitor.created_at)),
  ]
}

function planned({ planned: work }: MonitorFacts, { now }: Frame): Markup | false {
  if (work.length === 0) return false
  return html`<section aria-labelledby="h-planned">
    <h2 id="h-planned">Planned work</h2>
    ${plannedList(work, now, { shown: PLANNED_SHOWN })}
  </section>`
}

function incidents(facts: MonitorFacts, { now, base }: Frame): Markup {
  if (facts.incidents.length === 0) return html`<p class="empty">No incident so far.</p>`
  return html`${incidentList({ incidents: facts.incidents, now, base })}
  ${facts.more_incidents && html`<p><a href="${base}/incidents?monitor=${facts.monitor.id}">All incidents of this monitor</a></p>`}`
}

/** Notifications without an incident: a certificate that expires, a page that has changed. */
function notices({ told, contacts }: MonitorFacts, { now, base }: Frame): Markup | false {
  const beside = told.filter(({ incident_id }) => incident_id === null).slice(0, 20)
  if (beside.length === 0) return false
  return html`<section aria-labelledby="h-told">
    <h2 id="h-told">Other notifications</h2>
    ${notificationLog(beside, { contacts, now, base })}
  </section>`
}
