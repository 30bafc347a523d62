/**
 * Actions on many monitors: found in pages and carried out in slices, between which other work runs. Each
 * monitor changes on its own; a refusal of one is counted and ends nothing.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import { ConflictError, isWatchpostError, ValidationError } from '../../errors.ts'
import { parse } from '../../fields/parse.ts'
import { addProblem, problemAt } from '../../fields/problems.ts'
import { fold } from '../../model/fold.ts'
import { isJsonObject } from '../../model/json.ts'
import type { BulkFailure, BulkFilter, BulkInput, BulkPermission, BulkView } from '../api/bulk.ts'
import type { CachedMonitor, Planned } from '../monitors/cached-monitor.ts'
import { commonFields, MAX_TAGS } from '../registry/monitor-fields.ts'
import { bulkOptions, bulkPermission, monitorFilter } from './filters.ts'
import { graphProblems } from './monitor-graph.ts'
import { listMonitors, queryOf } from './monitor-list.ts'
import type { ServiceContext } from './service-context.ts'
import { read, readFilter } from './read-filter.ts'
import { monitorAudit } from './monitor-update.ts'
import { distinct, withoutDeletedIds } from './validate-input.ts'

/** Monitors that change at the same time: their commits share transactions. */
const SLICE = 32
const MAX_FAILURES = 20
const MAX_AT_ONCE = 10_000
/** Actions of an account that run or wait. */
const MAX_WAITING = 10
/** Monitors per query. */
const PAGE = 200

export type BulkWork = (id: number) => Promise<boolean>

/** Each resolves to whether the monitor changed. */
export interface BulkSteps {
  readonly pause: BulkWork
  readonly resume: BulkWork
  readonly check: BulkWork
  readonly remove: BulkWork
  tag(tags: TagChange): BulkWork
  /** @throws NotFoundError for an id of another account */
  own(id: number): Promise<unknown>
}

export interface TagChange {
  readonly add_tags: readonly string[]
  readonly remove_tags: readonly string[]
}

export function bulkOf(
  context: ServiceContext,
  account_id: number,
  steps: BulkSteps,
): (input: BulkInput, options?: BulkPermission) => Promise<BulkView> {
  return async (input, options) => {
    const { permitted: asked } = readFilter(bulkPermission, options)
    const permitted = async (): Promise<void> => {
      // The account may be removed while the action waits or runs.
      await context.ready()
      await asked?.()
    }
    const {
      filter: given,
      dry_run = false,
      limit = MAX_AT_ONCE,
      after = 0,
      ...rest
    } = parseInput(input)
    const filter = selection(context, given)
    await context.ready()
    const change = workOf(steps, rest)
    const work = dry_run ? (id: number) => countOnly(steps, filter, id) : change
    return inTurn(context, account_id, async () => {
      await permitted()
      const ids = await idsOf(context, { account_id, filter, limit: limit + 1, after })
      const found = ids.slice(0, limit)
      const next = ids.length > limit ? (found.at(-1) ?? null) : null
      const done = await executeAll(context, found, { work, dry_run, permitted })
      await context.ready()
      return { ...done, next }
    })
  }
}

/** Side by side, those of one account would take turns of the event loop for minutes. @throws ConflictError `busy` */
async function inTurn<T>(
  { bulkTurns }: ServiceContext,
  account_id: number,
  work: () => Promise<T>,
): Promise<T> {
  if (bulkTurns.of(account_id) >= MAX_WAITING)
    throw new ConflictError('busy', 'Other bulk actions of this account are not done; ask again')
  return bulkTurns.run(account_id, work)
}

interface Execution {
  readonly work: BulkWork
  readonly dry_run: boolean
  readonly permitted: () => Promise<unknown>
}

