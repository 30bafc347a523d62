/**
 * A list of incidents, newest first: start, duration and cause; each leads to its page.
 *
 * @module
 */

import type { IncidentView } from '../../engine/api/views.ts'
import type { Page } from '../../engine/api/filters.ts'
import type { EpochMs } from '../../model.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Markup, Said } from '../layout/markup.ts'
import { moment } from '../layout/words.ts'
import type { Language } from '../words/language.ts'
import type { AccountScope } from '../../engine/api/engine.ts'
import type { Frame } from '../layout/frame.ts'

const ROWS = 50

interface IncidentsAsk {
  readonly monitor_id: number | undefined
  /** Only open incidents. */
  readonly open: boolean
  readonly after: number | undefined
}

export interface IncidentListFacts {
  readonly incidents: readonly IncidentView[]
  readonly now: EpochMs
  readonly base: string
  /** Names the monitors, for lists over several. */
  readonly named?: boolean
}

export function incidentList(facts: IncidentListFacts): Markup {
  return html`<ol class="incidents">
    ${facts.incidents.map((incident) => incidentItem(incident, facts))}
  </ol>`
}

function incidentItem(incident: IncidentView, { base, named = false }: IncidentListFacts): Markup {
  const { id, state, started_at, duration_sec, cause_text } = incident
  const aside = asideOf(incident)
  const open = state === 'open'
  return html`<li class="flat" id="incident-${id}">
    <span class="what"
      >${open ? icon('cross', 'bad') : icon('check', 'good')}<strong
        >${open ? ({ words }: Language) => words.incidents.ongoing : endedText(incident)}</strong
      ></span
    >
    <span class="why"
      ><a href="${base}/incidents/${id}" id="incident-${id}-link"
        >${named && [foreign(nameOf(incident)), ': ']}${foreign(cause_text)}</a
      >${aside !== undefined && html` <span class="tag">${aside}</span>`}</span
    >
    <span class="at">${moment(started_at)}</span>
    <span class="took">${({ duration }) => duration(duration_sec)}</span>
  </li>`
}

/** Why no notifications are sent for the incident, or no further ones. */
export function asideOf({ state, suppressed_by, acknowledged_at }: IncidentView): Said | undefined {
  if (suppressed_by !== null) return ({ words }) => words.incidents.byOther
  if (state !== 'open' || acknowledged_at === null) return undefined
  return ({ words }) => words.incidents.acknowledged
}

export function endedText({ closed_reason }: Pick<IncidentView, 'closed_reason'>): Said {
  return ({ words }) => words.incidents.ended[closed_reason ?? 'recovered']
}

/** The name of its monitor, which may be removed. */
export function nameOf({ monitor }: IncidentView): Said {
  return ({ words }) => monitor.name || words.common.removedMonitor
}

/** @throws NotFoundError */
export function incidentsFound(
  scope: AccountScope,
  { monitor_id, open, after }: IncidentsAsk,
): Promise<Page<IncidentView>> {
  return scope.incidents.list({
    limit: ROWS,
    ...(monitor_id === undefined ? {} : { monitor_id }),
    ...(open ? { open } : {}),
    ...(after === undefined ? {} : { after }),
  })
}

export function incidentsPage(found: Page<IncidentView>, ask: IncidentsAsk, frame: Frame): Markup {
  const { base, now } = frame
  const { items, next } = found
  const name = items[0]?.monitor.name
  return html`${ask.monitor_id !== undefined && html`<p class="back"><a href="${base}/monitors/${ask.monitor_id}">${name === undefined ? ({ words }: Language) => words.incidents.theMonitor : foreign(name)}</a></p>`}
    <div class="bar">
      <h1>${({ words }) => words.incidents.title}</h1>
      <nav class="choices" aria-label="${({ words }) => words.incidents.shown}">
        ${[false, true].map((open) => html`<a href="${hrefOf({ ...ask, open, after: undefined }, base)}" ${open === ask.open && html` aria-current="true"`}>${({ words }) => (open ? words.incidents.ongoing : words.common.all)}</a>`)}
      </nav>
    </div>
    <div id="incidents" data-live>
      ${items.length === 0 ? html`<p class="empty">${({ words }) => words.incidents[ask.open ? 'noneOngoing' : 'none']}</p>` : incidentList({ incidents: items, now, base, named: true })}
    </div>
    <nav class="pages" aria-label="${({ words }) => words.common.pages}">
      ${ask.after !== undefined && html`<a href="${hrefOf({ ...ask, after: undefined }, base)}">${({ words }) => words.common.newest}</a>`}${next !== null && html`<a href="${hrefOf({ ...ask, after: next }, base)}" rel="next">${({ words }) => words.common.older}</a>`}
    </nav>`
}

function hrefOf({ monitor_id, open, after }: IncidentsAsk, base: string): string {
  const query = new URLSearchParams()
  if (monitor_id !== undefined) query.set('monitor', String(monitor_id))
  if (open) query.set('open', '1')
  if (after !== undefined) query.set('after', String(after))
  return `${base}/incidents${query.size === 0 ? '' : `?${query.toString()}`}`
}
