/**
 * The first reading of an export: validates every line and counts, and stores nothing.
 *
 * @module
 */

import { joinedProblems, ValidationError } from '../../errors.ts'
import { createSeal } from '../../seal.ts'
import { MAX_PAGES, quotasOf } from '../services/quotas.ts'
import type { ResolvedQuotas } from '../services/quotas.ts'
import { quotaError, ratedChecks } from '../../store/store.ts'
import type { ImportOptions, ImportView, MissingSecrets } from '../api/transfer.ts'
import type { Core } from '../core/core.ts'
import { countNew } from './account-rows.ts'
import type { LineKind, LineOf } from './lines.ts'
import { parentProblems } from './parents.ts'
import { problemOf } from './read-lines.ts'
import type { NumberedLine } from './read-lines.ts'
import { createPageCount, readPage, readReport, reportsHere } from './public-pages.ts'
import { readContact, readMonitor, requireExported, requireFreeToken } from './read-records.ts'
import type { ReadMonitor, Reader } from './read-records.ts'
import { readWindow, windowsHere } from './windows.ts'

const MAX_MONITORS = 100_000
const MAX_CONTACTS = 10_000
/** Problems that are reported at once. */
const MAX_PROBLEMS = 20
const MAX_MISSING = 100

export interface Examined extends Omit<ImportView, 'over_quota'> {
  readonly reader: Reader
}

interface Examination {
  readonly core: Core
  readonly account_id: number
  readonly options: Pick<ImportOptions, 'key' | 'locations' | 'slugs'>
  /** Results that started earlier are not kept. */
  readonly results_after: number
  /** An interrupted import of the same export continues: its monitors have the tokens of the export. */
  readonly resumes: (export_id: string) => boolean
}

type Visit = { readonly [K in LineKind]?: (line: LineOf<K>) => void | Promise<void> }

/** @throws ValidationError with the numbers of the lines, ConflictError `quota` */
export async function examine(
  examination: Examination,
  lines: AsyncIterable<NumberedLine>,
): Promise<Examined> {
  const { core, account_id, results_after } = examination
  const known = { contacts: new Set<number>(), monitors: new Map<number, readonly number[]>() }
  const names = new Map<number, string>()
  const free = await contactsByName(core, account_id)
  const resumes = (): boolean => examination.resumes(header?.id ?? '')
  const planned = countNew(() => windowsHere(core, account_id, resumes()))
  const published = examinePages(examination, { monitors: known.monitors, reading })
  const counts = { contacts: 0, incidents: 0, days: 0, results: 0, old_results: 0, new_tokens: 0 }
  const missing = createMissing()
  let checks_per_min = 0
  let header: LineOf<'export'> | undefined
  let reader: Reader | undefined

  const requireMonitor = ({ monitor }: { readonly monitor: number }): void =>
    requireExported([monitor], known.monitors, { field: '', what: 'monitor' })
  async function reading(): Promise<Reader> {
    reader ??= await readerOf(examination, header, names)
    return reader
  }

  const visit: Visit = {
    export: (line) => void (header = line),
    location: ({ id, name }) => void names.set(id, name),
    async contact(line) {
      ensure(!known.contacts.has(line.id), `invalid: the contact ${line.id} appears earlier`)
      ensure(known.contacts.size < MAX_CONTACTS, `out_of_range: 0..${MAX_CONTACTS} contacts`)
      known.contacts.add(line.id)
      const { name, kind, parsed } = await readContact(await reading(), line)
      if (free.take(kind.kind, name) !== undefined) return
      counts.contacts++
      ensure(
        parsed !== undefined,
        `required: the secrets of the contact "${name}" are left out; create it first, or export with a key`,
      )
    },
    async monitor(line) {
      ensure(!known.monitors.has(line.id), `invalid: the monitor ${line.id} appears earlier`)
      ensure(known.monitors.size < MAX_MONITORS, `out_of_range: 0..${MAX_MONITORS} monitors`)
      known.monitors.set(line.id, [])
      const read = readMonitor(await reading(), line)
      known.monitors.set(line.id, read.common.depends_on)
      requireContacts(known.contacts, read)
      if (read.type.checker.push === undefined && !read.paused)
        checks_per_min += ratedChecks(read.common)
      missing.note(read)
      if (read.type.checker.push === undefined) return
      if (read.token === undefined) counts.new_tokens++
      else if (!resumes()) await requireFreeToken(core, read.token)
    },
    maintenance: async (line) => void (await planned.add(readWindow(line, known.monitors))),
    ...published.visit,
    day(line) {
      requireMonitor(line)
      counts.days++
    },
    hour: requireMonitor,
    availability: requireMonitor,
    incident(line) {
      requireMonitor(line)
      counts.incidents++
    },
    async result(line) {
      requireMonitor(line)
      const { locations } = await reading()
      ensure(
        locations.has(line.location),
        `invalid: there is no location "${names.get(line.location) ?? line.location}" here; say which stands for it`,
      )
      if (line.started_at < results_after) counts.old_results++
      else counts.results++
    },
  }

  await validate(lines, visit, () => parentProblems(known.monitors))
  const ready = await reading()
  requireQuotas(ready.quotas, {
    monitors: known.monitors.size,
    contacts: counts.contacts + free.size,
    maintenance_windows: planned.use,
    ...published.use(),
    checks_per_min,
  })
  return {
    ...counts,
    maintenance: planned.added,
    ...published.added(),
    reader: ready,
    monitors: known.monitors.size,
    ...missing.noted,
  }
}

