import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ValidationError } from '../../src/errors.ts'
import { cursorOf, paging, param, readQuery, requireOrder } from '../../src/rest/query.ts'
import type { Param } from '../../src/rest/query.ts'

const read = <T>(one: Param<T>, query: string): unknown =>
  readQuery({ p: one }, new URLSearchParams(query)).p

function problemsOf(work: () => unknown): Readonly<Record<string, string>> {
  try {
    work()
  } catch (error) {
    if (error instanceof ValidationError) return error.fields
    throw error
  }
  return {}
}

describe('query parameters', () => {
  it.each<[string, Param<unknown>, string, unknown]>([
    ['an integer', param.integer({ description: '', min: 1, max: 365 }), 'p=30', 30],
    ['the lower bound', param.integer({ description: '', min: 1, max: 365 }), 'p=1', 1],
    ['the upper bound', param.integer({ description: '', min: 1, max: 365 }), 'p=365', 365],
    ['a fallback', param.integer({ description: '', min: 1, max: 9, fallback: 5 }), '', 5],
    ['an empty value as absent', param.id(''), 'p=', undefined],
    ['an id', param.id(''), 'p=42', 42],
    ['a word', param.oneOf(['asc', 'desc'], ''), 'p=DESC', 'desc'],
    ['a comma list', param.anyOf(['up', 'down', 'paused'], ''), 'p=up,%20down', ['up', 'down']],
    ['a repeated list', param.anyOf(['up', 'down'], ''), 'p=up&p=down', ['up', 'down']],
    ['tags', param.allOfAnyOf(''), 'p=a,b&p=c', [['a', 'b'], ['c']]],
    ['1 as true', param.flag(''), 'p=1', true],
    ['0 as false', param.flag(''), 'p=0', false],
    ['a text', param.text('', 10), 'p=%C3%A4%20b', 'ä b'],
    ['Unix seconds', param.time(''), 'p=1767225600', Date.UTC(2026, 0, 1)],
    ['a date', param.time(''), 'p=2026-01-01', Date.UTC(2026, 0, 1)],
    [
      'a time in UTC',
      param.time(''),
      'p=2026-01-01T01:02:03.004Z',
      Date.UTC(2026, 0, 1, 1, 2, 3, 4),
    ],
    [
      'a time without offset as UTC',
      param.time(''),
      'p=2026-01-01T10:00',
      Date.UTC(2026, 0, 1, 10),
    ],
    ['an offset', param.time(''), 'p=2026-01-01T10:00:00%2B02:00', Date.UTC(2026, 0, 1, 8)],
    ['a plus left bare', param.time(''), 'p=2026-01-01T10:00:00+02:00', Date.UTC(2026, 0, 1, 8)],
  ])('read %s', (_name, one, query, value) => {
    expect(read(one, query)).toEqual(value)
  })

  it.each<[string, Param<unknown>, string, RegExp]>([
    [
      'a number above',
      param.integer({ description: '', min: 1, max: 200 }),
      'p=201',
      /^out_of_range: 1\.\.200$/,
    ],
    [
      'a number below',
      param.integer({ description: '', min: 1, max: 200 }),
      'p=0',
      /^out_of_range/,
    ],
    ['a fraction', param.integer({ description: '', min: 1, max: 200 }), 'p=1.5', /^invalid/],
    ['hexadecimals', param.integer({ description: '', min: 1, max: 200 }), 'p=0x10', /^invalid/],
    ['an id of zero', param.id(''), 'p=0', /^invalid/],
    [
      'an unknown word',
      param.anyOf(['up', 'down'], ''),
      'p=up,sideways',
      /^invalid: one of up, down/,
    ],
    ['only commas', param.allOfAnyOf(''), 'p=,,', /^invalid/],
    ['a flag of two', param.flag(''), 'p=2', /^invalid/],
    ['a single one given twice', param.flag(''), 'p=1&p=0', /^invalid: given too often/],
    ['NUL in a text', param.text('', 10), 'p=a%00b', /^invalid: control/],
    ['a line break in a tag', param.allOfAnyOf(''), 'p=a%0Ab', /^invalid: control/],
    ['a text too long', param.text('', 3), 'p=abcd', /^out_of_range/],
    ['no time', param.time(''), 'p=yesterday', /^invalid/],
    ['a month thirteen', param.time(''), 'p=2026-13-01', /^invalid/],
    ['a time before 1970', param.time(''), 'p=1969-01-01', /^invalid/],
    [
      'a cursor of another list',
      param.cursor('results'),
      `p=${cursorOf('monitors', 5)}`,
      /^invalid/,
    ],
    ['a made-up cursor', param.cursor('results'), 'p=5', /^invalid/],
  ])('refuse %s', (_name, one, query, problem) => {
    expect(problemsOf(() => read(one, query))['p']).toMatch(problem)
  })

  it('tell every problem at once and ignore what is unknown', () => {
    const table = { ...paging('monitors'), open: param.flag('') }
    const given = new URLSearchParams('limit=0&open=maybe&cursor=x&sort=name')
    expect(Object.keys(problemsOf(() => readQuery(table, given)))).toEqual([
      'limit',
      'cursor',
      'open',
    ])
  })

  it('leave out what was not sent', () => {
    expect(readQuery({ open: param.flag('') }, new URLSearchParams())).toStrictEqual({})
  })

  it('refuse a range that ends before it begins', () => {
    expect(problemsOf(() => requireOrder({ from: 2, to: 1 }))).toHaveProperty('from')
    expect(problemsOf(() => requireOrder({ from: 1, to: 1 }))).toEqual({})
  })
})

describe('a cursor', () => {
  it('comes back as the place it was made from, whatever the id', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (id) => {
        expect(read(param.cursor('results'), `p=${cursorOf('results', id)}`)).toBe(id)
      }),
    )
  })

  it('is null at the end of a list', () => {
    expect(cursorOf('results', null)).toBeNull()
  })
})
