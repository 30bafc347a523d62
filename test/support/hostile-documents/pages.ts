/**
 * Pages of every kind that `content` and `http` read.
 *
 * @module
 */

import { BODY_BYTES, between, filled, numbered } from './document.ts'
import type { HostilePage } from './document.ts'

const html = (name: string, make: () => Buffer): HostilePage => ({
  name: `html: ${name}`,
  type: 'text/html; charset=utf-8',
  make,
})
const text = (name: string, make: () => Buffer, charset = 'utf-8'): HostilePage => ({
  name: `text: ${name}`,
  type: `text/plain; charset=${charset}`,
  make,
})
const json = (name: string, make: () => Buffer): HostilePage => ({
  name: `json: ${name}`,
  type: 'application/json',
  make,
})

const HTML: readonly HostilePage[] = [
  html('a million references without a semicolon', () => filled('&amp', 4_000_000)),
  html('a million numbers as references', () => filled('&#65;')),
  html('one reference of 4 MiB of digits', () => between('&#', filled('9'), ';')),
  html('one name of a reference of 4 MiB', () => between('&', filled('a'), ';')),
  html('nothing but ampersands', () => filled('&')),
  html('nothing but tags that open', () => filled('<')),
  html('elements nested without end', () => filled('<div>')),
  html('end tags of what never began', () => filled('</svg>')),
  html('elements that are dropped, never closed', () => filled('<svg><math>')),
  html('a comment that never ends', () => between('a<!--', filled('-'), '')),
  html('comments that are empty', () => filled('a<!---->')),
  html('a script that never ends', () => between('a<script>', filled('</scrip'), '')),
  html('scripts one after the other', () => filled('a<script></script>')),
  html('a tag with a million attributes', () => between('a<p ', filled('a=b '), '>')),
  html('an attribute with 4 MiB of blanks before its value', () =>
    between('a<p a=', filled(' '), '>'),
  ),
  html('a name of an element of 4 MiB', () => between('a<', filled('x'), '>')),
  html('quotes that never close', () => filled(`<a b='c" d="e'>f`)),
  html('blank lines', () => between('a', filled('\n'), 'b')),
  html('a letter a line', () => filled('a<br>')),
  html('text areas', () => filled('<textarea>a</textarea>')),
  html('preformatted line ends', () => between('<pre>a', filled('\r\n'), 'b')),
  html('letters of two bytes', () => filled('д<b>')),
]

const TEXT: readonly HostilePage[] = [
  text('blank lines', () => filled('\n')),
  text('blank lines around one letter', () => between('', filled('\n'), 'a')),
  text('line ends of every kind', () => filled('\r\n\n\r\u2028a')),
  text('one line of 4 MiB', () => filled('a')),
  text('one word with 4 MiB of blanks around it', () => between('a', filled(' '), 'b')),
  text('a letter a line', () => filled('a\n')),
  text('a letter a word', () => filled('a ')),
  text('soft hyphens', () => filled('\u00ad')),
  text('numbered lines', () => Buffer.from(numbered(500_000, (n) => `${n}\n`))),
  text('bytes that are no UTF-8', () => filled('\xff', BODY_BYTES)),
  text('bytes that are half of a letter', () => filled(Buffer.from([0xe2, 0x82]))),
  text('a charset of three bytes a letter', () => filled(Buffer.from([0xa1])), 'tis-620'),
  text('GB 18030', () => filled(Buffer.from([0x81, 0x30, 0x81, 0x30])), 'gb18030'),
  text(
    'ISO-2022-JP that changes its set with every letter',
    () => filled('\x1b$B0!\x1b(Ba'),
    'iso-2022-jp',
  ),
  text('UTF-16 with halves of pairs', () => filled(Buffer.from([0x00, 0xd8])), 'utf-16le'),
  text('Shift_JIS', () => filled(Buffer.from([0x82, 0xa0])), 'shift_jis'),
]

const JSONS: readonly HostilePage[] = [
  json('an object of 400,000 keys', () =>
    Buffer.from(`{${numbered(400_000, (n) => `"${n.toString(36)}":1`, ',')}}`),
  ),
  json('keys in the wrong order', () =>
    Buffer.from(`{${numbered(300_000, (n) => `"k${(n * 7919) % 300_007}":1`, ',')}}`),
  ),
  json('keys that begin alike', () =>
    Buffer.from(`{${numbered(4_000, (n) => `"${'k'.repeat(990)}${(n * 7919) % 4_001}":1`, ',')}}`),
  ),
  json('two million brackets', () => filled('[', 2_000_000)),
  json('two million brackets, closed', () =>
    Buffer.concat([filled('[', 2_000_000), filled(']', 2_000_000)]),
  ),
  json('a list of two million numbers', () => between('[', filled('1,', 4_000_000), '1]')),
  json('a list of empty objects', () => between('[', filled('{},', 4_000_000), '1]')),
  json('objects in a list', () =>
    between('[', filled('{"b":1,"a":[]},', 4_000_000).subarray(0, 3_999_990), '1]'),
  ),
  json('one text of 4 MiB', () => between('"', filled('a', 4_100_000), '"')),
  json('one text of escapes', () =>
    between('"', filled('\\u0041', 4_100_000).subarray(0, 4_099_998), '"'),
  ),
  json('one text that never ends', () => between('"', filled('\\n'), '')),
  json('one number of 4 MiB', () => filled('9')),
  json('numbers with exponents', () =>
    between('[', filled('1e999,', 4_100_000).subarray(0, 4_099_998), '1]'),
  ),
  json('lists 150 deep', () =>
    between(
      '[',
      filled(`${'['.repeat(150)}${']'.repeat(150)},`, 3_999_000).subarray(0, 3_998_687),
      ',1]',
    ),
  ),
  json('one key of 4 MiB', () => between('{"', filled('k', 4_100_000), '":1}')),
  json('one key again and again', () =>
    between('{', filled('"a":1,', 4_100_000).subarray(0, 4_099_998), '"a":2}'),
  ),
  json('4 MiB of blanks around a number', () => between('', filled(' ', 4_100_000), '1')),
  json('a document a line', () => filled('{"a":1}\n')),
]

const pattern = (name: string, ignore_regex: string, make: () => Buffer): HostilePage => ({
  ...text(`ignore_regex: ${name}`, make),
  ignore_regex,
})

const PATTERNS: readonly HostilePage[] = [
  pattern(
    'twenty that match nothing',
    numbered(20, (n) => `${n}x+y`, '\n'),
    () => filled('a1 b2 c3 \n'),
  ),
  pattern(
    'twenty that match everything',
    numbered(20, (n) => `[a-y]|${n}`, '\n'),
    () => filled('abcdefgh\n'),
  ),
  pattern('one that looks at the rest for every letter', 'a.*b|a', () => filled('a', 256 * 1024)),
  pattern(
    'twenty that look at the rest',
    numbered(20, (n) => `a.*${n}b|z`, '\n'),
    () => filled('a', 256 * 1024),
  ),
  pattern('a large one', '(?:a|b)*a(?:a|b){60}[cd]{3}[yz]', () => filled('abba')),
  pattern(
    'twenty large ones',
    numbered(20, (n) => `(?:a|a?){${100 + n}}x`, '\n'),
    () => filled('a'),
  ),
]

export const hostilePages: readonly HostilePage[] = [...HTML, ...TEXT, ...JSONS, ...PATTERNS]
