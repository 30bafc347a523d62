/**
 * The setting `metadata`: a small JSON object of the host's own.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import type { JsonObject } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'

const MAX_BYTES = 4096
const MAX_DEPTH = 4
const MAX_KEY = 64

export function metadataField(): FieldBuilder<JsonObject> {
  const schema = v.pipe(
    v.custom<JsonObject>(isJsonObject, 'invalid: an object is expected'),
    v.rawCheck<JsonObject>(({ dataset, addIssue }) => {
      const problem = dataset.typed ? problemOf(dataset.value, 1) : undefined
      if (problem !== undefined) return addIssue({ message: problem })
      if (dataset.typed && Buffer.byteLength(JSON.stringify(dataset.value), 'utf8') > MAX_BYTES)
        addIssue({ message: `out_of_range: at most ${MAX_BYTES} bytes of JSON` })
    }),
  )
  return defineField(
    {
      kind: 'object',
      description:
        "Values of the host's own, shown wherever the monitor is and carried by its events: at most 4096 bytes of JSON, 4 levels. Not encrypted: no place for secrets",
      format: 'metadata',
    },
    schema,
  )
}

/** Ends at the deepest level allowed, so that circular input is refused. */
function problemOf(value: unknown, depth: number): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : 'invalid: a number is finite in JSON'
  if (typeof value !== 'object' || !isPlain(value)) return 'invalid: only JSON values are expected'
  if (depth > MAX_DEPTH) return `out_of_range: at most ${MAX_DEPTH} levels`
  const keys = Array.isArray(value) ? [] : Object.keys(value)
  if (keys.some((key) => !isKey(key)))
    return `invalid: a key has 1 to ${MAX_KEY} characters without control characters`
  for (const each of Object.values(value)) {
    const problem = problemOf(each, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

function isKey(key: string): boolean {
  return /^[^\p{Cc}\p{Cs}]{1,64}$/u.test(key) && key !== '__proto__'
}

/** Also of another realm; a `Date`, a `Map` or an object with `toJSON` is no JSON. */
function isPlain(value: object): boolean {
  if ('toJSON' in value) return false
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
