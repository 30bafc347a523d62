/**
 * Converts a field table to rows for GET /types, OpenAPI and the documentation.
 *
 * @module
 */

import type { Json, JsonObject } from '../model.ts'
import type { AnyField, FieldInfo, FieldTable } from './field.ts'

export interface FieldRow {
  /** Dotted where nested, as in the spec's tables. */
  readonly name: string
  readonly kind: FieldInfo['kind']
  readonly required: boolean
  readonly default: Json
  readonly description: string
  readonly min?: number
  readonly max?: number
  readonly enum?: readonly (string | number)[]
  readonly format?: string
  readonly unit?: string
  readonly secret?: boolean
  /** `false` if the host lacks what the field needs; `reason` names it. */
  readonly available?: false
  /** `true` if it has no effect in this type; `reason` says why. */
  readonly no_effect?: true
  readonly reason?: string
}

/** One row per field, groups flattened to dotted names, in the order of the table. */
export function describe(fields: FieldTable, prefix = ''): FieldRow[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const nested = field.info.fields
    return nested === undefined
      ? [row(prefix + name, field)]
      : describe(nested, `${prefix}${name}.`)
  })
}

/** JSON Schema (2020-12, as in OpenAPI 3.1) of the accepted input. */
export function jsonSchema(
  fields: FieldTable,
  options: { readonly partial?: boolean } = {},
): JsonObject {
  const required = Object.entries(fields)
    .filter(([, field]) => field.presence === 'required' && options.partial !== true)
    .map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, propertySchema(field, options)]),
    ),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

function row(name: string, field: AnyField): FieldRow {
  const { kind, description, min, max, format, unit, unavailable, no_effect } = field.info
  return {
    name,
    kind,
    required: field.presence === 'required',
    default: (field.fallback ?? null) as Json,
    description,
    ...(min !== undefined ? { min } : {}),
    ...(max !== undefined ? { max } : {}),
    ...(field.info.enum !== undefined ? { enum: field.info.enum } : {}),
    ...(format !== undefined ? { format } : {}),
    ...(unit !== undefined ? { unit } : {}),
    ...(field.info.secret === 'value' ? { secret: true } : {}),
    ...(unavailable !== undefined ? { available: false, reason: unavailable } : {}),
    ...(no_effect !== undefined ? { no_effect: true, reason: no_effect } : {}),
  }
}

const LENGTH_BOUNDS = {
  string: ['minLength', 'maxLength'],
  regex: ['minLength', 'maxLength'],
  scalar: ['minLength', 'maxLength'],
  array: ['minItems', 'maxItems'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
} as const

/** Where the type of JSON Schema is not called like the kind. */
const SCHEMA_TYPES: Readonly<Partial<Record<FieldInfo['kind'], Json>>> = {
  enum: 'string',
  regex: 'string',
  scalar: ['string', 'number', 'boolean', 'null'],
}

function propertySchema(field: AnyField, options: { readonly partial?: boolean }): JsonObject {
  const { kind, description, min, max, secret, unit, example } = field.info
  if (field.info.fields !== undefined) {
    return { ...jsonSchema(field.info.fields, options), description }
  }
  const bounds =
    kind in LENGTH_BOUNDS ? LENGTH_BOUNDS[kind as keyof typeof LENGTH_BOUNDS] : undefined
  return {
    type: SCHEMA_TYPES[kind] ?? kind,
    // Explicit, since client generators treat an object without properties as empty.
    ...(kind === 'object' ? { additionalProperties: true } : {}),
    ...(field.info.item !== undefined ? { items: propertySchema(field.info.item, options) } : {}),
    description: unit === undefined ? description : `${description} (${unit})`,
    ...(field.info.enum !== undefined ? { enum: field.info.enum } : {}),
    ...(bounds !== undefined && min !== undefined ? { [bounds[0]]: min } : {}),
    ...(bounds !== undefined && max !== undefined ? { [bounds[1]]: max } : {}),
    ...(field.fallback !== undefined ? { default: field.fallback as Json } : {}),
    ...(example !== undefined ? { examples: [example] } : {}),
    ...(secret === 'value' ? { writeOnly: true, format: 'password' } : {}),
  }
}
