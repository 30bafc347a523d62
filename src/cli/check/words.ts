/**
 * Words of a command line as the settings of a check: `key=value`, and the address by itself.
 *
 * @module
 */

import { ConfigurationError, ValidationError } from '../../errors.ts'
import type { AnyField, FieldTable } from '../../fields/field.ts'
import type { Json, JsonObject } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'

type Nested = { [key: string]: Json | undefined }

/** Gives the value of a word `key@=source`. */
export type ReadSource = (key: string, source: string) => Promise<string>

/**
 * A value that parses as JSON is JSON, but for a number or a flag where the field holds text:
 * `expected_status=200` sets the field to the number 200. Dotted keys nest. Behind `@=` stands where the value is; it
 * is text wherever the field holds any.
 *
 * @throws ConfigurationError, ValidationError
 */
export async function readWords(
  fields: FieldTable,
  words: readonly string[],
  readSource: ReadSource,
): Promise<JsonObject> {
  const settings = empty()
  for (const word of words) {
    if (!SETTING.test(word)) {
      placeAddress(settings, fields, word)
      continue
    }
    const at = word.indexOf('=')
    const isSource = word[at - 1] === '@'
    const key = word.slice(0, isSource ? at - 1 : at)
    if (key === 'timeout_ms') throw new ConfigurationError('timeout_ms: it is a flag, --timeout-ms')
    const path = key.split('.')
    const field = fieldAt(fields, path)
    const given = word.slice(at + 1)
    const value = isSource
      ? sourceValueOf(await readSource(key, given), field, path)
      : valueOf(given, field)
    if (!place(settings, path, value)) {
      throw new ValidationError({ [key]: 'invalid: given twice' })
    }
  }
  return settings
}

/** No address begins like this: one with a `=` has a colon or a slash before it. */
const SETTING = /^[\w.-]+@?=/

/** The first required field is the address that is looked at; a port may stand behind its colon. */
function placeAddress(settings: Nested, fields: FieldTable, word: string): void {
  const [name] = Object.keys(fields).filter((each) => fields[each]?.presence === 'required')
  if (name === undefined || word.startsWith('='))
    throw new ConfigurationError(`"${word}" is not of the form key=value (see --help)`)
  const twice = (given: string): never => {
    throw new ConfigurationError(`"${word}": ${given} is given twice (see --help)`)
  }
  const [, host, port] = fields['port'] === undefined ? [] : (HOST_AND_PORT.exec(word) ?? [])
  if (!place(settings, [name], host ?? word)) twice(name)
  if (port !== undefined && !place(settings, ['port'], Number(port))) twice('port')
}

/** `db.example:5432`, `192.0.2.1:80`, `[2001:db8::1]:80`; a bare IPv6 address has no port. */
const HOST_AND_PORT = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/

/** Without a prototype, so that a key of any name is a key. */
function empty(): Nested {
  return Object.create(null) as Nested
}

/** `false` where something is there already. */
function place(settings: Nested, [name = '', ...rest]: readonly string[], value: Json): boolean {
  const held = settings[name]
  if (rest.length === 0) {
    settings[name] = value
    return held === undefined
  }
  if (held !== undefined && !isJsonObject(held)) return false
  const group = (settings[name] = held ?? empty())
  return place(group, rest, value)
}

function fieldAt(fields: FieldTable, path: readonly string[]): AnyField | undefined {
  const [name = '', ...rest] = path
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  const group = field?.info.fields
  return rest.length === 0 || group === undefined ? field : fieldAt(group, rest)
}

const TEXT_KINDS: ReadonlySet<string> = new Set(['string', 'regex', 'object'])

function valueOf(text: string, field: AnyField | undefined): Json {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return text
  }
  const scalar = typeof value === 'number' || typeof value === 'boolean'
  return scalar && field !== undefined && holdsText(field) ? text : value
}

/** A password is never parsed as JSON, even if it looks like it; an object of headers from a file is. */
function sourceValueOf(text: string, field: AnyField | undefined, path: readonly string[]): Json {
  const isWhole = path.length === 1 && field?.info.kind === 'object'
  return field !== undefined && holdsText(field) && !isWhole ? text : valueOf(text, field)
}

/** An object without declared fields maps names to texts, such as headers. */
function holdsText({ info }: AnyField): boolean {
  return TEXT_KINDS.has(info.kind) || info.enum?.every((one) => typeof one === 'string') === true
}
