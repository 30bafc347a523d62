/**
 * Each bound of each field that we have, at its edge on both sides: made of the field tables, so that a bound which
 * is added has its edges here, or fails where a value of that size cannot be made up.
 */

import { describe, expect, it } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { builtinContacts } from '../../src/contacts/index.ts'
import { contactFields } from '../../src/engine/registry/contact-fields.ts'
import { MAINTENANCE_FIELDS } from '../../src/engine/registry/maintenance-fields.ts'
import { commonFields } from '../../src/engine/registry/monitor-fields.ts'
import type { AnyField, FieldInfo, FieldTable } from '../../src/fields/field.ts'
import { parse } from '../../src/fields/parse.ts'
import { NEVER_LONG, NEVER_SHORT, SAMPLES, THROUGH_THE_LIST } from './bound-samples.ts'

interface Bounded {
  readonly name: string
  readonly field: AnyField
  /** The list whose entries have it. */
  readonly list?: AnyField | undefined
}

const TABLES: readonly (readonly [string, FieldTable])[] = [
  ['monitor', commonFields()],
  ['contact', contactFields],
  ['maintenance', MAINTENANCE_FIELDS],
  ...builtinCheckers({ extra: true }).map(({ type, fields }) => [type, fields] as const),
  ...builtinContacts().map(({ kind, fields }) => [`contact ${kind}`, fields] as const),
]

/** Fields with a bound, those of groups and the items of lists among them. */
function bounded(of: string, table: FieldTable, list?: AnyField): Bounded[] {
  return Object.entries(table).flatMap(([key, field]) =>
    below({ name: `${of}.${key}`, field, list }),
  )
}

function below({ name, field, list }: Bounded): Bounded[] {
  const { min, max, fields = {}, item } = field.info
  const own = min === undefined && max === undefined ? [] : [{ name, field, list }]
  const items = item === undefined ? [] : below({ name: `${name}[]`, field: item, list: field })
  return [...own, ...bounded(name, fields, list), ...items]
}

const isNumber = ({ kind }: FieldInfo): boolean => kind === 'integer' || kind === 'number'

/** What the field says of a value of this size; `undefined` where it takes it. */
function problem({ name, field, list }: Bounded, size: number): string | undefined {
  const whole = THROUGH_THE_LIST[name]
  const [by, value] =
    whole === undefined ? [field, valueOf(name, field, size)] : [list, whole(size)]
  if (by === undefined) throw new TypeError(`${name} is in no list`)
  const parsed = parse({ f: by }, { f: value })
  return parsed.ok ? undefined : Object.values(parsed.fields).join('; ')
}

function valueOf(name: string, { info }: AnyField, size: number): unknown {
  const sample = SAMPLES[name] ?? SAMPLES[info.format ?? info.kind]
  if (sample !== undefined) return sample(size)
  if (isNumber(info)) return size
  if (info.kind !== 'array') return 'x'.repeat(size)
  const { item } = info
  if (item === undefined) throw new TypeError(`${name} is a list without a sample`)
  const { enum: words, min = 1 } = item.info
  const one = (n: number): unknown =>
    words?.[n % words.length] ?? valueOf(`${name}[]`, item, min + n)
  return Array.from({ length: size }, (_, n) => one(n))
}

/** The nearest size beyond a bound. */
function beyond({ kind }: FieldInfo, bound: number, way: 1 | -1): number {
  const step = kind === 'number' ? Math.max(Math.abs(bound) * 2 ** -52, Number.MIN_VALUE) : 1
  return bound + way * step
}

const rows = TABLES.flatMap(([of, table]) => bounded(of, table))

describe('a value at the edge is taken, and the next one beyond it is refused:', () => {
  it.each(rows.map((row) => [row.name, row] as const))('%s', (_, row) => {
    const { info } = row.field
    const isOneOf = (list: readonly string[]) =>
      list.some((one) => one === info.format || one === row.name)
    if (info.max !== undefined) {
      if (!isOneOf(NEVER_LONG)) expect(problem(row, info.max), `at ${info.max}`).toBeUndefined()
      expect(problem(row, beyond(info, info.max, 1)), `beyond ${info.max}`).toBeDefined()
    }
    if (info.min === undefined) return
    if (!isOneOf(NEVER_SHORT)) expect(problem(row, info.min), `at ${info.min}`).toBeUndefined()
    // No text or list is shorter than an empty one.
    if (isNumber(info) || info.min > 0)
      expect(problem(row, beyond(info, info.min, -1)), `below ${info.min}`).toBeDefined()
  })
})