async function executeAll(
  { core }: ServiceContext,
  ids: readonly number[],
  { work, dry_run, permitted }: Execution,
): Promise<Omit<BulkView, 'next'>> {
  const tally = { matched: ids.length, changed: 0, unchanged: 0, failed: 0 }
  const failures: BulkFailure[] = []
  const yieldIfLong = yielderOf(core.clock)
  for (let from = 0; from < ids.length; from += SLICE) {
    await yieldIfLong()
    if (from > 0) await permitted()
    const slice = ids.slice(from, from + SLICE)
    const ends = await Promise.allSettled(slice.map((id) => work(id)))
    for (const [index, end] of ends.entries()) {
      if (end.status === 'fulfilled') {
        if (end.value) tally.changed += 1
        else if (!dry_run) tally.unchanged += 1
        continue
      }
      const failure = failureOf(slice[index] ?? 0, end.reason)
      tally.failed += 1
      if (failures.length < MAX_FAILURES) failures.push(failure)
    }
  }
  return { ...tally, failures }
}

/** Changes nothing. @throws NotFoundError for an id of another account */
async function countOnly(steps: BulkSteps, filter: Selection, id: number): Promise<boolean> {
  if (filter.ids !== undefined) await steps.own(id)
  return false
}

/** @throws the error, if it does not concern this monitor alone: a store that fails, an engine that stops */
function failureOf(monitor_id: number, error: unknown): BulkFailure {
  const own = ['ConflictError', 'NotFoundError', 'ValidationError']
  if (!isWatchpostError(error) || !own.includes(error.name)) throw error
  if (error.code === 'not_running') throw error
  return { monitor_id, error: error.code, message: error.message }
}

/** @throws ValidationError with every problem at once */
function parseInput(input: unknown) {
  if (!isJsonObject(input)) throw new ValidationError({ '': 'invalid: an object is expected' })
  const { add_tags, remove_tags, filter, ...rest }: Readonly<Record<string, unknown>> = input
  const problems: Record<string, string> = {}
  const options = collectProblems(problems, () => readFilter(bulkOptions, rest))
  if (rest['action'] === undefined) problems['action'] = 'required'
  if (filter === undefined || filter === null) problems['filter'] = 'required'
  else if (!isJsonObject(filter)) problems['filter'] = 'invalid: an object is expected'
  const tags = collectProblems(problems, () => tagsOf(options?.action, { add_tags, remove_tags }))
  if (Object.keys(problems).length > 0 || options === undefined) throw new ValidationError(problems)
  return { ...options, ...tags, filter: filter as BulkFilter }
}

/** The result of `work`, or `undefined` and its problems. */
function collectProblems<T>(problems: Record<string, string>, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    Object.assign(problems, error.fields)
    return undefined
  }
}

function tagsOf(
  action: string | undefined,
  given: { readonly add_tags: unknown; readonly remove_tags: unknown },
): TagChange {
  const named = Object.entries(given).filter(([, value]) => value !== undefined)
  if (action !== 'tag' && named.length > 0)
    throw new ValidationError(
      Object.fromEntries(named.map(([name]) => [name, 'invalid: it belongs to the action tag'])),
    )
  const { tags } = commonFields()
  const parsed = parse({ add_tags: tags, remove_tags: tags }, Object.fromEntries(named))
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  const { add_tags, remove_tags } = parsed.value
  if (action === 'tag' && add_tags.length + remove_tags.length === 0)
    throw new ValidationError({ add_tags: 'required: tags to add, or remove_tags' })
  return { add_tags, remove_tags }
}

type Selection = Omit<Parameters<typeof queryOf>[1], 'limit' | 'after'> & {
  readonly ids?: readonly number[]
}

