/** Values that programs stumble over, and a way to put them anywhere into a value of JSON. */

import fc from 'fast-check'
import { written } from './shot.ts'

const NUMBERS = [
  ...[0, -1, 1, 0.5, 60, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 5e-324],
  ...['-0', '1e400', '-1e400', '1E2', '1e-400', '12345678901234567890123', '1.0'].map(written),
  // Not JSON at all.
  ...['01', 'NaN', 'Infinity', '0x10', '+1', '.5', '1.'].map(written),
]

const TEXTS = [
  ...['', ' ', '\0', 'a\0b', '\n', '\r\n\r\n', '\u001b[31m', '\u202e', '\ufeff', '\ufffe', 'ﬀ'],
  ...['\ud800', 'a\udc00', '😀'.repeat(40), 'e\u0301'.repeat(200), '\u0000'.repeat(300)],
  ...['x'.repeat(201), 'x'.repeat(4097), 'x'.repeat(70_000), 'ä'.repeat(130_000)],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'length'],
  ...['true', 'null', 'NaN', '-0', '1e3', '0x1f', '١٢', '9'.repeat(400), '***', 'undefined'],
  ...[
    "' or 1=1 --",
    '%',
    '_',
    '%%%_',
    '\\',
    '"',
    '${7*7}',
    '{{7*7}}',
    '../../etc/passwd',
    ';',
    ',,,',
  ],
  ...['127.0.0.1', '::1', '[::1]', '0', '1.2.3', 'fe80::1%eth0', '169.254.169.254', 'a..b', '-a.b'],
  ...['xn--', 'xn--a', 'münchen.example', `${'a'.repeat(64)}.example`, `${'a.'.repeat(130)}b`],
  ...[
    'http://',
    'http://[::1',
    'http://a b/',
    'http://u:p@h/',
    'file:///etc/passwd',
    'HTTP://A:0/',
  ],
  ...['http://a:99999/', 'http://%00/', 'http://a/\ud800', '//a', 'javascript:1', 'http://0x7f.1/'],
  ...[
    '[',
    '(',
    '(a+)+$',
    '(?=a)',
    '\\1',
    'a{1000}{1000}',
    '/a/x',
    '/(/i',
    '\\p{X}',
    '.{1001}',
    '(?<a',
  ],
  ...['200-', '-', '99', '200-100', '2xx,,', '1-1000000', '200-299,'.repeat(500)],
]

const SHAPES: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  { then: 1 },
  { toJSON: 1 },
  { length: 1e9 },
  Object.fromEntries([['__proto__', { admin: true }]]),
  { constructor: { prototype: { admin: true } } },
  Array<number>(1001).fill(1),
  Array<string>(60).fill('a'),
  Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`k${n}`, n])),
  deep(31),
  deep(40),
]

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

export const nastyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  {
    weight: 1,
    arbitrary: fc.uint16Array({ maxLength: 30 }).map((units) => String.fromCharCode(...units)),
  },
)

export const nasty: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: nastyText },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...NUMBERS) },
  { weight: 3, arbitrary: fc.constantFrom(...SHAPES) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)

type Path = readonly string[]

/** Paths of all places in a value, the whole of it first. */
export function placesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Object.entries(value).flatMap(([key, child]) => placesOf(child, [...path, key]))
  return [path, ...inner]
}

/** The value with another one at a place; `undefined` takes away what is there. */
export function withAt(value: unknown, path: Path, change: (old: unknown) => unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return change(value)
  const entries = Object.entries(value as object).flatMap(([name, old]): [string, unknown][] => {
    if (name !== key) return [[name, old]]
    const next = withAt(old, rest, change)
    return next === undefined ? [] : [[name, next]]
  })
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries)
}
