/**
 * Validates user input against a field table: the only place that reads unvalidated settings.
 *
 * All problems are collected. Each begins with a stable code: `required`, `invalid`, `out_of_range:
 * <bounds>`, `unknown_field`, `immutable`.
 *
 * @module
 */

import type { JsonObject } from '../model.ts'
import { fieldNamed } from './field.ts'
import type { AnyField, FieldTable, Settings, Stored } from './field.ts'
import { addProblem, problemAt, unknownFields } from './problems.ts'
import type { Problems } from './problems.ts'
import { isJsonObject } from '../model/json.ts'

export type { Problems }

export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fields: Problems }

/** Keys that would reach an object's prototype. */
const POISON = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Validates `input` against `fields` and fills in the defaults. `null` means "not given". Nested
 * fields may be written nested (`{ auth: { user } }`) or dotted (`{ "auth.user": … }`).
 */
export function parse<T extends FieldTable>(fields: T, input: unknown): Parsed<Stored<T>> {
  if (!isJsonObject(input)) return { ok: false, fields: { '': 'invalid: an object is expected' } }
  // Without a prototype, so that a key named `__proto__` can be reported.
  const problems = Object.create(null) as Record<string, string>
  const value = parseTable(fields, nest(fields, input, problems), '', problems)
  if (Object.keys(problems).length > 0) return { ok: false, fields: problems }
  return { ok: true, value: value as Stored<T> }
}

/** Converts stored settings to the form for `run`. */
export function decodeSettings<T extends FieldTable>(fields: T, stored: Stored<T>): Settings<T> {
  const settings: Record<string, unknown> = {}
  for (const [name, wire] of Object.entries(stored)) {
    const field = fieldNamed(fields, name)
    if (field === undefined || wire === undefined) continue
    const nested = field.info.fields
    settings[name] =
      nested === undefined ? field.decode(wire) : decodeSettings(nested, wire as Stored<FieldTable>)
  }
  return settings as Settings<T>
}

function parseTable(
  fields: FieldTable,
  input: JsonObject,
  prefix: string,
  problems: Record<string, string>,
): JsonObject {
  const value: Record<string, unknown> = {}
  const unknown = unknownFields(Object.keys(fields).map((name) => prefix + name))
  for (const name of Object.keys(input)) {
    if (!Object.hasOwn(fields, name) || POISON.has(name)) {
      problems[prefix + name] ??= unknown(prefix + name)
    }
  }
  for (const [name, field] of Object.entries(fields)) {
    const given = Object.hasOwn(input, name) ? input[name] : undefined
    const parsed = parseField(field, given ?? undefined, prefix + name, problems)
    if (parsed !== undefined) value[name] = parsed
  }
  return value as JsonObject
}

function parseField(
  field: AnyField,
  given: unknown,
  path: string,
  problems: Record<string, string>,
): unknown {
  if (given === undefined) {
    if (field.presence === 'required') problems[path] = 'required'
    return field.presence === 'default' ? field.fallback : undefined
  }
  if (field.info.fields !== undefined) {
    if (isJsonObject(given)) return parseTable(field.info.fields, given, `${path}.`, problems)
    problems[path] = 'invalid: an object is expected'
    return undefined
  }
  const result = field.schema['~standard'].validate(given)
  if (result instanceof Promise)
    throw new TypeError(`The schema of the field "${path}" is asynchronous`)
  if (result.issues === undefined) return result.value
  for (const issue of result.issues) {
    addProblem(problems, path, problemAt(stepsOf(issue.path), problemOf(issue.message)))
  }
  return undefined
}

/** Moves dotted keys of known groups into their group; all other keys stay. */
function nest(fields: FieldTable, input: JsonObject, problems: Record<string, string>): JsonObject {
  const nested: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [key, value] of Object.entries(input)) {
    const dot = key.indexOf('.')
    const group = key.slice(0, Math.max(0, dot))
    if (dot < 1 || fieldNamed(fields, group)?.info.fields === undefined) {
      nested[key] =
        isJsonObject(value) && isJsonObject(nested[key]) ? { ...nested[key], ...value } : value
      continue
    }
    const name = key.slice(dot + 1)
    const held = nested[group]
    if (isJsonObject(held) && Object.hasOwn(held, name)) problems[key] = 'invalid: given twice'
    nested[group] = { ...(isJsonObject(held) ? held : {}), [name]: value }
  }
  return nested as JsonObject
}

type IssuePath = readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined

function stepsOf(path: IssuePath): PropertyKey[] {
  return (path ?? []).map((step) => (typeof step === 'object' ? step.key : step))
}

/** A message of another validator becomes `invalid`; our messages already begin with a code. */
function problemOf(message: string): string {
  return /^(required|invalid|out_of_range|unknown_field|immutable)\b/.test(message)
    ? message
    : `invalid: ${message}`
}
