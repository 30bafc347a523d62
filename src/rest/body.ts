/**
 * Request bodies, read within limits of size and time. JSON bodies: an object within limits of depth and size, without keys that endanger prototypes.
 *
 * @module
 */

import { arrivedBody } from '../access/arriving-body.ts'
import type { Clock } from '../clock.ts'
import { ValidationError } from '../errors.ts'
import { addProblem, problemAt } from '../fields/problems.ts'
import type { Json, JsonObject } from '../model.ts'
import { HttpError } from './http-error.ts'

export const BODY_LIMITS = {
  /** 256 KiB. */
  bytes: 262_144,
  /** From the first read to the last byte. */
  read_ms: 30_000,
} as const

interface ReadOptions {
  readonly clock: Pick<Clock, 'timer'>
  readonly max_bytes: number
  /** `cut` keeps the beginning of a longer body, `refuse` answers 413. */
  readonly overflow: 'cut' | 'refuse'
  /** Called before the first byte is stored. */
  readonly onFirstByte?: () => void
}

/** Runs the work when it is its turn. */
export type ParseInTurn = (parse: () => JsonObject) => Promise<JsonObject>

const TOO_SLOW = `The body did not arrive within ${BODY_LIMITS.read_ms / 1000} seconds`

export const JSON_LIMITS = {
  /** Levels of nesting, the outermost object being the first. */
  depth: 32,
  /** Items of one array, members of one object. */
  entries: 1000,
  /**
   * Maximum number of reported problems, and of characters of each name, so that a response stays in proportion to
   * its request.
   */
  problems: 100,
  name_characters: 200,
} as const

/** Keys that would change an object's prototype when copied by assignment. */
const POISON: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * The JSON object in the body, `{}` without a body. Parsing waits for its turn: many bodies may be complete at the same
 * moment.
 *
 * @throws HttpError 400 `bad_json`, 408 `request_timeout`, 413 `too_large`, 415 `unsupported_media_type`
 * @throws ValidationError for a key that is never allowed, or a list that is too long
 */
export async function readJson(
  request: Request,
  { clock, inTurn }: { readonly clock: Pick<Clock, 'timer'>; readonly inTurn: ParseInTurn },
): Promise<JsonObject> {
  const bytes = await readBytes(request, {
    clock,
    max_bytes: BODY_LIMITS.bytes,
    overflow: 'refuse',
    onFirstByte: () => requireJson(request.headers),
  })
  return bytes.length === 0 ? {} : inTurn(() => objectIn(bytes))
}

function objectIn(bytes: Uint8Array): JsonObject {
  const text = decode(bytes)
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || isList(value)) {
    throw badJson('The body must be a JSON object')
  }
  const { members } = inspect(value)
  if (members !== namesIn(text)) throw badJson('A name stands twice in one object of the body')
  return value
}

/** JSON is UTF-8 (RFC 8259, 8.1): another charset is rejected instead of being decoded wrongly. */
const UTF8 = /^(?:utf-?8|us-ascii)$/i

function requireJson(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map(trimmed)
  const encoding = headers.get('content-encoding') ?? 'identity'
  const charset = parameters.map((one) => /^charset="?(.*?)"?$/i.exec(one)?.[1] ?? 'utf-8')
  const plain = encoding.toLowerCase() === 'identity' && charset.every((name) => UTF8.test(name))
  if (/^application\/(?:[\w.+-]+\+)?json$/i.test(type) && plain) return
  throw new HttpError({
    status: 415,
    error: 'unsupported_media_type',
    message: 'Send the body as "Content-Type: application/json" in UTF-8, not compressed',
  })
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badJson('The body is not UTF-8')
  }
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    throw badJson('The body is not valid JSON')
  }
}

/**
 * Counts the member names in a valid JSON text: the strings before a colon. More of them than members in the value
 * means duplicate names, of which `JSON.parse` silently keeps the last.
 */
function namesIn(text: string): number {
  let names = 0
  for (const [, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"\s*(:)?/g)) {
    if (colon !== undefined) names += 1
  }
  return names
}

/** Iterative: recursion would overflow the stack long before 256 KiB of brackets. */
function inspect(root: JsonObject): { readonly members: number } {
  // Without a prototype: assigning `problems['__proto__']` on a plain object has no effect.
  const problems = Object.create(null) as Record<string, string>
  let noted = 0
  const note = (place: Place, problem: string): void => {
    noted += 1
    if (noted > JSON_LIMITS.problems) return
    const [name = '', ...steps] = stepsTo(place)
    const field = String(name).slice(0, JSON_LIMITS.name_characters)
    addProblem(problems, field, problemAt(steps, problem))
  }
  let members = 0
  const open: Place[] = [{ value: root, step: '', parent: null, depth: 0 }]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { value } = at
    const depth = at.depth + 1
    if (depth > JSON_LIMITS.depth) {
      throw badJson(`The body is nested deeper than ${JSON_LIMITS.depth} levels`)
    }
    const entries = Object.entries(value)
    if (!isList(value)) members += entries.length
    if (entries.length > JSON_LIMITS.entries) {
      note(at, `out_of_range: 0..${JSON_LIMITS.entries} entries`)
      continue
    }
    for (const [key, child] of entries) {
      const step = isList(value) ? Number(key) : key
      const inside = { value: child as JsonObject, step, parent: at, depth }
      if (POISON.has(key)) note(inside, 'unknown_field')
      if (typeof child === 'object' && child !== null) open.push(inside)
    }
  }
  if (noted > 0) throw new ValidationError(Object.fromEntries(Object.entries(problems)))
  return { members }
}

interface Place {
  readonly value: JsonObject | readonly Json[]
  readonly step: string | number
  /** `null` for the body itself. */
  readonly parent: Place | null
  readonly depth: number
}

function stepsTo(place: Place): (string | number)[] {
  const steps: (string | number)[] = []
  for (let at = place; at.parent !== null; at = at.parent) steps.unshift(at.step)
  return steps
}

function isList(value: JsonObject | readonly Json[]): value is readonly Json[] {
  return Array.isArray(value)
}

function trimmed(text: string): string {
  return text.trim()
}

/** @throws HttpError 400 `bad_json` if the sender aborts, 408 `request_timeout`, 413 `too_large` */
export async function readBytes(request: Request, options: ReadOptions): Promise<Uint8Array> {
  const { clock, max_bytes, overflow } = options
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (overflow === 'refuse' && announced > max_bytes) throw tooLarge(max_bytes)
  if (request.body === null) return new Uint8Array()

  const arrived = await arrivedBody(request.body as ReadableStream<Uint8Array>, {
    clock,
    max_bytes,
    read_ms: BODY_LIMITS.read_ms,
    onFirstByte: options.onFirstByte,
  }).catch((error: unknown) => {
    throw error instanceof HttpError ? error : badJson('The body ended early')
  })
  if (arrived.is_late)
    throw new HttpError({ status: 408, error: 'request_timeout', message: TOO_SLOW })
  if (arrived.is_longer && overflow === 'refuse') throw tooLarge(max_bytes)
  return arrived.bytes
}

function badJson(message: string): HttpError {
  return new HttpError({ status: 400, error: 'bad_json', message })
}

function tooLarge(max_bytes: number): HttpError {
  return new HttpError({
    status: 413,
    error: 'too_large',
    message: `The body is larger than ${max_bytes} bytes`,
  })
}