function examinePages(
  { core, account_id }: Examination,
  {
    monitors,
    reading,
  }: { readonly monitors: ReadonlyMap<number, unknown>; readonly reading: () => Promise<Reader> },
) {
  const ids = new Set<number>()
  const pages = createPageCount(core, account_id)
  const reports = countNew(() => reportsHere(core, account_id))
  const visit: Visit = {
    async public_page(line) {
      ensure(!ids.has(line.id), `invalid: the public page ${line.id} appears earlier`)
      ensure(ids.size < MAX_PAGES, `out_of_range: 0..${MAX_PAGES} public pages`)
      ids.add(line.id)
      await pages.add(await readPage(await reading(), line, monitors))
    },
    status_report: async (line) =>
      void (await reports.add(readReport(line, { pages: ids, monitors }))),
  }
  return {
    visit,
    added: () => ({
      public_pages: pages.added,
      locked_pages: pages.locked,
      status_reports: reports.added,
    }),
    use: () => ({ public_pages: pages.use, status_reports: reports.use }),
  }
}

function ensure(condition: boolean, problem: string): void {
  if (!condition) throw new ValidationError({ '': problem })
}

/** `after`: problems of all lines together. @throws ValidationError */
async function validate(
  lines: AsyncIterable<NumberedLine>,
  visit: Visit,
  after: () => Readonly<Record<string, string>>,
): Promise<void> {
  const found: ValidationError[] = []
  const ofLines = await problemsOf(lines, visit, found)
  const problems = Object.keys(ofLines).length > 0 ? ofLines : after()
  if (Object.keys(problems).length > 0) throw joinedProblems(problems, found)
}

/** Problems by line; not all, if there are many. `found` receives their errors. */
async function problemsOf(
  lines: AsyncIterable<NumberedLine>,
  visit: Visit,
  found: ValidationError[],
): Promise<Record<string, string>> {
  const problems: Record<string, string> = {}
  for await (const { number, line } of lines) {
    try {
      await (visit[line.kind] as ((content: unknown) => void | Promise<void>) | undefined)?.(
        line.content,
      )
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      found.push(error)
      for (const [field, problem] of Object.entries(error.fields))
        problems[field === '' ? `line ${number}` : `line ${number}, ${field}`] = problem
      if (Object.keys(problems).length >= MAX_PROBLEMS) break
    }
  }
  return problems
}

async function readerOf(
  { core, account_id, options }: Examination,
  header: LineOf<'export'> | undefined,
  names: ReadonlyMap<number, string>,
): Promise<Reader> {
  if (header === undefined) throw problemOf(1, 'required: the line "export"')
  const here = new Map((await core.store.locations.list()).map(({ id, name }) => [name, id]))
  const locations = new Map<number, number>()
  for (const [id, name] of names) {
    const own = here.get(options.locations?.[name] ?? name)
    if (own !== undefined) locations.set(id, own)
  }
  return {
    core,
    export_id: header.id,
    at: header.at,
    seal: options.key === undefined ? undefined : createSeal(options.key),
    quotas: await quotasOf(core, account_id),
    locations,
    slugs: new Map(Object.entries(options.slugs ?? {})),
    checking: new Set(core.locations.map(({ id }) => id)),
  }
}

function createMissing() {
  const missing_secrets: MissingSecrets[] = []
  const noted = { without_secrets: 0, missing_secrets }
  return {
    noted,
    note({ id, common, missing }: ReadMonitor): void {
      if (missing.length > 0 && noted.without_secrets++ < MAX_MISSING)
        missing_secrets.push({ monitor_id: id, name: common.name, fields: missing })
    },
  }
}

export interface FreeContacts {
  /** The id of a contact of this kind and name that is matched with no other one. */
  take(kind: string, name: string): number | undefined
  /** Contacts of the account. */
  readonly size: number
}

export async function contactsByName(core: Core, account_id: number): Promise<FreeContacts> {
  const records = await core.store.contacts.list(account_id)
  const free = new Map<string, number[]>()
  const keyOf = (kind: string, name: string): string => JSON.stringify([kind, name])
  for (const { id, kind, name } of records) {
    const key = keyOf(kind, name)
    const known = free.get(key)
    if (known === undefined) free.set(key, [id])
    else known.push(id)
  }
  return { take: (kind, name) => free.get(keyOf(kind, name))?.shift(), size: records.length }
}

function requireContacts(contacts: ReadonlySet<number>, { common }: ReadMonitor): void {
  const named = [...common.contact_ids, ...Object.keys(common.contact_delay).map(Number)]
  requireExported(named, contacts, { field: 'contact_ids', what: 'contact' })
}

const LIMITED = [
  'monitors',
  'contacts',
  'maintenance_windows',
  'public_pages',
  'status_reports',
  'checks_per_min',
] as const

/** @throws ConflictError `quota` */
function requireQuotas(
  quotas: ResolvedQuotas,
  use: Readonly<Record<(typeof LIMITED)[number], number>>,
): void {
  for (const what of LIMITED) {
    const limit = quotas[what]
    if (limit !== null && use[what] > limit) throw quotaError(what, limit)
  }
}
