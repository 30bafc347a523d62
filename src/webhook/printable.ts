/**
 * Sanitizes external text: of receivers in the log, of targets in causes.
 *
 * @module
 */

import { formsOf } from '../secrets/forms.ts'
import { redaction } from '../secrets/redaction.ts'

/** On one line, without control characters and bidirectional marks. */
export function printable(text: string): string {
  const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
  return text.replace(unsafe, (char) => {
    const code = char.codePointAt(0) ?? 0
    return SHORT_ESCAPES[char] ?? `\\u{${code.toString(16)}}`
  })
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A receiver may echo secrets, in any encoding in which they were sent. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return redaction(secrets.filter((secret) => secret !== '').flatMap(formsOf))(text)
}
