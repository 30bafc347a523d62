/** Each bound of a query parameter at its edge on both sides, made of the tables of the routes. */

import { expect, it } from 'vitest'
import { cursorOf, readQuery } from '../../src/rest/query.ts'
import type { Param } from '../../src/rest/query.ts'
import { contactRoutes, routes } from '../../src/rest/routes.ts'

interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

const parameters = [...routes, ...contactRoutes].flatMap(({ method, path, operation }) =>
  Object.entries(operation.query).map(
    ([name, param]) => [`${method} ${path}?${name}`, name, param] as const,
  ),
)

/** Whether the parameter takes the text. */
function takes(name: string, param: Param<unknown>, text: string): boolean {
  try {
    readQuery({ [name]: param }, new URLSearchParams({ [name]: text }))
    return true
  } catch {
    return false
  }
}

const bounded = parameters.filter(([, , { schema }]) =>
  ['minimum', 'maximum', 'maxLength'].some((bound) => bound in schema),
)

it.each(bounded)('%s', (_, name, param) => {
  const { minimum, maximum, maxLength } = param.schema as Bounds
  const edges: [text: string, taken: boolean][] = []
  if (minimum !== undefined) edges.push([String(minimum), true], [String(minimum - 1), false])
  if (maximum !== undefined) edges.push([String(maximum), true], [String(maximum + 1), false])
  if (maxLength !== undefined)
    edges.push(['x'.repeat(maxLength), true], ['x'.repeat(maxLength + 1), false])
  expect(edges.map(([text]) => [text, takes(name, param, text)])).toEqual(edges)
})

/** The most that may be given of one that may be repeated. */
const MOST = 20

it.each(parameters.filter(([, , { repeatable }]) => repeatable === true))(
  '%s is taken so many times',
  (_, name, param) => {
    const one = (param.schema['examples'] as string[] | undefined)?.[0] ?? 'x'
    const times = (count: number) =>
      readQuery(
        { [name]: param },
        new URLSearchParams(Array.from({ length: count }, (): [string, string] => [name, one])),
      )
    expect(Object.keys(times(MOST))).toEqual([name])
    expect(() => times(MOST + 1)).toThrow()
  },
)

/** Each says of which list it is. */
const LISTS = [
  ...['monitors', 'results', 'incidents', 'notifications', 'maintenance', 'status_reports'],
  ...['public_pages', 'audit-log'],
]

it.each(parameters.filter(([, name]) => name === 'cursor'))(
  '%s takes the cursors of its own list',
  (_, name, param) => {
    const lists = LISTS.filter((list) => takes(name, param, cursorOf(list, 1) ?? ''))
    expect(lists).toHaveLength(1)
    const ids = [0, 1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1]
    const taken = ids.map((id) => takes(name, param, cursorOf(lists[0] ?? '', id) ?? ''))
    expect(taken).toEqual([false, true, true, false])
    const own = cursorOf(lists[0] ?? '', 12) ?? ''
    expect([own, own.slice(1), `${own}OjE`].map((text) => takes(name, param, text))).toEqual([
      ...[true, false, false],
    ])
  },
)

/** The most words between the commas of one value. */
const MAX_WORDS = 50

it.each(
  parameters.filter(([, , { repeatable, schema }]) => repeatable === true && !('format' in schema)),
)('%s takes so many words', (_, name, param) => {
  const one = (param.schema['examples'] as string[] | undefined)?.[0]?.split(',')[0] ?? 'x'
  const takesWords = (count: number) => takes(name, param, Array<string>(count).fill(one).join(','))
  expect([MAX_WORDS, MAX_WORDS + 1].map(takesWords)).toEqual([true, false])
})

const ids = parameters.filter(
  ([, , { schema }]) => schema['minimum'] === 1 && !('maximum' in schema),
)

it.each(ids)('%s takes each id that a number can be', (_, name, param) => {
  const texts = ['0', '1', '9007199254740991', '9007199254740992', '01', '1e3']
  expect(texts.map((text) => takes(name, param, text))).toEqual([
    ...[false, true, true],
    ...[false, false, false],
  ])
})
