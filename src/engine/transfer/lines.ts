/**
 * The lines of an export: one JSON object each, with one member that names what it is.
 *
 * Version 1. A reader accepts no other, since a member that it does not know may matter.
 *
 * @module
 */

import * as v from 'valibot'
import { MAX_BUCKETS } from '../../model/totals.ts'
import { isJsonObject } from '../../model/json.ts'
import { HOUR_MS } from '../../model/time.ts'
import type { Json, JsonObject } from '../../model.ts'
import { areDetailsTooLong, hasTooManyParts, shapeProblem } from './line-bounds.ts'

export const FORMAT = 1

const id = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const ms = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(1e12))
const bucket = v.pipe(v.number(), v.safeInteger(), v.minValue(-1000), v.maxValue(1000))
const figure = v.pipe(v.number(), v.finite())
const word = v.pipe(v.string(), v.maxLength(200))
const text = v.pipe(v.string(), v.maxLength(10_000))
const object = v.custom<JsonObject>(isJsonObject, 'invalid: an object is expected')
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** Read as epoch milliseconds. */
const time = v.pipe(
  v.string(),
  v.regex(TIME, 'invalid: a time in UTC with milliseconds is expected'),
  v.transform((written) => Date.parse(written)),
  v.number('invalid: there is no such time'),
  v.finite('invalid: there is no such time'),
)
const verdict = v.picklist(['ok', 'fail', 'unknown'])
const availability = v.picklist(['up', 'degraded', 'down', 'unknown', 'paused', 'maintenance'])
const closed = v.picklist(['recovered', 'paused', 'reconfigured', 'deleted'])
const cause = v.strictObject({ at: time, cause_code: word, cause_text: text })
const update = v.strictObject({ at: time, status: word, text })

/** In the order in which they stand; those of one rank may be mixed. */
const SHAPES = {
  export: v.strictObject({
    format: v.literal(FORMAT),
    id: v.pipe(v.string(), v.uuid()),
    watchpost: word,
    at: time,
    history: v.boolean(),
    secrets: v.picklist(['left_out', 'encrypted']),
  }),
  account: v.strictObject({
    name: word,
    external_id: v.nullable(word),
    quotas: object,
    monitor_defaults: object,
  }),
  location: v.strictObject({ id, name: word }),
  contact: v.strictObject({ id, kind: word, settings: object, proof: v.optional(text) }),
  monitor: v.strictObject({
    id,
    type: word,
    paused: v.boolean(),
    created_at: time,
    token: v.optional(text),
    settings: object,
    proof: v.optional(text),
  }),
  maintenance: v.strictObject({ id, created_at: time, settings: object }),
  public_page: v.strictObject({
    id,
    created_at: time,
    password_hash: v.nullable(text),
    settings: object,
  }),
  status_report: v.strictObject({
    created_at: time,
    settings: object,
    updates: v.pipe(v.array(update), v.minLength(1), v.maxLength(50)),
  }),
  day: v.strictObject({
    monitor: id,
    day: v.pipe(v.string(), v.isoDate()),
    ok: count,
    fail: count,
    unknown: count,
    ok_ms: v.pipe(v.number(), v.finite(), v.minValue(0)),
    latency: v.record(v.pipe(v.string(), v.regex(/^-?\d{1,4}$/)), count),
  }),
  hour: v.strictObject({
    monitor: id,
    location: id,
    hour: v.pipe(
      time,
      v.check((at) => at % HOUR_MS === 0, 'invalid: the beginning of an hour is expected'),
    ),
    ok: count,
    fail: count,
    unknown: count,
    degraded: count,
    ok_ms: ms,
    min_ms: v.nullable(ms),
    max_ms: v.nullable(ms),
    latency: v.union([
      v.strictTuple([]),
      v.pipe(v.tupleWithRest([bucket], count), v.minLength(2), v.maxLength(MAX_BUCKETS + 1)),
    ]),
    phases: v.record(v.pipe(v.string(), v.regex(/^.{1,64}_ms$/)), ms),
    figures: v.record(
      v.pipe(v.string(), v.maxLength(64)),
      v.strictTuple([count, figure, figure, figure]),
    ),
  }),
  availability: v.strictObject({ monitor: id, at: time, availability }),
  incident: v.strictObject({
    monitor: id,
    started_at: time,
    detected_at: time,
    ended_at: v.nullable(time),
    cause_code: word,
    cause_text: text,
    causes: v.pipe(v.array(cause), v.maxLength(50)),
    locations_failed: v.pipe(v.array(id), v.maxLength(1000)),
    closed_reason: v.nullable(closed),
    acknowledged_at: v.nullable(time),
  }),
  result: v.strictObject({
    monitor: id,
    location: id,
    round: time,
    started_at: time,
    lag_ms: v.pipe(v.number(), v.finite(), v.minValue(-1e12), v.maxValue(1e12)),
    duration_ms: ms,
    verdict,
    cause_code: v.nullable(word),
    cause_text: v.nullable(text),
    phase: v.nullable(word),
    phases: v.record(v.pipe(v.string(), v.regex(/^.{1,64}_ms$/)), ms),
    remote_ip: v.nullable(word),
    details: v.pipe(
      object,
      v.check((given) => !areDetailsTooLong(given), 'invalid: at most 64 KiB of JSON are expected'),
    ),
  }),
  end: v.strictObject({ lines: count }),
} as const

