import { describe, expect, it } from 'vitest'
import { field } from '../../src/fields/vocabulary.ts'
import { decoded, judge } from './table.ts'

const description = 'd'
const x = (length: number): string => 'x'.repeat(length)

describe('texts', () => {
  const text = field.text({ description })

  it.each([
    ['x', 'x'],
    [x(4096), x(4096)],
    [' x ', ' x '],
    ['a\tb', 'a\tb'],
    ['', 'out_of_range: 1..4096 characters'],
    [x(4097), 'out_of_range: 1..4096 characters'],
    [5, 'invalid: a string is expected'],
    [{}, 'invalid: a string is expected'],
    ['a\nb', 'invalid: line breaks are not allowed'],
    ['a\rb', 'invalid: line breaks are not allowed'],
    ['a\u0001b', 'invalid: control characters are not allowed'],
    ['a\u007fb', 'invalid: control characters are not allowed'],
  ])('%j', (given, expected) => {
    expect(judge(text, given)).toBe(expected)
  })

  it('have bounds of their own, and line breaks, where the type says so', () => {
    const bounded = field.text({ description, min: 2, max: 3, multiline: true, trim: true })
    expect(judge(bounded, ' ab ')).toBe('ab')
    expect(judge(bounded, 'a\nb')).toBe('a\nb')
    expect(judge(bounded, ' a ')).toBe('out_of_range: 2..3 characters')
    expect(judge(bounded, 'abcd')).toBe('out_of_range: 2..3 characters')
    expect(judge(bounded, 'a\u0001')).toBe('invalid: control characters are not allowed')
    expect(judge(field.text({ description, controls: true }), 'a\u0001')).toBe('a\u0001')
  })

  it('say what they are', () => {
    expect(text.info).toEqual({ kind: 'string', description, min: 1, max: 4096 })
    const info = { description, min: 2, max: 3, unit: 'u', format: 'f', example: 'ab' }
    const full = field.text({ ...info, destination: 'value', multiline: true })
    expect(full.info).toEqual({ kind: 'string', ...info, destination: 'value' })
  })
})

describe('secrets', () => {
  it('are texts with a mark', () => {
    const secret = field.secret({ description })
    expect(secret.info).toEqual({ kind: 'string', description, min: 1, max: 4096, secret: 'value' })
    expect(judge(secret, '')).toMatch(/^out_of_range/)
    expect(judge(secret, x(4096))).toBe(x(4096))
    expect(judge(secret, x(4097))).toMatch(/^out_of_range/)
    expect(judge(field.secret({ description, min: 8 }), x(7))).toBe(
      'out_of_range: 8..4096 characters',
    )
    expect(field.secret({ description, min: 8 }).info.min).toBe(8)
  })
})

describe('numbers', () => {
  const whole = 'invalid: an integer is expected'
  it.each([
    [2, 2],
    [5, 5],
    [1, 'out_of_range: 2..5'],
    [6, 'out_of_range: 2..5'],
    [2.5, whole],
    ['3', whole],
    [NaN, whole],
    [Infinity, `${whole}; out_of_range: 2..5`],
    [2 ** 53, `${whole}; out_of_range: 2..5`],
  ])('an integer from 2 to 5: %s', (given, expected) => {
    expect(judge(field.integer({ description, min: 2, max: 5 }), given)).toBe(expected)
  })

  it.each([
    [0.5, 0.5],
    [2, 2],
    [0.4, 'out_of_range: 0.5..2'],
    [2.1, 'out_of_range: 0.5..2'],
    ['1', 'invalid: a number is expected'],
    [Infinity, 'invalid: a number is expected; out_of_range: 0.5..2'],
  ])('a number from 0.5 to 2: %s', (given, expected) => {
    expect(judge(field.number({ description, min: 0.5, max: 2 }), given)).toBe(expected)
  })

  it('have no bounds unless given', () => {
    const any = field.number({ description })
    expect(judge(any, -1e300)).toBe(-1e300)
    expect(judge(any, 1e300)).toBe(1e300)
    expect(any.info).toEqual({ kind: 'number', description })
    const integer = field.integer({ description, min: 0, max: 9, unit: 's' })
    expect(integer.info).toEqual({ kind: 'integer', description, min: 0, max: 9, unit: 's' })
  })

  it.each([
    [1, 1],
    [65535, 65535],
    [0, 'out_of_range: 1..65535'],
    [65536, 'out_of_range: 1..65535'],
    [80.5, whole],
  ])('a port: %s', (given, expected) => {
    expect(judge(field.port({ description }), given)).toBe(expected)
  })

  it('a port is part of a destination', () => {
    expect(field.port({ description }).info).toEqual({
      kind: 'integer',
      format: 'port',
      destination: 'value',
      min: 1,
      max: 65535,
      description,
    })
  })
})

