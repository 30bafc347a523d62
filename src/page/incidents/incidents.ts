/**
 * A list of incidents, newest first: start, duration, cause, and the notified contacts.
 *
 * @module
 */

import type { AttemptView, IncidentView, NotificationView, Page } from '../../engine/api/views.ts'
import type { ClosedReason, EpochMs, NotificationStatus } from '../../model.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Markup } from '../layout/markup.ts'
import { clockTime, counted, durationText, moment, msText } from '../layout/words.ts'
import type { AccountScope } from '../../engine/api/engine.ts'
import type { Frame } from '../layout/frame.ts'

const ROWS = 50

interface IncidentsAsk {
  readonly monitor_id: number | undefined
  /** Only open incidents. */
  readonly open: boolean
  readonly after: number | undefined
}

export interface IncidentFacts {
  readonly incidents: readonly IncidentView[]
  readonly now: EpochMs
  /** The address of an incident's monitor, for lists over several monitors. */
  readonly monitorHref?: (id: number) => string
  /** The notifications of an incident; absent if they are shown elsewhere. */
  readonly told?: (id: number) => readonly NotificationView[]
  readonly contacts?: ReadonlyMap<number, string>
}

export function incidentList(facts: IncidentFacts): Markup {
  return html`<ol class="incidents">
    ${facts.incidents.map((incident) => incidentItem(incident, facts))}
  </ol>`
}

function incidentItem(incident: IncidentView, facts: IncidentFacts): Markup {
  const { id, monitor, state, started_at, duration_sec, cause_text } = incident
  const aside = asideOf(incident)
  const { monitorHref, told } = facts
  const open = state === 'open'
  const lead = html`<span class="what"
      >${open ? icon('cross', 'bad') : icon('check', 'good')}<strong
        >${open ? 'Ongoing' : ENDED[incident.closed_reason ?? 'recovered']}</strong
      ></span
    >
    <span class="why"
      >${monitorHref !== undefined && html`<a href="${monitorHref(monitor.id)}#incident-${id}">${foreign(monitor.name || 'A removed monitor')}</a>: `}${foreign(cause_text)}${aside !== undefined && html` <span class="tag">${aside}</span>`}</span
    >
    <span class="at">${moment(started_at)}</span>
    <span class="took">${durationText(duration_sec)}</span>`
  if (told === undefined) return html`<li class="flat">${lead}</li>`
  return html`<li>
    <details id="incident-${id}">
      <summary>${lead}</summary>
      ${course(incident, facts)} ${log(told(id), facts)}
    </details>
  </li>`
}

/** Why no notifications are sent for the incident, or no further ones. */
export function asideOf({
  state,
  suppressed_by,
  acknowledged_at,
}: IncidentView): string | undefined {
  if (suppressed_by !== null) return 'Explained by another monitor'
  return state === 'open' && acknowledged_at !== null ? 'Acknowledged' : undefined
}

const ENDED: Readonly<Record<ClosedReason, string>> = {
  recovered: 'Resolved',
  paused: 'Ended by pause',
  reconfigured: 'Ended by a change',
  deleted: 'Ended by removal',
}

const LAST_STEP: Readonly<Record<ClosedReason, string>> = {
  recovered: 'Over: the first good check',
  paused: 'Closed: the monitor was paused',
  reconfigured: 'Closed: what it checks was changed',
  deleted: 'Closed: the monitor was removed',
}

/** The changes of the cause, from the first failing check to the end. */
function course(
  { causes, detected_at, acknowledged_at, ended_at, closed_reason }: IncidentView,
  { now }: IncidentFacts,
): Markup {
  const steps: readonly (readonly [string, Content])[] = [
    ...causes.map(
      ({ at, cause_code, cause_text }) =>
        [at, [html`<code>${cause_code}</code> `, foreign(cause_text)]] as const,
    ),
    [detected_at, 'Confirmed as an incident'] as const,
    ...(acknowledged_at === null ? [] : [[acknowledged_at, 'Acknowledged'] as const]),
    ...(ended_at === null ? [] : [[ended_at, LAST_STEP[closed_reason ?? 'recovered']] as const]),
  ]
  const ordered = [...steps].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return html`<h3>Course</h3>
    <ol class="course">
      ${ordered.map(([at, what]) => html`<li><span class="at">${clockTime(at, now)}</span><span>${what}</span></li>`)}
    </ol>`
}

function log(told: readonly NotificationView[], facts: IncidentFacts): Markup {
  if (told.length === 0)
    return html`<h3>Notifications</h3>
      <p class="muted">Nobody was told.</p>`
  return html`<h3>Notifications</h3>
    ${notificationTable(told, facts)}`
}

const STATUS: Readonly<Record<NotificationStatus, Markup>> = {
  queued: html`${icon('clock', 'quiet')}Waiting`,
  sending: html`${icon('arrow', 'quiet')}Under way`,
  sent: html`${icon('check', 'good')}Delivered`,
  failed: html`${icon('cross', 'bad')}Failed`,
  cancelled: html`${icon('dash', 'quiet')}Cancelled`,
}

export function notificationTable(
  told: readonly NotificationView[],
  { contacts, now }: Pick<IncidentFacts, 'contacts' | 'now'>,
): Markup {
  return html`<div class="wide" tabindex="0" role="group" aria-label="Notification log">
    <table>
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col">Contact</th>
          <th scope="col">Status</th>
          <th scope="col">Attempts</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        ${told.map(
          ({ event, contact_id, status, error, attempts, created_at, repeat }) =>
            html`<tr>
              <td><code>${event}</code>${repeat > 0 && ` ${repeat}`}</td>
              <td>${foreign(contacts?.get(contact_id) ?? `Contact ${contact_id}, removed`)}</td>
              <td>
                <span class="what">${STATUS[status]}</span
                >${error !== null && html` <code>${error}</code>`}
              </td>
              <td>
                ${attempts.length === 0 ? 'none yet' : counted(attempts.length, 'attempt')}${attempts.map((attempt) => html`<br /><span class="muted">${attemptText(attempt)}</span>`)}
              </td>
              <td>${clockTime(created_at, now)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

function attemptText({ http_status, error, duration_ms }: AttemptView): string {
  const end = http_status === null ? (error ?? 'delivered') : `HTTP ${http_status}`
  return `${end}, ${msText(duration_ms)}`
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
      ${items.length === 0 ? html`<p class="empty">${ask.open ? 'No incident is going on.' : 'There is no incident on record.'}</p>` : incidentList({ incidents: items, now, monitorHref: (id) => `${base}/monitors/${id}` })}
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
