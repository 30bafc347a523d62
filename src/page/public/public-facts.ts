/**
 * The monitors and data of a public page. No other data of the account reaches it.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { AccountScope, Engine } from '../../engine/api/engine.ts'
import type { IncidentView, MonitorSummary } from '../../engine/api/views.ts'
import { ConfigurationError, unlessGone } from '../../errors.ts'
import { isAccountId } from '../../model.ts'
import type { PublicFacts } from './public-page.ts'
import { DAY_MS } from '../../model/time.ts'

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

const SERVICES_LIMIT = 100
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

type Scope = Pick<AccountScope, 'monitors' | 'incidents' | 'maintenance'>

export async function chosenMonitors(
  scope: Scope,
  { monitors }: PublicStatus,
): Promise<readonly MonitorSummary[]> {
  if ('tag' in monitors) {
    const { items } = await scope.monitors.list({ tag: [[monitors.tag]], limit: SERVICES_LIMIT })
    return [...items].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
  }
  const found = await Promise.all(
    // A removed monitor is left out; the page shows the others.
    monitors.slice(0, SERVICES_LIMIT).map((id) => scope.monitors.get(id).catch(unlessGone)),
  )
  return found.filter((monitor) => monitor !== undefined)
}

interface PublicReading {
  readonly monitors: readonly MonitorSummary[]
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>
}

/** One monitor after the other, yielding in between: a store may answer synchronously. */
export async function publicFacts(
  scope: Scope,
  page: PublicStatus,
  { monitors, clock }: PublicReading,
): Promise<PublicFacts> {
  const { title, description, show_targets = false, show_causes = false } = page
  const from = clock.now() - PAST_DAYS * DAY_MS
  const services: PublicFacts['services'][number][] = []
  const incidents: IncidentView[] = []
  const yieldIfLong = yielderOf(clock)
  for (const { id, name, target, state, stale } of monitors) {
    await yieldIfLong()
    services.push({
      name: publicName({ name, target }, show_targets),
      target: show_targets && target !== name ? target : undefined,
      state,
      stale,
      uptime: await scope.monitors.uptime(id, { days: DAYS }),
    })
    const past = await scope.incidents.list({ monitor_id: id, from, limit: PAST_LIMIT })
    incidents.push(...past.items)
  }
  return {
    title,
    description,
    services,
    planned: await plannedFor(scope, monitors, show_targets),
    incidents: incidents
      .sort((a, b) => (a.started_at < b.started_at ? 1 : -1))
      .slice(0, PAST_LIMIT)
      .map((incident) => publicIncident(incident, { show_targets, show_causes })),
  }
}

/** The windows of the account that cover a monitor of the page, with the services that they concern. */
async function plannedFor(
  scope: Scope,
  monitors: readonly MonitorSummary[],
  show_targets: boolean,
): Promise<PublicFacts['planned']> {
  const all = await scope.maintenance.upcoming({ days: AHEAD_DAYS, limit: AHEAD_READ })
  return all
    .map((work) => {
      const tags = new Set(work.tags.map(folded))
      const covered = monitors.filter(
        ({ id, tags: own }) =>
          work.all_monitors ||
          work.monitor_ids.includes(id) ||
          own.some((tag) => tags.has(folded(tag))),
      )
      // Each of them: a list of all names says less.
      const named = covered.length === monitors.length && covered.length > 1 ? [] : covered
      return { ...work, covered, services: named.map((each) => publicName(each, show_targets)) }
    })
    .filter(({ covered }) => covered.length > 0)
    .slice(0, AHEAD_LIMIT)
    .map(({ name, starts_at, ends_at, active, services }) => {
      return { name, starts_at, ends_at, active, services }
    })
}

/** As tags are compared. */
function folded(tag: string): string {
  return tag.normalize('NFC').toLowerCase()
}

/** A monitor without a name is named after its address, which visitors see only with `show_targets`. */
function publicName(
  { name, target }: { readonly name: string; readonly target: string },
  show_targets: boolean,
): string {
  const isAddress = name === target.slice(0, NAME_LIMIT)
  return isAddress && !show_targets ? 'Unnamed service' : name
}

function publicIncident(
  { monitor, started_at, ended_at, duration_sec, cause_text }: IncidentView,
  { show_targets, show_causes }: { readonly show_targets: boolean; readonly show_causes: boolean },
): PublicFacts['incidents'][number] {
  const cause = show_causes ? cause_text : undefined
  const service = publicName(monitor, show_targets)
  return { service, started_at, ended_at, duration_sec, cause }
}
