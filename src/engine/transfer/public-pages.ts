/**
 * Public pages and status reports of an account in an export, and in the account that takes them in.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import { ValidationError } from '../../errors.ts'
import { parse } from '../../fields/parse.ts'
import { MASK } from '../../fields/secrets.ts'
import type {
  PublicPageRecord,
  PublicPageSettings,
  ReportUpdate,
  StatusReportRecord,
  StatusReportSettings,
} from '../../model.ts'
import type { Core } from '../core/core.ts'
import { PUBLIC_PAGE_FIELDS } from '../registry/public-page-fields.ts'
import { EXPORTED_REPORT_FIELDS, REPORT_UPDATE_FIELDS } from '../registry/status-report-fields.ts'
import { isPasswordHash, NO_PASSWORD } from '../services/page-password.ts'
import { ownGroups, storedPage } from '../services/public-pages.ts'
import { requireBounded } from '../services/status-reports.ts'
import { freeRows, rowsOf } from './account-rows.ts'
import type { FreeRows } from './account-rows.ts'
import { jsonLine } from './lines.ts'
import type { LineOf } from './lines.ts'
import { placeOf } from './place.ts'
import type { Exporting } from './place.ts'
import { requireExported, reveal } from './read-records.ts'
import type { Reader } from './read-records.ts'

export async function* publicPageLines(
  exporting: Exporting,
  monitors: ReadonlySet<number>,
): AsyncGenerator<string> {
  const { core, account_id } = exporting
  const pages = new Set<number>()
  for await (const record of rowsOf(core.store.publicPages, account_id)) {
    pages.add(record.id)
    yield pageLine(exporting, record, monitors)
  }
  for await (const record of rowsOf(core.store.statusReports, account_id))
    yield reportLine(record, { pages, monitors })
}

function pageLine(
  { export_id, seal }: Exporting,
  { id, settings, created_at }: PublicPageRecord,
  monitors: ReadonlySet<number>,
): string {
  const { password_hash: hash, ...shown } = settings
  const groups = shown.groups.map((group) => ({
    ...group,
    monitors: group.monitors.filter((monitor) => monitors.has(monitor.id)),
  }))
  const hidden = hash && (seal?.encrypt(hash, placeOf(export_id, hashPlace(id))) ?? MASK)
  return jsonLine('public_page', {
    id,
    created_at: iso(created_at),
    password_hash: hidden ?? null,
    settings: { ...shown, groups },
  })
}

function hashPlace(id: number): string {
  return `public_page.${id}.password_hash`
}

interface There {
  readonly pages: { has(id: number): boolean }
  readonly monitors: { has(id: number): boolean }
}

function reportLine({ settings, created_at }: StatusReportRecord, there: There): string {
  const { title, page_ids, monitor_ids, updates } = settings
  return jsonLine('status_report', {
    created_at: iso(created_at),
    settings: {
      title,
      page_ids: page_ids.filter((id) => there.pages.has(id)),
      monitor_ids: monitor_ids.filter((id) => there.monitors.has(id)),
    },
    updates: updates.map((update) => ({ ...update, at: iso(update.at) })),
  })
}

/** @throws ValidationError, also for a monitor that is not in the export */
export async function readPage(
  reader: Reader,
  line: LineOf<'public_page'>,
  monitors: There['monitors'],
): Promise<PublicPageSettings> {
  const { slug: written } = line.settings
  const slug = typeof written === 'string' ? (reader.slugs.get(written) ?? written) : written
  if ('password' in line.settings) throw new ValidationError({ password: 'unknown_field' })
  const parsed = parse(PUBLIC_PAGE_FIELDS, { ...line.settings, slug: slug ?? null })
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  const groups = await ownGroups(reader.core, parsed.value.groups, {
    isThere: (id) => monitors.has(id),
    mayBeGone: () => false,
  })
  return storedPage({ ...parsed.value, groups }, hashOf(reader, line))
}

