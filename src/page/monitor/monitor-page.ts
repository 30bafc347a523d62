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
import type { Content, Markup, Said } from '../layout/markup.ts'
import type { Language } from '../words/language.ts'
import { PLANNED_SHOWN, plannedList } from '../layout/planned.ts'
import { relative, isUnseen, shownAs, stateWords } from '../layout/words.ts'
import { chartSection, isCharted, isTimed } from './chart-section.ts'
import { checkList } from './checks.ts'
import { highlights, nearestEnd } from './highlights.ts'
import { locationTable } from './locations.ts'
import type { MonitorFacts } from './monitor-facts.ts'
import { acknowledgeButton, isSignalled, notes } from './monitor-facts.ts'

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
          ${monitor.target !== monitor.name && monitor.target !== monitor.type && html`<span class="mono">${foreign(monitor.target)}</span>`}
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
        <h2 id="h-days">${({ words }) => words.monitor.availability}</h2>
        <span class="muted">${({ words }) => words.monitor.days}</span>
      </div>
      <div id="days" data-live>
        ${bars(uptime[90], { name: monitor.name, each_day: true, since: monitor.created_at })}
        <div class="span" aria-hidden="true">
          <span>${({ day }) => day(uptime[90].from)}</span
          ><span>${({ words }) => words.days.today}</span>
        </div>
        ${daysTable(uptime[90])}
      </div>
    </section>
    <div class="columns">
      ${!isSignalled(facts) && locationSection(facts, frame)}
      <section aria-labelledby="h-facts">
        <h2 id="h-facts">${({ words }) => words.common.details}</h2>
        <dl id="facts" class="facts" data-live>
          ${options.can_act && signalAddress(facts)}${shown}${settings(facts, frame.now)}
        </dl>
      </section>
    </div>
    <section aria-labelledby="h-checks">
      <div class="bar">
        <h2 id="h-checks">${({ words }) => words.monitor.latestChecks}</h2>
        <a href="${frame.base}/monitors/${monitor.id}/checks"
          >${({ words }) => words.monitor.allChecks}</a
        >
      </div>
      <div id="checks" data-live>
        ${results.length === 0 ? html`<p class="empty">${({ words }) => words.monitor.noChecks}</p>` : checkList({ results, locations, type, now: frame.now })}
      </div>
    </section>
    <section aria-labelledby="h-incidents">
      <h2 id="h-incidents">${({ words }) => words.monitor.incidents}</h2>
      <div id="incidents" data-live>${incidents(facts, frame)}</div>
    </section>
    <div id="planned" data-live>${planned(facts, frame)}</div>
    ${notices(facts, frame)}`
}

function locationSection({ monitor }: MonitorFacts, { now }: Frame): Markup {
  return html`<section aria-labelledby="h-places">
    <h2 id="h-places">${({ words }) => words.monitor.locations}</h2>
    <div id="places" data-live>${locationTable(monitor.locations, now)}</div>
  </section>`
}

function actions({ monitor, status }: MonitorFacts, { base }: Frame): Markup {
  const button = (
    action: 'check' | 'pause' | 'resume',
    word: 'checkNow' | 'pause' | 'resume',
  ): Markup =>
    html`<form method="post" action="${base}/monitors/${monitor.id}/${action}">
      <button>${({ words }) => words.monitor[word]}</button>
    </form>`
  const path = `${base}/monitors/${monitor.id}`
  return html`<div class="actions">
    ${status.state === 'paused' ? button('resume', 'resume') : [button('check', 'checkNow'), button('pause', 'pause')]}
    <a class="button" href="${path}/edit">${({ words }) => words.monitor.edit}</a>
    <a class="button" href="${base}/maintenance?monitor=${monitor.id}"
      >${({ words }) => words.monitor.maintenance}</a
    >
    <a class="button" href="${base}/monitors/new?clone=${monitor.id}"
      >${({ words }) => words.monitor.copy}</a
    >
    <a class="button" href="${path}/delete">${({ words }) => words.monitor.delete}</a>
  </div>`
}

function headline(facts: MonitorFacts, frame: Frame): Markup {
  const { status, monitor, open } = facts
  const { now } = frame
  const { label, meaning } = shownAs(status)
  // Since the incident started, which was before it was confirmed.
  const down_sec = status.status === 'down' ? open?.duration_sec : undefined
  const since_sec = down_sec ?? (now - Date.parse(status.since)) / 1000
  const why = status.status === 'up' ? null : status.cause_text
  const end =
    status.status === 'up' && !isUnseen(status) ? nearestEnd({ ...facts, now }) : undefined
  const { short } = stateWords(status.state)
  const how: Said = (language) => {
    const words = language.words.monitor
    if (isUnseen(status)) return words.unseen(short(language))
    return words.since(language.roughly(since_sec)) + (status.stale ? words.notChecked : '')
  }
  const checked = monitor.last_check_at !== null && relative(monitor.last_check_at, now)
  return html`${stateIcon(status)}
    <p>
      <strong>${label}</strong>${how}${notes(facts, frame)}<br />
      <span class="muted"
        >${end !== undefined && html`<span class="near">${icon('alert', 'warn')}${end}</span> · `}${why === null ? meaning : foreign(why)}${checked !== false && (({ words }: Language) => words.monitor.checked(checked))}</span
      >
    </p>`
}

function tiles(facts: MonitorFacts): readonly Markup[] {
  const { uptime, status, chart } = facts
  const tile = (name: string | Said, value: Said): Markup =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`
  const percentTile = (name: Said, value: number | null): Markup =>
    tile(name, ({ percent }) => percent(value))
  const msTile = (name: string | Said, value: number | null): Markup =>
    tile(name, ({ ms }) => ms(value))
  const known = [
    percentTile(({ words }) => words.monitor.uptime24, status.uptime_24h),
    percentTile(({ words }) => words.monitor.uptime7, uptime[7].overall),
    percentTile(({ words }) => words.monitor.uptime30, uptime[30].overall),
    percentTile(({ words }) => words.monitor.uptime90, uptime[90].overall),
  ]
  if (!isTimed(facts)) return known
  const { overall } = chart
  return [
    ...known,
    msTile(({ words: { monitor } }) => {
      return monitor.medianOf(monitor.shortRanges[chart.range])
    }, overall.p50_ms),
    msTile('p95', overall.p95_ms),
    msTile('p99', overall.p99_ms),
    ...(overall.max_ms === null
      ? []
      : [msTile(({ words }) => words.monitor.maximum, overall.max_ms)]),
  ]
}

