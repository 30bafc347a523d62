/**
 * Compares a list of monitors with an account: read-only, and finds every problem before any
 * change.
 *
 * @module
 */

import type { AccountScope, Engine } from '../engine/api/engine.ts'
import type { MonitorSummary, SettingWarning } from '../engine/api/views.ts'
import { isWatchpostError, joinedProblems, ValidationError } from '../errors.ts'
import { describe } from '../fields/describe.ts'
import { addProblem, problemAt, unknownFields } from '../fields/problems.ts'
import type { Json, JsonObject } from '../model.ts'

import type { Difference } from './plan.ts'
import { entryWords, isIdField, keyIn, listWord, parentsFirst, readEntries } from './reading.ts'
import type { Problems, ReadEntry } from './reading.ts'
import { prepareWindows } from './windows.ts'
import type { PreparedWindows } from './windows.ts'

const PAGE = 200

/** The groups of one account that a list uses. */
export type Scope = Pick<AccountScope, 'monitors' | 'contacts' | 'maintenance'>

/** One entry with its stored monitor. */
export interface PreparedEntry {
  readonly entry: ReadEntry
  /** As `create` takes it; `depends_on` contains the parents that already exist. */
  readonly input: JsonObject
  readonly known: MonitorSummary | undefined
  readonly name: string
  readonly changes: readonly Difference[]
  readonly warnings: readonly SettingWarning[]
}

export interface Preparation {
  /** Parents first. */
  readonly listed: readonly PreparedEntry[]
  /** Created from a list earlier, and not in this one. */
  readonly unlisted: readonly (readonly [key: string, monitor: MonitorSummary])[]
  /** Absent if the list says nothing of maintenance. */
  readonly windows: PreparedWindows | undefined
}

/** Monitors, and maintenance windows if the list has some. */
interface Lists {
  readonly monitors: unknown
  readonly maintenance: unknown
}

/** @throws ValidationError with every problem of every entry */
export async function prepare(
  engine: Pick<Engine, 'locations' | 'types'>,
  scope: Scope,
  { monitors: list, maintenance }: Lists,
): Promise<Preparation> {
  const problems: Problems = {}
  const entries = parentsFirst(readEntries(list, problems), problems)
  const known = await knownMonitors(scope, problems)
  const names: Names = {
    contact: idsByName(await scope.contacts.list()),
    location: idsByName(await engine.locations.list()),
    monitor: new Map([...known].map(([key, { id }]) => [key, [id]])),
  }
  const listed: PreparedEntry[] = []
  const found: ValidationError[] = []
  for (const entry of entries) {
    const input = inputOf(entry, names, problems)
    const monitor = known.get(entry.key)
    const known_fields = fieldsOf(engine, entry)
    const seen = await look(scope, { entry, input, monitor, names, known_fields, found }, problems)
    if (seen !== undefined) listed.push({ entry, input, known: monitor, ...seen })
  }
  const keys = new Set(entries.map(({ key }) => key))
  const windows =
    maintenance === undefined
      ? undefined
      : await prepareWindows(scope.maintenance, { list: maintenance, keys }, problems)
  if (Object.keys(problems).length > 0) throw joinedProblems(problems, found)
  return { windows, listed, unlisted: [...known].filter(([key]) => !keys.has(key)) }
}

async function knownMonitors(
  scope: Scope,
  problems: Problems,
): Promise<ReadonlyMap<string, MonitorSummary>> {
  const known = new Map<string, MonitorSummary>()
  for await (const [key, monitor] of keyedMonitors(scope)) {
    const twin = known.get(key)
    if (twin !== undefined) {
      problems[`${key}.key`] = `invalid: the monitors ${twin.id} and ${monitor.id} both have it`
    }
    known.set(key, monitor)
  }
  return known
}

/** Monitors with a key, in the order of their creation; a list never changes any other. */
export async function* keyedMonitors(
  scope: Pick<Scope, 'monitors'>,
): AsyncGenerator<readonly [key: string, monitor: MonitorSummary]> {
  for (let after: number | null = 0; after !== null;) {
    const page: Awaited<ReturnType<typeof scope.monitors.list>> = await scope.monitors.list({
      limit: PAGE,
      ...(after === 0 ? {} : { after }),
    })
    for (const monitor of page.items) {
      const key = keyIn(monitor.tags)
      if (key !== undefined) yield [key, monitor]
    }
    after = page.next
  }
}

type IdsByName = ReadonlyMap<string, readonly number[]>

interface Names {
  readonly contact: IdsByName
  readonly location: IdsByName
  readonly monitor: IdsByName
}

function idsByName(items: readonly { readonly id: number; readonly name: string }[]): IdsByName {
  const ids = new Map<string, number[]>()
  for (const { id, name } of items) ids.set(name, [...(ids.get(name) ?? []), id])
  return ids
}

/** A field of an entry, and what in it. */
type Place = readonly [field: string, at: number | string]

