/**
 * Builders for JSON Schema (2020-12, as OpenAPI 3.1 uses it) of responses, and the error responses.
 *
 * @module
 */

import { jsonSchema } from '../../fields/describe.ts'
import type { FieldTable } from '../../fields/field.ts'
import type { JsonObject } from '../../model.ts'

export type Schema = JsonObject

/** A schema of the document's components. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export function arrayOf(items: string | Schema): Schema {
  return { type: 'array', items: typeof items === 'string' ? ref(items) : items }
}

export function nullable(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] }
}

export function text(description?: string): Schema {
  return { type: 'string', ...(description === undefined ? {} : { description }) }
}

export function integer(description?: string): Schema {
  return { type: 'integer', ...(description === undefined ? {} : { description }) }
}

export function number(description?: string): Schema {
  return { type: 'number', ...(description === undefined ? {} : { description }) }
}

export function flag(description?: string): Schema {
  return { type: 'boolean', ...(description === undefined ? {} : { description }) }
}

export function time(description?: string): Schema {
  return { ...text(description), format: 'date-time' }
}

export function word(words: readonly string[], description?: string): Schema {
  return { ...text(description), enum: words }
}

/** An object with arbitrary members. */
export function record(description?: string, values: Schema | true = true): Schema {
  return {
    type: 'object',
    additionalProperties: values,
    ...(description === undefined ? {} : { description }),
  }
}

interface ObjectOptions {
  readonly optional?: readonly string[]
  readonly description?: string
  /** Members other than those listed may occur. */
  readonly open?: true
}

/** Every member of `T` must be listed, and no other: a changed view fails the type check here. */
export function object<T = never>(
  properties: [T] extends [never]
    ? Readonly<Record<string, Schema>>
    : { readonly [K in keyof Required<T>]: Schema },
  options: ObjectOptions = {},
): Schema {
  const optional = new Set(options.optional)
  return {
    type: 'object',
    ...(options.description === undefined ? {} : { description: options.description }),
    properties: properties,
    required: Object.keys(properties).filter((name) => !optional.has(name)),
    ...(options.open === true ? {} : { additionalProperties: false }),
  }
}

/** The input of an update: every field may be absent, and `null` resets it. */
export function patchSchema(fields: FieldTable): Schema {
  const schema = jsonSchema(fields, { partial: true })
  const properties = Object.entries(schema['properties'] as Readonly<Record<string, Schema>>)
  return {
    ...schema,
    properties: Object.fromEntries(properties.map(([name, each]) => [name, nullable(each)])),
  }
}

export const errorSchema = object(
  {
    ok: { const: false },
    error: text('Stable machine code'),
    message: text('One sentence for a person'),
    fields: record('Problem per field or parameter; each begins with a stable code', {
      type: 'string',
    }),
    scope: text('The scope that the key lacks'),
    retry_after: integer('Seconds'),
    request_id: text('Also in the header `X-Request-Id`; name it when you ask for help'),
  },
  { optional: ['message', 'fields', 'scope', 'retry_after'] },
)

/** Status to response object. */
export const REFUSALS: Readonly<Record<number, JsonObject>> = {
  400: refusal('The body is not a JSON object, or nested too deep', { error: 'bad_json' }),
  401: refusal('No valid API key', { error: 'unauthorized' }),
  403: refusal(
    'The key lacks a scope (`missing_scope`), there is no such account (`forbidden`), or a page of another site asks for it (`cross_site`)',
    { error: 'missing_scope', scope: 'monitors:write' },
  ),
  404: refusal('Unknown, or of another account', { error: 'not_found' }),
  408: refusal('The body did not arrive in time', { error: 'request_timeout' }),
  409: refusal('Not in the present state, or an Idempotency-Key used for something else', {
    error: 'paused',
  }),
  412: refusal('Another version is stored', { error: 'version_mismatch' }),
  413: refusal('The body is larger than 256 KiB', { error: 'too_large' }),
  415: refusal('The body is not application/json', { error: 'unsupported_media_type' }),
  422: refusal('Invalid fields or parameters, all of them at once', {
    error: 'validation',
    fields: { url: 'required', interval_sec: 'out_of_range: 10..2678400' },
  }),
  429: refusal('Too many requests with this key, or too many wrong keys', {
    error: 'rate_limited',
    retry_after: 12,
  }),
  500: refusal('An internal error', { error: 'internal' }),
  501: refusal('The storage of the service has no place for it', { error: 'not_offered' }),
  503: refusal('The storage does not answer (`storage`), or the service stops (`unavailable`)', {
    error: 'storage',
  }),
}

function refusal(description: string, example: JsonObject): JsonObject {
  return {
    description,
    content: {
      'application/json': {
        schema: ref('Error'),
        example: { ok: false, ...example, request_id: 'k3v9x0q2m7ab' },
      },
    },
  }
}