/** The chart as a table, for screen readers. */
function daysTable({ days }: UptimeView): Markup {
  const known = [...days].reverse().filter(({ uptime }) => uptime !== null)
  if (known.length === 0) return html``
  return html`<details class="as-table" id="days-table">
    <summary>${({ words }) => words.monitor.daysTable}</summary>
    <div class="wide" tabindex="0" role="group" aria-label="${({ words }) => words.monitor.perDay}">
      <table>
        <thead>
          <tr>
            <th scope="col">${({ words }) => words.monitor.day}</th>
            <th scope="col">${({ words }) => words.monitor.availability}</th>
            <th scope="col">${({ words }) => words.monitor.checks}</th>
            <th scope="col">${({ words }) => words.monitor.median}</th>
            <th scope="col">p95</th>
          </tr>
        </thead>
        <tbody>
          ${known.map(
            (day) =>
              html`<tr>
                <th scope="row">${(language) => language.day(day.date)}</th>
                <td>${dayWords(day)}</td>
                <td>${({ number }) => number(day.checks)}</td>
                <td>${({ ms }) => ms(day.p50_ms)}</td>
                <td>${({ ms }) => ms(day.p95_ms)}</td>
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
    <dt>${({ words }) => words.monitor.jobCalls}</dt>
    <dd><code>${ping_url}</code></dd>
  </div>`
}

function settings(facts: MonitorFacts, now: number): readonly Markup[] {
  const { monitor, uptime } = facts
  const row = (name: Said, value: Content): Markup =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`
  const { interval_sec, confirm_locations, locations, next_check_at } = monitor
  return [
    row(
      ({ words }) => words.monitor.interval,
      ({ words, duration }: Language) => words.monitor.every(duration(interval_sec)),
    ),
    ...(locations.length > 1 && !isSignalled(facts)
      ? [
          row(
            ({ words }) => words.monitor.confirmedBy,
            ({ words }: Language) => words.monitor.confirmed(confirm_locations, locations.length),
          ),
        ]
      : []),
    ...(next_check_at !== null
      ? [row(({ words }) => words.monitor.nextCheck, relative(next_check_at, now))]
      : []),
    row(
      ({ words }) => words.monitor.incidents,
      ({ words }: Language) => words.monitor.incidentsIn(uptime[90].incidents),
    ),
    row(
      ({ words }) => words.common.created,
      ({ day }: Language) => day(monitor.created_at),
    ),
  ]
}

function planned({ planned: work }: MonitorFacts, { now }: Frame): Markup | false {
  if (work.length === 0) return false
  return html`<section aria-labelledby="h-planned">
    <h2 id="h-planned">${({ words }) => words.monitor.planned}</h2>
    ${plannedList(work, now, { shown: PLANNED_SHOWN })}
  </section>`
}

function incidents(facts: MonitorFacts, { now, base }: Frame): Markup {
  if (facts.incidents.length === 0)
    return html`<p class="empty">${({ words }) => words.monitor.noIncident}</p>`
  return html`${incidentList({ incidents: facts.incidents, now, base })}
  ${facts.more_incidents && html`<p><a href="${base}/incidents?monitor=${facts.monitor.id}">${({ words }) => words.monitor.allIncidents}</a></p>`}`
}

/** Notifications without an incident: a certificate that expires, a page that has changed. */
function notices({ notifications, contacts }: MonitorFacts, { now, base }: Frame): Markup | false {
  const beside = notifications.filter(({ incident_id }) => incident_id === null).slice(0, 20)
  if (beside.length === 0) return false
  return html`<section aria-labelledby="h-notifications">
    <h2 id="h-notifications">${({ words }) => words.monitor.otherNotifications}</h2>
    ${notificationLog(beside, { contacts, now, base })}
  </section>`
}