type Shapes = typeof SHAPES
export type LineKind = keyof Shapes
export type LineOf<K extends LineKind> = v.InferOutput<Shapes[K]>
export type Line = { [K in LineKind]: { readonly kind: K; readonly content: LineOf<K> } }[LineKind]

/** Times as they are written. */
export type WrittenLine<K extends LineKind> = v.InferInput<Shapes[K]>

const RANKS: Readonly<Record<LineKind, number>> = {
  export: 0,
  account: 1,
  location: 2,
  contact: 3,
  monitor: 4,
  maintenance: 5,
  public_page: 6,
  status_report: 7,
  day: 8,
  hour: 8,
  availability: 8,
  incident: 9,
  result: 10,
  end: 11,
}

export function rankOf(kind: LineKind): number {
  return RANKS[kind]
}

export function jsonLine<K extends LineKind>(kind: K, content: WrittenLine<K>): string {
  return `${JSON.stringify({ [kind]: content })}\n`
}

/** The line, or what is wrong with it. */
export function lineFrom(json: string): Line | string {
  if (hasTooManyParts(json)) return 'out_of_range: it has too many values'
  let value: Json
  try {
    value = JSON.parse(json) as Json
  } catch {
    // The parser's message quotes the line, which may hold a secret.
    return 'invalid: it is no JSON'
  }
  if (!isJsonObject(value)) return 'invalid: an object is expected'
  const [kind, ...others] = Object.keys(value)
  if (kind === undefined || others.length > 0 || !Object.hasOwn(SHAPES, kind))
    return `invalid: one of ${Object.keys(SHAPES).join(', ')} is expected`
  const known = kind as LineKind
  const content = value[kind]
  if (known === 'export' && isJsonObject(content) && content['format'] !== FORMAT)
    return `invalid: it was written in another format than ${FORMAT}, by another version of watchpost`
  const shape = shapeProblem(value)
  if (shape !== undefined) return shape
  const parsed = v.safeParse<Shapes[LineKind]>(SHAPES[known], content, { abortEarly: true })
  if (parsed.success) return { kind: known, content: parsed.output } as Line
  const [issue] = parsed.issues
  const place = v.getDotPath(issue) ?? ''
  return `${kind}${place === '' ? '' : `.${place}`}: ${problemOf(issue)}`
}

/** Values are not repeated: one may be a secret. */
function problemOf({ message, expected, type }: v.BaseIssue<unknown>): string {
  if (message.startsWith('invalid: ')) return message
  return `invalid: ${expected ?? type} is expected`
}
