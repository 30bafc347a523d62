import { describe, expect, it } from 'vitest'
import { headerNameField } from '../../src/fields/headers.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { decoded, judge } from './table.ts'

const headers = field.headers({ description: 'd' })
const x = (length: number): string => 'x'.repeat(length)
const many = (count: number, value: unknown = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, value]))
const OBJECT = 'invalid: an object of header names and values is expected'
const NAME = 'invalid: a header name is made of letters, digits and hyphens'

describe('headers', () => {
  it.each([
    [{ A: ' x ' }, { A: 'x' }],
    [{ A: ['x ', 'y'] }, { A: ['x', 'y'] }],
    [{ A: '' }, { A: '' }],
    [{ A: 'a\tb\u00e9\u0080' }, { A: 'a\tb\u00e9\u0080' }],
    [[{ name: 'A', value: 'x' }], { A: 'x' }],
    [
      [
        { name: 'A', value: 'x' },
        { name: 'a', value: 'y ' },
      ],
      { A: ['x', 'y'] },
    ],
    [{ A: ['x'], a: ['y', 'z'] }, { A: ['x', 'y', 'z'] }],
    [{ Host: 'a.example' }, { Host: 'a.example' }],
    [{ 'a!#$%&*+.^_`|~0': 'x' }, { 'a!#$%&*+.^_`|~0': 'x' }],
  ])('%j becomes %j', (given, kept) => {
    expect(judge(headers, given)).toEqual(kept)
  })

  it.each([
    ['x', OBJECT],
    [5, OBJECT],
    [null, undefined],
    [[['A', 'x']], OBJECT],
    [[{ name: 'A' }], OBJECT],
    [[{ name: 5, value: 'x' }], OBJECT],
    [{ A: 5 }, OBJECT],
    [{ A: ['x', 5] }, OBJECT],
    [{ A: 'x', B: 5 }, OBJECT],
    [{ A: { x: 1 } }, OBJECT],
    [{ '': 'x' }, NAME],
    [{ 'A B': 'x' }, NAME],
    [{ 'A:': 'x' }, NAME],
    [{ Ä: 'x' }, NAME],
    [{ [x(257)]: 'x' }, NAME],
    [{ Host: ['a', 'b'] }, 'invalid: host can be sent only once'],
    [{ host: 'a', HOST: 'b' }, 'invalid: host can be sent only once'],
    [{ A: x(8193) }, 'out_of_range: 0..8192 characters in A'],
    [{ A: ['x', x(8193)] }, 'out_of_range: 0..8192 characters in A'],
    [{ A: 'a\nb' }, 'invalid: A has line breaks or characters beyond Latin-1'],
    [{ A: ['a', 'a\u0000'] }, 'invalid: A has line breaks or characters beyond Latin-1'],
    [{ A: 'a\u007f' }, 'invalid: A has line breaks or characters beyond Latin-1'],
    [{ A: 'ключ' }, 'invalid: A has line breaks or characters beyond Latin-1'],
  ])('%j: %s', (given, problem) => {
    expect(judge(headers, given)).toBe(problem)
  })

  it.each([
    'Connection',
    'Content-Length',
    'Expect',
    'Keep-Alive',
    'Proxy-Connection',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
  ])('%s is set by the connection', (name) => {
    expect(judge(headers, { [name]: 'x' })).toBe(`invalid: ${name} is set by the connection itself`)
  })

  it('are at most fifty, repeated ones counted, of 32 KiB in all', () => {
    expect(judge(headers, many(50))).toEqual(many(50))
    expect(judge(headers, many(51))).toBe('out_of_range: 0..50 headers')
    expect(judge(headers, many(51, []))).toBe('out_of_range: 0..50 headers')
    expect(judge(headers, many(25, ['x', 'y']))).toEqual(many(25, ['x', 'y']))
    expect(judge(headers, { ...many(25, ['x', 'y']), B: 'x' })).toBe('out_of_range: 0..50 headers')
    expect(judge(headers, { A: Array(50).fill('x') })).toEqual({ A: Array(50).fill('x') })
    expect(judge(headers, { A: Array(51).fill('x') })).toBe(OBJECT)
    const nearly = { A: x(8192), B: x(8192), C: x(8192) }
    expect(judge(headers, { ...nearly, D: x(8188) })).toEqual({ ...nearly, D: x(8188) })
    expect(judge(headers, { ...nearly, D: x(8189) })).toBe(
      'out_of_range: 0..32768 characters in all headers together',
    )
    expect(judge(headers, { [x(256)]: x(8192) })).toEqual({ [x(256)]: x(8192) })
  })

  it('may be named __proto__', () => {
    const input = JSON.parse('{ "__proto__": "x" }') as unknown
    expect(Object.entries(judge(headers, input) as object)).toEqual([['__proto__', 'x']])
  })

  it('are sent in order, a list as several', () => {
    expect(decoded(headers, { B: 'x', A: ['y', 'z'] })).toEqual([
      ['B', 'x'],
      ['A', 'y'],
      ['A', 'z'],
    ])
    expect(headers.info).toEqual({ kind: 'object', secret: 'by_header_name', description: 'd' })
  })
})

describe('the name of a header', () => {
  const name = headerNameField({ description: 'd', example: 'x-key' })
  it.each([
    [' X-Key ', 'x-key'],
    ['a!#$%&*+.^_`|~0', 'a!#$%&*+.^_`|~0'],
    [x(256), x(256)],
    [x(257), 'out_of_range: 1..256 characters'],
    ['X Key', 'invalid: the name of a header is expected'],
    ['X-Key:', 'invalid: the name of a header is expected'],
    ['Ключ', 'invalid: the name of a header is expected'],
  ])('%j: %j', (given, expected) => {
    expect(judge(name, given)).toBe(expected)
  })

  it('tells a client its bounds', () => {
    const bounds = { kind: 'string', min: 1, max: 256 }
    expect(name.info).toEqual({ ...bounds, description: 'd', example: 'x-key' })
  })
})

describe('the value of one header', () => {
  const value = field.headerValue({ description: 'd' })
  it.each([
    [' caf\u00e9 ', 'caf\u00e9'],
    [x(1024), x(1024)],
    [x(1025), 'out_of_range: 1..1024 characters'],
    [' ', 'out_of_range: 1..1024 characters'],
    ['ключ', 'invalid: a header carries only characters of Latin-1'],
  ])('%j: %j', (given, expected) => {
    expect(judge(value, given)).toBe(expected)
  })

  it('has a bound of its own where the type says so', () => {
    const short = field.headerValue({ description: 'd', max: 3, example: 'abc' })
    expect(judge(short, 'abc')).toBe('abc')
    expect(judge(short, 'abcd')).toBe('out_of_range: 1..3 characters')
    const bounds = { kind: 'string', min: 1, max: 3 }
    expect(short.info).toEqual({ ...bounds, description: 'd', example: 'abc' })
    expect(value.info).toEqual({ kind: 'string', min: 1, max: 1024, description: 'd' })
  })
})
