/**
 * Assertions: what a value of the response must be. `json` and `headers_expected` share the
 * operators.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { AnyField, FieldBuilder, FieldTable } from '../../fields/field.ts'
import { parse } from '../../fields/parse.ts'
import { compilePattern, parsePattern } from '../../fields/pattern.ts'
import type { Pattern } from '../../fields/pattern.ts'
import { textSchema } from '../../fields/text.ts'
import { field } from '../../fields/vocabulary.ts'
import type { Json } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'

/** Maximum assertions of one list. */
const MAX_ASSERTIONS = 20
const MAX_VALUE_CHARACTERS = 1000
/** Maximum characters of a found value in a cause or in the details. */
const MAX_FOUND_CHARACTERS = 100
/** Broken assertions that a cause spells out. */
const MAX_SPELLED = 3

export type Scalar = string | number | boolean | null

/** For what has one value at most, such as a header. */
export const SINGLE_OPERATORS = [
  'equals',
  'not',
  'contains',
  'matches',
  'greater',
  'less',
  'exists',
  'absent',
] as const

export const OPERATORS = [...SINGLE_OPERATORS, 'count'] as const

export type Operator = (typeof OPERATORS)[number]

/** The wire form, without the name of what is asserted. */
export interface Expected {
  readonly op: Operator
  readonly value?: Scalar | undefined
}

/** An assertion for `run`. */
export interface Assertion {
  readonly op: Operator
  readonly value: Scalar | undefined
  /** The value of `matches`. */
  readonly pattern: Pattern | undefined
  /** `"ok"`, `more than 5`: what follows "expected". */
  readonly expected: string
  /** Of one value; `exists`, `absent` and `count` are decided by the number of values. */
  holds(found: Json): boolean
}

export function assertionOf({ op, value }: Expected): Assertion {
  const pattern = op === 'matches' ? compilePattern(String(value)) : undefined
  const held = value === undefined ? '' : shown(value)
  const expected: Readonly<Record<Operator, string>> = {
    equals: held,
    not: `anything but ${held}`,
    contains: `it to contain ${held}`,
    matches: `a match of ${held}`,
    greater: `more than ${held}`,
    less: `less than ${held}`,
    exists: 'it to exist',
    absent: 'it to be absent',
    count: `${held} of them`,
  }
  const holds: Readonly<Partial<Record<Operator, (found: Json) => boolean>>> = {
    equals: (found) => found === value,
    not: (found) => found !== value,
    contains: (found) => contains(found, value),
    matches: (found) => matches(found, pattern),
    greater: (found) => typeof found === 'number' && found > Number(value),
    less: (found) => typeof found === 'number' && found < Number(value),
  }
  return { op, value, pattern, expected: expected[op], holds: holds[op] ?? (() => true) }
}

function contains(found: Json, value: Scalar | undefined): boolean {
  if (typeof found === 'string') return found.includes(String(value))
  return Array.isArray(found) && found.includes(value)
}

function matches(found: Json, pattern: Pattern | undefined): boolean {
  const text = textOf(found)
  return text !== undefined && pattern?.test(text) === true
}

/** The text that a pattern is held against; `undefined` for a list or object. */
export function textOf(found: Json): string | undefined {
  return typeof found === 'object' && found !== null ? undefined : String(found)
}

/** A value for people, as JSON; a list or object by its size only. */
export function shown(value: Json): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isJsonObject(value)) return `an object of ${Object.keys(value).length}`
  const isLong = typeof value === 'string' && value.length > MAX_FOUND_CHARACTERS
  return JSON.stringify(isLong ? `${value.slice(0, MAX_FOUND_CHARACTERS)}…` : value)
}

/**
 * The broken assertions as the text of a cause, or `undefined` without one. At most three are spelled
 * out.
 */
export function spelledOut<T>(
  all: number,
  broken: readonly T[],
  sentenceOf: (broken: T) => string,
): string | undefined {
  if (broken.length === 0) return undefined
  const spelled = broken.slice(0, MAX_SPELLED).map(sentenceOf).join('; ')
  const more = broken.length > MAX_SPELLED ? `; and ${broken.length - MAX_SPELLED} more` : ''
  const count = broken.length === 1 ? '' : `${broken.length} of ${all} do not hold: `
  return `${count}${spelled}${more}`
}

