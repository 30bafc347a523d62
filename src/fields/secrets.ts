/**
 * Where the secrets of a table are: one walk serves masking in answers, sealing at rest, and
 * collecting what must not reach a log.
 *
 * @module
 */

import type { JsonObject } from '../model.ts'
import { fieldNamed } from './field.ts'
import type { FieldTable } from './field.ts'
import { isPlainObject } from './parse.ts'

/** Stands for a secret in every answer; sent back in a PATCH it keeps what is stored. */
export const MASK = '***'

const SECRET_HEADER =
  /^(authorization|proxy-authorization|cookie|set-cookie)$|api-?key|token|secret|password|signature/i

/** Whether the value of a header of this name is treated as a secret. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name)
}

/** A copy in which every secret string is replaced by what `change` makes of it; `path` is the field's dotted name. */
export function mapSecrets(
  fields: FieldTable,
  settings: JsonObject,
  change: (secret: string, path: string) => string,
  prefix = '',
): JsonObject {
  const mapped: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(settings)) {
    const path = prefix + name
    const info = fieldNamed(fields, name)?.info
    if (info?.fields !== undefined && isPlainObject(value)) {
      mapped[name] = mapSecrets(info.fields, value, change, `${path}.`)
    } else if (info?.secret === 'value' && typeof value === 'string') {
      mapped[name] = change(value, path)
    } else if (info?.secret === 'by_header_name' && isPlainObject(value)) {
      mapped[name] = mapHeaders(value, path, change)
    } else {
      mapped[name] = value
    }
  }
  return mapped as JsonObject
}

/** {@link mapSecrets} to {@link MASK}. */
export function mask(fields: FieldTable, settings: JsonObject): JsonObject {
  return mapSecrets(fields, settings, () => MASK)
}

/** Puts the stored secrets back where a user sent {@link MASK}. */
export function unmask(fields: FieldTable, sent: JsonObject, stored: JsonObject): JsonObject {
  const known = new Map<string, string>()
  mapSecrets(fields, stored, (secret, path) => {
    known.set(path, secret)
    return secret
  })
  return mapSecrets(fields, sent, (secret, path) =>
    secret === MASK ? (known.get(path) ?? secret) : secret,
  )
}

function mapHeaders(
  headers: JsonObject,
  path: string,
  change: (secret: string, path: string) => string,
): JsonObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const at = `${path}.${name.toLowerCase()}`
      if (!isSecretHeader(name) || value === undefined) return [name, value]
      if (typeof value === 'string') return [name, change(value, at)]
      if (!Array.isArray(value)) return [name, value]
      return [
        name,
        value.map((item: unknown, index) =>
          typeof item === 'string' ? change(item, `${at}.${index}`) : item,
        ),
      ]
    }),
  ) as JsonObject
}
