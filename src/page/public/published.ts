/**
 * The public pages that accounts made at run time, as visitors ask for them: found by their address, and kept for a
 * moment, so that a flood of requests causes few queries and drawings.
 *
 * @module
 */

import { createHash } from 'node:crypto'
import { yieldingQueueOf } from '../../clock.ts'
import { requestServicesOf } from '../../engine/services/request-services.ts'
import type { AccountScope } from '../../engine/api/engine.ts'
import type { StatusReportView } from '../../engine/api/status-reports.ts'
import type { MonitorSummary } from '../../engine/api/views.ts'
import type { PublicPageRecord } from '../../model.ts'
import { unlessGone } from '../../errors.ts'
import type { Service } from '../http/call.ts'
import { notFound } from '../http/page-error.ts'
import { cachedFor, fairTurnsOf, spokenFor, turnsOf } from './cached.ts'
import type { CachedValue, SpokenValue, Turns } from './cached.ts'
import { timesIn } from './page-times.ts'
import type { PageTimes } from './page-times.ts'
import { publicFacts, SERVICES_LIMIT, taggedMonitors } from './public-facts.ts'
import type { MonitorGroup, PageLook } from './public-facts.ts'
import { publicPage, saidOf } from './public-page.ts'
import type { PublicFacts } from './public-page.ts'
import type { Markup, Said } from '../layout/markup.ts'

/** A change is visible at once in this process, in others at most this late. */
export const KEPT_MS = 2000
/** Pages that nobody has asked for are dropped after this time. */
const IDLE_MS = 60_000
const MAX_PAGES = 64
const MAX_MISSING = 1000
/** Addresses of pages that were found once; those asked for longest ago are dropped. */
const MAX_FOUND = 10_000
const REPORTS_SHOWN = 50

export interface PublishedPage {
  readonly record: PublicPageRecord
  readonly scope: AccountScope
  readonly look: PageLook
  /** The monitors of its account that it shows. */
  readonly groups: CachedValue<readonly MonitorGroup[]>
  /** Whether it shows the monitor, as it was read last; `true` while it is read. */
  shows(monitor_id: number): boolean
  readonly facts: CachedValue<PublicFacts>
  readonly drawn: SpokenValue<{ readonly main: Markup; readonly said: Said }>
  /** Drawn once for all visitors: months of the past, by their name. */
  readonly months: Map<string, DrawnMonth>
  /** The feeds, by their kind. */
  readonly feeds: Map<string, SpokenValue<string>>
  /** Those that were looked at last. */
  readonly reports: Map<number, SpokenValue<DrawnReport | undefined>>
  readonly times: PageTimes
  /** What a request reads from the store waits for its turn. Not within another turn. */
  readonly inTurn: Turns
  /** To await before each monitor that is read, and each report that is drawn. */
  readonly step: () => Promise<void>
}

export interface DrawnReport {
  readonly title: string
  readonly main: Markup
}

interface DrawnMonth {
  /** The monitors of the page for which it was drawn. */
  readonly names: string
  readonly drawn: SpokenValue<Markup>
}

export interface PublishedPages {
  /** @throws PageError 404, 503 where too many ask at once */
  find(slug: string): Promise<PublishedPage>
}

interface Entry extends PublishedPage {
  read_at: number
  used_at: number
}

export function publishedPages(service: Service): PublishedPages {
  const { engine, clock } = service
  const { publishedPages: stored } = requestServicesOf(engine)
  const lookUp = turnsOf(4, 200)
  // Addresses that are not there take no turn of those that are.
  const lookAgain = turnsOf(4, 200)
  const drawing = fairTurnsOf(2, 200)
  // Live connections of many pages read their monitors at the same time.
  const step = yieldingQueueOf(clock)
  const entries = new Map<string, Entry>()
  const missing = new Map<string, number>()
  const found = new Set<string>()
  const reading = new Map<string, Promise<Entry>>()

  engine.on('state', ({ account_id, monitor }) => forget(account_id, monitor.id))
  engine.on('starved', ({ account_id, monitor }) => forget(account_id, monitor.id))
  engine.on('audit', ({ account_id, resource, resource_id }) => {
    if (resource === 'public_page') missing.clear()
    for (const [slug, { record }] of entries) {
      if (record.account_id !== account_id) continue
      if (resource !== 'monitor') entries.delete(slug)
    }
    if (resource === 'monitor') forget(account_id, resource_id)
  })

  /** What is drawn with this monitor is drawn again. Nothing is read: a bulk action changes thousands in a moment. */
  function forget(account_id: number, monitor_id: number): void {
    for (const { record, shows, groups, facts, drawn, reports, feeds } of entries.values()) {
      if (record.account_id !== account_id || !shows(monitor_id)) continue
      for (const kept of [groups, facts, drawn]) kept.forget()
      reports.clear()
      feeds.clear()
    }
  }

  async function read(slug: string): Promise<Entry> {
    const now = clock.monotonic()
    const turn = found.has(slug) ? lookAgain : lookUp
    const record = await turn(() => stored.bySlug(slug))
    found.delete(slug)
    if (record === undefined) {
      if (missing.size >= MAX_MISSING) missing.clear()
      missing.set(slug, now)
      entries.delete(slug)
      throw notFound()
    }
    found.add(slug)
    for (const oldest of found) {
      if (found.size <= MAX_FOUND) break
      found.delete(oldest)
    }
    const known = entries.get(slug)
    const same = known?.record.id === record.id && known.record.version === record.version
    const entry: Entry = same
      ? Object.assign(known, { read_at: now })
      : {
          ...pageOf(service, record, { inTurn: drawing(record.account_id), step }),
          read_at: now,
          used_at: now,
        }
    entries.delete(slug)
    entries.set(slug, entry)
    for (const [other, { used_at }] of entries)
      if (other !== slug && (entries.size > MAX_PAGES || now - used_at > IDLE_MS))
        entries.delete(other)
    return entry
  }

  return {
    async find(asked) {
      const slug = asked.toLowerCase()
      const now = clock.monotonic()
      if (now - (missing.get(slug) ?? -Infinity) < KEPT_MS) throw notFound()
      const known = entries.get(slug)
      if (known !== undefined && now - known.read_at < KEPT_MS) {
        known.used_at = now
        return known
      }
      const running = reading.get(slug)
      if (running !== undefined) return running
      const fresh = read(slug).finally(() => reading.delete(slug))
      reading.set(slug, fresh)
      return fresh
    },
  }
}

