/**
 * The public page: selected monitors, in words for their users. Names, days and downtime; addresses and causes only
 * if the operator enables them, ids and settings never.
 *
 * @module
 */

import { stepsOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { UptimeView } from '../../engine/api/views.ts'
import type { MonitorState } from '../../model.ts'
import { bars } from '../layout/bars.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import { dayText, durationText, moment, percentText } from '../layout/words.ts'
import { overall, serviceWords } from './overall.ts'

export interface PublicFacts {
  readonly title: string
  readonly description: string | undefined
  readonly services: readonly PublicService[]
  readonly incidents: readonly PublicIncident[]
}

export interface PublicService {
  readonly name: string
  /** Only if the operator enables it. */
  readonly target: string | undefined
  readonly state: MonitorState
  /** The state is unknown since no check has run for too long. */
  readonly stale: boolean
  readonly uptime: UptimeView
}

export interface PublicIncident {
  readonly service: string
  readonly started_at: string
  readonly ended_at: string | null
  readonly duration_sec: number
  /** Only if the operator enables it. */
  readonly cause: string | undefined
}

/** Rendered in steps: ninety days of a hundred services are a megabyte. */
export async function publicPage(
  facts: PublicFacts,
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>,
): Promise<Markup> {
  const { services, incidents, description } = facts
  const others = stepsOf(clock)
  const items: Markup[] = []
  for (const [at, service] of services.entries()) {
    await others()
    items.push(serviceItem(service, at))
  }
  return html`<div>
    <div id="summary" class="banner ${overall(services).tone}" data-live>${banner(services)}</div>
    ${description !== undefined && html`<p class="about">${foreign(description)}</p>`}
    <h2 class="hidden">Services</h2>
    <ul class="services">
      ${items}
    </ul>
    <section aria-labelledby="h-past">
      <h2 id="h-past">Past 14 days</h2>
      <div id="past" data-live>${past(incidents, clock.now())}</div>
    </section>
  </div>`
}

/** The overall state in a sentence. */
export function saidOf({ services }: PublicFacts): string {
  const { label, rest } = overall(services)
  return rest === '' ? label : `${label}, ${rest}`
}

function banner(services: readonly PublicService[]): Markup {
  const { label, tone, shape, rest } = overall(services)
  return html`${icon(shape, tone)}
    <div>
      <h1>${label}</h1>
      ${rest !== '' && html`<p class="muted">${rest}</p>`}
    </div>`
}

function serviceItem(service: PublicService, at: number): Markup {
  const { name, target, uptime } = service
  const { label, tone, shape } = serviceWords(service)
  return html`<li id="s${at}" data-live>
    <div class="bar">
      <h3>
        ${foreign(name)}${target !== undefined && html` <span class="muted mono">${foreign(target)}</span>`}
      </h3>
      <span class="state ${tone}">${icon(shape, tone)}${label}</span>
    </div>
    ${bars(uptime, { name, each_day: true })}
    <div class="span">
      <span>90 days ago</span
      ><span
        >${uptime.overall === null ? 'no data yet' : `${percentText(uptime.overall)} uptime`}</span
      ><span>Today</span>
    </div>
  </li>`
}

function past(incidents: readonly PublicIncident[], now: number): Markup {
  if (incidents.length === 0) return html`<p class="empty">No disruption in this time.</p>`
  const days = [...new Set(incidents.map(({ started_at }) => started_at.slice(0, 10)))]
  return html`${days.map(
    (day) =>
      html`<h3 class="day">${dayText(day)}</h3>
        <ul class="past">
          ${incidents.filter(({ started_at }) => started_at.startsWith(day)).map((incident) => incidentItem(incident, now))}
        </ul>`,
  )}`
}

function incidentItem(
  { service, started_at, ended_at, duration_sec, cause }: PublicIncident,
  now: number,
): Markup {
  const open = ended_at === null
  const length = durationText(open ? (now - Date.parse(started_at)) / 1000 : duration_sec)
  return html`<li>
    ${open ? icon('cross', 'bad') : icon('check', 'good')}
    <p>
      <strong>${foreign(service)}</strong>
      ${open ? `has been disrupted for ${length}` : `was disrupted for ${length}`}<br />
      <span class="muted"
        >${hour(started_at, started_at)} –
        ${ended_at === null ? 'ongoing' : hour(ended_at, started_at)}${cause !== undefined && html` · ${foreign(cause)}`}</span
      >
    </p>
  </li>`
}

/** Without the day if the line above shows the same. */
function hour(at: string, day: string): Markup {
  if (at.slice(0, 10) !== day.slice(0, 10)) return moment(at)
  return html`<time datetime="${at}" title="${at}">${at.slice(11, 16)}</time>`
}
