/**
 * Keeps the secrets of a monitor out of what is written about it: a server may echo a password in its
 * answer, a library may put one in its error text.
 *
 * @module
 */

import { MASK } from '../fields/secrets.ts'
import type { Json, JsonObject } from '../model.ts'

/** Shorter secrets would blank out ordinary words. */
const SHORTEST = 4

export interface Redactor {
  text(text: string): string
  json(value: JsonObject): JsonObject
}

export function redactor(secrets: readonly string[]): Redactor {
  const worth = [...new Set(secrets.flatMap(spellings))].filter(
    (secret) => secret.length >= SHORTEST,
  )
  if (worth.length === 0) return { text: (text) => text, json: (value) => value }
  // The longest first, or a secret that holds another would be cut in the middle.
  worth.sort((a, b) => b.length - a.length)
  const text = (given: string): string =>
    worth.reduce((cut, secret) => cut.replaceAll(secret, MASK), given)
  const walk = (value: Json | undefined): Json | undefined => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map((item: Json) => walk(item) ?? null)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value as JsonObject).map(([key, item]) => [key, walk(item)]),
    )
  }
  return { text, json: (value) => walk(value) as JsonObject }
}

/** A secret also shows up as it is sent: URL-encoded and in base64. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  const base64 = bytes.toString('base64')
  return [secret, encodeURIComponent(bytes.toString('utf8')), base64, base64.replace(/=+$/, '')]
}
