/**
 * A list of incidents, newest first: start, duration and cause; each leads to its page.
 *
 * @module
 */

import type { IncidentView, Page } from '../../engine/api/views.ts'
import type { ClosedReason, EpochMs } from '../../model.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import { durationText, moment } from '../layout/words.ts'
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
  const { id, monitor, state, started_at, duration_sec, cause_text } = incident
  const aside = asideOf(incident)
  const open = state === 'open'
  const name = monitor.name || 'A removed monitor'
  return html`<li class="flat" id="incident-${id}">
    <span class="what"
      >${open ? icon('cross', 'bad') : icon('check', 'good')}<strong
        >${open ? 'Ongoing' : ENDED[incident.closed_reason ?? 'recovered']}</strong
      ></span
    >
    <span class="why"
      ><a href="${base}/incidents/${id}" id="incident-${id}-link"
        >${named && [foreign(name), ': ']}${foreign(cause_text)}</a
      >${aside !== undefined && html` <span class="tag">${aside}</span>`}</span
    >
    <span class="at">${moment(started_at)}</span>
    <span class="took">${durationText(duration_sec)}</span>
  </li>`
}

/** Why no notifications are sent for the incident, or no further ones. */
export function asideOf({
  state,
  suppressed_by,
  acknowledged_at,
}: IncidentView): string | undefined {
  if (suppressed_by !== null) return 'Caused by another monitor'
  return state === 'open' && acknowledged_at !== null ? 'Acknowledged' : undefined
}

export const ENDED: Readonly<Record<ClosedReason, string>> = {
  recovered: 'Resolved',
  paused: 'Ended by pause',
  reconfigured: 'Ended by a change',
  deleted: 'Ended by removal',
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
  return html`${ask.monitor_id !== undefined && html`<p class="back"><a href="${base}/monitors/${ask.monitor_id}">${name === undefined ? 'The monitor' : foreign(name)}</a></p>`}
    <div class="bar">
      <h1>Incidents</h1>
      <nav class="choices" aria-label="Incidents shown">
        ${[false, true].map((open) => html`<a href="${hrefOf({ ...ask, open, after: undefined }, base)}" ${open === ask.open && html` aria-current="true"`}>${open ? 'Ongoing' : 'All'}</a>`)}
      </nav>
    </div>
    <div id="incidents" data-live>
      ${items.length === 0 ? html`<p class="empty">${ask.open ? 'No incident is ongoing.' : 'There has been no incident yet.'}</p>` : incidentList({ incidents: items, now, base, named: true })}
    </div>
    <nav class="pages" aria-label="Pages">
      ${ask.after !== undefined && html`<a href="${hrefOf({ ...ask, after: undefined }, base)}">Newest</a>`}${next !== null && html`<a href="${hrefOf({ ...ask, after: next }, base)}" rel="next">Older</a>`}
    </nav>`
}

function hrefOf({ monitor_id, open, after }: IncidentsAsk, base: string): string {
  const query = new URLSearchParams()
  if (monitor_id !== undefined) query.set('monitor', String(monitor_id))
  if (open) query.set('open', '1')
  if (after !== undefined) query.set('after', String(after))
  return `${base}/incidents${query.size === 0 ? '' : `?${query.toString()}`}`
}
