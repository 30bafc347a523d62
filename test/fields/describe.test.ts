import { describe, expect, it } from 'vitest'
import { describe as rowsOf, jsonSchema } from '../../src/fields/describe.ts'
import { defineField } from '../../src/fields/field.ts'
import type { FieldKind } from '../../src/fields/field.ts'
import { field } from '../../src/fields/vocabulary.ts'

const description = 'd'
const fields = {
  host: field.host({ description }).required(),
  wait: field.integer({ description, min: 1, max: 9, unit: 's', example: '3' }).default(2),
  ratio: field.number({ description, max: 1 }),
  way: field.oneOf(['a', 'b'], { description }),
  word: field.regex({ description }),
  names: field.list(field.text({ description }), { description, max: 3 }),
  headers: field.headers({ description }),
  flag: field.flag({ description, unavailable: 'no proxy' }).default(false),
  auth: field.group(
    { user: field.text({ description }).required(), pass: field.secret({ description }) },
    { description },
  ),
}

describe('the rows of a table', () => {
  it('say what a client needs, groups by dotted names', () => {
    const none = { required: false, default: null, description }
    expect(rowsOf(fields)).toStrictEqual([
      { ...none, name: 'host', kind: 'string', required: true, min: 1, max: 253, format: 'host' },
      { ...none, name: 'wait', kind: 'integer', default: 2, min: 1, max: 9, unit: 's' },
      { ...none, name: 'ratio', kind: 'number', max: 1 },
      { ...none, name: 'way', kind: 'enum', enum: ['a', 'b'] },
      { ...none, name: 'word', kind: 'regex', max: 1000, format: 'regex' },
      { ...none, name: 'names', kind: 'array', min: 0, max: 3 },
      { ...none, name: 'headers', kind: 'object' },
      {
        ...{ ...none, name: 'flag', kind: 'boolean', default: false },
        ...{ available: false, reason: 'no proxy' },
      },
      { ...none, name: 'auth.user', kind: 'string', required: true, min: 1, max: 4096 },
      { ...none, name: 'auth.pass', kind: 'string', min: 1, max: 4096, secret: true },
    ])
  })

  it('say where a field has no effect', () => {
    const info = { kind: 'string', description, no_effect: 'it listens' } as const
    const [row] = rowsOf({ a: defineField(info, field.text({ description }).schema) })
    expect(row).toMatchObject({ no_effect: true, reason: 'it listens' })
    expect(row).not.toHaveProperty('available')
  })
})

describe('the JSON Schema of a table', () => {
  const text = { type: 'string', description, minLength: 1, maxLength: 4096 }
  const properties = {
    host: { type: 'string', description, minLength: 1, maxLength: 253 },
    wait: {
      ...{ type: 'integer', description: 'd (s)', minimum: 1, maximum: 9 },
      ...{ default: 2, examples: ['3'] },
    },
    ratio: { type: 'number', description, maximum: 1 },
    way: { type: 'string', description, enum: ['a', 'b'] },
    word: { type: 'string', description, maxLength: 1000 },
    names: { type: 'array', description, minItems: 0, maxItems: 3, items: text },
    headers: { type: 'object', description, additionalProperties: true },
    flag: { type: 'boolean', description, default: false },
  }
  const auth = (required: object) => ({
    ...{ type: 'object', description, additionalProperties: false, ...required },
    properties: { user: text, pass: { ...text, writeOnly: true, format: 'password' } },
  })

  it('asks for what is required', () => {
    expect(jsonSchema(fields)).toStrictEqual({
      ...{ type: 'object', required: ['host'], additionalProperties: false },
      properties: { ...properties, auth: auth({ required: ['user'] }) },
    })
  })

  it('has bounds only where the kind has some, and each of them by itself', () => {
    const { schema } = field.text({ description })
    const bounded = (kind: FieldKind, bounds: { min?: number; max?: number }) =>
      jsonSchema({ a: defineField({ kind, description, ...bounds }, schema) })['properties']
    expect(bounded('number', { min: 3 })).toStrictEqual({
      a: { type: 'number', description, minimum: 3 },
    })
    expect(bounded('array', { max: 3 })).toStrictEqual({
      a: { type: 'array', description, maxItems: 3 },
    })
    expect(bounded('boolean', { min: 1, max: 3 })).toStrictEqual({
      a: { type: 'boolean', description },
    })
    expect(bounded('scalar', { max: 3 })).toStrictEqual({
      a: { type: ['string', 'number', 'boolean', 'null'], description, maxLength: 3 },
    })
  })

  it('asks for nothing in a part of the settings', () => {
    expect(jsonSchema(fields, { partial: true })).toStrictEqual({
      ...{ type: 'object', additionalProperties: false },
      properties: { ...properties, auth: auth({}) },
    })
  })
})
