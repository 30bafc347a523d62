/**
 * What the answers of the APIs of these services have in common: a list, of which each entry is a monitor.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'
import { BOUNDS, gather, objectsIn, within } from '../imported.ts'
import type { Gathering, Imported } from '../imported.ts'
import { take } from '../taking.ts'
import type { Taking } from '../taking.ts'

export type Note = (what: string) => void
export type Settings = JsonObject & { readonly type: string }

export interface Service {
  readonly name: string
  /** Of the list in the answer. */
  readonly list: string
  readonly nameOf: (from: Taking) => string | undefined
  /** `undefined`, with a note, if it has no equivalent here. */
  readonly settingsOf: (from: Taking, note: Note) => Settings | undefined
  readonly ignored: readonly string[]
}

export function imported(
  document: unknown,
  { name, list, nameOf, settingsOf, ignored }: Service,
): Imported {
  const gathering = gather()
  if (!isJsonObject(document) || !Array.isArray(document[list])) {
    gathering.note('the file', `it has no ${list}: it is no answer of the API of ${name}`)
    return gathering.done()
  }
  for (const each of objectsIn(document[list], (what) => gathering.note(list, what))) {
    const from = take(each)
    const own = nameOf(from) ?? 'without a name'
    const note: Note = (what) => gathering.note(own, what)
    const settings = settingsOf(from, note)
    if (settings === undefined) continue
    gathering.add({ name: own.slice(0, 200), ...settings })
    from.ignore(...ignored)
    for (const field of from.left()) note(`${field} has no counterpart`)
  }
  noteFurtherPages(gathering, document)
  return gathering.done()
}

function noteFurtherPages(gathering: Gathering, { pagination, nextLink }: JsonObject): void {
  const { next, total, limit } = isJsonObject(pagination) ? pagination : {}
  if (typeof (next ?? nextLink) === 'string' || Number(total) > Number(limit))
    gathering.note('the file', 'it is one page of several: import each')
}

export function intervalOf(seconds: number, note: Note): number {
  return within({ value: seconds, ...BOUNDS.interval_sec }, (allowed) =>
    note(`an interval of ${seconds} s became ${allowed} s`),
  )
}

/** Text of tags, in a list or separated by spaces. */
export function tagsOf(tags: readonly string[]): JsonObject {
  const cleaned = tags
    .map((tag) => tag.replaceAll(',', ' ').slice(0, 64))
    .filter((tag) => tag !== '')
  return cleaned.length === 0 ? {} : { tags: cleaned }
}

export const PAUSED = { paused: true }
