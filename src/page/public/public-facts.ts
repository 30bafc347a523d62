/**
 * The monitors and data of a public page. No other data of the account reaches it.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { AccountScope, Engine } from '../../engine/api/engine.ts'
import type { IncidentView, MonitorSummary } from '../../engine/api/views.ts'
import { requestServicesOf } from '../../engine/services/request-services.ts'
import { ConfigurationError } from '../../errors.ts'
import { FIRST_ACCOUNT, isAccountId } from '../../model.ts'
import type { StatusReportView } from '../../engine/api/status-reports.ts'
import { coverageOf } from '../../model/coverage.ts'
import { DAY_MS } from '../../model/time.ts'
import { timesIn } from './page-times.ts'
import { UNNAMED } from '../layout/service-name.ts'
import type { PublicFacts, PublicIncident, PublicReport, PublicService } from './public-page.ts'

export interface PublicStatus {
  /** `/status/<slug>`: letters, digits and hyphens, at most 64. */
  readonly slug: string
  readonly title: string
  /** A sentence below the headline. */
  readonly description?: string | undefined
  /** Default: the engine's first account. */
  readonly account_id?: number
  /** Ids in the order of display, or all monitors with a tag, ordered by name. At most 100 are shown. */
  readonly monitors: readonly number[] | { readonly tag: string }
  /** Shows the targets beside the names. Default `false`. */
  readonly show_targets?: boolean | undefined
  /** Shows the causes of incidents, in the words of the checks: they may contain internal addresses. Default `false`. */
  readonly show_causes?: boolean | undefined
}

export const SERVICES_LIMIT = 100
/** Maximum length of a name, in characters. */
const NAME_LIMIT = 200
const DAYS = 90
const PAST_DAYS = 14
const PAST_LIMIT = 50
/** How much of what is planned is shown, of all that the account plans in this time. */
const AHEAD_DAYS = 14
const AHEAD_LIMIT = 10
const AHEAD_READ = 200

/** @throws ConfigurationError */
export function checkPublic(pages: readonly PublicStatus[]): void {
  const seen = new Set<string>()
  for (const page of pages) {
    const { slug } = page
    // Absent means the first account; `undefined` as a value does not.
    if ('account_id' in page && !isAccountId(page.account_id))
      throw new ConfigurationError(`The public page "${slug}" has an account_id that is no id`)
    if (!/^[a-z\d][a-z\d-]{0,63}$/i.test(slug))
      throw new ConfigurationError(`"${slug}" cannot be the slug of a public page`)
    if (seen.has(slug)) throw new ConfigurationError(`Two public pages have the slug "${slug}"`)
    seen.add(slug)
  }
}

export function scopeOf(engine: Engine, { account_id }: PublicStatus): Scope {
  return account_id === undefined ? engine : engine.account(account_id)
}

export type Scope = Pick<AccountScope, 'monitors' | 'incidents' | 'maintenance'>

export async function chosenMonitors(
  engine: Engine,
  page: PublicStatus,
): Promise<readonly MonitorSummary[]> {
  const { monitors, account_id = FIRST_ACCOUNT } = page
  if ('tag' in monitors) return taggedMonitors(scopeOf(engine, page), monitors.tag)
  const { accountMonitors } = requestServicesOf(engine)
  // A removed monitor is left out; the page shows the others.
  const found = await accountMonitors.byIds(account_id, monitors.slice(0, SERVICES_LIMIT))
  return found.map(accountMonitors.summaryOf)
}

/** By name. */
export async function taggedMonitors(
  scope: Pick<Scope, 'monitors'>,
  tag: string,
): Promise<readonly MonitorSummary[]> {
  const { items } = await scope.monitors.list({ tag: [[tag]], limit: SERVICES_LIMIT })
  return [...items].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
}

/** Monitors under one heading; an empty name has none. */
export interface MonitorGroup {
  readonly name: string
  readonly monitors: readonly MonitorSummary[]
}

/** What a page says of its monitors, and how. */
export interface PageLook {
  readonly title: string
  readonly description?: string | undefined
  readonly show_targets?: boolean | undefined
  readonly show_causes?: boolean | undefined
  /** Of monitors that are called otherwise on the page. */
  readonly names?: ReadonlyMap<number, string> | undefined
  /** Default UTC. */
  readonly time_zone?: string | undefined
}

interface PublicReading {
  readonly engine: Engine
  readonly account_id: number
  readonly groups: readonly MonitorGroup[]
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>
  /** Newest first. */
  readonly reports?: readonly StatusReportView[]
  /** How to find badges of one service; absent: there are none. */
  readonly keyOf?: (monitor_id: number) => string
}

