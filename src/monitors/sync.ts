/**
 * Brings an account to the state of a list of monitors: validates everything first, then applies
 * the changes through the engine's API. Idempotent.
 *
 * @module
 */

import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { OptionTable } from '../options.ts'
import type { AnyChecker } from '../checkers/checker.ts'
import type { Engine } from '../engine/api/engine.ts'
import type { MonitorSummary } from '../engine/api/views.ts'
import type { FieldTable } from '../fields/field.ts'
import { unlessGone, ValidationError } from '../errors.ts'
import type { JsonObject } from '../model.ts'
import type { MonitorEntry } from './define.ts'
import { NO_WINDOWS } from './plan.ts'
import type { CreatedMonitor, KnownMonitor, SyncPlan } from './plan.ts'
import { keyedMonitors, prepare } from './prepare.ts'
import type { Preparation, PreparedEntry, Scope } from './prepare.ts'
import { UNLISTED_TAG } from './reading.ts'
import { applyWindows, planWindows } from './windows.ts'
import type { MaintenanceEntry } from './windows.ts'

export interface SyncOptions {
  /** Default: the first account. */
  readonly account_id?: number
  /** Who the audit log says makes the changes. Default: nobody is named. */
  readonly actor?: string | undefined
  /**
   * What to do with monitors that were created from a list and are no longer in it. Default
   * `leave`. Monitors without a key, created by hand or over REST, are never changed.
   */
  readonly unlisted?: 'leave' | 'pause' | 'remove' | undefined
  /**
   * Maintenance windows of the account. Without it none is changed; with it, `unlisted` decides about those of an earlier
   * list as well: `remove`, otherwise they are left.
   */
  readonly maintenance?: readonly MaintenanceEntry[] | undefined
  /** Plan only. */
  readonly dryRun?: boolean | undefined
  /** Called after each applied change, with the total of the plan. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined
}

const OPTIONS: OptionTable<SyncOptions> = {
  // Validated by the engine.
  account_id: option.anything,
  actor: option.text,
  unlisted: option.oneOf('leave', 'pause', 'remove'),
  // Validated with the monitors.
  maintenance: option.anything,
  dryRun: option.flag,
  onProgress: option.callback,
}

/**
 * Creates, updates, pauses and removes. If it fails in between (a store that cannot write), run it
 * again: it continues.
 *
 * @throws NotFoundError for an unknown account
 * @throws ValidationError with every problem of every entry, keyed `<key>.<field>` and
 * `maintenance.<key>.<field>`, or if a monitor to pause has as many tags as there may be; nothing is changed then
 */
export async function syncMonitors<C extends AnyChecker>(
  engine: Engine<C>,
  monitors: readonly MonitorEntry<C>[],
  options: SyncOptions = {},
): Promise<SyncPlan> {
  checkOptions('syncMonitors', options, OPTIONS)
  const { unlisted = 'leave', dryRun = false } = options
  // The checker types matter only for the types of the list.
  const own = engine as unknown as Engine
  // An absent option means the first account, 1; `undefined` from a lost value is rejected.
  const { account_id, actor } = { account_id: 1, ...options }
  const scope: Scope = own.account(account_id, { actor })
  const preparation = await prepare(own, scope, { monitors, maintenance: options.maintenance })
  const plan = planOf(preparation, unlisted)
  requirePlaceForTag(own, preparation, plan)
  if (dryRun) return plan
  const changed = counting(plan, options.onProgress)
  return applyPlan({ engine: own, scope, preparation, changed }, plan)
}

function planOf(
  { listed, unlisted, windows }: Preparation,
  fate: NonNullable<SyncOptions['unlisted']>,
): SyncPlan {
  const known = listed.flatMap((each) => (each.known === undefined ? [] : [knownOf(each)]))
  const lost = unlisted.map(([key, { id, name }]) => ({ key, id, name }))
  const settled = unlisted.filter(([, { tags }]) => tags.includes(UNLISTED_TAG)).map(([key]) => key)
  return {
    create: listed.filter(isNew).map(({ entry, name }) => {
      return { key: entry.key, id: null, type: entry.type, name }
    }),
    update: known.filter(({ changes }) => changes.length > 0).map(updated),
    unchanged: known.filter(({ changes }) => changes.length === 0).map(plain),
    pause: [
      ...known.filter(({ entry, state }) => entry.paused === true && state !== 'paused').map(plain),
      ...(fate === 'pause' ? lost.filter(({ key }) => !settled.includes(key)) : []),
    ],
    resume: known.filter(isToResume).map(plain),
    remove: fate === 'remove' ? lost : [],
    warnings: listed.flatMap(({ entry, warnings }) =>
      warnings.map((warning) => ({ key: entry.key, ...warning })),
    ),
    leave:
      fate === 'remove' ? [] : lost.filter(({ key }) => fate === 'leave' || settled.includes(key)),
    maintenance: windows === undefined ? NO_WINDOWS : planWindows(windows, fate),
  }
}

type Known = ReturnType<typeof knownOf>

function knownOf({ entry, known, name, changes }: PreparedEntry) {
  const { id, state, tags } = known as MonitorSummary
  return { key: entry.key, id, name, state, tags, entry, changes }
}

const isNew = ({ known }: PreparedEntry): boolean => known === undefined
const plain = ({ key, id, name }: KnownMonitor): KnownMonitor => ({ key, id, name })
const updated = ({ changes, ...known }: Known) => ({ ...plain(known), changes })

/** A monitor paused by hand stays paused, unless the list says otherwise. */
function isToResume({ entry, state, tags }: Known): boolean {
  if (state !== 'paused' || entry.paused === true) return false
  return entry.paused === false || tags.includes(UNLISTED_TAG)
}

interface Work {
  readonly engine: Engine
  readonly scope: Scope
  readonly preparation: Preparation
  /** Called after each change. */
  changed(this: void): void
}

function counting(plan: SyncPlan, tell: SyncOptions['onProgress']): () => void {
  const { maintenance } = plan
  const parts = [
    ...[plan.create, plan.update, plan.resume, plan.pause, plan.remove],
    ...[maintenance.create, maintenance.update, maintenance.remove],
  ]
  const all = parts.reduce((sum, { length }) => sum + length, 0)
  let done = 0
  return () => tell?.((done += 1), all)
}

async function applyPlan(work: Work, plan: SyncPlan): Promise<SyncPlan> {
  const { scope, preparation, changed } = work
  const ids = new Map(
    preparation.listed.flatMap(({ entry, known }) => (known ? [[entry.key, known.id]] : [])),
  )
  const create: CreatedMonitor[] = []
  const toUpdate = new Set(plan.update.map(({ key }) => key))
  const returning = returningOf(preparation, plan)
  /** With the parents, of which another sync may have removed one since, because it had made its own. */
  const withParents = async <T>(
    { entry: { depends_on }, input }: PreparedEntry,
    change: (whole: JsonObject) => Promise<T>,
  ): Promise<T> => {
    const once = () =>
      change({ ...input, depends_on: depends_on.flatMap((key) => ids.get(key) ?? []) })
    return once().catch(async (error: unknown) => {
      if (!(error instanceof ValidationError) || !('depends_on' in error.fields)) throw error
      await removeTwins(work, ids)
      return once()
    })
  }
  for (const prepared of preparation.listed) {
    const { entry, known } = prepared
    if (known === undefined) {
      const { id, name } = await withParents(prepared, (whole) =>
        scope.monitors.create(whole as never),
      )
      ids.set(entry.key, id)
      create.push({ key: entry.key, id, type: entry.type, name })
      if (entry.paused === true) await scope.monitors.pause(id).catch(unlessGone)
      changed()
    } else if (toUpdate.has(entry.key)) {
      const kept = returning.has(known.id) ? { tags: known.tags } : {}
      await withParents(prepared, (whole) =>
        scope.monitors.update(known.id, { ...wholePatch(work.engine, whole), ...kept }),
      )
      changed()
    }
  }
  if (create.length > 0) await removeTwins(work, ids)
  for (const { id } of plan.resume) {
    await scope.monitors.resume(id)
    const tags = returning.get(id)
    if (tags !== undefined) await scope.monitors.update(id, { tags })
    changed()
  }
  for (const { key, id } of plan.pause) await pause(work, key, id).then(changed)
  for (const { id } of plan.remove) await scope.monitors.remove(id).then(changed)
  const { windows } = preparation
  if (windows !== undefined)
    await applyWindows(scope.maintenance, { prepared: windows, plan: plan.maintenance }, changed)
  return { ...plan, create: create.map((each) => ({ ...each, id: ids.get(each.key) ?? each.id })) }
}

/**
 * Servers that start together on one database all find a monitor missing, and make it: the first one of each key stays,
 * whoever sees the others removes them, and the last one to end sees all. `ids` has those that stay.
 */
async function removeTwins({ scope, preparation }: Work, ids: Map<string, number>): Promise<void> {
  const found = new Map<string, number[]>()
  for await (const [key, { id }] of keyedMonitors(scope))
    if (ids.has(key)) found.set(key, [...(found.get(key) ?? []), id])
  const keys = new Set<string>()
  for (const [key, [first = 0, ...others]] of found) {
    if (ids.get(key) !== first || others.length > 0) keys.add(key)
    ids.set(key, first)
    for (const id of others) await scope.monitors.remove(id).catch(unlessGone)
  }
  for (const { entry } of preparation.listed) {
    const id = ids.get(entry.key)
    if (id === undefined || !entry.depends_on.some((key) => keys.has(key))) continue
    const depends_on = entry.depends_on.flatMap((key) => ids.get(key) ?? [])
    await scope.monitors.update(id, { depends_on }).catch(unlessGone)
  }
}

/**
 * Monitors that are in the list again, and their tags in it. They keep {@link UNLISTED_TAG} until they have resumed: a
 * sync that ended in between finds them by it.
 */
function returningOf(
  { listed }: Preparation,
  { resume }: SyncPlan,
): ReadonlyMap<number, readonly string[]> {
  const resumed = new Set(resume.map(({ id }) => id))
  return new Map(
    listed.flatMap(({ known, input }) =>
      known !== undefined && resumed.has(known.id) && known.tags.includes(UNLISTED_TAG)
        ? [[known.id, input['tags'] as readonly string[]] as const]
        : [],
    ),
  )
}

/** A monitor that the list lost is paused with {@link UNLISTED_TAG}, and may have tags of others by now. */
function requirePlaceForTag(engine: Engine, { unlisted }: Preparation, { pause }: SyncPlan): void {
  const [table] = engine.types.tables().values()
  const most = table?.common['tags']?.info.max ?? Infinity
  const full = unlisted.filter(
    ([key, { tags }]) => tags.length >= most && pause.some((each) => each.key === key),
  )
  if (full.length === 0) return
  const problem = `out_of_range: pausing adds ${UNLISTED_TAG} to ${most} tags, the most there may be`
  throw new ValidationError(Object.fromEntries(full.map(([key]) => [`${key}.tags`, problem])))
}

async function pause({ scope, preparation }: Work, key: string, id: number): Promise<void> {
  const unlisted = preparation.unlisted.find(([each]) => each === key)?.[1]
  if (unlisted !== undefined) {
    await scope.monitors.update(id, { tags: [...unlisted.tags, UNLISTED_TAG] })
  }
  await scope.monitors.pause(id)
}

/** The list is authoritative: a setting that it omits is reset to its default. */
function wholePatch(engine: Engine, { type, ...input }: JsonObject): JsonObject {
  const tables = engine.types.tables().get(typeof type === 'string' ? type : '')
  return filled({ ...tables?.common, ...tables?.fields }, input)
}

function filled(table: FieldTable, input: JsonObject): JsonObject {
  const absent = Object.keys(table).map((name) => [name, null] as const)
  const given = Object.entries(input).map(([name, value]) => {
    const nested = table[name]?.info.fields
    const isGroup = nested !== undefined && typeof value === 'object' && value !== null
    return [name, isGroup ? filled(nested, value as JsonObject) : value] as const
  })
  return Object.fromEntries([...absent, ...given])
}
