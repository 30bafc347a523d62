/**
 * The second reading of an export: stores its lines, many in one transaction.
 *
 * Monitors are stored paused and tagged, so that nothing is checked or notified before everything is stored, even after
 * a kill. An import that continues finds its monitors by these tags, and the rows it stored of each by the last one.
 *
 * @module
 */

import { initialState } from '../../incident/state.ts'
import { NotFoundError } from '../../errors.ts'
import type {
  CommonSettings,
  MaintenanceSettings,
  MonitorRecord,
  StatusReportSettings,
} from '../../model.ts'
import { hashOf, makeToken, sealToken } from '../core/tokens.ts'
import { announceAudit } from '../announce/audit.ts'
import { sealContact } from '../core/stored-contacts.ts'
import { auditRecord } from '../services/audit.ts'
import { requireContactSize } from '../services/contact-size.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { ruleOf } from '../rounds/composite.ts'
import { allowanceOf } from '../services/quotas.ts'
import { rowsOf, storeRow } from './account-rows.ts'
import type { FreeRows } from './account-rows.ts'
import { contactsByName } from './examine.ts'
import type { Examined } from './examine.ts'
import { createHistoryWriter } from './history-writer.ts'
import type { LineKind, LineOf } from './lines.ts'
import type { NumberedLine } from './read-lines.ts'
import { pageHere, readPage, readReport, reportsHere } from './public-pages.ts'
import { readContact, readMonitor } from './read-records.ts'
import type { ReadMonitor } from './read-records.ts'
import { readWindow, storeWindow, windowsHere } from './windows.ts'

/** Tag of a monitor whose import has not ended. */
export const IMPORTING = 'watchpost:importing'
/** Prefix of the tag that has the id of the monitor in the export. */
const EXPORT_ID_PREFIX = 'watchpost:from:'
/** Tag of a monitor that stays paused after its import. */
const STAYS_PAUSED = 'watchpost:stays-paused'

export interface Storing {
  readonly context: ServiceContext
  readonly account_id: number
  readonly examined: Examined
  /** Some of it may be stored. */
  readonly resumes: boolean
  readonly results_after: number
  readonly hours_after: number
}

type Visit = { readonly [K in LineKind]?: (line: LineOf<K>) => Promise<void> }

