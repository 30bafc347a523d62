/**
 * The public page: selected monitors, in words for their users. Names, days and downtime; addresses and causes only
 * if the operator enables them, ids and settings never.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { UptimeView } from '../../engine/api/views.ts'
import type { MonitorState } from '../../model.ts'
import { bars } from '../layout/bars.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import { plannedList } from '../layout/planned.ts'
import type { PlannedWork } from '../layout/planned.ts'
import { durationText, isUnseen, STALE_WORDS, uptimeText } from '../layout/words.ts'
import type { Shown, Tone } from '../layout/words.ts'
import { DAY_MS } from '../../model/time.ts'
import type { PageTimes } from './page-times.ts'
import { reportItem } from './reports.ts'
import type { PublicReport } from './reports.ts'

export type { PublicReport } from './reports.ts'

const PAST_MS = 14 * DAY_MS

interface ServiceWords {
  readonly label: string
  readonly tone: Tone
  readonly shape: Parameters<typeof icon>[0]
}

interface Overall extends ServiceWords {
  /** The services that the label leaves out: `1 in maintenance, 2 not monitored`. Empty if there are none. */
  readonly rest: string
}

const OPERATIONAL: ServiceWords = { label: 'Operational', tone: 'good', shape: 'check' }
const DISRUPTED: ServiceWords = { label: 'Disrupted', tone: 'bad', shape: 'cross' }
/** It works as far as checks see, and people say that it does not. */
const AFFECTED: ServiceWords = { label: 'Affected', tone: 'warn', shape: 'alert' }
const UNSEEN: ServiceWords = { label: STALE_WORDS.label, tone: 'warn', shape: 'dash' }

/** A failure that is not confirmed is not shown to customers. */
const OF_STATE: Readonly<Record<MonitorState, ServiceWords>> = {
  up: OPERATIONAL,
  confirming: OPERATIONAL,
  late: OPERATIONAL,
  down: DISRUPTED,
  recovering: DISRUPTED,
  maintenance: { label: 'Maintenance', tone: 'quiet', shape: 'tool' },
  pending: { label: 'No data yet', tone: 'quiet', shape: 'dots' },
  paused: { label: 'Not monitored', tone: 'quiet', shape: 'bars' },
}

/** Services that are neither operational nor disrupted: how they are counted, and the sentence if all are so. */
const QUIET = [
  { ...OF_STATE.maintenance, counted: 'in maintenance', all: 'Planned work is under way' },
  { ...OF_STATE.paused, counted: 'not monitored', all: 'Nothing is monitored at present' },
  { ...OF_STATE.pending, counted: 'without data yet', all: 'There is no data yet' },
] as const

export interface PublicFacts {
  readonly title: string
  readonly description: string | undefined
  readonly groups: readonly {
    /** Empty: no heading. */
    readonly name: string
    readonly services: readonly PublicService[]
  }[]
  readonly incidents: readonly PublicIncident[]
  readonly planned: readonly PlannedWork[]
  /** Newest first. */
  readonly reports: readonly PublicReport[]
  readonly times: PageTimes
}

export interface PublicService {
  readonly name: string
  /** Only if the operator enables it. */
  readonly target: string | undefined
  readonly state: MonitorState
  /** The state is unknown since no check has run for too long. */
  readonly stale: boolean
  readonly uptime: UptimeView
  /** An open report names it. */
  readonly reported: boolean
  /** Finds its badges. */
  readonly key: string | undefined
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
  const { groups, description, times } = facts
  const yieldIfLong = yielderOf(clock)
  const lists: Markup[] = []
  let at = 0
  for (const { name, services: own } of groups) {
    const items: Markup[] = []
    for (const service of own) {
      await yieldIfLong()
      items.push(serviceItem(service, at++))
    }
    const heading =
      name === ''
        ? html`<h2 class="hidden">Services</h2>`
        : html`<h2 class="group">${foreign(name)}</h2>`
    lists.push(
      html`${heading}
        <ul class="services">
          ${items}
        </ul>`,
    )
  }
  return html`<div>
    <div id="summary" class="banner ${overallOf(facts).tone}" data-live>${banner(facts)}</div>
    ${description !== undefined && html`<p class="about">${foreign(description)}</p>`}
    <div id="reports" data-live>${openReports(facts)}</div>
    ${lists}
    <div id="planned" data-live>${planned(facts, clock.now())}</div>
    <section aria-labelledby="h-past">
      <h2 id="h-past">Past 14 days</h2>
      <div id="past" data-live>
        ${pastReports(facts, clock.now())}${past(facts.incidents, times, clock.now())}
      </div>
    </section>
  </div>`
}

export function servicesOf({ groups }: Pick<PublicFacts, 'groups'>): readonly PublicService[] {
  return groups.flatMap(({ services }) => services)
}

