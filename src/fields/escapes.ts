/**
 * Bytes in a text field, with the escapes `\r \n \t \0 \\ \xHH`; all other characters stand for
 * themselves.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from './field.ts'
import type { FieldBuilder } from './field.ts'

export type Unescaped =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problem: string }

const SHORT: Readonly<Record<string, string>> = {
  r: '\r',
  n: '\n',
  t: '\t',
  0: '\0',
  '\\': '\\',
}

/** Characters that are not escaped become UTF-8; `\xHH` is one byte. */
export function unescapeBytes(text: string): Unescaped {
  const bytes: number[] = []
  const encoder = new TextEncoder()
  for (const [part, hex, short] of text.matchAll(/\\x([0-9a-fA-F]{2})|\\(.?)|[^\\]+/gs)) {
    if (hex !== undefined) bytes.push(parseInt(hex, 16))
    else if (short === undefined) bytes.push(...encoder.encode(part))
    else if (Object.hasOwn(SHORT, short)) bytes.push(...encoder.encode(SHORT[short]))
    else return { ok: false, problem: `${part} is no escape; \\r \\n \\t \\0 \\\\ \\xHH are` }
  }
  return { ok: true, bytes: Uint8Array.from(bytes) }
}

/** Received text (latin1: one character is one byte) on one line of printable ASCII, cut to `max` characters. */
export function escapeBytes(latin1: string, max: number): string {
  let line = ''
  for (const char of latin1) {
    const shown = escapeChar(char)
    if (line.length + shown.length > max) return `${line}…`
    line += shown
  }
  return line
}

/** Whether {@link escapeBytes} leaves the text as it is. */
export function isPlain(text: string): boolean {
  return /^[ -[\]-~]*$/.test(text)
}

const LETTERS = new Map(Object.entries(SHORT).map(([letter, meant]) => [meant, letter]))

function escapeChar(char: string): string {
  if (isPlain(char)) return char
  const short = LETTERS.get(char)
  return short !== undefined
    ? `\\${short}`
    : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/**
 * A field for such a text: stored as entered, passed to `run` as bytes. An invalid escape is
 * rejected.
 */
export function escapedText(info: {
  readonly description: string
  /** In bytes, after decoding the escapes. */
  readonly maxBytes: number
  readonly example?: string
}): FieldBuilder<string, Uint8Array> {
  const { maxBytes, ...rest } = info
  // At most four characters per byte.
  const max = 4 * maxBytes
  const outOfRange = `out_of_range: 1..${maxBytes} bytes`
  const schema = v.pipe(
    v.string('invalid: a string is expected'),
    v.check((text) => text.length <= max, outOfRange),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed || dataset.issues !== undefined) return
      const read = unescapeBytes(dataset.value)
      if (!read.ok) addIssue({ message: `invalid: ${read.problem}` })
      else if (read.bytes.length < 1 || read.bytes.length > maxBytes)
        addIssue({ message: outOfRange })
    }),
  )
  return defineField(
    { kind: 'string', format: 'escaped', min: 1, max, ...rest },
    schema,
    (text): Uint8Array => {
      const read = unescapeBytes(text)
      if (!read.ok) throw new TypeError(read.problem)
      return read.bytes
    },
  )
}