export async function storeLines(
  storing: Storing,
  lines: AsyncIterable<NumberedLine>,
): Promise<void> {
  const { context, account_id, examined, resumes, results_after, hours_after } = storing
  const { reader } = examined
  const monitors = resumes ? await storedMonitors(storing) : new Map<number, number>()
  const contacts = new Map<number, number>()
  const links = new Map<number, Links>()
  const storeContact = await contactStore(storing)
  const history = createHistoryWriter(context.core, { resumed: new Set(monitors.values()) })
  const pages = new Map<number, number>()
  let windows: FreeRows<MaintenanceSettings> | undefined
  let reports: FreeRows<StatusReportSettings> | undefined
  const here = (old: number): number => idOf(monitors, old)
  const places = (old: readonly number[]): number[] =>
    old.flatMap((id) => reader.locations.get(id) ?? [])

  const visit: Visit = {
    contact: async (line) => void contacts.set(line.id, await storeContact(line)),
    async monitor(line) {
      const read = readMonitor(reader, line)
      const { depends_on } = read.common
      const members =
        read.type.checker.composite === undefined ? undefined : ruleOf(read.settings).monitor_ids
      if (depends_on.length > 0 || members !== undefined)
        links.set(line.id, { depends_on, members })
      if (!monitors.has(line.id)) monitors.set(line.id, await storeMonitor(storing, read, contacts))
    },
    async maintenance(line) {
      const settings = readWindow(line, monitors)
      windows ??= await windowsHere(context.core, account_id, resumes)
      if (windows.take(settings)) return
      const max = reader.quotas.maintenance_windows
      const monitor_ids = settings.monitor_ids.map(here)
      await storeWindow({ context, account_id, max }, { ...settings, monitor_ids }, line.created_at)
    },
    public_page: async (line) => void pages.set(line.id, await storePage(storing, line, monitors)),
    async status_report(line) {
      const read = readReport(line, { pages, monitors })
      reports ??= await reportsHere(context.core, account_id)
      if (reports.take(read)) return
      const page_ids = read.page_ids.map((id) => pages.get(id) ?? 0)
      await storeRow(storing, context.core.store.statusReports, {
        resource: 'status_report',
        name: read.title,
        settings: { ...read, page_ids, monitor_ids: read.monitor_ids.map(here) },
        created_at: line.created_at,
        max: reader.quotas.status_reports,
      })
    },
    day: ({ monitor, ...day }) => history.day(here(monitor), day),
    async hour({ monitor, location, ...hour }) {
      const location_id = reader.locations.get(location)
      // Of a location that is no more, and of which no result is left.
      if (location_id === undefined || hour.hour < hours_after) return
      await history.hour(here(monitor), { ...hour, location_id })
    },
    availability: ({ monitor, ...change }) => history.availability(here(monitor), change),
    incident: ({ monitor, locations_failed, ...incident }) =>
      history.incident(here(monitor), { ...incident, locations_failed: places(locations_failed) }),
    async result({ monitor, location, phase, ...result }) {
      const location_id = reader.locations.get(location)
      if (location_id === undefined) throw new NotFoundError('location')
      if (result.started_at >= results_after)
        await history.result(here(monitor), { ...result, phase, location_id })
    },
  }
  for await (const { line } of lines)
    await (visit[line.kind] as ((content: unknown) => Promise<void>) | undefined)?.(line.content)
  await history.flush()
  // A member that the export does not have was removed before.
  const present = (ids: readonly number[]): number[] => ids.flatMap((id) => monitors.get(id) ?? [])
  for (const [id, { depends_on, members }] of links)
    await linkMonitor(context, here(id), {
      depends_on: depends_on.map(here),
      members: members && present(members),
    })
}

/** What a monitor names by id. */
interface Links {
  readonly depends_on: readonly number[]
  /** Of a composite type. */
  readonly members: readonly number[] | undefined
}

function idOf(ids: ReadonlyMap<number, number>, old: number): number {
  const id = ids.get(old)
  if (id !== undefined) return id
  // The export was validated: it changed since.
  throw new NotFoundError('monitor')
}

async function contactStore({ context, account_id, examined }: Storing) {
  const { core, outbox } = context
  const { reader } = examined
  const free = await contactsByName(core, account_id)
  const within = allowanceOf(reader.quotas)
  return async (line: LineOf<'contact'>): Promise<number> => {
    const { kind, name, parsed } = await readContact(reader, line)
    const known = free.take(kind.kind, name)
    if (known !== undefined) return known
    if (parsed === undefined) throw new NotFoundError('contact')
    const now = core.clock.now()
    const settings = sealContact(core, kind, parsed.settings)
    await requireContactSize(core, { account_id, settings })
    const made = {
      ...parsed,
      account_id,
      kind: kind.kind,
      settings,
      created_at: now,
      updated_at: now,
    }
    const audit = auditRecord(context, { resource: 'contact', action: 'created', name })
    const created = await core.store.contacts.create(made, within, audit)
    announceAudit(core, audit, created)
    outbox.contactChanged(created)
    return created.id
  }
}

async function storedMonitors({ context, account_id }: Storing): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  for await (const { id, common } of importedMonitors(context, account_id)) {
    const from = common.tags.find((tag) => tag.startsWith(EXPORT_ID_PREFIX))
    if (from !== undefined) found.set(Number(from.slice(EXPORT_ID_PREFIX.length)), id)
  }
  return found
}