describe('choices', () => {
  const flag = field.flag({ description, aliases: { yes: true, no: false } })
  it.each([
    [true, true],
    [false, false],
    ['yes', true],
    ['no', false],
    ['true', 'invalid: true or false is expected'],
    [1, 'invalid: true or false is expected'],
    [['yes'], 'invalid: true or false is expected'],
  ])('a flag: %j', (given, expected) => {
    expect(judge(flag, given)).toBe(expected)
  })

  it('a flag without aliases takes no word', () => {
    expect(judge(field.flag({ description }), 'yes')).toMatch(/^invalid/)
    expect(flag.info).toEqual({ kind: 'boolean', description })
  })

  const word = field.oneOf(['GET', 'Head', '1'], { description, aliases: { any: 'GET' } })
  const refused = 'invalid: one of GET, Head, 1 is expected'
  it.each([
    ['GET', 'GET'],
    ['get', 'GET'],
    ['HEAD', 'Head'],
    [1, '1'],
    ['any', 'GET'],
    ['ANY', 'GET'],
    ['put', refused],
    [true, refused],
    [{}, refused],
  ])('one of some words: %s', (given, expected) => {
    expect(judge(word, given)).toBe(expected)
  })

  it('a word needs no aliases', () => {
    expect(judge(field.oneOf(['a'], { description }), 'a')).toBe('a')
    expect(word.info).toEqual({ kind: 'enum', enum: ['GET', 'Head', '1'], description })
  })

  it.each([
    ['auto', 'auto'],
    ['any', 'auto'],
    ['4', 'ipv4'],
    [4, 'ipv4'],
    ['v4', 'ipv4'],
    ['IPv4', 'ipv4'],
    ['6', 'ipv6'],
    ['v6', 'ipv6'],
    ['v5', 'invalid: one of auto, ipv4, ipv6 is expected'],
  ])('an address family: %s', (given, expected) => {
    expect(judge(field.ipFamily(), given)).toBe(expected)
    expect(field.ipFamily().info.description).toContain('the first address that answers')
  })

  it('a group is an object of fields, and keeps its values', () => {
    const group = field.group({ user: field.text({ description }) }, { description })
    expect(group.info).toMatchObject({ kind: 'object', description })
    expect(group.presence).toBe('optional')
    expect(group.decode({ user: 'u' })).toEqual({ user: 'u' })
  })
})

