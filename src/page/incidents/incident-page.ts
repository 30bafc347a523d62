/**
 * The page of one incident: timeline, failed checks, and what else failed at that time.
 *
 * @module
 */

import type { IncidentView } from '../../engine/api/views.ts'
import type { Frame } from '../layout/frame.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Markup, Said } from '../layout/markup.ts'
import { moment, timeOfDay } from '../layout/words.ts'
import { checkList } from '../monitor/checks.ts'
import type { IncidentInFull } from './incident-facts.ts'
import { asideOf, endedText, incidentList, nameOf } from './incidents.ts'
import { timeline } from './timeline.ts'

export interface IncidentPageOptions {
  readonly frame: Frame
  /** Whether the buttons are shown. */
  readonly can_act: boolean
}

export function stateText(incident: IncidentView): Said {
  const { state, duration_sec } = incident
  return (language) => {
    const words = language.words.incidents
    const time = language.duration(duration_sec)
    if (state === 'open') return words.ongoingFor(time)
    return words.endedAfter(endedText(incident)(language), time)
  }
}

export function incidentPage(facts: IncidentInFull, options: IncidentPageOptions): Markup {
  const { incident, monitor, notifications, contacts } = facts
  const { frame, can_act } = options
  const { base, now } = frame
  const locations = new Map(monitor?.locations.map(({ location_id, name }) => [location_id, name]))
  return html`<p class="back">
      <a href="${base}/incidents">${({ words }) => words.incidents.title}</a>
    </p>
    <div class="title">
      <div>
        <h1>
          ${monitor === undefined ? nameOf(incident) : html`<a href="${base}/monitors/${monitor.id}">${foreign(monitor.name)}</a>`}
        </h1>
        <p class="muted">
          ${({ words }) => words.incidents.incident(incident.id)} ·
          ${facts.type?.name ?? incident.monitor.type}
        </p>
      </div>
    </div>
    <div id="state" class="headline whole" data-live>
      ${headline(facts)}${can_act && acknowledge(incident, base)}
    </div>
    <section aria-labelledby="h-course">
      <h2 id="h-course">${({ words }) => words.incidents.timeline}</h2>
      <div id="course" data-live>
        ${timeline({ incident, notifications, contacts, locations, now })}${notifications.length === 0 && html`<p class="muted">${notSent(facts)}</p>`}
      </div>
    </section>
    <section aria-labelledby="h-failed">
      <div class="bar">
        <h2 id="h-failed">${({ words }) => words.incidents.failedChecks}</h2>
        ${monitor !== undefined && facts.more_failed && html`<a href="${base}/monitors/${monitor.id}/checks?verdict=fail">${({ words }) => words.incidents.allFailed}</a>`}
      </div>
      <div id="checks" data-live>${failedChecks(facts, frame)}</div>
    </section>
    <section aria-labelledby="h-beside">
      <h2 id="h-beside">${({ words }) => words.incidents.sameTime}</h2>
      <div id="beside" data-live>${beside(facts, frame)}</div>
    </section>`
}

function headline({ incident, parent }: IncidentInFull): Markup {
  const open = incident.state === 'open'
  const aside: Content =
    incident.suppressed_by !== null && parent !== undefined
      ? ({ words }) => words.monitor.causedBy(foreign(parent.name))
      : asideOf(incident)
  return html`${open ? icon('cross', 'bad') : icon('check', 'good')}
    <p>
      <strong>${stateText(incident)}</strong
      >${aside !== undefined && html` <span class="tag">${aside}</span>`}<br />
      <span class="muted"
        >${foreign(incident.cause_text)} ·
        ${moment(incident.started_at)}${incident.ended_at !== null && html` – ${timeOfDay(incident.ended_at, incident.started_at)}`}</span
      >
    </p>`
}

function acknowledge({ id, state, acknowledged_at }: IncidentView, base: string): Markup | false {
  if (state !== 'open' || acknowledged_at !== null) return false
  return html`<form method="post" action="${base}/incidents/${id}/acknowledge">
    <input type="hidden" name="return" value="${base}/incidents/${id}" />
    <button id="acknowledge" title="${({ words }) => words.monitor.acknowledgeTitle}">
      ${({ words }) => words.monitor.acknowledge}
    </button>
  </form>`
}

function notSent({ incident }: IncidentInFull): Said {
  const word = incident.suppressed_by === null ? 'notSent' : 'notSentOther'
  return ({ words }) => words.incidents[word]
}

function failedChecks({ failed, monitor, type }: IncidentInFull, { now }: Frame): Markup {
  if (monitor === undefined)
    return html`<p class="empty">${({ words }) => words.incidents.checksRemoved}</p>`
  if (failed.length === 0)
    return html`<p class="empty">${({ words }) => words.incidents.checksGone}</p>`
  const locations = new Map(monitor.locations.map(({ location_id, name }) => [location_id, name]))
  return checkList({ results: failed, locations, type, now })
}

function beside({ beside: others }: IncidentInFull, { now, base }: Frame): Markup {
  if (others.length === 0)
    return html`<p class="empty">${({ words }) => words.incidents.nothingElse}</p>`
  return incidentList({ incidents: others, now, base, named: true })
}
