/**
 * The status reports of one account.
 *
 * @module
 */

import { iso, yielderOf } from '../../clock.ts'
import { ConflictError, ValidationError } from '../../errors.ts'
import type { FieldTable, Stored } from '../../fields/field.ts'
import { merge } from '../../fields/merge.ts'
import { parse } from '../../fields/parse.ts'
import { addProblem, problemAt } from '../../fields/problems.ts'
import type { JsonObject, StatusReportRecord, StatusReportSettings } from '../../model.ts'
import type {
  StatusReportFilter,
  StatusReportServices,
  StatusReportView,
} from '../api/status-reports.ts'
import {
  NEW_REPORT_FIELDS,
  REPORT_UPDATE_FIELDS,
  STATUS_REPORT_FIELDS,
} from '../registry/status-report-fields.ts'
import { publishReport } from '../announce/published.ts'
import { statusReportFilter } from './filters.ts'
import type { ServiceContext } from './service-context.ts'
import { quotasOf } from './quotas.ts'
import { readFilter } from './read-filter.ts'
import { settingsFrom, versionedRecords } from './versioned-records.ts'
import { setAside } from '../core/damaged-rows.ts'

const MAX_UPDATES = 50
/** Characters of all updates of a report: lists and pages show them whole. */
const MAX_CHARS = 50_000
/** Rows per query: a store may read each of them whole in one turn. */
const STEP = 10
/** Characters of the updates of one page of the list, which becomes one text. */
const MAX_LISTED_CHARS = 500_000

const READ_ONLY = [
  'id',
  'status',
  'updates',
  'started_at',
  'resolved_at',
  'version',
  'created_at',
  'updated_at',
]

export function statusReportsOf(context: ServiceContext, account_id: number): StatusReportServices {
  const { core, ready } = context
  const rows = core.store.statusReports
  const records = versionedRecords<StatusReportSettings>(context, account_id, {
    rows,
    resource: 'status_report',
    noun: 'report',
    fields: { ...STATUS_REPORT_FIELDS, ...REPORT_UPDATE_FIELDS },
    nameOf: ({ title }) => title,
    comparable: ({ updates, ...settings }) => ({ ...settings, ...updates.at(-1) }),
  })

  return {
    async create(input) {
      await ready()
      const { status, text, ...rest } = parsed(NEW_REPORT_FIELDS, settingsFrom(input, []))
      const targets = await ownTargets(context, { account_id, given: rest })
      const updates = [{ at: core.clock.now(), status, text }]
      const { status_reports } = await quotasOf(core, account_id)
      const made = { ...rest, ...targets, updates }
      const view = viewOf(await records.create(made, status_reports))
      await publishReport(core, { account_id, report: view, change: 'report_created' })
      return view
    },
    get: async (id) => viewOf(await records.own(id)),
    async list(given) {
      const { limit = 50, after, ...filter } = readFilter(statusReportFilter, given)
      await ready()
      const found: StatusReportView[] = []
      let characters = 0
      const yieldIfLong = yielderOf(core.clock)
      for (let after_id = after; ;) {
        const query = { account_id, order: 'desc', after_id, limit: STEP } as const
        const step = await rows.list(query, setAside(core, 'report'))
        for (const record of step) {
          await yieldIfLong()
          const view = viewOf(record)
          if (!fits(view, filter)) continue
          const last = found.at(-1)
          if (last !== undefined && (found.length === limit || characters > MAX_LISTED_CHARS))
            return { items: found, next: last.id }
          found.push(view)
          characters += charactersOf(view.updates)
        }
        after_id = step.at(-1)?.id
        if (step.length < STEP) return { items: found, next: null }
      }
    },
    async update(id, patch, options) {
      const given = settingsFrom(patch, READ_ONLY)
      const updated = await records.update(id, options, async ({ settings: before }) => {
        const { updates, ...stored } = before
        const merged = merge(STATUS_REPORT_FIELDS, stored, given)
        const rest = parsed(STATUS_REPORT_FIELDS, merged)
        return {
          ...rest,
          ...(await ownTargets(context, { account_id, given: rest, before })),
          updates,
        }
      })
      return viewOf(updated)
    },
    async addUpdate(id, update, options) {
      const { status, text } = parsed(REPORT_UPDATE_FIELDS, settingsFrom(update, ['at']))
      const updated = await records.update(id, options, ({ settings }) => {
        // Never dated before the last update, even if the clock was set back.
        const at = Math.max(core.clock.now(), settings.updates.at(-1)?.at ?? 0)
        const updates = [...settings.updates, { at, status, text }]
        requireBounded(updates)
        return Promise.resolve({ ...settings, updates })
      })
      const view = viewOf(updated)
      const change = status === 'resolved' ? 'report_resolved' : 'report_updated'
      await publishReport(core, { account_id, report: view, change })
      return view
    },
    async remove(id, options) {
      await records.remove(id, options)
    },
  }
}

