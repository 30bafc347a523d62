/**
 * Formats the measurements of a check: first the highlights of the type with their titles, then all
 * others by name.
 *
 * @module
 */

import type { Highlight } from '../../checkers/charts.ts'
import type { AnyChecker } from '../../checkers/checker.ts'
import type { EpochMs, Json, JsonObject, Outcome } from '../../model.ts'
import { table, TEXT_COLUMNS } from '../terminal.ts'
import { oneLine } from './verdict.ts'
import { isJsonObject } from '../../model/json.ts'

const VALUE_LIMIT = 200
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
/** The least number at which a unit is used: `30 hours` says more than `1 day`. */
const ENOUGH = { day: 2, hour: 1, minute: 1 } as const

type Highlights = NonNullable<AnyChecker['highlights']>

export interface Measured {
  /** With the titles of the type. */
  readonly titled: readonly string[]
  /** All others, by their names. */
  readonly named: readonly string[]
}

/** Lines of both; `whole`: beyond the columns of a terminal too. */
export function measured(outcome: Outcome, highlights: Highlights = {}, whole = true): Measured {
  const now = Date.parse(outcome.started_at)
  const flat = new Map(leaves(outcome.details))
  const titled = Object.entries(highlights).flatMap(([name, highlight]) => {
    const value = flat.get(name)
    if (value === undefined || value === '') return []
    flat.delete(name)
    return [[`  ${highlight.title}`, formatted(value, highlight, now)]]
  })
  const named = [...flat].flatMap(([name, value]) => rowsOf(name, value))
  const lines = table(titled)
  return { titled: whole ? lines : lines.map(fitting), named: table(named) }
}

/** Objects are opened, with dots between the names; lists stay as they are. */
function leaves(details: JsonObject, prefix = ''): [name: string, value: Json][] {
  return Object.entries(details).flatMap(([name, value]) => {
    if (value === undefined || value === null) return []
    if (isJsonObject(value)) return leaves(value, `${prefix}${name}.`)
    return [[prefix + name, value] satisfies [string, Json]]
  })
}

/** A list of objects has a row for each of them. */
function rowsOf(name: string, value: Json): string[][] {
  if (!Array.isArray(value)) return [[`  ${name}`, shown(value)]]
  const items = value as readonly Json[]
  if (items.length === 0) return [[`  ${name}`, 'none']]
  if (!items.some(isJsonObject)) return [[`  ${name}`, cut(items.map(shown).join(', '))]]
  return items.map((item, index) => [`  ${name} ${index + 1}`, shown(item)])
}

function shown(value: Json): string {
  if (typeof value === 'string') return cut(oneLine(value))
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (!isJsonObject(value)) return cut(JSON.stringify(value))
  return cut(
    leaves(value)
      .map(([name, each]) => `${name}=${shown(each)}`)
      .join('  '),
  )
}

function fitting(line: string): string {
  return line.length > TEXT_COLUMNS ? `${line.slice(0, TEXT_COLUMNS - 1)}…` : line
}

function cut(text: string): string {
  return text.length > VALUE_LIMIT ? `${text.slice(0, VALUE_LIMIT)}…` : text
}

function formatted(value: Json, { format }: Highlight, now: EpochMs): string {
  if (format === 'percent' && typeof value === 'number') return `${Math.round(value * 10) / 10} %`
  if (format === 'ms' && typeof value === 'number') return `${value} ms`
  if (format !== 'end' && format !== 'time') return shown(value)
  const at = typeof value === 'string' ? Date.parse(value) : NaN
  if (Number.isNaN(at)) return shown(value)
  return `${new Date(at).toISOString().slice(0, 10)} (${awayText(at - now)})`
}

/** `14 minutes ago`, `in 30 hours`, `in 20 days`. */
function awayText(ms: number): string {
  const far = Math.abs(ms)
  const [unit, size] = UNITS.find(([name, of]) => far >= ENOUGH[name] * of) ?? ['second', 1000]
  const count = Math.floor(far / size)
  const words = `${count} ${unit}${count === 1 ? '' : 's'}`
  return ms > 0 ? `in ${words}` : `${words} ago`
}
