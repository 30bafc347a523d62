/** Each bound of a query parameter at its edge on both sides, made of the tables of the routes. */

import { expect, it } from 'vitest'
import { readQuery } from '../../src/rest/query.ts'
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
