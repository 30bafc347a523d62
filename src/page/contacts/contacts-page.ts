/**
 * The contacts of an account, and the page of one: how the last delivery went, what waits, a test.
 *
 * @module
 */

import type { ContactView } from '../../engine/api/views.ts'
import type { EpochMs } from '../../model.ts'
import type { Frame } from '../layout/frame.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Markup, Said } from '../layout/markup.ts'
import { relative } from '../layout/words.ts'
import type { Language } from '../words/language.ts'
import { inWords } from '../monitor/highlights.ts'
import type { ContactFacts, ContactInFull, ContactsFound } from './contact-facts.ts'
import { isFailing } from './contact-facts.ts'
import { notificationLog } from './notification-log.ts'

export interface ContactPageOptions {
  readonly frame: Frame
  /** Whether the buttons are shown. */
  readonly can_act: boolean
}

export function contactsPage(found: ContactsFound, { frame, can_act }: ContactPageOptions): Markup {
  const { rows, total, page, pages } = found
  if (total === 0) return noContacts()
  return html`<h1>${({ words }) => words.contacts.title}</h1>
    <div id="contacts" data-live>
      <ul class="list">
        ${rows.map((row) => contactItem(row, { frame, can_act }))}
      </ul>
    </div>
    ${
      pages > 1 &&
      html`<nav class="pages" aria-label="${({ words }) => words.common.pages}">
        ${page > 1 && html`<a href="${frame.base}/contacts?page=${page - 1}" rel="prev">${({ words }) => words.common.previous}</a>`}<span
          class="muted"
          >${({ words: { common, contacts } }) => common.page(page, pages, contacts.count(total))}</span
        >${page < pages && html`<a href="${frame.base}/contacts?page=${page + 1}" rel="next">${({ words }) => words.common.next}</a>`}
      </nav>`
    }`
}

function noContacts(): Markup {
  return html`<div class="first">
    <h1>${({ words }) => words.contacts.none}</h1>
    <p>${({ words }) => words.contacts.noneText}</p>
    <pre tabindex="0"><code>POST /api/v1/contacts
{"kind":"webhook","name":"On-call","url":"https://example.com/hook","all_monitors":true}</code></pre>
  </div>`
}

function contactItem(facts: ContactFacts, { frame, can_act }: ContactPageOptions): Markup {
  const { contact } = facts
  const { base, now } = frame
  return html`<li>
    <div class="who">
      <h2>
        <a href="${base}/contacts/${contact.id}" id="c${contact.id}">${foreign(contact.name)}</a>
      </h2>
      <p class="muted">${contact.kind} · ${reachOf(contact)}</p>
    </div>
    <p>${lastDelivery(contact, now)}</p>
    <p class="muted">${waitingText(facts)}</p>
    ${can_act && testButton(contact, base)}
  </li>`
}

function reachOf({ all_monitors }: ContactView): Said {
  return ({ words }) => words.contacts[all_monitors ? 'everyMonitor' : 'namedMonitors']
}

function lastDelivery(contact: ContactView, now: EpochMs): Markup {
  const { last_delivery: last } = contact
  if (last === null)
    return html`<span class="what"
      >${icon('dash', 'quiet')}${({ words }) => words.contacts.nothingSent}</span
    >`
  return isFailing(contact)
    ? html`<span class="what"
          >${icon('cross', 'bad')}<strong
            >${({ words }) => words.contacts.notDelivered}</strong
          ></span
        >
        ${relative(last.at, now)}${last.error !== null && html`, <code>${last.error}</code>`}`
    : html`<span class="what"
          >${icon('check', 'good')}${({ words }) => words.contacts.delivered}</span
        >
        ${relative(last.at, now)}`
}

function waitingText({ waiting, cut }: Pick<ContactFacts, 'waiting' | 'cut'>): Said {
  const count = waiting.length
  if (count === 0) return ({ words }) => words.contacts[cut ? 'nothingRecent' : 'nothingWaits']
  return ({ words }) => words.contacts[cut ? 'atLeastWaits' : 'waits'](count)
}

