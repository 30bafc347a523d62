/**
 * The receiver's words in our log.
 *
 * @module
 */

import { MASK } from '../fields/secrets.ts'

/** On one line and without what could steer a terminal: controls, and the marks that turn text around. */
export function printable(text: string): string {
  const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
  return text.replace(unsafe, (char) => {
    const code = char.codePointAt(0) ?? 0
    return SHORT_ESCAPES[char] ?? `\\u{${code.toString(16)}}`
  })
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Shorter ones would blank out ordinary words. */
const SHORTEST_SECRET = 4

/** A receiver may echo what it was sent. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
    .reduce((cut, secret) => cut.replaceAll(secret, MASK), text)
}
