import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ValidationError } from '../../src/errors.ts'
import { cursorOf, paged, paging, param, readQuery, requireOrder } from '../../src/rest/query.ts'
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

const members = (count: number) => Array.from({ length: count }, (_, n) => `p.k${n}=1`).join('&')
const encoded = (text: string) => Buffer.from(text).toString('base64url')

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
    ['tags with a comma', param.allOfAnyOf(''), 'p=a%5C,b,c&p=%5C,', [['a,b', 'c'], [',']]],
    ['a backslash before another sign', param.allOfAnyOf(''), 'p=a%5Cb,%5C', [['a\\b', '\\']]],
    ['words as they are written', param.words(''), 'p=Up,%20down%20,,', ['Up', 'down']],
    ['repeated words', param.words(''), 'p=a,b&p=c', ['a', 'b', 'c']],
    ['fifty words', param.words(''), `p=${'x,'.repeat(50)}`, Array<string>(50).fill('x')],
    ['members after a dot', param.members(''), 'p.a=1&p.b=2%3D3', { a: '1', b: '2=3' }],
    ['members in brackets', param.members(''), 'p[a]=1&p[b.c]=2', { a: '1', 'b.c': '2' }],
    ['no member without a value', param.members(''), 'p.a=&p[b]=', undefined],
    ['no member of another name', param.members(''), 'pa=1&q.a=1&p[a=1&qp[a]=1', undefined],
    ['no value of its own name as a member', param.members(''), 'p=1', undefined],
    ['a negative integer', param.integer({ description: '', min: -9, max: 9 }), 'p=-3', -3],
    ['1 as true', param.flag(''), 'p=1', true],
    ['true as true', param.flag(''), 'p=true', true],
    ['0 as false', param.flag(''), 'p=0', false],
    ['false as false', param.flag(''), 'p=false', false],
    ['a text of the greatest length', param.text('', 3), 'p=abc', 'abc'],
    ['an empty value among others', param.words(''), 'p=&p=a', ['a']],
    ['the greatest Unix seconds', param.time(''), 'p=253402300799', 253_402_300_799_000],
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
    [
      'an integer with more',
      param.integer({ description: '', min: 1, max: 9 }),
      'p=1x',
      /^invalid/,
    ],
    [
      'more than an integer',
      param.integer({ description: '', min: 1, max: 9 }),
      'p=x1',
      /^invalid/,
    ],
    ['a sign alone', param.integer({ description: '', min: 1, max: 9 }), 'p=-', /^invalid: an int/],
    [
      'sixteen digits',
      param.integer({ description: '', min: 1, max: 9 }),
      'p=1000000000000000',
      /^inv/,
    ],
    ['an id of zero', param.id(''), 'p=0', /^invalid: an id is expected$/],
    [
      'a word of none',
      param.oneOf(['asc', 'desc'], ''),
      'p=up',
      /^invalid: one of asc, desc is expected$/,
    ],
    ['51 words', param.words(''), `p=${'x,'.repeat(51)}`, /^out_of_range: 1..50 words$/],
    ['nothing but a space', param.words(''), 'p=%20', /^invalid: nothing between the commas$/],
    ['a member twice', param.members(''), 'p.a=1&p[a]=2', /^invalid: a key is given twice$/],
    ['21 members', param.members(''), members(21), /^invalid: given too often$/],
    ['more Unix seconds', param.time(''), 'p=253402300800', /^invalid/],
    ['no Unix seconds', param.time(''), 'p=1234567890123', /^invalid: a time from 1970 to 9999/],
    [
      'a cursor with more',
      param.cursor('results'),
      `p=${encoded('results:5:6')}`,
      /^invalid: not a/,
    ],
    ['a cursor of nothing', param.cursor('results'), `p=${encoded('results')}`, /^invalid: not a/],
    ['a cursor of zero', param.cursor('results'), `p=${encoded('results:0')}`, /^invalid: not a/],
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
    [
      'a line break in one of several tags',
      param.allOfAnyOf(''),
      'p=a&p=b%0A',
      /^invalid: control/,
    ],
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

  it('take twenty members, and hide no error of the program', () => {
    expect(Object.keys(read(param.members(''), members(20)) as object)).toHaveLength(20)
    const broken: Param<never> = {
      ...{ description: '', schema: {} },
      read: () => {
        throw new TypeError('broken')
      },
    }
    expect(() => read(broken, 'p=1')).toThrow('broken')
  })

  it('leave out what was not sent', () => {
    expect(readQuery({ open: param.flag('') }, new URLSearchParams())).toStrictEqual({})
  })

  it('refuse a range that ends before it begins', () => {
    expect(problemsOf(() => requireOrder({ from: 2, to: 1 }))).toHaveProperty('from')
    expect(problemsOf(() => requireOrder({ from: 2, to: 1 }))).toEqual({
      from: 'invalid: it is after "to"',
    })
    for (const range of [{ from: 1, to: 1 }, { from: 2 }, { to: 1 }, {}])
      expect(problemsOf(() => requireOrder(range))).toEqual({})
  })
})