/** Its id, or that of the page of the account at the same address. */
async function storePage(
  storing: Storing,
  line: LineOf<'public_page'>,
  monitors: ReadonlyMap<number, number>,
): Promise<number> {
  const { context, account_id, examined } = storing
  const { core } = context
  const { reader } = examined
  const read = await readPage(reader, line, monitors)
  const known = await pageHere(core, account_id, read.slug)
  if (known !== undefined) return known.id
  const groups = read.groups.map((group) => ({
    ...group,
    monitors: group.monitors.map(({ id, name }) => ({ id: idOf(monitors, id), name })),
  }))
  const made = await storeRow(storing, core.store.publicPages, {
    resource: 'public_page',
    name: read.title,
    settings: { ...read, groups },
    created_at: line.created_at,
    max: reader.quotas.public_pages,
  })
  return made.id
}

/** Monitors whose import has not ended. */
export function importedMonitors(
  { core }: ServiceContext,
  account_id: number,
): AsyncGenerator<MonitorRecord> {
  const { monitors } = core.store
  return rowsOf({ list: (query) => monitors.list({ ...query, tags: [[IMPORTING]] }) }, account_id)
}

async function storeMonitor(
  { context, account_id, examined }: Storing,
  read: ReadMonitor,
  contacts: ReadonlyMap<number, number>,
): Promise<number> {
  const { core, monitorCache } = context
  const { type, common, settings, target, missing, paused, token } = read
  const now = core.clock.now()
  const staysPaused = paused || missing.length > 0
  const kept =
    token === undefined
      ? makeToken(core)
      : { token_hash: hashOf(token), sealed: sealToken(core, token) }
  const pushed = type.checker.push === undefined ? undefined : kept
  const audit = auditRecord(context, { resource: 'monitor', action: 'created', name: common.name })
  const made = await core.store.monitors.create(
    {
      account_id,
      type: type.checker.type,
      common: {
        ...common,
        contact_ids: common.contact_ids.flatMap((id) => contacts.get(id) ?? []),
        contact_delay: Object.fromEntries(
          Object.entries(common.contact_delay).flatMap(([id, minutes]) => {
            const here = contacts.get(Number(id))
            return here === undefined ? [] : [[String(here), minutes]]
          }),
        ),
        depends_on: [],
        tags: [
          ...common.tags,
          IMPORTING,
          `${EXPORT_ID_PREFIX}${read.id}`,
          ...(staysPaused ? [STAYS_PAUSED] : []),
        ],
      },
      settings: monitorCache.seal(type, settings),
      target,
      machine: { ...initialState(now), state: 'paused' },
      token_hash: pushed?.token_hash ?? null,
      token: pushed?.sealed ?? null,
      created_at: Math.min(read.created_at, now),
      updated_at: now,
    },
    allowanceOf(examined.reader.quotas),
    audit,
  )
  announceAudit(core, audit, made)
  return made.id
}

async function linkMonitor(
  { core }: ServiceContext,
  id: number,
  { depends_on, members }: Links,
): Promise<void> {
  const record = await core.store.monitors.get(id)
  if (record === undefined) throw new NotFoundError('monitor')
  const { revision, common } = record
  const at = core.clock.now()
  const settings =
    members === undefined ? record.settings : { ...record.settings, monitor_ids: members }
  const { checker } = core.registry.getOrThrow(record.type)
  const target = members === undefined ? record.target : checker.target(settings as never)
  const change = { settings: { common: { ...common, depends_on }, settings, target } }
  const [committed] = await core.store.commit([{ monitor_id: id, revision, at, ...change }])
  if (committed?.ok !== true) throw new NotFoundError('monitor')
}

/** The settings without the tags of the import, and whether the monitor stays paused. */
export function withoutMarks(common: CommonSettings): {
  readonly common: CommonSettings
  readonly staysPaused: boolean
} {
  const isMark = (tag: string): boolean =>
    tag === IMPORTING || tag === STAYS_PAUSED || tag.startsWith(EXPORT_ID_PREFIX)
  return {
    common: { ...common, tags: common.tags.filter((tag) => !isMark(tag)) },
    staysPaused: common.tags.includes(STAYS_PAUSED),
  }
}
