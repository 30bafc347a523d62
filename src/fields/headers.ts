/**
 * Request header fields as settings (RFC 9110, 5).
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from './field.ts'
import type { FieldBuilder, FieldInfo } from './field.ts'
import { textSchema } from './text.ts'
import { isJsonObject } from '../model/json.ts'

/** Header name to its value, or to several values that are sent as repeated fields. */
export type HeaderMap = Readonly<Record<string, string | readonly string[]>>
/** In the order of sending. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[]

type HeaderInfo = Pick<FieldInfo, 'description'> & Partial<Pick<FieldInfo, 'example'>>

const MAX_HEADERS = 50
const MAX_NAME_CHARACTERS = 256
const MAX_VALUE_CHARACTERS = 8192
/**
 * Total of all headers: servers accept 8 to 64 KiB, and every list of monitors reads them from the
 * store.
 */
const MAX_ALL_CHARACTERS = 32_768

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
/** Any octet but control characters; a character is sent as its Latin-1 octet. */
const FIELD_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

/** Headers of the connection (RFC 9110, 7.6.1) or of the message framing, which the engine sets. */
const OURS = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** See `field.headers`. */
export function headersField(info: HeaderInfo): FieldBuilder<HeaderMap, HeaderPairs> {
  const schema = v.pipe(
    v.unknown(),
    v.rawTransform<unknown, HeaderMap>(({ dataset, addIssue, NEVER }) => {
      const read = readHeaders(dataset.value)
      if (typeof read !== 'string') return read
      addIssue({ message: read })
      return NEVER
    }),
  )
  return defineField({ kind: 'object', secret: 'by_header_name', ...info }, schema, pairsOf)
}

/** See `field.headerValue`. */
export function headerValueField(info: HeaderInfo & { max?: number }): FieldBuilder<string> {
  const { max = 1024, ...rest } = info
  const schema = v.pipe(
    textSchema({ max, trim: true }),
    v.check(
      (text) => FIELD_VALUE.test(text),
      'invalid: a header carries only characters of Latin-1',
    ),
  )
  return defineField({ kind: 'string', min: 1, max, ...rest }, schema)
}

/** The name of a header, stored in lower case. */
export function headerNameField(info: HeaderInfo): FieldBuilder<string> {
  const schema = v.pipe(
    textSchema({ max: MAX_NAME_CHARACTERS, trim: true }),
    v.check((name) => TOKEN.test(name), 'invalid: the name of a header is expected'),
    v.transform((name) => name.toLowerCase()),
  )
  return defineField({ kind: 'string', min: 1, max: MAX_NAME_CHARACTERS, ...info }, schema)
}

/** The headers, or the first problem. Accepts an object, or a list of `{ name, value }`. */
function readHeaders(input: unknown): HeaderMap | string {
  const entries = entriesOf(input)
  if (entries === undefined) return 'invalid: an object of header names and values is expected'
  const lines = entries.reduce((count, [, value]) => count + [value].flat().length, 0)
  if (Math.max(entries.length, lines) > MAX_HEADERS)
    return `out_of_range: 0..${MAX_HEADERS} headers`
  const characters = entries.flat(2).reduce((count, text) => count + text.length, 0)
  if (characters > MAX_ALL_CHARACTERS)
    return `out_of_range: 0..${MAX_ALL_CHARACTERS} characters in all headers together`
  const named = new Map<string, string>()
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of entries) {
    const problem = problemOf(name, value)
    if (problem !== undefined) return problem
    const known = named.get(name.toLowerCase())
    if (known === undefined) {
      named.set(name.toLowerCase(), name)
      define(headers, name, typeof value === 'string' ? value.trim() : [...value].map(trimmed))
    } else {
      define(headers, known, [headers[known] ?? [], value].flat().map(trimmed))
    }
  }
  if (Array.isArray(headers[named.get('host') ?? ''])) return 'invalid: host can be sent only once'
  return headers
}

function entriesOf(input: unknown): [string, string | readonly string[]][] | undefined {
  const raw: unknown[][] | undefined = Array.isArray(input)
    ? input.map((item: unknown) => (isJsonObject(item) ? [item.name, item.value] : []))
    : isJsonObject(input)
      ? Object.entries(input)
      : undefined
  const valid = raw?.every(([name, value]) => typeof name === 'string' && isValue(value))
  return valid === true ? (raw as [string, string | readonly string[]][]) : undefined
}

function isValue(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    (Array.isArray(value) &&
      value.length <= MAX_HEADERS &&
      value.every((item) => typeof item === 'string'))
  )
}

function problemOf(name: string, value: string | readonly string[]): string | undefined {
  if (!TOKEN.test(name) || name.length > MAX_NAME_CHARACTERS) {
    return 'invalid: a header name is made of letters, digits and hyphens'
  }
  if (OURS.has(name.toLowerCase())) return `invalid: ${name} is set by the connection itself`
  const values = [value].flat()
  if (values.some((text) => text.length > MAX_VALUE_CHARACTERS)) {
    return `out_of_range: 0..${MAX_VALUE_CHARACTERS} characters in ${name}`
  }
  // The message does not repeat the value: it may be a secret.
  return values.every((text) => FIELD_VALUE.test(text))
    ? undefined
    : `invalid: ${name} has line breaks or characters beyond Latin-1`
}

function pairsOf(headers: HeaderMap): HeaderPairs {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((text) => [name, text] as const),
  )
}

/** A plain assignment would reach the prototype for a header named `__proto__`, a valid token. */
function define<T>(target: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

function trimmed(text: string): string {
  return text.trim()
}
