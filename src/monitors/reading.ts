/**
 * Parses a list of monitors, for example from a file, and the names in it; sorts them for creation, parents first.
 *
 * @module
 */

import { addProblem, problemAt } from '../fields/problems.ts'
import type { JsonObject } from '../model.ts'
import { isJsonObject } from '../model/json.ts'

/** An entry without the fields that only lists have. */
export interface ReadEntry {
  readonly key: string
  readonly type: string
  /** Settings as `create` takes them, without ids. */
  readonly settings: JsonObject
  readonly contacts: readonly string[]
  readonly delays: Readonly<Record<string, unknown>>
  /** Absent: all. */
  readonly locations: readonly string[] | undefined
  readonly depends_on: readonly string[]
  readonly paused: boolean | undefined
}

/** The position: `<key>.<field>`, or `<place>.<field>` without a key. */
export type Problems = Record<string, string>

const KEY = /^[a-z0-9][a-z0-9._/-]{0,59}$/
const KEY_TAG = 'key:'

export const KEY_PROBLEM = 'invalid: 1 to 60 lower-case letters, digits, . _ - and / are expected'

export function isKey(value: unknown): value is string {
  return typeof value === 'string' && KEY.test(value)
}

export function tagOf(key: string): string {
  return KEY_TAG + key
}

export function keyIn(tags: readonly string[]): string | undefined {
  return tags.find((tag) => tag.startsWith(KEY_TAG))?.slice(KEY_TAG.length)
}

/**
 * Tags monitors that were paused because they left the list, so that they resume when they return.
 */
export const UNLISTED_TAG = 'unlisted'

/** Fields that only lists have, and id fields that lists replace by names. */
const OWN_WORDS = ['key', 'contacts', 'contact_delay', 'locations', 'depends_on', 'paused']
const IDS = { contact_ids: 'contacts', location_ids: 'locations' } as const

/** Fields of an entry besides those of the engine. */
export function entryWords(): readonly string[] {
  return ['type', ...OWN_WORDS]
}

/** What a field of the engine is called in a list. */
export function listWord(field: string): string {
  return Object.entries(IDS).find(([id]) => id === field)?.[1] ?? field
}

/** Whether the engine's field has another name in a list. */
export function isIdField(name: string): boolean {
  return name in IDS
}

export function readEntries(list: unknown, problems: Problems): readonly ReadEntry[] {
  if (!Array.isArray(list)) {
    problems.monitors = 'invalid: a list is expected'
    return []
  }
  const seen = new Map<string, number>()
  return list.flatMap((given: unknown, index) => {
    const entry = readEntry(given, index, problems)
    if (entry === undefined) return []
    const earlier = seen.get(entry.key)
    seen.set(entry.key, index + 1)
    if (earlier === undefined) return [entry]
    problems[`${entry.key}.key`] = `invalid: the same as in entry ${earlier}`
    return []
  })
}

function readEntry(given: unknown, index: number, problems: Problems): ReadEntry | undefined {
  const place = `entry ${index + 1}`
  if (!isJsonObject(given)) {
    problems[place] = 'invalid: an object is expected'
    return undefined
  }
  const { key } = given
  if (!isKey(key)) {
    problems[`${place}.key`] = key === undefined ? 'required' : KEY_PROBLEM
    return undefined
  }
  const names = (field: string): readonly string[] =>
    namesIn(given[field], `${key}.${field}`, problems)
  const settings = Object.fromEntries(
    Object.entries(given).filter(([name]) => !OWN_WORDS.includes(name)),
  )
  for (const [id, name] of Object.entries(IDS)) {
    if (id in settings) problems[`${key}.${id}`] = `invalid: a list has names in "${name}"`
  }
  return {
    key,
    type: typeof given['type'] === 'string' ? given['type'] : '',
    settings: { ...settings, tags: tagsOf(given['tags'], key, problems) } as JsonObject,
    contacts: names('contacts'),
    delays: delaysOf(given['contact_delay'], key, problems),
    locations: given['locations'] === undefined ? undefined : names('locations'),
    depends_on: names('depends_on'),
    paused: pausedOf(given['paused'], key, problems),
  }
}

export function namesIn(value: unknown, place: string, problems: Problems): readonly string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  problems[place] = 'invalid: a list of names is expected'
  return []
}

function delaysOf(value: unknown, key: string, problems: Problems): Record<string, unknown> {
  if (value === undefined || value === null) return {}
  if (isJsonObject(value)) return value
  problems[`${key}.contact_delay`] = 'invalid: an object of names and minutes is expected'
  return {}
}

function pausedOf(value: unknown, key: string, problems: Problems): boolean | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  problems[`${key}.paused`] = 'invalid: true or false is expected'
  return undefined
}

/** A value that is not a list of texts is left for the engine to reject. */
function tagsOf(value: unknown, key: string, problems: Problems): unknown {
  const tags: unknown = typeof value === 'string' ? value.split(',') : (value ?? [])
  if (!Array.isArray(tags)) return value
  const own = (tags as unknown[]).filter((tag) => typeof tag !== 'string' || tag.trim() !== '')
  const reserved = own.some(
    (tag) =>
      typeof tag === 'string' && (tag.trim().startsWith(KEY_TAG) || tag.trim() === UNLISTED_TAG),
  )
  if (reserved)
    problems[`${key}.tags`] = `invalid: ${KEY_TAG}… and ${UNLISTED_TAG} are set by the sync`
  return [...own, tagOf(key)]
}

/** Entries sorted after their parents. Unknown parents and cycles are problems. */
export function parentsFirst(
  entries: readonly ReadEntry[],
  problems: Problems,
): readonly ReadEntry[] {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]))
  const ordered = new Set<ReadEntry>()
  const onTheWay = new Set<ReadEntry>()

  function visit(entry: ReadEntry): void {
    if (ordered.has(entry)) return
    onTheWay.add(entry)
    entry.depends_on.forEach((key, index) => {
      const note = (problem: string): void =>
        addProblem(problems, `${entry.key}.depends_on`, problemAt([index], problem))
      const parent = byKey.get(key)
      if (parent === undefined) note(`invalid: the list has no ${JSON.stringify(key)}`)
      else if (onTheWay.has(parent)) note(`invalid: ${key} depends on this one`)
      else visit(parent)
    })
    onTheWay.delete(entry)
    ordered.add(entry)
  }

  for (const entry of entries) visit(entry)
  return [...ordered]
}