function testButton({ id, name }: ContactView, base: string): Markup {
  return html`<form method="post" action="${base}/contacts/${id}/test">
    <button id="test-${id}" aria-label="${({ words }) => words.contacts.sendTestTo(name)}">
      ${({ words }) => words.contacts.sendTest}
    </button>
  </form>`
}

export function contactPage(facts: ContactInFull, options: ContactPageOptions): Markup {
  const { contact, notifications, monitors } = facts
  const { frame, can_act } = options
  const { base, now } = frame
  return html`<p class="back">
      <a href="${base}/contacts">${({ words }) => words.contacts.title}</a>
    </p>
    <div class="title">
      <div>
        <h1>${foreign(contact.name)}</h1>
        <p class="muted">${contact.kind} · ${reachOf(contact)}</p>
      </div>
      ${can_act && html`<div class="actions">${testButton(contact, base)}</div>`}
    </div>
    <div id="delivery" class="headline whole" data-live>${headline(facts, now)}</div>
    <section aria-labelledby="h-facts">
      <h2 id="h-facts">${({ words }) => words.common.details}</h2>
      <dl class="facts">${settings(contact)}</dl>
    </section>
    <section aria-labelledby="h-log">
      <h2 id="h-log">${({ words }) => words.contacts.notifications}</h2>
      <div id="log" data-live>
        ${
          notifications.length === 0
            ? html`<p class="empty">${({ words }) => words.contacts.nothingSentTo}</p>`
            : notificationLog(notifications, {
                now,
                base,
                monitors,
                ...(can_act ? { resend_to: `/contacts/${contact.id}` } : {}),
              })
        }
      </div>
    </section>`
}

function headline({ contact, waiting, cut }: ContactInFull, now: EpochMs): Markup {
  const { last_delivery: last } = contact
  const next = waiting
    .map(({ next_attempt_at: at }) => at)
    .filter((at) => at !== null)
    .sort()[0]
  const word = last === null ? 'nothingSent' : isFailing(contact) ? 'lastNot' : 'lastDelivered'
  const sign =
    last === null ? icon('dots', 'quiet') : last.ok ? icon('check', 'good') : icon('cross', 'bad')
  return html`${sign}
    <p>
      <strong>${({ words }) => words.contacts[word]}</strong
      >${last !== null && html` ${relative(last.at, now)}`}<br />
      <span class="muted"
        >${last !== null && last.error !== null && html`<code>${last.error}</code> · `}${waitingText({ waiting, cut })}${next !== undefined && (({ words }: Language) => words.contacts.nextAttempt(relative(next, now)))}</span
      >
    </p>`
}

/** Secrets are masked. */
function settings({
  settings,
  quiet,
  group_window_sec,
  created_at,
}: ContactView): readonly Markup[] {
  const row = (name: string | Said, value: Content): Markup =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`
  return [
    ...Object.entries(settings).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [row(name, foreign(inWords(value)))],
    ),
    ...(quiet === null ? [] : [row(({ words }) => words.contacts.quietHours, quietText(quiet))]),
    ...(group_window_sec === 0
      ? []
      : [
          row(
            ({ words }) => words.contacts.oneMessage,
            ({ duration }: Language) => duration(group_window_sec),
          ),
        ]),
    row(
      ({ words }) => words.common.created,
      ({ day }: Language) => day(created_at),
    ),
  ]
}

function quietText({ hours, time_zone }: NonNullable<ContactView['quiet']>): string {
  return `${hours.map(({ from, to }) => `${from}–${to}`).join(', ')} ${time_zone}`
}

/** For the overview: whose deliveries fail; nothing if all arrive. */
export function failingContacts(failing: readonly ContactView[], base: string): Markup | false {
  const [first, ...others] = failing
  if (first === undefined) return false
  const who: Content = ({ words: { overview } }) =>
    others.length === 0
      ? overview.notReached(html`<a href="${base}/contacts/${first.id}">${foreign(first.name)}</a>`)
      : overview.wereNotReached(
          html`<a href="${base}/contacts">${overview.severalNotReached(failing.length)}</a>`,
        )
  return html`<span class="near">${icon('alert', 'warn')}${who}</span>`
}
