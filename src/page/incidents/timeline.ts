/**
 * An incident step by step: the first failed check, the confirmation, who was notified and how that went, the end.
 *
 * @module
 */

import type { IncidentView, NotificationView } from '../../engine/api/views.ts'
import type { EpochMs } from '../../model.ts'
import { attemptText, DELIVERY } from '../contacts/notification-log.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Markup } from '../layout/markup.ts'
import { clockTime } from '../layout/words.ts'
import type { Language } from '../words/language.ts'

export interface TimelineFacts {
  readonly incident: IncidentView
  readonly notifications: readonly NotificationView[]
  readonly contacts: ReadonlyMap<number, string>
  /** Names of locations; those that failed are named where they are known. */
  readonly locations: ReadonlyMap<number, string>
  readonly now: EpochMs
}

interface Step {
  readonly at: string
  /** Of steps at the same time, the order in which they happen. */
  readonly rank: number
  readonly sign: Markup
  readonly what: Content
}

export function timeline(facts: TimelineFacts): Markup {
  const steps = [
    ...ownSteps(facts),
    ...facts.notifications.map((row) => notificationStep(row, facts.contacts)),
  ]
  const ordered = steps.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.rank - b.rank))
  return html`<ol class="timeline">
    ${ordered.map(
      ({ at, sign, what }) =>
        html`<li>
          <span class="at">${clockTime(at, facts.now)}</span>${sign}<span>${what}</span>
        </li>`,
    )}
  </ol>`
}

function ownSteps({ incident, locations }: TimelineFacts): readonly Step[] {
  const { causes, detected_at, started_at, acknowledged_at, ended_at, closed_reason } = incident
  const [, ...changes] = causes
  const [first = { cause_code: incident.cause_code, cause_text: incident.cause_text }] = causes
  const took = (Date.parse(detected_at) - Date.parse(started_at)) / 1000
  const seen = incident.locations_failed.flatMap((id) => locations.get(id) ?? [])
  return [
    {
      at: started_at,
      rank: 0,
      sign: icon('alert', 'warn'),
      what: ({ words }) => words.incidents.firstFailed(cause(first)),
    },
    {
      at: detected_at,
      rank: 1,
      sign: icon('cross', 'bad'),
      what: [
        ({ words: { incidents }, duration }) =>
          took < 1 ? incidents.confirmedAtOnce : incidents.confirmedAfter(duration(took)),
        seen.length > 0 &&
          (({ words }: Language) => words.incidents.failedIn(foreign(seen.join(', ')))),
      ],
    },
    ...changes.map((change) => ({
      at: change.at,
      rank: 3,
      sign: icon('alert', 'warn'),
      what: ({ words }: Language) => words.incidents.causeChanged(cause(change)),
    })),
    ...(acknowledged_at === null
      ? []
      : [
          {
            at: acknowledged_at,
            rank: 4,
            sign: icon('check', 'quiet'),
            what: ({ words }: Language) => words.incidents.acknowledged,
          },
        ]),
    ...(ended_at === null
      ? []
      : [
          {
            at: ended_at,
            rank: 5,
            sign: icon('check', 'good'),
            what: ({ words }: Language) => words.incidents.steps[closed_reason ?? 'recovered'],
          },
        ]),
  ]
}

function cause({
  cause_code,
  cause_text,
}: Pick<IncidentView['causes'][number], 'cause_code' | 'cause_text'>): Markup {
  return html`${foreign(cause_text)} <code>${cause_code}</code>`
}

function notificationStep(row: NotificationView, contacts: ReadonlyMap<number, string>): Step {
  const { event, contact_id, status, attempts, error, repeat } = row
  const name = contacts.get(contact_id)
  const how = attempts.map((attempt, at) => [at > 0 && '; ', attemptText(attempt)])
  const what = html`<code>${event}</code>${repeat > 0 && ` ${repeat}`}`
  const contact: Content =
    name === undefined ? ({ words }) => words.incidents.goneContact(contact_id) : foreign(name)
  return {
    at: row.sent_at ?? row.created_at,
    rank: event === 'up' ? 6 : 2,
    sign: icon('arrow', 'quiet'),
    what: [
      ({ words }) => words.incidents.sentTo<Content>(what, contact),
      html`<span class="what">${DELIVERY[status]}</span>`,
      error !== null && html` <code>${error}</code>`,
      attempts.length > 0 &&
        html` <span class="muted"
          >${({ words }) => words.contacts.attemptCount(attempts.length)}: ${how}</span
        >`,
    ],
  }
}
