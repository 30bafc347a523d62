/**
 * Keeps the secrets of a monitor out of what is written about it: a server may echo a password in its
 * answer, a library may put one in its error text.
 *
 * @module
 */

import type { FieldTable } from '../fields/field.ts'
import { MASK, mapSecrets } from '../fields/secrets.ts'
import type { Logger } from '../logger.ts'
import type { Json, JsonObject } from '../model.ts'

/** Shorter secrets would blank out ordinary words. */
const SHORTEST = 4

export interface Redactor {
  text(text: string): string
  json(value: JsonObject): JsonObject
  /** A logger that passes on nothing secret, errors included. */
  log(logger: Logger): Logger
}

/** For the secrets of settings, as the table of their fields names them. */
export function redactorFor(fields: FieldTable, stored: JsonObject): Redactor {
  const secrets: string[] = []
  mapSecrets(fields, stored, (secret) => {
    secrets.push(secret)
    return secret
  })
  return redactor(secrets)
}

function redactor(secrets: readonly string[]): Redactor {
  const worth = [...new Set(secrets.flatMap(spellings))].filter(
    (secret) => secret.length >= SHORTEST,
  )
  if (worth.length === 0) {
    return { text: (text) => text, json: (value) => value, log: (logger) => logger }
  }
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
  return {
    text,
    json: (value) => walk(value) as JsonObject,
    log: (logger) => redactedLogger(logger, text),
  }
}

function redactedLogger(logger: Logger, text: (text: string) => string): Logger {
  const at = (level: keyof Logger) => (fields: object, message: string) =>
    logger[level](redacted(fields, text) as Record<string, unknown>, text(message))
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Deeper than this nobody reads; it also ends what refers to itself. */
const DEPTH = 6

/** Plain data and errors; of an error name, message, stack, code and cause are kept, and nothing else that it carries. */
function redacted(value: unknown, text: (text: string) => string, depth = DEPTH): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return '…'
  const inner = (each: unknown): unknown => redacted(each, text, depth - 1)
  if (value instanceof Error) {
    const { name, message, stack, cause, code } = value as NodeJS.ErrnoException
    const copy = new Error(text(message), cause === undefined ? {} : { cause: inner(cause) })
    return Object.assign(
      copy,
      { name, stack: text(stack ?? '') },
      code === undefined ? {} : { code },
    )
  }
  if (Array.isArray(value)) return value.map(inner)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]))
}

/** A secret also shows up as it is sent: URL-encoded and in base64. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  const base64 = bytes.toString('base64')
  return [secret, encodeURIComponent(bytes.toString('utf8')), base64, base64.replace(/=+$/, '')]
}
