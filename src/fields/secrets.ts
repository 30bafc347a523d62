/**
 * Finds the secrets of a table: one traversal serves masking in responses, encryption at rest, and
 * redaction in logs.
 *
 * @module
 */

import type { JsonObject } from '../model.ts'
import { isSealed } from '../seal.ts'
import { formEncoded, formsOfLogin, partsOfHeader, spellingWithinLimits } from '../secrets/forms.ts'
import { isHarmlessHeader } from '../secrets/headers.ts'
import { MASK } from '../secrets/redaction.ts'
import { escapeBytes, isPlain } from './escapes.ts'
import { fieldNamed } from './field.ts'
import type { FieldTable } from './field.ts'
import { addProblem, problemAt } from './problems.ts'
import type { Problems } from './problems.ts'
import { isJsonObject } from '../model/json.ts'

export { MASK }

/** The position of a secret. */
export interface SecretPlace {
  /** The field's dotted name; of a header `<field>.<name in lower case>`. */
  readonly path: string
  /** The settings object that contains it. */
  readonly beside: JsonObject
  readonly isHeader: boolean
  /** The field's dotted name. */
  readonly field: string
}

/** The steps from its field to the secret: none, or the header name. */
export function stepsWithin({ field, path }: SecretPlace): readonly string[] {
  // One of several values of a header is reported under the header name.
  return path === field ? [] : [path.slice(field.length + 1).replace(/\.\d+$/, '')]
}

type Change = (secret: string, path: string, place: SecretPlace) => string

/** A copy in which `change` replaces every secret string; `path` is the field's dotted name. */
export function mapSecrets(
  fields: FieldTable,
  settings: JsonObject,
  change: Change,
  prefix = '',
): JsonObject {
  const mapped: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(settings)) {
    const path = prefix + name
    const info = fieldNamed(fields, name)?.info
    if (info?.fields !== undefined && isJsonObject(value)) {
      mapped[name] = mapSecrets(info.fields, value, change, `${path}.`)
    } else if (info?.secret === 'value' && typeof value === 'string') {
      mapped[name] = change(value, path, { path, beside: settings, isHeader: false, field: path })
    } else if (info?.secret === 'by_header_name' && isJsonObject(value)) {
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

/** Replaces {@link MASK} in the input with the stored secrets. */
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

/**
 * A problem for each secret that cannot be stored: {@link MASK} without a stored secret, or a value
 * with the prefix of encrypted ones.
 */
export function secretProblems(fields: FieldTable, settings: JsonObject): Problems {
  const problems: Record<string, string> = {}
  mapSecrets(fields, settings, (secret, _path, place) => {
    const problem =
      secret === MASK
        ? `required: ${MASK} stands for a stored secret, and there is none`
        : isSealed(secret)
          ? 'invalid: it begins like a secret that was sealed for the store'
          : undefined
    if (problem !== undefined)
      addProblem(problems, place.field, problemAt(stepsWithin(place), problem))
    return secret
  })
  return problems
}

/** Maximum parts of header values that are redacted separately; beyond it only whole values. */
const MAX_PARTS = 64

/**
 * Every encoding in which the secrets of `settings` are sent. A secret next to a field `user` is
 * also combined with it, as logins are sent; next to a `client_id`, as clients of OAuth2 do.
 */
export function formsOfSecrets(fields: FieldTable, settings: JsonObject): ReadonlySet<string> {
  const forms = new Set<string>()
  const add = (more: readonly string[]): void => more.forEach((form) => forms.add(form))
  const spellingOf = spellingWithinLimits(quotedForms)
  let parts_left = MAX_PARTS
  mapSecrets(fields, settings, (secret, _path, { beside, isHeader }) => {
    spell(secret)
    const { user, client_id } = beside
    if (isHeader) {
      const { parts, login } = partsOfHeader(secret)
      parts.slice(0, parts_left).forEach(spell)
      parts_left = Math.max(0, parts_left - parts.length)
      if (login !== undefined) addLogin(login.user, login.pass)
    } else if (typeof user === 'string') addLogin(user, secret)
    else if (typeof client_id === 'string') addLogin(formEncoded(client_id), formEncoded(secret))
    return secret
  })
  return forms

  function spell(secret: string): void {
    add(secret.startsWith('-----BEGIN ') ? linesOfPem(secret) : spellingOf(secret))
  }

  function addLogin(user: string, pass: string): void {
    spell(pass)
    add(formsOfLogin(user, pass))
  }
}

/** A key is never sent: what shows it is an error of this process, with the text or lines of it. */
function linesOfPem(pem: string): readonly string[] {
  return [pem, ...pem.split(/\r?\n/).filter((line) => /^[A-Za-z0-9+/=]{16,}$/.test(line))]
}

/** As checkers quote the bytes of a server that repeats a secret, also within a JSON text. */
function quotedForms(secret: string): readonly string[] {
  return [secret, JSON.stringify(secret).slice(1, -1)].flatMap((text) =>
    isPlain(text)
      ? []
      : (['utf8', 'latin1'] as const).map((encoding) =>
          escapeBytes(Buffer.from(text, encoding).toString('latin1'), Infinity),
        ),
  )
}

function mapHeaders(headers: JsonObject, prefix: string, change: Change): JsonObject {
  const beside = headers
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const path = `${prefix}.${name.toLowerCase()}`
      if (isHarmlessHeader(name) || value === undefined) return [name, value]
      const changed = (item: string, at: string): string =>
        change(item, at, { path: at, beside, isHeader: true, field: prefix })
      if (typeof value === 'string') return [name, changed(value, path)]
      if (!Array.isArray(value)) return [name, value]
      return [
        name,
        value.map((item: unknown, index) =>
          typeof item === 'string' ? changed(item, `${path}.${index}`) : item,
        ),
      ]
    }),
  ) as JsonObject
}