describe('hosts', () => {
  const host = field.host({ description })
  const refused = 'invalid: a host name or IP address is expected'
  const label = x(63)
  const longest = [label, label, label, x(61)].join('.')
  it.each([
    ['Example.COM', 'example.com'],
    [' example.com ', 'example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['_dmarc.example.com', '_dmarc.example.com'],
    ['a_.example', 'a_.example'],
    ['a-b.example', 'a-b.example'],
    ['192.0.2.1', '192.0.2.1'],
    ['[::1]', '::1'],
    ['2001:DB8:0::1', '2001:db8::1'],
    [`${label}.example`, `${label}.example`],
    [longest, longest],
    [`${label}x.example`, refused],
    ['a..b', refused],
    ['example.com..', refused],
    ['-a.example', refused],
    ['a-.example', refused],
    ['a b', refused],
    ['a/b', refused],
    ['a?b', refused],
    ['a#b', refused],
    ['user@host', refused],
    ['a\\b', refused],
    ['a%62', refused],
    ['a[b', refused],
    ['fe80::1%eth0', refused],
    ['[]', refused],
    ['host:80', refused],
    ['1:2', refused],
    ['x[::1]', refused],
    ['999.1.1.1', refused],
    ['', 'out_of_range: 1..253 characters'],
    [`${longest}x`, 'out_of_range: 1..253 characters'],
  ])('%s: %s', (given, expected) => {
    expect(judge(host, given)).toBe(expected)
  })

  it('are part of a destination', () => {
    const bounds = { kind: 'string', format: 'host', min: 1, max: 253 }
    expect(host.info).toEqual({ ...bounds, destination: 'value', description })
  })
})

describe('addresses', () => {
  const url = field.url({ description })
  it.each([
    ['HTTP://Example.com', 'http://example.com/'],
    [' https://example.com/a#b ', 'https://example.com/a'],
    ['https://example.com:443/', 'https://example.com/'],
    ['example.com', 'invalid: an absolute URL is expected'],
    ['ftp://example.com/', 'invalid: an http:// or https:// address is expected'],
    ['http://example.com:0/', 'invalid: port 0 cannot be connected to'],
    ['http://u@example.com/', 'invalid: user and password do not belong in this address'],
    ['http://:p@example.com/', 'invalid: user and password do not belong in this address'],
    ['http://example.com/a\tb', 'invalid: control characters are not allowed'],
    [`http://e.example/${x(2031)}`, `http://e.example/${x(2031)}`],
    [`http://e.example/${x(2032)}`, 'out_of_range: 1..2048 characters'],
  ])('%s: %s', (given, expected) => {
    expect(judge(url, given)).toBe(expected)
  })

  it('may hold user and password where the type takes them', () => {
    const open = field.url({ description, userinfo: true })
    expect(judge(open, 'http://u:p@example.com/')).toBe('http://u:p@example.com/')
    const bounds = { kind: 'string', format: 'url', min: 1, max: 2048 }
    expect(open.info).toEqual({ ...bounds, destination: 'origin', description })
  })
})

describe('patterns', () => {
  const regex = field.regex({ description })
  it('are stored as they are written and compiled for the check', () => {
    expect(judge(regex, '/A+/i')).toBe('/A+/i')
    expect((decoded(regex, '/A+/i') as { test(text: string): boolean }).test('xaa')).toBe(true)
    expect(judge(regex, '(')).toMatch(/^invalid: not a usable pattern/)
    expect(judge(regex, x(1000))).toMatch(/^invalid: it is too large/)
    expect(judge(regex, x(1001))).toBe('out_of_range: 1..1000 characters')
    expect(regex.info).toEqual({ kind: 'regex', format: 'regex', max: 1000, description })
  })
})

describe('lists', () => {
  const item = field.integer({ description, min: 1, max: 9 })
  const list = field.list(item, { description, min: 1, max: 3 })
  it.each([
    [[1], [1]],
    [
      [3, 2, 1],
      [3, 2, 1],
    ],
    [[], 'out_of_range: 1..3 items'],
    [[1, 2, 3, 4], 'out_of_range: 1..3 items'],
    ['1', 'invalid: an array is expected'],
    [[1, 10, 'x'], 'out_of_range: entry 2: 1..9; invalid: entry 3: an integer is expected'],
  ])('%j: %j', (given, expected) => {
    expect(judge(list, given)).toEqual(expected)
  })

  it('may be empty unless bounded, and are not written with commas unless they may be', () => {
    const names = field.list(field.text({ description }), { description, max: 2 })
    expect(judge(names, [])).toEqual([])
    expect(judge(names, 'a,b')).toBe('invalid: an array is expected')
    expect(names.info).toMatchObject({ kind: 'array', min: 0, max: 2 })
  })

  it('are split at commas where they may be', () => {
    const info = { description, max: 2, commas: true }
    const names = field.list(field.text({ description }), info)
    expect(judge(names, ' a , b,,')).toEqual(['a', 'b'])
    expect(judge(names, ['a,b'])).toEqual(['a,b'])
    expect(judge(names, 'a,b,c')).toBe('out_of_range: 0..2 items')
    expect(judge(names, 7)).toBe('invalid: an array is expected')
    expect(names.info).not.toHaveProperty('commas')
  })

  it('name the place in a list of lists', () => {
    const nested = field.list(list, { description, max: 2 })
    expect(judge(nested, [[1], [2, 99]])).toBe('out_of_range: entry 2, entry 2: 1..9')
  })

  it('decode each entry', () => {
    const patterns = field.list(field.regex({ description }), { description, max: 2 })
    const [first] = decoded(patterns, ['a+']) as readonly { readonly source: string }[]
    expect(first?.source).toBe('a+')
  })
})
