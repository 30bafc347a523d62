/**
 * Words of strangers in what we write: the receiver's in our log, a target's in a cause.
 *
 * @module
 */

import { formsOf } from '../secrets/forms.ts'
import { redaction } from '../secrets/redaction.ts'

/** On one line and without what could steer a terminal: controls, and the marks that turn text around. */
export function printable(text: string): string {
  const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
  return text.replace(unsafe, (char) => {
    const code = char.codePointAt(0) ?? 0
    return SHORT_ESCAPES[char] ?? `\\u{${code.toString(16)}}`
  })
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A receiver may echo what it was sent, in whatever form that travelled. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return redaction(secrets.filter((secret) => secret !== '').flatMap(formsOf))(text)
}
