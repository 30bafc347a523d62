/**
 * Removes the secrets of a monitor or a contact from texts: a server may return a password in its response, a library
 * may include one in an error message.
 *
 * @module
 */

import type { FieldTable } from '../../fields/field.ts'
import { formsOfSecrets } from '../../fields/secrets.ts'
import type { Logger } from '../../logger.ts'
import type { Json, JsonObject } from '../../model.ts'
import { formsOf } from '../../secrets/forms.ts'
import { redaction, redactionSteps } from '../../secrets/redaction.ts'

export interface Redactor {
  text(text: string): string
  /** For a text of many KB. */
  steps(text: string): Generator<void, string>
  json(value: JsonObject): JsonObject
  /** A logger that redacts fields and messages, errors included. */
  log(logger: Logger): Logger
}

/** For the secrets of settings, as their field table declares them, and `more`. */
export function redactorFor(
  fields: FieldTable,
  stored: JsonObject,
  more: readonly string[] = [],
): Redactor {
  const forms = new Set([...formsOfSecrets(fields, stored), ...more.flatMap(formsOf)])
  if (forms.size === 0) {
    return {
      text: (text) => text,
      steps: (text) => redactionSteps(text, forms),
      json: (value) => value,
      log: (logger) => logger,
    }
  }
  const text = redaction(forms)
  const walk = (value: Json | undefined): Json | undefined => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map((item: Json) => walk(item) ?? null)
    if (typeof value !== 'object' || value === null) return value
    return named(value as JsonObject, text)
  }
  /** Names of measurements come from the checker; nested names may come from a server. */
  const named = (value: JsonObject, name: (key: string) => string): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([key, item]) => [name(key), walk(item)]))
  return {
    text,
    steps: (given) => redactionSteps(given, forms),
    json: (value) => named(value, (key) => key),
    log: (logger) => redactedLogger(logger, text),
  }
}

function redactedLogger(logger: Logger, text: (text: string) => string): Logger {
  const at = (level: keyof Logger) => (fields: object, message: string) =>
    logger[level](redacted(fields, text) as Record<string, unknown>, text(message))
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Maximum depth; it also ends circular references. */
const DEPTH = 6

/** Plain data and errors; of an error only name, message, stack, code and cause are kept. */
function redacted(value: unknown, text: (text: string) => string, depth = DEPTH): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return '…'
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  const inner = (each: unknown): unknown => redacted(each, text, depth - 1)
  if (value instanceof Error) {
    const { name, message, stack, cause, code } = value as NodeJS.ErrnoException
    const copy = new Error(text(message), cause === undefined ? {} : { cause: inner(cause) })
    return Object.assign(
      copy,
      { name, stack: text(stack ?? '') },
      code === undefined ? {} : { code: inner(code) },
    )
  }
  if (Array.isArray(value)) return value.map(inner)
  const nameOf = depth === DEPTH ? (name: string): string => name : text
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [nameOf(name), inner(each)]),
  )
}
