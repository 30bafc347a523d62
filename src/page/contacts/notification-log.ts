/**
 * What was sent, to whom, and how it went.
 *
 * @module
 */

import type { AttemptView, NotificationView } from '../../engine/api/views.ts'
import type { EpochMs, NotificationStatus } from '../../model.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Markup, Said } from '../layout/markup.ts'
import { clockTime, relative } from '../layout/words.ts'

export interface LogOptions {
  readonly now: EpochMs
  readonly base: string
  /** Names of contacts: shows to whom. */
  readonly contacts?: ReadonlyMap<number, string>
  /** Names of monitors: shows about which. */
  readonly monitors?: ReadonlyMap<number, string>
  /** Offers to send again, and where to go then; absent for who may not. */
  readonly resend_to?: string
}

export const DELIVERY: Readonly<Record<NotificationStatus, Markup>> = {
  queued: html`${icon('clock', 'quiet')}${({ words }) => words.contacts.statuses.queued}`,
  sending: html`${icon('arrow', 'quiet')}${({ words }) => words.contacts.statuses.sending}`,
  sent: html`${icon('check', 'good')}${({ words }) => words.contacts.statuses.sent}`,
  failed: html`${icon('cross', 'bad')}${({ words }) => words.contacts.statuses.failed}`,
  cancelled: html`${icon('dash', 'quiet')}${({ words }) => words.contacts.statuses.cancelled}`,
}

export function notificationLog(
  notifications: readonly NotificationView[],
  options: LogOptions,
): Markup {
  const { contacts, monitors, resend_to } = options
  return html`<div
    class="wide"
    tabindex="0"
    role="group"
    aria-label="${({ words }) => words.contacts.log}"
  >
    <table>
      <thead>
        <tr>
          <th scope="col">${({ words }) => words.contacts.event}</th>
          ${monitors !== undefined && html`<th scope="col">${({ words }) => words.contacts.monitor}</th>`}${contacts !== undefined && html`<th scope="col">${({ words }) => words.contacts.contact}</th>`}
          <th scope="col">${({ words }) => words.contacts.status}</th>
          <th scope="col">${({ words }) => words.contacts.attempts}</th>
          <th scope="col">${({ words }) => words.contacts.time}</th>
          ${resend_to !== undefined && html`<th scope="col" class="act"><span class="hidden">${({ words }) => words.common.action}</span></th>`}
        </tr>
      </thead>
      <tbody>
        ${notifications.map((row) => logRow(row, options))}
      </tbody>
    </table>
  </div>`
}

function logRow(
  row: NotificationView,
  { now, base, contacts, monitors, resend_to }: LogOptions,
): Markup {
  const { id, event, contact_id, monitor_id, incident_id, status, error, attempts, repeat } = row
  const about =
    incident_id === null
      ? `${base}/monitors/${monitor_id ?? 0}`
      : `${base}/incidents/${incident_id}`
  const monitor: Content =
    monitor_id === null
      ? '–'
      : monitors?.has(monitor_id) === true
        ? html`<a href="${about}">${foreign(monitors.get(monitor_id) ?? '')}</a>`
        : ({ words }) => words.contacts.goneMonitor(monitor_id)
  const at = row.next_attempt_at
  const next: Content = at !== null && (({ words }) => words.contacts.next(relative(at, now)))
  return html`<tr>
    <td><code>${event}</code>${repeat > 0 && ` ${repeat}`}</td>
    ${monitors !== undefined && html`<td>${monitor}</td>`}${contacts !== undefined && html`<td>${contactName(contact_id, { contacts, base })}</td>`}
    <td>
      <span class="what">${DELIVERY[status]}</span>${error !== null && html` <code>${error}</code>`}
    </td>
    <td>
      ${({ words: { contacts: said } }) => (attempts.length === 0 ? said.noAttempts : said.attemptCount(attempts.length))}${attempts.map((attempt) => html`<br /><span class="muted">${attemptText(attempt)}</span>`)}
    </td>
    <td>
      ${clockTime(row.created_at, now)}${row.next_attempt_at !== null && html`<br /><span class="muted">${next}</span>`}
    </td>
    ${resend_to !== undefined && html`<td class="act">${isFinal(status) && resendButton(id, { base, resend_to })}</td>`}
  </tr>`
}

function contactName(
  id: number,
  { contacts, base }: { readonly contacts: ReadonlyMap<number, string>; readonly base: string },
): Content {
  const name = contacts.get(id)
  if (name === undefined) return ({ words }) => words.contacts.goneContact(id)
  return html`<a href="${base}/contacts/${id}">${foreign(name)}</a>`
}

function isFinal(status: NotificationStatus): boolean {
  return status !== 'queued' && status !== 'sending'
}

function resendButton(
  id: number,
  { base, resend_to }: { readonly base: string; readonly resend_to: string },
): Markup {
  return html`<form method="post" action="${base}/notifications/${id}/resend">
    <input type="hidden" name="return" value="${base}${resend_to}" />
    <button id="resend-${id}" class="small">${({ words }) => words.contacts.sendAgain}</button>
  </form>`
}

export function attemptText({ http_status, error, duration_ms }: AttemptView): Said {
  return ({ words, ms }) => {
    const end =
      http_status === null ? (error ?? words.contacts.attemptDelivered) : `HTTP ${http_status}`
    return `${end}, ${ms(duration_ms)}`
  }
}