/** One monitor after the other, yielding in between: a store may answer synchronously. */
export async function publicFacts(
  scope: Scope,
  look: PageLook,
  { engine, account_id, groups, clock, reports = [], keyOf }: PublicReading,
): Promise<PublicFacts> {
  const { title, description, show_targets = false, time_zone = 'UTC' } = look
  const from = clock.now() - PAST_DAYS * DAY_MS
  const naming: Naming = { show_targets, names: look.names ?? new Map() }
  const { accountMonitors } = requestServicesOf(engine)
  const incidents: IncidentView[] = []
  const incidentsOf = await incidentsSince(scope, from)
  const yieldIfLong = yielderOf(clock)
  const shown: PublicFacts['groups'][number][] = []
  const open = new Set(
    reports.flatMap(({ resolved_at, monitor_ids }) => (resolved_at === null ? monitor_ids : [])),
  )
  for (const { name: heading, monitors } of groups) {
    const services: PublicService[] = []
    for (const monitor of monitors) {
      await yieldIfLong()
      const { id, target, state, stale } = monitor
      services.push({
        name: publicName(monitor, naming),
        target: show_targets && target !== monitor.name ? target : undefined,
        state,
        stale,
        uptime: await accountMonitors.availability(account_id, id, DAYS),
        // Badges alone show it.
        median_ms: keyOf === undefined ? null : await accountMonitors.median(account_id, id),
        reported: open.has(id),
        key: keyOf?.(id),
      })
      incidents.push(...(await incidentsOf(id)))
    }
    shown.push({ name: heading, services })
  }
  const monitors = groups.flatMap((group) => group.monitors)
  return {
    title,
    description,
    groups: shown,
    planned: await plannedFor(scope, monitors, naming),
    reports: shortened(reports).map((report) => publicReport(report, monitors, naming)),
    incidents: incidents
      .sort((a, b) => (a.started_at < b.started_at ? 1 : -1))
      .slice(0, PAST_LIMIT)
      .map((incident) => publicIncident(incident, naming, look.show_causes === true)),
    times: timesIn(time_zone),
  }
}

/** Those of each monitor: read at once for all of them, unless the account has many. */
async function incidentsSince(
  { incidents }: Scope,
  from: number,
): Promise<(monitor_id: number) => Promise<readonly IncidentView[]>> {
  const all = await incidents.list({ from, limit: PAST_LIMIT })
  return async (monitor_id) => {
    if (all.next === null) return all.items.filter(({ monitor }) => monitor.id === monitor_id)
    return (await incidents.list({ monitor_id, from, limit: PAST_LIMIT })).items
  }
}

/** Characters of updates that one page shows: each becomes markup, feed and JSON in one turn. */
const CHARACTERS_SHOWN = 50_000
/** Of each report beyond. */
const CHARACTERS_BEYOND = 300

/** What a line adds to the characters of a text: each may be a paragraph of its own. */
const LINE_CHARACTERS = 40

function weightOf(text: string): number {
  return text.length + LINE_CHARACTERS * (text.split('\n').length - 1)
}

/** Of so many reports, with long texts, the newest are shown whole, and of the others how far the work is. */
export function shortened(reports: readonly StatusReportView[]): readonly StatusReportView[] {
  let left = CHARACTERS_SHOWN
  return reports.map((report) => {
    left -= report.updates.reduce((sum, { text }) => sum + weightOf(text), 0)
    if (left >= 0) return report
    const updates = report.updates.slice(-1).map((update) => {
      const { text } = update
      const cut = text.length > CHARACTERS_BEYOND
      return cut ? { ...update, text: `${text.slice(0, CHARACTERS_BEYOND)}…` } : update
    })
    return { ...report, updates }
  })
}

interface Naming {
  readonly show_targets: boolean
  readonly names: ReadonlyMap<number, string>
}

/** Services that a report, or planned work, names: each name stands in the page, in the feeds and in the months. */
const NAMED = 10

function named(services: readonly string[]): readonly string[] {
  return services.length <= NAMED ? services : [...services.slice(0, NAMED), '…']
}

/** Names only the affected services that the page shows. */
export function publicReport(
  { id, title, status, updates, started_at, resolved_at, monitor_ids }: StatusReportView,
  monitors: readonly MonitorSummary[],
  naming: Naming,
): PublicReport {
  const affected = monitors.filter((monitor) => monitor_ids.includes(monitor.id))
  const services = affected.map((monitor) => publicName(monitor, naming))
  return { id, title, status, updates, started_at, resolved_at, services: named(services) }
}

/** The windows of the account that cover a monitor of the page, with the services that they concern. */
async function plannedFor(
  scope: Scope,
  monitors: readonly MonitorSummary[],
  naming: Naming,
): Promise<PublicFacts['planned']> {
  const all = await scope.maintenance.upcoming({ days: AHEAD_DAYS, limit: AHEAD_READ })
  return all
    .map((work) => {
      const covered = monitors.filter(coverageOf(work))
      // Each of them: a list of all names says less.
      const some = covered.length === monitors.length && covered.length > 1 ? [] : covered
      return { ...work, covered, services: named(some.map((each) => publicName(each, naming))) }
    })
    .filter(({ covered }) => covered.length > 0)
    .slice(0, AHEAD_LIMIT)
    .map(({ name, starts_at, ends_at, active, services }) => {
      return { name, starts_at, ends_at, active, services }
    })
}

/** A monitor without a name is named after its address, which visitors see only with `show_targets`. */
export function publicName(
  { id, name, target }: Pick<MonitorSummary, 'id' | 'name' | 'target'>,
  { show_targets, names }: Naming,
): string {
  const own = names.get(id) ?? ''
  if (own !== '') return own
  const isAddress = name === target.slice(0, NAME_LIMIT)
  return isAddress && !show_targets ? UNNAMED : name
}

export function publicIncident(
  { monitor, started_at, ended_at, duration_sec, cause_text }: IncidentView,
  naming: Naming,
  show_causes: boolean,
): PublicIncident {
  const cause = show_causes ? cause_text : undefined
  return { service: publicName(monitor, naming), started_at, ended_at, duration_sec, cause }
}