/** A page whose password is left out opens to nobody. @throws ValidationError */
function hashOf(
  { seal, export_id }: Reader,
  { id, password_hash: hidden }: LineOf<'public_page'>,
): string | undefined {
  if (hidden === null) return undefined
  if (hidden === MASK) return NO_PASSWORD
  const hash = reveal(seal, hidden, placeOf(export_id, hashPlace(id)), 'password_hash')
  if (hash !== hidden && isPasswordHash(hash)) return hash
  throw new ValidationError({ password_hash: 'invalid: what an export wrote is expected' })
}

/** @throws ValidationError, also for a page or a monitor that is not in the export, ConflictError `quota` */
export function readReport(
  { settings, updates }: LineOf<'status_report'>,
  { pages, monitors }: There,
): StatusReportSettings {
  const parsed = parse(EXPORTED_REPORT_FIELDS, settings)
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  const { page_ids, monitor_ids } = parsed.value
  requireExported(page_ids, pages, { field: 'page_ids', what: 'public page' })
  requireExported(monitor_ids, monitors, { field: 'monitor_ids', what: 'monitor' })
  const read = updates.map(readUpdate)
  requireBounded(read)
  const early = read.findIndex(({ at }, index) => at < (read[index - 1]?.at ?? 0))
  if (early >= 0)
    throw new ValidationError({ [`updates.${early}.at`]: 'invalid: it is before the last one' })
  return { ...parsed.value, updates: read }
}

function readUpdate({ at, ...written }: LineOf<'status_report'>['updates'][number]): ReportUpdate {
  const parsed = parse(REPORT_UPDATE_FIELDS, written)
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  return { at, ...parsed.value }
}

/** The page of this account at this address. @throws ValidationError for one of another account */
export async function pageHere(
  { store }: Core,
  account_id: number,
  slug: string,
): Promise<PublicPageRecord | undefined> {
  const found = await store.publicPages.bySlug(slug)
  if (found === undefined || found.account_id === account_id) return found
  throw new ValidationError({
    slug: 'invalid: another account has a page at this address; say which one it gets',
  })
}

export function reportsHere(
  { store }: Core,
  account_id: number,
): Promise<FreeRows<StatusReportSettings>> {
  return freeRows(reportsOf(store, account_id), reportKey)
}

async function* reportsOf(
  { statusReports }: Core['store'],
  account_id: number,
): AsyncGenerator<StatusReportSettings> {
  for await (const { settings } of rowsOf(statusReports, account_id)) yield settings
}

/** Ids of pages and monitors are others here. */
function reportKey({ title, updates }: StatusReportSettings): string {
  return JSON.stringify([title, updates.map(({ at, status }) => [at, status])])
}

export interface PageCount {
  /** @throws ValidationError for a slug that appears earlier, or is of another account */
  add(settings: PublicPageSettings): Promise<void>
  /** Pages that an import adds. */
  readonly added: number
  /** Slugs of those that open to nobody. */
  readonly locked: readonly string[]
  /** How many the account then has; 0 if none is added. */
  readonly use: number
}

export function createPageCount(core: Core, account_id: number): PageCount {
  const slugs = new Set<string>()
  const locked: string[] = []
  let here: number | undefined
  let added = 0
  return {
    async add({ slug, password_hash }) {
      if (slugs.has(slug))
        throw new ValidationError({ slug: 'invalid: two pages would have this slug' })
      slugs.add(slug)
      if ((await pageHere(core, account_id, slug)) !== undefined) return
      here ??= await countOf(rowsOf(core.store.publicPages, account_id))
      added++
      if (password_hash === NO_PASSWORD) locked.push(slug)
    },
    locked,
    get added() {
      return added
    },
    get use() {
      return added === 0 ? 0 : added + (here ?? 0)
    },
  }
}

async function countOf(rows: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of rows) count++
  return count
}
