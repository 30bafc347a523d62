/**
 * Each bound of a filter or an option of the engine's calls, at its edge on both sides. The bounds are those that the
 * refusal of something far too large names, so that a reader which is added is tried as well.
 */

import { expect, it } from 'vitest'
import * as filters from '../../src/engine/services/filters.ts'
import { readFilter } from '../../src/engine/services/read-filter.ts'

type Table = Parameters<typeof readFilter>[0]

const TABLES = Object.entries<unknown>(filters).filter(
  (entry): entry is [string, Table] => typeof entry[1] === 'object',
)

/** Values of a size, one for each shape that a reader takes. */
const SHAPES: Readonly<Record<string, (size: number) => unknown>> = {
  number: (size) => size,
  text: (size) => 'x'.repeat(size),
  texts: (size) => Array.from({ length: size }, () => 'up'),
  'one text': (size) => ['x'.repeat(size)],
  'one group': (size) => [['x'.repeat(size)]],
  'groups of texts': (size) => [
    ...Array.from({ length: Math.ceil(size / 50) }, (_, n) =>
      Array.from({ length: Math.min(50, size - n * 50) }, () => 'x'),
    ),
  ],
  members: (size) => Object.fromEntries(Array.from({ length: size }, (_, n) => [`k${n}`, 'x'])),
  'one member': (size) => ({ k: 'x'.repeat(Math.max(0, size - 1)) }),
}
const FAR = 20_000

/** What the reader says of a value; `undefined` where it takes it. */
function problem(table: Table, name: string, value: unknown): string | undefined {
  try {
    readFilter(table, { [name]: value })
    return undefined
  } catch (error) {
    return (error as { readonly fields: Record<string, string> }).fields[name]
  }
}

interface Edge {
  readonly table: Table
  readonly name: string
  readonly make: (size: number) => unknown
  readonly min: number | undefined
  readonly max: number
}

const edges = TABLES.flatMap(([of, table]) =>
  Object.keys(table).flatMap((name) =>
    Object.entries(SHAPES).flatMap(([shape, make]): [string, Edge][] => {
      if (problem(table, name, make(1)) !== undefined) return []
      const far = shape === 'number' ? Number.MAX_SAFE_INTEGER : FAR
      const [, range, min, max] =
        /^out_of_range: ((\d+)\.\.|at most )(\d+)/.exec(problem(table, name, make(far)) ?? '') ?? []
      if (range === undefined) return []
      const edge = { table, name, make, min: min === undefined ? undefined : Number(min) }
      return [[`${of}.${name}, ${shape}`, { ...edge, max: Number(max) }]]
    }),
  ),
)

it('finds the bounds in the refusals', () => {
  const names = edges.map(([name]) => name)
  expect(names).toEqual(
    expect.arrayContaining([
      'monitorFilter.limit, number',
      'monitorFilter.q, text',
      'monitorFilter.status, texts',
      'monitorFilter.tag, groups of texts',
      'monitorFilter.tag, one group',
      'monitorFilter.metadata, members',
      'monitorFilter.metadata, one member',
      'bulkOptions.limit, number',
    ]),
  )
})

it.each(edges)(
  '%s: the edge is taken, the next one is not',
  (_, { table, name, make, min, max }) => {
    expect(problem(table, name, make(max)), `at ${max}`).toBeUndefined()
    expect(problem(table, name, make(max + 1)), `beyond ${max}`).toBeDefined()
    if (min === undefined) return
    expect(problem(table, name, make(min)), `at ${min}`).toBeUndefined()
    expect(problem(table, name, make(min - 1)), `below ${min}`).toBeDefined()
  },
)

it.each(TABLES.flatMap(([of, table]) => ('after' in table ? [[of, table] as const] : [])))(
  '%s.after is an id: from 1 to the largest whole number',
  (_, table) => {
    for (const id of [1, Number.MAX_SAFE_INTEGER])
      expect(problem(table, 'after', id)).toBeUndefined()
    for (const id of [0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1, Number.NaN])
      expect(problem(table, 'after', id), String(id)).toBe('invalid: an id is expected')
  },
)