function inputOf(entry: ReadEntry, names: Names, problems: Problems): JsonObject {
  const find = (kind: 'contact' | 'location', name: string, [field, at]: Place): number[] => {
    const ids = names[kind].get(name) ?? []
    if (ids.length === 1) return [...ids]
    const problem = ids.length === 0 ? `there is no ${kind}` : `several ${kind}s are called`
    const text = problemAt([at], `invalid: ${problem} ${JSON.stringify(name)}`)
    addProblem(problems, `${entry.key}.${field}`, text)
    return []
  }
  const delays = Object.entries(entry.delays).flatMap(([name, minutes]) =>
    find('contact', name, ['contact_delay', name]).map((id) => [String(id), minutes] as const),
  )
  const found = entry.locations?.map((name, at) => find('location', name, ['locations', at]))
  // An unknown name is already a problem, and an empty list would add another.
  const locations = found?.every((ids) => ids.length > 0) === true ? found.flat() : undefined
  return {
    ...entry.settings,
    contact_ids: entry.contacts.flatMap((name, at) => find('contact', name, ['contacts', at])),
    contact_delay: Object.fromEntries(delays) as JsonObject,
    ...(locations === undefined ? {} : { location_ids: locations }),
    depends_on: entry.depends_on.flatMap((key) => names.monitor.get(key) ?? []),
  }
}

interface Looking {
  readonly entry: ReadEntry
  readonly input: JsonObject
  readonly monitor: MonitorSummary | undefined
  readonly names: Names
  /** What may stand in the entry. */
  readonly known_fields: readonly string[]
  /** Receives the error of the entry. */
  readonly found: ValidationError[]
}

/** Groups with dots. */
function fieldsOf({ types }: Pick<Engine, 'types'>, { type }: ReadEntry): readonly string[] {
  const tables = types.tables().get(type)
  if (tables === undefined) return []
  const rows = describe({ ...tables.common, ...tables.fields })
  return [...entryWords(), ...rows.map(({ name }) => name).filter((name) => !isIdField(name))]
}

async function look(
  scope: Scope,
  { entry, input, monitor, names, known_fields, found }: Looking,
  problems: Problems,
): Promise<Pick<PreparedEntry, 'name' | 'changes' | 'warnings'> | undefined> {
  try {
    const options = monitor === undefined ? {} : { against: monitor.id }
    const { settings, changes, warnings } = await scope.monitors.preview(input as never, options)
    const inWords = changes.map((change) => wordsOf(change, names))
    return {
      name: textOf(settings['name']) ?? entry.key,
      changes: [...inWords, ...newParents(entry, names, inWords)],
      warnings: warnings.map(({ field, text }) => ({ field: listWord(field), text })),
    }
  } catch (error) {
    if (!isWatchpostError(error) || !(error instanceof ValidationError)) throw error
    found.push(error)
    const unknown = unknownFields(known_fields)
    for (const [field, problem] of Object.entries(error.fields)) {
      problems[`${entry.key}.${field}`] ??= problem.startsWith('unknown_field')
        ? unknown(field)
        : problem === 'immutable'
          ? `immutable: it is of another type; take another key`
          : problem
    }
    return undefined
  }
}

/** Parents that are not created yet have no id to compare. */
function newParents(
  { depends_on }: ReadEntry,
  names: Names,
  changes: readonly Difference[],
): readonly Difference[] {
  const isNew = depends_on.some((key) => !names.monitor.has(key))
  if (!isNew) return []
  const told = changes.find(({ field }) => field === 'depends_on')
  const from = told?.from ?? depends_on.filter((key) => names.monitor.has(key))
  return [{ field: 'depends_on', from, to: depends_on }]
}

/** Replaces ids by names. */
function wordsOf({ field, from, to }: Difference, names: Names): Difference {
  const nameOf = (ids: IdsByName) => (id: Json) =>
    [...ids].find(([, known]) => known.includes(Number(id)))?.[0] ?? id
  const list = (ids: IdsByName) => (value: Json) =>
    Array.isArray(value) ? value.map(nameOf(ids)) : value
  const inWords = (word: string, translate: (value: Json) => Json): Difference => ({
    field: word,
    from: translate(from),
    to: translate(to),
  })
  if (field === 'contact_ids') return inWords('contacts', list(names.contact))
  if (field === 'location_ids') return inWords('locations', list(names.location))
  if (field === 'depends_on') return inWords(field, list(names.monitor))
  if (field === 'tags') return inWords(field, withoutKey)
  if (field !== 'contact_delay') return { field, from, to }
  return inWords(field, (delays) =>
    Object.fromEntries(
      Object.entries((delays ?? {}) as JsonObject).map(([id, minutes]) => [
        textOf(nameOf(names.contact)(id)) ?? id,
        minutes,
      ]),
    ),
  )
}

function withoutKey(tags: Json): Json {
  if (!Array.isArray(tags)) return tags
  return (tags as readonly Json[]).filter((tag) => keyIn([textOf(tag) ?? '']) === undefined)
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