describe('what a client is told of a parameter', () => {
  it.each<[string, Param<unknown>, object]>([
    [
      'an integer',
      param.integer({ description: 'D', min: 1, max: 9, fallback: 5 }),
      { description: 'D', schema: { type: 'integer', minimum: 1, maximum: 9, default: 5 } },
    ],
    [
      'an integer without a fallback',
      param.integer({ description: 'D', min: 1, max: 9 }),
      { description: 'D', schema: { type: 'integer', minimum: 1, maximum: 9 } },
    ],
    ['an id', param.id('D'), { description: 'D', schema: { type: 'integer', minimum: 1 } }],
    [
      'a word',
      param.oneOf(['a', 'b'], 'D'),
      { description: 'D', schema: { type: 'string', enum: ['a', 'b'] } },
    ],
    [
      'words of some',
      param.anyOf(['a', 'b', 'c'], 'D'),
      {
        description: 'D (comma list: any of these)',
        schema: { type: 'string', examples: ['a,b'] },
        repeatable: true,
      },
    ],
    [
      'any words',
      param.words('D'),
      {
        description: 'D (comma list: any of these)',
        schema: { type: 'string' },
        repeatable: true,
      },
    ],
    [
      'lists of words',
      param.allOfAnyOf('D'),
      {
        description: 'D (repeat: all must hold; comma list: any of these; `\\,` is a comma of one)',
        schema: { type: 'array', items: { type: 'string' } },
        repeatable: true,
      },
    ],
    [
      'members',
      param.members('D'),
      {
        description: 'D (`name.key=value` or `name[key]=value`; repeat: all must hold)',
        schema: { type: 'object', additionalProperties: { type: 'string' } },
        members: true,
      },
    ],
    ['a text', param.text('D', 9), { description: 'D', schema: { type: 'string', maxLength: 9 } }],
    [
      'a flag',
      param.flag('D'),
      { description: 'D (1 or 0)', schema: { type: 'string', enum: ['1', '0'] } },
    ],
    [
      'a time',
      param.time('D'),
      {
        description: 'D (ISO 8601, UTC where no offset is given, or Unix seconds)',
        schema: { type: 'string', examples: ['2026-01-31T12:00:00.000Z'] },
      },
    ],
    [
      'a cursor',
      param.cursor('x'),
      { description: '`next_cursor` of the page before', schema: { type: 'string' } },
    ],
  ])('%s', (_, { read: _read, ...told }, expected) => {
    const { fallback: _fallback, ...shown } = told
    expect(shown).toStrictEqual(expected)
  })
})

describe('a parameter whose reading fails', () => {
  it('is a mistake of ours, not a problem of the request', () => {
    const broken: Param<never> = {
      description: '',
      schema: {},
      read: () => {
        throw new TypeError('a mistake')
      },
    }
    expect(() => read(broken, 'p=1')).toThrow(new TypeError('a mistake'))
  })
})

describe('a list in pages', () => {
  it('has fifty items unless it is asked for others, at most 200', () => {
    const { limit, cursor } = paging('x')
    expect([limit.fallback, limit.description]).toEqual([50, 'Items per page'])
    expect(limit.schema).toMatchObject({ minimum: 1, maximum: 200 })
    expect(paging('x', { fallback: 5, max: 7 }).limit.schema).toMatchObject({
      default: 5,
      maximum: 7,
    })
    expect(read(cursor, `p=${cursorOf('x', 3)}`)).toBe(3)
  })

  it('goes on behind the cursor', () => {
    expect(paged({ cursor: 3, limit: 5 })).toStrictEqual({ after: 3, limit: 5 })
    expect(paged<{ readonly cursor?: number; readonly limit: number }>({ limit: 5 })).toStrictEqual(
      { limit: 5 },
    )
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