function pageOf(
  { engine, clock }: Service,
  record: PublicPageRecord,
  { inTurn, step }: Pick<PublishedPage, 'inTurn' | 'step'>,
): PublishedPage {
  const { account_id, settings } = record
  const scope = engine.account(account_id)
  const kept = { clock, ms: KEPT_MS }
  const named = settings.groups.flatMap(({ monitors }) => monitors)
  const look: PageLook = {
    ...settings,
    description: settings.description === '' ? undefined : settings.description,
    names: new Map(named.map(({ id, name }) => [id, name])),
  }
  let shown: ReadonlySet<number> | undefined
  const groups = cachedFor(async () => {
    shown = undefined
    const read = await groupsOf(scope, record, step)
    shown = new Set(read.flatMap(({ monitors }) => monitors.map(({ id }) => id)))
    return read
  }, kept)
  const facts = cachedFor(
    () =>
      inTurn(async () => {
        const found = await groups.get()
        const page_id = record.id
        const reports = await newestReports(scope, page_id)
        const keyOf = (id: number): string => serviceKey(record, id)
        return publicFacts(scope, look, {
          engine,
          account_id,
          groups: found,
          clock,
          reports,
          keyOf,
        })
      }),
    kept,
  )
  const drawn = spokenFor(async (language) => {
    const known = await facts.get()
    return { main: await inTurn(() => publicPage(known, clock, language)), said: saidOf(known) }
  }, kept)
  const times = timesIn(settings.time_zone)
  const shows = (monitor_id: number): boolean => shown?.has(monitor_id) ?? true
  const forgettable = { months: new Map(), reports: new Map(), feeds: new Map() }
  return { record, scope, look, groups, shows, facts, drawn, ...forgettable, times, inTurn, step }
}

/** A page of the list is shorter than asked for where reports are long. */
async function newestReports(
  { statusReports }: AccountScope,
  page_id: number,
): Promise<readonly StatusReportView[]> {
  const found: StatusReportView[] = []
  for (let after: number | null | undefined; after !== null;) {
    const query = { page_id, limit: REPORTS_SHOWN, ...(after === undefined ? {} : { after }) }
    const { items, next } = await statusReports.list(query)
    found.push(...items)
    after = found.length < REPORTS_SHOWN ? next : null
  }
  return found.slice(0, REPORTS_SHOWN)
}

/** In the order of the page; each monitor once, and at most a hundred in all. */
async function groupsOf(
  scope: AccountScope,
  { settings }: PublicPageRecord,
  step: PublishedPage['step'],
): Promise<readonly MonitorGroup[]> {
  const shown = new Set<number>()
  const named = new Set(settings.groups.flatMap(({ monitors }) => monitors.map(({ id }) => id)))
  const groups: MonitorGroup[] = []
  for (const { name, monitors: own, tag } of settings.groups) {
    const monitors: MonitorSummary[] = []
    const add = (monitor: MonitorSummary): void => {
      if (shown.has(monitor.id) || shown.size >= SERVICES_LIMIT) return
      shown.add(monitor.id)
      monitors.push(monitor)
    }
    for (const { id } of own) {
      await step()
      // A removed monitor is left out; the page shows the others.
      const monitor = await scope.monitors.get(id).catch(unlessGone)
      if (monitor !== undefined) add(monitor)
    }
    if (tag !== '')
      for (const monitor of await taggedMonitors(scope, tag))
        if (!named.has(monitor.id)) add(monitor)
    groups.push({ name, monitors })
  }
  return groups
}

/** Names a service in addresses without its id; the same as long as the page exists. */
function serviceKey({ id, created_at }: PublicPageRecord, monitor_id: number): string {
  const text = `watchpost service ${id} ${created_at} ${monitor_id}`
  return createHash('sha256').update(text).digest('hex').slice(0, 10)
}
