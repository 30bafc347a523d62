/**
 * The page for customers: chosen monitors, in words for people who do not run them. Names, days and
 * downtime; addresses and causes only where the operator wants them shown, ids and settings never.
 *
 * @module
 */

import type { UptimeView } from '../../engine/views.ts'
import type { MonitorState } from '../../model.ts'
import { bars } from '../bars.ts'
import type { Frame } from '../frame.ts'
import { icon } from '../icons.ts'
import { foreign, html } from '../markup.ts'
import type { Markup } from '../markup.ts'
import { dayText, durationText, isUnseen, moment, percentText, STALE_WORDS } from '../words.ts'
import type { Tone } from '../words.ts'

export interface PublicFacts {
  readonly title: string
  readonly description: string | undefined
  readonly services: readonly PublicService[]
  readonly incidents: readonly PublicIncident[]
}

export interface PublicService {
  readonly name: string
  /** Only where the operator shows it. */
  readonly target: string | undefined
  readonly state: MonitorState
  /** Nobody has been able to look for a while. */
  readonly stale: boolean
  readonly uptime: UptimeView
}

export interface PublicIncident {
  readonly service: string
  readonly started_at: string
  readonly ended_at: string | null
  readonly duration_sec: number
  /** Only where the operator shows it. */
  readonly cause: string | undefined
}

interface ServiceWords {
  readonly label: string
  readonly tone: Tone
  readonly shape: Parameters<typeof icon>[0]
}

/** What is only suspected is not told to customers. */
function serviceWords(service: Pick<PublicService, 'state' | 'stale'>): ServiceWords {
  // Nobody has looked for a while: that is not to be taken for good news.
  if (isUnseen(service)) return { label: STALE_WORDS.label, tone: 'warn', shape: 'dash' }
  switch (service.state) {
    case 'up':
    case 'confirming':
    case 'late':
      return { label: 'Operational', tone: 'good', shape: 'check' }
    case 'down':
    case 'recovering':
      return { label: 'Disrupted', tone: 'bad', shape: 'cross' }
    case 'maintenance':
      return { label: 'Maintenance', tone: 'quiet', shape: 'tool' }
    case 'pending':
      return { label: 'No data yet', tone: 'quiet', shape: 'dots' }
    case 'paused':
      return { label: 'Not monitored', tone: 'quiet', shape: 'bars' }
  }
}

export function publicPage(facts: PublicFacts, { now }: Frame): Markup {
  const { services, incidents, description } = facts
  return html`<div>
    <div id="summary" class="banner ${overall(services).tone}" data-live>${banner(services)}</div>
    ${description !== undefined && html`<p class="about">${foreign(description)}</p>`}
    <h2 class="hidden">Services</h2>
    <ul class="services">
      ${services.map((service, at) => serviceItem(service, at))}
    </ul>
    <section aria-labelledby="h-past">
      <h2 id="h-past">Past 14 days</h2>
      <div id="past" data-live>${past(incidents, now)}</div>
    </section>
  </div>`
}

/** The state of all in a sentence. */
export function saidOf({ services }: PublicFacts): string {
  return overall(services).label
}

function overall(services: readonly PublicService[]): ServiceWords {
  const words = services.map(serviceWords)
  const bad = words.filter(({ tone }) => tone === 'bad').length
  if (bad > 0) {
    const all = bad === services.length
    const label = all ? 'Services are disrupted' : 'Some services are disrupted'
    return {
      label: services.length === 1 ? 'The service is disrupted' : label,
      tone: 'bad',
      shape: 'cross',
    }
  }
  if (services.some(isUnseen)) {
    const all = services.every(isUnseen)
    const label = all
      ? 'Services could not be checked lately'
      : 'Some services could not be checked lately'
    return {
      label: services.length === 1 ? 'The service could not be checked lately' : label,
      tone: 'warn',
      shape: 'dash',
    }
  }
  if (words.some(({ tone }) => tone === 'good'))
    return { label: 'All services are operational', tone: 'good', shape: 'check' }
  return { label: 'There is no data yet', tone: 'quiet', shape: 'dots' }
}

function banner(services: readonly PublicService[]): Markup {
  const { label, tone, shape } = overall(services)
  return html`${icon(shape, tone)}
    <h1>${label}</h1>`
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

/** The day stands above already, where it is the same. */
function hour(at: string, day: string): Markup {
  if (at.slice(0, 10) !== day.slice(0, 10)) return moment(at)
  return html`<time datetime="${at}" title="${at}">${at.slice(11, 16)}</time>`
}
