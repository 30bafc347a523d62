/**
 * Builders for JSON Schema (2020-12, as OpenAPI 3.1 uses it) of responses.
 *
 * @module
 */

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
