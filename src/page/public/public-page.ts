/**
 * The public page: selected monitors, in words for their users. Names, days and downtime; addresses and causes only
 * if the operator enables them, ids and settings never.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { AvailabilityView } from '../../engine/services/uptime.ts'
import type { MonitorState } from '../../model.ts'
import { bars, writtenTooltips } from '../layout/bars.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html, settled } from '../layout/markup.ts'
import type { Markup, Said } from '../layout/markup.ts'
import { plannedList } from '../layout/planned.ts'
import type { PlannedWork } from '../layout/planned.ts'
import { DAY_MS } from '../../model/time.ts'
import type { Language } from '../words/language.ts'
import type { PageTimes } from './page-times.ts'
import { reportItem } from './reports.ts'
import { overall, serviceWords } from './service-states.ts'
import type { Overall } from './service-states.ts'
import type { PublicReport } from './reports.ts'
import { plainName, serviceName } from '../layout/service-name.ts'

export type { PublicReport } from './reports.ts'

const PAST_MS = 14 * DAY_MS

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
  readonly uptime: AvailabilityView
  /** The median response time of today, or of yesterday. */
  readonly median_ms: number | null
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

/** Written in steps: ninety days of a hundred services are a megabyte. */
export async function publicPage(
  facts: PublicFacts,
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>,
  language: Language,
): Promise<Markup> {
  const { groups, description, times } = facts
  const yieldIfLong = yielderOf(clock)
  const lists: Markup[] = []
  let at = 0
  const tooltip = writtenTooltips(language)
  for (const { name, services: own } of groups) {
    const items: Markup[] = []
    for (const service of own) {
      await yieldIfLong()
      items.push(settled(serviceItem(service, at++, tooltip), language))
    }
    const heading =
      name === ''
        ? html`<h2 class="hidden">${({ words }) => words.public.services}</h2>`
        : html`<h2 class="group">${foreign(name)}</h2>`
    lists.push(
      html`${heading}
        <ul class="services">
          ${items}
        </ul>`,
    )
  }
  const main = html`<div>
    <div id="summary" class="banner ${overallOf(facts).tone}" data-live>${banner(facts)}</div>
    ${description !== undefined && html`<p class="about">${foreign(description)}</p>`}
    <div id="reports" data-live>${openReports(facts)}</div>
    ${lists}
    <div id="planned" data-live>${planned(facts, clock.now())}</div>
    <section aria-labelledby="h-past">
      <h2 id="h-past">${({ words }) => words.public.past}</h2>
      <div id="past" data-live>
        ${pastReports(facts, clock.now())}${past(facts.incidents, times, clock.now())}
      </div>
    </section>
  </div>`
  return settled(main, language)
}

export function servicesOf({ groups }: Pick<PublicFacts, 'groups'>): readonly PublicService[] {
  return groups.flatMap(({ services }) => services)
}

/** Before everything else: what people wrote explains the states below. */
function openReports({ reports, times }: PublicFacts): Markup | false {
  const open = reports.filter(({ resolved_at }) => resolved_at === null)
  if (open.length === 0) return false
  return html`<section aria-labelledby="h-reports">
    <h2 id="h-reports">${({ words }) => words.public.current}</h2>
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
    <h2 id="h-planned">${({ words }) => words.public.planned}</h2>
    ${plannedList(work, now, { times })}
  </section>`
}

/** The overall state in a sentence. */
export function saidOf(facts: PublicFacts): Said {
  const { label, rest } = overallOf(facts)
  return (language) =>
    [label, rest]
      .map((each) => each(language))
      .filter(Boolean)
      .join(', ')
}

function banner(facts: PublicFacts): Markup {
  const { label, tone, shape, rest } = overallOf(facts)
  return html`${icon(shape, tone)}
    <div>
      <h1>${label}</h1>
      ${(language) => rest(language) !== '' && html`<p class="muted">${rest}</p>`}
    </div>`
}

function serviceItem(
  service: PublicService,
  at: number,
  tooltip: ReturnType<typeof writtenTooltips>,
): Markup {
  const { name, target, uptime } = service
  const { label, tone, shape } = serviceWords(service)
  return html`<li id="s${at}" data-live>
    <div class="bar">
      <h3>
        ${serviceName(name)}${target !== undefined && html` <span class="muted mono">${foreign(target)}</span>`}
      </h3>
      <span class="state ${tone}">${icon(shape, tone)}${label}</span>
    </div>
    ${bars(uptime, { name: plainName(name), each_day: true, tooltip })}
    <div class="span">
      <span>${({ words }) => words.days.daysAgo(90)}</span><span>${uptimeOf(uptime)}</span
      ><span>${({ words }) => words.days.today}</span>
    </div>
  </li>`
}

function uptimeOf({ overall: percent }: AvailabilityView): Said {
  if (percent === null) return ({ words }) => words.public.noData
  return (language) => language.words.public.uptime(language.uptime(percent))
}

export function past(incidents: readonly PublicIncident[], times: PageTimes, now: number): Markup {
  if (incidents.length === 0)
    return html`<p class="empty">${({ words }) => words.public.noDisruption}</p>`
  const dayOf = (incident: PublicIncident): string => times.date(incident.started_at)
  const days = [...new Set(incidents.map(dayOf))]
  return html`${days.map(
    (day) =>
      html`<h3 class="day">${(language) => language.day(day)}</h3>
        <ul class="past">
          ${incidents.filter((incident) => dayOf(incident) === day).map((incident) => incidentItem(incident, times, now))}
        </ul>`,
  )}`
}

function incidentItem(
  { service, started_at, ended_at, duration_sec, cause }: PublicIncident,
  times: PageTimes,
  now: number,
): Markup {
  const open = ended_at === null
  const sec = open ? (now - Date.parse(started_at)) / 1000 : duration_sec
  const who = html`<strong>${serviceName(service)}</strong>`
  return html`<li>
    ${open ? icon('cross', 'bad') : icon('check', 'good')}
    <p>
      ${({ words, duration }) => words.public[open ? 'isDisrupted' : 'wasDisrupted'](who, duration(sec))}<br />
      <span class="muted"
        >${times.onItsDay(started_at)} –
        ${ended_at === null ? ({ words }: Language) => words.public.ongoing : times.within(ended_at, started_at)}${cause !== undefined && html` · ${foreign(cause)}`}</span
      >
    </p>
  </li>`
}

/** With what people wrote: where an incident is open, nothing is said to be well, whatever the checks find. */
export function overallOf(facts: PublicFacts): Overall {
  const found = overall(servicesOf(facts))
  const open = facts.reports.filter(({ resolved_at }) => resolved_at === null)
  if (open.length === 0 || found.tone === 'bad') return found
  return {
    label: ({ words }) => words.public.incidentsOpen(open.length),
    tone: 'warn',
    shape: 'alert',
    rest: found.tone === 'good' ? ({ words }) => words.public.noDisruptionFound : found.label,
  }
}
