/**
 * Text of others, such as an answer of a target or of a receiver, as it may stand in a log, a cause or a record.
 *
 * @module
 */

/** On one line, without control characters and bidirectional marks. */
export function printable(text: string): string {
  const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
  return text.replace(unsafe, (char) => {
    const code = char.codePointAt(0) ?? 0
    return SHORT_ESCAPES[char] ?? `\\u{${code.toString(16)}}`
  })
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Control characters of ASCII: no URL and no value that is searched for has one, and PostgreSQL refuses NUL in a text. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
export const ASCII_CONTROL = /[\u0000-\u001f\u007f]/

/** Half of a pair has no UTF-8 encoding, so that stores and hashes would change it. */
export const LONE_SURROGATE = /\p{Surrogate}/u

/** Why not every store keeps a text of one line as it is: some end it at a NUL. `undefined` where all do. */
export function lineProblem(text: string): string | undefined {
  if (ASCII_CONTROL.test(text)) return 'invalid: control characters are not allowed'
  return LONE_SURROGATE.test(text) ? 'invalid: it is not well-formed Unicode' : undefined
}
