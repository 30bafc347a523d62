/**
 * Validation of user texts: length in characters, line breaks and control characters.
 *
 * @module
 */

import * as v from 'valibot'
import { LONE_SURROGATE } from '../model/printable.ts'

/** Any control character but tab, line feed and carriage return. */
// eslint-disable-next-line no-control-regex -- they are what is refused
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/
const LINE_BREAK = /[\0\r\n]/

export interface TextBounds {
  readonly min?: number
  /** Default 4096 characters. */
  readonly max?: number
  /** Line breaks are rejected unless set: most texts are sent in line-based protocols. */
  readonly multiline?: boolean
  /** Allows control characters, for escape sequences. */
  readonly controls?: boolean
  readonly trim?: boolean
}

// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- a pipe of valibot that only it can spell
export function textSchema({
  min = 1,
  max = 4096,
  multiline = false,
  controls = false,
  trim = false,
}: TextBounds) {
  return v.pipe(
    v.string('invalid: a string is expected'),
    v.transform((text) => (trim ? text.trim() : text)),
    v.check((text) => !LONE_SURROGATE.test(text), 'invalid: it is not well-formed Unicode'),
    v.check(
      (text) => text.length >= min && text.length <= max,
      `out_of_range: ${min}..${max} characters`,
    ),
    v.check((text) => multiline || !LINE_BREAK.test(text), 'invalid: line breaks are not allowed'),
    v.check(
      (text) => controls || !CONTROL.test(text),
      'invalid: control characters are not allowed',
    ),
  )
}
