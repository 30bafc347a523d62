/**
 * Binds secrets to their destination: a user who may change the destination of a check or message,
 * but does not know its secrets, must not be able to redirect them.
 *
 * @module
 */

import type { Json, JsonObject } from '../model.ts'
import type { FieldInfo, FieldTable } from './field.ts'
import { addProblem, problemAt } from './problems.ts'
import type { Problems } from './problems.ts'
import { MASK, mapSecrets, stepsWithin } from './secrets.ts'
import type { SecretPlace } from './secrets.ts'
import { takeUserinfo } from './url.ts'
import { isJsonObject } from '../model/json.ts'
import { canParseUrl } from '../model/url.ts'

export interface Revision {
  /** Stored settings, secrets decrypted. */
  readonly stored: JsonObject
  /** The new settings. */
  readonly next: JsonObject
  /** The input: dotted names resolved, without kept values. */
  readonly given: JsonObject
}

/**
 * A problem for each secret that is kept while its destination changes; empty if the destination is
 * the same, or every secret is given again or removed.
 */
export function keptSecretProblems(fields: FieldTable, revision: Revision): Problems {
  const { stored, next, given } = revision
  const changed = changedDestination(fields, stored, next)
  if (changed === undefined) return {}
  const told = new Set<string>()
  mapSecrets(fields, given, (secret, path) => {
    if (secret !== MASK) told.add(path)
    return secret
  })
  const known = secretsByPath(fields, stored)
  const spoken = passwordsInUrls(given)
  const problems: Record<string, string> = {}
  const asked = new Set<string>()
  for (const [path, { secret, place }] of secretsByPath(fields, next)) {
    const isKept = secret !== '' && known.get(path)?.secret === secret && !told.has(path)
    if (!isKept || spoken.has(secret)) continue
    const steps = stepsWithin(place)
    const header = `${place.field}.${steps.join()}`
    if (!asked.has(header))
      addProblem(
        problems,
        place.field,
        problemAt(steps, `required: ${changed} has changed; ${ADVICE}`),
      )
    asked.add(header)
  }
  return problems
}

const ADVICE = 'give the secret again for the new destination, or null to remove it'

/** The first field whose change sends secrets elsewhere, or with less protection. */
function changedDestination(
  fields: FieldTable,
  stored: JsonObject,
  next: JsonObject,
  prefix = '',
): string | undefined {
  for (const [name, { info }] of Object.entries(fields)) {
    const [before, after] = [stored[name], next[name]]
    const path = prefix + name
    const changed =
      info.fields !== undefined
        ? changedDestination(info.fields, asObject(before), asObject(after), `${path}.`)
        : info.secret === 'by_header_name'
          ? otherHost(before, after) && `${path}.host`
          : leadsElsewhere(info, before, after) && path
    if (typeof changed === 'string') return changed
  }
  return undefined
}

function leadsElsewhere(
  info: FieldInfo,
  before: Json | undefined,
  after: Json | undefined,
): boolean {
  const { destination, item } = info
  if (item !== undefined) {
    if (item.info.destination === undefined) return false
    const known = new Set(asList(before).map((each) => placeOf(item.info, each)))
    return asList(after).some((each) => !known.has(placeOf(item.info, each)))
  }
  if (destination === undefined) return false
  if (typeof destination === 'string') return placeOf(info, before) !== placeOf(info, after)
  return protection(destination, after) < protection(destination, before)
}

/** The value to compare. */
function placeOf({ destination }: FieldInfo, value: Json | undefined): string {
  if (destination === 'origin' && typeof value === 'string' && canParseUrl(value)) {
    return new URL(value).origin
  }
  return JSON.stringify(value ?? null)
}

function protection(least: readonly (string | boolean)[], value: Json | undefined): number {
  const at = least.findIndex((each) => each === value)
  return at < 0 ? least.length : at
}

/** A proxy selects the site behind one address by this header. */
function otherHost(before: Json | undefined, after: Json | undefined): boolean {
  return hostIn(before) !== hostIn(after)
}

function hostIn(headers: Json | undefined): string {
  const host = Object.entries(asObject(headers)).find(([name]) => name.toLowerCase() === 'host')
  return JSON.stringify(host?.[1] ?? null)
}

interface FoundSecret {
  readonly secret: string
  readonly place: SecretPlace
}

function secretsByPath(fields: FieldTable, settings: JsonObject): ReadonlyMap<string, FoundSecret> {
  const found = new Map<string, FoundSecret>()
  mapSecrets(fields, settings, (secret, path, place) => {
    found.set(path, { secret, place })
    return secret
  })
  return found
}

/** `https://user:pass@host/` contains the password as well. */
function passwordsInUrls(given: JsonObject): ReadonlySet<string> {
  const urls = Object.values(given).filter(
    (value): value is string => typeof value === 'string' && canParseUrl(value),
  )
  return new Set(urls.map((url) => takeUserinfo(url).auth?.pass ?? ''))
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function asList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}