/** Before everything else: what people wrote explains the states below. */
function openReports({ reports, times }: PublicFacts): Markup | false {
  const open = reports.filter(({ resolved_at }) => resolved_at === null)
  if (open.length === 0) return false
  return html`<section aria-labelledby="h-reports">
    <h2 id="h-reports">Current incidents</h2>
    ${open.map((report) => reportItem(report, times))}
  </section>`
}

function pastReports({ reports, times }: PublicFacts, now: number): Markup | false {
  const over = reports.filter(
    ({ resolved_at }) => resolved_at !== null && Date.parse(resolved_at) > now - PAST_MS,
  )
  return over.length > 0 && html`${over.map((report) => reportItem(report, times))}`
}

function planned({ planned: work, times }: PublicFacts, now: number): Markup | false {
  if (work.length === 0) return false
  return html`<section aria-labelledby="h-planned">
    <h2 id="h-planned">Planned maintenance</h2>
    ${plannedList(work, now, { times })}
  </section>`
}

/** The overall state in a sentence. */
export function saidOf(facts: PublicFacts): string {
  const { label, rest } = overallOf(facts)
  return rest === '' ? label : `${label}, ${rest}`
}

function banner(facts: PublicFacts): Markup {
  const { label, tone, shape, rest } = overallOf(facts)
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
        >${uptime.overall === null ? 'no data yet' : `${uptimeText(uptime.overall)} uptime`}</span
      ><span>Today</span>
    </div>
  </li>`
}

export function past(incidents: readonly PublicIncident[], times: PageTimes, now: number): Markup {
  if (incidents.length === 0) return html`<p class="empty">No disruption in this time.</p>`
  const days = [...new Set(incidents.map(({ started_at }) => times.day(started_at)))]
  return html`${days.map(
    (day) =>
      html`<h3 class="day">${day}</h3>
        <ul class="past">
          ${incidents.filter(({ started_at }) => times.day(started_at) === day).map((incident) => incidentItem(incident, times, now))}
        </ul>`,
  )}`
}

function incidentItem(
  { service, started_at, ended_at, duration_sec, cause }: PublicIncident,
  times: PageTimes,
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
        >${times.within(started_at, started_at)} –
        ${ended_at === null ? 'ongoing' : times.within(ended_at, started_at)}${cause !== undefined && html` · ${foreign(cause)}`}</span
      >
    </p>
  </li>`
}

/** A stale service is not shown as operational. */
export function serviceWords(service: Shown & { readonly reported?: boolean }): ServiceWords {
  const words = isUnseen(service) ? UNSEEN : OF_STATE[service.state]
  return service.reported === true && words.tone === 'good' ? AFFECTED : words
}

/** With what people wrote: where an incident is open, nothing is said to be well, whatever the checks find. */
export function overallOf(facts: PublicFacts): Overall {
  const found = overall(servicesOf(facts))
  const open = facts.reports.filter(({ resolved_at }) => resolved_at === null)
  if (open.length === 0 || found.tone === 'bad') return found
  const label = open.length === 1 ? 'An incident is open' : `${open.length} incidents are open`
  const rest = found.tone === 'good' ? 'our checks find no disruption' : found.label
  return { label, tone: 'warn', shape: 'alert', rest }
}

/** A sentence for all services, computed from every state, so that "all" is only said if it applies to all. */
export function overall(services: readonly Shown[]): Overall {
  const words = services.map(serviceWords)
  const count = (label: string): number => words.filter((each) => each.label === label).length
  const quiet = QUIET.filter(({ label }) => count(label) > 0)
  const rest = quiet.map(({ label, counted }) => `${count(label)} ${counted}`).join(', ')
  const one = services.length === 1
  const [bad, unseen, good] = [DISRUPTED, UNSEEN, OPERATIONAL].map(({ label }) => count(label))
  if (bad !== undefined && bad > 0) {
    const who = whose(bad, services.length)
    return { ...DISRUPTED, label: `${who} ${one ? 'is' : 'are'} disrupted`, rest }
  }
  if (unseen !== undefined && unseen > 0) {
    const who = whose(unseen, services.length)
    return { ...UNSEEN, label: `${who} could not be checked lately`, rest }
  }
  if (quiet.length === 0 && services.length > 0)
    return {
      ...OPERATIONAL,
      label: `${one ? 'The service is' : 'All services are'} operational`,
      rest,
    }
  const [first = QUIET[2], ...others] = quiet
  if (good === 0 || good === undefined) {
    const label = others.length === 0 ? first.all : 'No service is known to be operational'
    return { label, tone: 'quiet', shape: first.shape, rest: others.length === 0 ? '' : rest }
  }
  const label = `${good} of ${services.length} services ${good === 1 ? 'is' : 'are'} operational`
  return { label, tone: 'quiet', shape: first.shape, rest }
}

function whose(count: number, all: number): string {
  if (all === 1) return 'The service'
  return count === all ? 'Services' : 'Some services'
}