interface ListOptions<Wire extends Expected, Value> {
  readonly description: string
  readonly example: string
  /** The fields beside `op` and `value`. */
  readonly fields: FieldTable
  readonly operators: readonly Operator[]
  readonly decode: (wire: Wire) => Value
}

/** A list of assertions. */
export function assertionsField<Wire extends Expected, Value>(
  options: ListOptions<Wire, Value>,
): FieldBuilder<readonly Wire[], readonly Value[]> {
  const { description, example, operators, decode } = options
  const fields = {
    ...options.fields,
    op: field
      .oneOf(operators, { description: 'What must hold of each value that is found' })
      .required(),
  }
  const schema = v.pipe(
    v.array(v.unknown(), 'invalid: an array is expected'),
    v.check((items) => items.length <= MAX_ASSERTIONS, `out_of_range: 0..${MAX_ASSERTIONS} items`),
    v.rawTransform<unknown[], readonly Wire[]>(({ dataset, addIssue }) =>
      dataset.value.map((item, index) => {
        const parsed = parseAssertion(fields, item)
        if (parsed.ok) return parsed.value as unknown as Wire
        for (const [name, message] of Object.entries(parsed.fields)) {
          const at = { type: 'unknown', origin: 'value', value: undefined } as const
          addIssue({
            message,
            path: [
              { ...at, input: dataset.value, key: index },
              ...(name === '' ? [] : [{ ...at, input: item, key: name }]),
            ],
          })
        }
        return undefined as never
      }),
    ),
  )
  const item: AnyField = defineField(
    { kind: 'object', fields: { ...fields, value: valueField }, description: 'An assertion' },
    v.unknown(),
  )
  return defineField<readonly Wire[], readonly Value[]>(
    { kind: 'array', min: 0, max: MAX_ASSERTIONS, item, description, example },
    schema,
    (wire: readonly Wire[]) => wire.map(decode),
  )
}

/** For the description only: {@link valueProblem} knows the operator. */
const valueField = defineField<Scalar>(
  {
    kind: 'scalar',
    max: MAX_VALUE_CHARACTERS,
    description: 'What it is compared with: text, number, true, false or null',
  },
  v.unknown() as never,
)

function parseAssertion(fields: FieldTable, item: unknown) {
  // `null` is a value to compare with here, not a missing field.
  const { value, ...rest } = isJsonObject(item) ? item : { value: undefined }
  const parsed = parse(fields, isJsonObject(item) ? rest : item)
  if (!parsed.ok) return parsed
  const stored = parsed.value as unknown as Expected
  const problem = valueProblem(stored.op, value)
  if (problem !== undefined) return { ok: false, fields: { value: problem } } as const
  return { ok: true, value: value === undefined ? stored : { ...stored, value } } as const
}

function valueProblem(op: Operator, value: Json | undefined): string | undefined {
  if (op === 'exists' || op === 'absent')
    return value === undefined ? undefined : `invalid: ${op} is compared with nothing`
  if (value === undefined) return 'required'
  if (op === 'count') {
    const isCount = Number.isSafeInteger(value) && Number(value) >= 0
    return isCount ? undefined : 'invalid: an integer of 0 or more is expected'
  }
  if (op === 'greater' || op === 'less')
    return Number.isFinite(value) ? undefined : 'invalid: a number is expected'
  if (op === 'matches') return patternProblem(value)
  if (typeof value === 'string') return textProblem(value)
  const isScalar = typeof value === 'boolean' || value === null || Number.isFinite(value)
  return isScalar ? undefined : 'invalid: text, a number, true, false or null is expected'
}

function patternProblem(value: Json): string | undefined {
  if (typeof value !== 'string') return 'invalid: a pattern is expected'
  const problem = textProblem(value)
  if (problem !== undefined) return problem
  const parsed = parsePattern(value)
  return parsed.ok ? undefined : `invalid: ${parsed.problem}`
}

const text = textSchema({ min: 0, max: MAX_VALUE_CHARACTERS, multiline: true })

function textProblem(value: string): string | undefined {
  return v.safeParse(text, value).issues?.[0].message
}