/** @throws ConflictError `quota` for more than a report may say */
export function requireBounded(updates: StatusReportSettings['updates']): void {
  if (updates.length > MAX_UPDATES)
    throw new ConflictError('quota', `A report has at most ${MAX_UPDATES} updates`)
  if (charactersOf(updates) > MAX_CHARS)
    throw new ConflictError('quota', `A report has at most ${MAX_CHARS} characters`)
}

function charactersOf(updates: readonly { readonly text: string }[]): number {
  return updates.reduce((sum, { text }) => sum + text.length, 0)
}

function fits(
  { page_ids, resolved_at }: StatusReportView,
  { page_id, open }: Pick<StatusReportFilter, 'page_id' | 'open'>,
): boolean {
  return (
    (page_id === undefined || page_ids.includes(page_id)) &&
    (open === undefined || open === (resolved_at === null))
  )
}

function viewOf({
  id,
  version,
  settings,
  created_at,
  updated_at,
}: StatusReportRecord): StatusReportView {
  const updates = settings.updates.map(({ at, ...rest }) => ({ at: iso(at), ...rest }))
  const [first, last] = [updates[0], updates.at(-1)]
  const status = last?.status ?? 'investigating'
  return {
    id,
    title: settings.title,
    page_ids: settings.page_ids,
    monitor_ids: settings.monitor_ids,
    status,
    updates,
    started_at: first?.at ?? iso(created_at),
    resolved_at: status === 'resolved' ? (last?.at ?? null) : null,
    version,
    created_at: iso(created_at),
    updated_at: iso(updated_at),
  }
}

/** @throws ValidationError with every problem at once */
function parsed<T extends FieldTable>(fields: T, input: JsonObject): Stored<T> {
  const result = parse(fields, input)
  if (!result.ok) throw new ValidationError(result.fields)
  return result.value
}

type Targets = Pick<StatusReportSettings, 'page_ids' | 'monitor_ids'>

interface Targeting {
  readonly account_id: number
  readonly given: Targets
  readonly before?: Targets
}

/** Pages and monitors of the account; what was removed meanwhile is left out. @throws ValidationError */
async function ownTargets(
  { core }: ServiceContext,
  { account_id, given, before }: Targeting,
): Promise<Targets> {
  const problems: Record<string, string> = {}
  const yieldIfLong = yielderOf(core.clock)
  async function own(
    name: keyof Targets,
    what: string,
    read: (id: number) => Promise<{ readonly account_id: number } | undefined>,
  ): Promise<readonly number[]> {
    const kept: number[] = []
    for (const [index, id] of given[name].entries()) {
      await yieldIfLong()
      if ((await read(id))?.account_id === account_id) kept.push(id)
      else if (before?.[name].includes(id) !== true)
        addProblem(problems, name, problemAt([index], `invalid: there is no ${what} ${id}`))
    }
    return [...new Set(kept)]
  }
  const { store } = core
  const page_ids = await own('page_ids', 'public page', (id) => store.publicPages.get(id))
  const monitor_ids = await own('monitor_ids', 'monitor', (id) => store.monitors.get(id))
  if (Object.keys(problems).length > 0) throw new ValidationError(problems)
  return { page_ids, monitor_ids }
}
