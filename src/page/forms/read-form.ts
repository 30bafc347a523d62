/**
 * What a sent form says, as input for the engine: empty controls are left out of a new monitor, and reset those of an
 * existing one. Whether the input is valid is for the engine to say.
 *
 * @module
 */

import type { Json, JsonObject } from '../../model.ts'
import { parsedJson, valueAt } from './controls.ts'
import type { Control } from './controls.ts'

/** Prefix of the controls, so that no field collides with a name of the form itself. */
export const PREFIX = 'f.'
/** Marks a stored secret to be removed. */
export const REMOVE = 'remove.'

type Read = Json | undefined

/** The input of `create`: only what was filled in. */
export function newInput(controls: readonly Control[], form: URLSearchParams): JsonObject {
  const input: Record<string, Json> = {}
  for (const control of controls) {
    const value = readControl(control, form)
    if (value !== undefined && !isUsual(control, value)) input[control.name] = value
  }
  return input
}

/** The input of `update`: everything on the form. `stored` tells which secrets there are. */
export function patchInput(
  controls: readonly Control[],
  form: URLSearchParams,
  stored: JsonObject,
): JsonObject {
  const input: Record<string, Json> = {}
  const groups = new Map<string, boolean>()
  for (const control of controls) {
    const value = readControl(control, form)
    const { name, group } = control
    const kept = control.kind === 'secret' && value === undefined && isKept(control, form, stored)
    if (group !== undefined) {
      const filled = kept || (value !== undefined && !isUsual(control, value))
      groups.set(group, groups.get(group) === true || filled)
    }
    if (!kept) input[name] = value ?? null
  }
  return withoutEmpty(
    input,
    [...groups].flatMap(([group, filled]) => (filled ? [] : [group])),
  )
}

/** A group without anything in it is absent as a whole. */
function withoutEmpty(input: JsonObject, groups: readonly string[]): JsonObject {
  const rest = Object.entries(input).filter(
    ([name]) => !groups.some((group) => name.startsWith(`${group}.`)),
  )
  return Object.fromEntries([...rest, ...groups.map((group) => [group, null] as const)])
}

function isKept({ name }: Control, form: URLSearchParams, stored: JsonObject): boolean {
  return isStored(stored, name) && form.get(REMOVE + name) !== 'on'
}

export function isStored(stored: JsonObject, name: string): boolean {
  const value = valueAt(stored, name)
  return value !== undefined && value !== null
}

/** In a group, what a control says without anybody having touched it. */
function isUsual({ group, kind, fallback }: Control, value: Json): boolean {
  return group !== undefined && kind === 'checkbox' && value === fallback
}

/** `undefined` for an empty control. */
function readControl({ name, kind, info }: Control, form: URLSearchParams): Read {
  const key = PREFIX + name
  if (kind === 'checkbox') return form.get(key) === 'on'
  if (kind === 'lines') return linesOf(form.getAll(key), info.item?.info.kind)
  const text = form.get(key) ?? ''
  if (kind === 'secret' || kind === 'text') return text === '' ? undefined : unixLines(text)
  if (text.trim() === '') return undefined
  if (kind === 'headers') return headersOf(text)
  if (kind === 'json') return parsedJson(text) ?? text
  if (kind === 'select' && info.kind === 'boolean') return text === 'true'
  if (info.kind === 'integer' || info.kind === 'number') return numberOf(text)
  if (info.kind === 'scalar') return parsedJson(text) ?? text
  return text
}

/** Browsers send line ends as CRLF. */
function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

/** A text that is no number stays one, for the engine to refuse. */
function numberOf(text: string): Json {
  const value = Number(text.trim())
  return Number.isNaN(value) ? text : value
}

function linesOf(texts: readonly string[], kind: string | undefined): Read {
  const lines = texts
    .flatMap((text) => text.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length === 0) return undefined
  return kind === 'integer' || kind === 'number' ? lines.map(numberOf) : lines
}

/** One header per line; a repeated one has a list of values. A line without a colon is refused by the engine. */
function headersOf(text: string): Json {
  const headers = new Map<string, string[]>()
  for (const line of unixLines(text).split('\n')) {
    if (line.trim() === '') continue
    const [name = '', ...rest] = line.split(':')
    const values = headers.get(name.trim()) ?? []
    values.push(rest.join(':').trim())
    headers.set(name.trim(), values)
  }
  return Object.fromEntries(
    [...headers].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  )
}
