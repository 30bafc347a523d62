/**
 * Bounds of a line of an export, so that no line takes a long turn, now or whenever what it stored is read.
 *
 * @module
 */

import type { Json } from '../../model.ts'
import { MAX_DETAILS_CHARS } from '../checks/report.ts'

/** Brackets, commas and colons of a line: details of 64 KiB have 33,000 at most. */
const MAX_PARTS = 40_000
/** Items of one list, members of one object; as in a request. */
const MAX_ENTRIES = 1000
const MAX_LEVELS = 100

/** Whether `JSON.parse` would be long in one turn: a quarter of a second for 1 MiB of brackets. */
export function hasTooManyParts(json: string): boolean {
  let parts = 0
  let inText = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (inText) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) inText = false
    } else if (code === QUOTE) inText = true
    else if (PARTS.has(code) && ++parts > MAX_PARTS) return true
  }
  return false
}

const [QUOTE, BACKSLASH] = [34, 92]
const PARTS: ReadonlySet<number> = new Set(Buffer.from(',:[{'))

/** What is wrong with the size of a value; `details` of a result may be one long list. */
export function shapeProblem(value: Json): string | undefined {
  const open: Open[] = [{ value, level: 0, max_entries: MAX_ENTRIES }]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at.value !== 'object' || at.value === null) continue
    const level = at.level + 1
    if (level > MAX_LEVELS) return `out_of_range: 0..${MAX_LEVELS} levels`
    const entries = Object.entries(at.value) as [string, Json][]
    if (entries.length > at.max_entries) return `out_of_range: 0..${at.max_entries} entries`
    for (const [name, child] of entries) {
      const isDetails = level === 2 && name === 'details'
      open.push({ value: child, level, max_entries: isDetails ? Infinity : at.max_entries })
    }
  }
  return undefined
}

interface Open {
  readonly value: Json
  readonly level: number
  readonly max_entries: number
}

/** To be called after {@link shapeProblem}: the JSON of a value that is nested too deeply cannot be written. */
export function areDetailsTooLong(details: Json): boolean {
  return JSON.stringify(details).length > MAX_DETAILS_CHARS
}
