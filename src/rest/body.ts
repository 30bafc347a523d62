/**
 * Reads request bodies within bounds of size, time and shape.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { ValidationError } from '../errors.ts'
import type { Json, JsonObject } from '../model.ts'
import { Refusal } from './refusal.ts'

export const BODY_LIMITS = {
  /** 256 KiB. */
  bytes: 262_144,
  /** From the first byte asked for to the last. */
  read_ms: 30_000,
  /** Levels of nesting, the outermost object being the first. */
  depth: 32,
  /** Items of one array, members of one object. */
  entries: 1000,
} as const

/** Keys that would reach an object's prototype once somebody copies them carelessly. */
const POISON: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

interface ReadOptions {
  readonly clock: Pick<Clock, 'timer'>
  readonly max_bytes: number
  /** `cut` keeps the beginning of a longer body, `refuse` answers 413. */
  readonly overflow: 'cut' | 'refuse'
  /** Called before the first byte is kept. */
  readonly onFirstByte?: () => void
}

/**
 * The JSON object in the body, `{}` where there is no body.
 *
 * @throws Refusal 400 `bad_json`, 408 `request_timeout`, 413 `too_large`, 415 `unsupported_media_type`
 * @throws ValidationError for a key that is never allowed, or a list that is too long
 */
export async function readJson(request: Request, clock: Pick<Clock, 'timer'>): Promise<JsonObject> {
  const bytes = await readBytes(request, {
    clock,
    max_bytes: BODY_LIMITS.bytes,
    overflow: 'refuse',
    onFirstByte: () => requireJson(request.headers),
  })
  if (bytes.length === 0) return {}
  const value = parseJson(bytes)
  if (typeof value !== 'object' || value === null || isList(value)) {
    throw badJson('The body must be a JSON object')
  }
  inspect(value)
  return value
}

/** @throws Refusal 400 `bad_json` when the sender breaks off, 408 `request_timeout`, 413 `too_large` */
export async function readBytes(request: Request, options: ReadOptions): Promise<Uint8Array> {
  const { clock, max_bytes, overflow } = options
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (overflow === 'refuse' && announced > max_bytes) throw tooLarge(max_bytes)
  if (request.body === null) return new Uint8Array()

  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  const deadline = { passed: false }
  const timer = clock.timer(BODY_LIMITS.read_ms, () => {
    deadline.passed = true
    reader.cancel().catch(() => undefined)
  })
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    while (size <= max_bytes) {
      const { done, value } = await reader.read()
      if (done) break
      if (size === 0 && value.length > 0) options.onFirstByte?.()
      chunks.push(value)
      size += value.length
    }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw badJson('The body ended early')
  } finally {
    timer.cancel()
    reader.cancel().catch(() => undefined)
  }
  if (deadline.passed)
    throw new Refusal({ status: 408, error: 'request_timeout', message: TOO_SLOW })
  if (size > max_bytes && overflow === 'refuse') throw tooLarge(max_bytes)
  return Buffer.concat(chunks).subarray(0, max_bytes)
}

const TOO_SLOW = `The body did not arrive within ${BODY_LIMITS.read_ms / 1000} seconds`

function requireJson(headers: Headers): void {
  const type = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(type) && encoding === 'identity') return
  throw new Refusal({
    status: 415,
    error: 'unsupported_media_type',
    message: 'Send the body as "Content-Type: application/json", not compressed',
  })
}

function parseJson(bytes: Uint8Array): Json {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json
  } catch {
    throw badJson('The body is not valid JSON in UTF-8')
  }
}

/** Walks with a list of its own: recursion would run out of stack long before 256 KiB of brackets. */
function inspect(root: JsonObject): void {
  // A map: assigning to `problems['__proto__']` of a plain object would be lost.
  const problems = new Map<string, string>()
  const open: { value: JsonObject | readonly Json[]; path: string; depth: number }[] = [
    { value: root, path: '', depth: 1 },
  ]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { value, path, depth } = at
    if (depth > BODY_LIMITS.depth) {
      throw badJson(`The body is nested deeper than ${BODY_LIMITS.depth} levels`)
    }
    const entries = Object.entries(value)
    if (entries.length > BODY_LIMITS.entries) {
      problems.set(path, `out_of_range: 0..${BODY_LIMITS.entries} entries`)
      continue
    }
    for (const [key, child] of entries) {
      const name = path === '' ? key : `${path}.${key}`
      if (POISON.has(key)) problems.set(name, 'unknown_field')
      if (typeof child === 'object' && child !== null) {
        open.push({ value: child, path: name, depth: depth + 1 })
      }
    }
  }
  if (problems.size > 0) throw new ValidationError(Object.fromEntries(problems))
}

function isList(value: JsonObject | readonly Json[]): value is readonly Json[] {
  return Array.isArray(value)
}

function badJson(message: string): Refusal {
  return new Refusal({ status: 400, error: 'bad_json', message })
}

function tooLarge(max_bytes: number): Refusal {
  return new Refusal({
    status: 413,
    error: 'too_large',
    message: `The body is larger than ${max_bytes} bytes`,
  })
}
