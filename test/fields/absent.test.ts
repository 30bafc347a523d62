import { expect, it } from 'vitest'
import { withoutAbsent } from '../../src/fields/merge.ts'

it('leaves out what is undefined, in groups and in objects of lists, and nothing else', () => {
  const date = new Date(0)
  const input = {
    a: undefined,
    b: null,
    c: { d: undefined, e: 0, f: { g: undefined } },
    h: [1, undefined, { i: undefined, j: '' }],
    k: date,
  }
  expect(withoutAbsent(input as never)).toStrictEqual({
    b: null,
    c: { e: 0, f: {} },
    h: [1, undefined, { j: '' }],
    k: date,
  })
})

it('leaves names that reach a prototype to the fields, which refuse them', () => {
  const input = JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}') as never
  expect(Object.keys(withoutAbsent(input))).toEqual(['__proto__', 'constructor'])
})

it('ends where the input has no end', () => {
  const round: Record<string, unknown> = {}
  round['again'] = round
  expect(withoutAbsent(round as never)).toHaveProperty('again.again')
  const list: unknown[] = []
  list.push(list)
  expect(withoutAbsent({ list } as never)).toHaveProperty('list.0.0')
})

it('leaves out what is undefined in an object without a prototype', () => {
  const bare = Object.assign(Object.create(null) as object, { a: undefined, b: 1 })
  expect(withoutAbsent({ bare })).toStrictEqual({ bare: { b: 1 } })
})