/** @throws ValidationError for a filter that names nothing */
function selection({ core }: ServiceContext, given: BulkFilter): Selection {
  const { limit: _limit, after: _after, ...criteria } = monitorFilter
  const table = {
    ...criteria,
    type: read.list(read.oneOf(core.registry.names)),
    ids: read.list(read.id, 1000),
    all: read.flag,
  }
  const problems: Record<string, string> = {}
  const note = (steps: readonly string[], problem: string): void =>
    addProblem(problems, 'filter', problemAt(steps, problem))
  let filter: ReturnType<typeof readFilter<typeof table>> = {}
  try {
    filter = readFilter(table, given)
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    for (const [name, problem] of Object.entries(error.fields)) note([name], problem)
  }
  const names = Object.keys(filter)
  for (const [name, value] of Object.entries(filter)) {
    if (isEmpty(value)) note([name], 'invalid: it is empty')
    else if ((name === 'ids' || name === 'all') && names.length > 1)
      note([name], 'invalid: it stands beside no other member')
  }
  if (filter.all === false) note(['all'], 'invalid: true is expected')
  if (names.length === 0 && Object.keys(problems).length === 0)
    note([], 'required: a filter, ids, or all: true')
  if (Object.keys(problems).length > 0) throw new ValidationError(problems)
  const { all: _all, ...rest } = filter
  return rest
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0 || value.some(isEmpty)
  if (isJsonObject(value)) return Object.keys(value).length === 0
  return value === ''
}

async function idsOf(
  { core }: ServiceContext,
  wanted: {
    readonly account_id: number
    readonly filter: Selection
    readonly limit: number
    readonly after: number
  },
): Promise<readonly number[]> {
  const { account_id, filter, limit, after } = wanted
  const { ids, ...query } = filter
  if (ids !== undefined) {
    const later = [...new Set(ids)].filter((id) => id > after)
    return later.sort((a, b) => a - b).slice(0, limit)
  }
  const yieldIfLong = yielderOf(core.clock)
  const found: number[] = []
  while (found.length < limit) {
    await yieldIfLong()
    const page = Math.min(PAGE, limit - found.length)
    const from = found.at(-1) ?? after
    const records = await listMonitors(core, {
      ...queryOf(
        account_id,
        { ...query, ...(from > 0 ? { after: from } : {}) },
        core.registry.names,
      ),
      limit: page,
    })
    found.push(...records.map(({ id }) => id))
    if (records.length < page) break
  }
  return found
}

function workOf(
  steps: BulkSteps,
  { action, add_tags = [], remove_tags = [] }: Partial<TagChange & Pick<BulkInput, 'action'>>,
): BulkWork {
  if (action === 'tag') return steps.tag({ add_tags, remove_tags })
  // An input without an action was refused before.
  return action === undefined ? () => Promise.resolve(false) : steps[action]
}

/**
 * The change of the tags alone: of the other settings it is validated that no parent waits for the monitor as a member
 * by tag.
 *
 * @throws ValidationError
 */
export function planTags(
  context: ServiceContext,
  { add_tags, remove_tags }: TagChange,
): (cached: CachedMonitor) => Promise<Planned | null> {
  const { core } = context
  const removed = new Set(remove_tags.map(fold))
  return async (cached) => {
    const { record, type } = cached
    const { account_id, id, common, settings, target } = record
    const all = distinct([...common.tags, ...add_tags])
    const tags = all.filter((tag) => !removed.has(fold(tag)))
    if (tags.length > MAX_TAGS)
      throw new ValidationError({ tags: `out_of_range: 0..${MAX_TAGS} entries` })
    if (JSON.stringify(tags) === JSON.stringify(common.tags)) return null
    if (common.depends_on.length > 0 && type.checker.composite === undefined) {
      const present = await withoutDeletedIds(core, account_id, { ...common, tags })
      const draft = { account_id, id, type, common: present, settings }
      const problems = await graphProblems(core, draft)
      if (Object.keys(problems).length > 0) throw new ValidationError(problems)
    }
    return {
      change: {
        monitor_id: id,
        revision: record.revision,
        at: core.clock.now(),
        settings: { common: { ...common, tags }, settings, target },
        ...monitorAudit(context, cached, {
          common: { ...common, tags },
          settings: cached.settings,
          target,
        }),
      },
    }
  }
}
