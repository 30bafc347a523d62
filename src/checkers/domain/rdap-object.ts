/**
 * Parses the domain object of RDAP (RFC 9083, 5.3) from untrusted JSON.
 *
 * @module
 */

import type { EpochMs, JsonObject } from '../../model.ts'
import { parseDate } from './dates.ts'
import { isSameName } from './name.ts'
import { cleanText, MAX_NAMESERVERS, readStatuses } from './registration.ts'
import type { Registration } from './registration.ts'
import { isJsonObject } from '../../model/json.ts'

/** Maximum entries read of any list. */
const MAX_ENTRIES = 100

export type ReadObject = { readonly registration: Registration } | { readonly problem: string }

/** @param name in A-labels; the object must describe it */
export function readRdapObject(object: unknown, name: string): ReadObject {
  if (!isJsonObject(object)) return { problem: 'something that is no RDAP object' }
  const kind = object['objectClassName']
  if (kind !== 'domain') return { problem: 'an object that is no domain' }
  const described = object['ldhName'] ?? object['unicodeName']
  if (typeof described !== 'string') return { problem: 'a domain without a name' }
  if (!isSameName(described, name)) return { problem: 'another domain' }
  const events = eventsOf(object)
  const expires_at = onlyDate(events.get('expiration'))
  if (expires_at === undefined) return { problem: 'an expiration that is no certain date' }
  return {
    registration: {
      expires_at,
      registrar: registrarOf(object),
      created_at: onlyDate(events.get('registration')) ?? null,
      updated_at: onlyDate(events.get('last changed')) ?? null,
      registrar_expires_at: onlyDate(events.get('registrar expiration')) ?? null,
      statuses: readStatuses(texts(object['status'])),
      nameservers: nameserversOf(object),
      dnssec: signedOf(object),
    },
  }
}

/** Event actions and their dates, unparsed. */
function eventsOf(object: JsonObject): ReadonlyMap<string, readonly string[]> {
  const events = new Map<string, string[]>()
  for (const { eventAction, eventDate } of objects(object['events'])) {
    if (typeof eventAction !== 'string') continue
    const action = eventAction.toLowerCase()
    // A date that is not a string counts as unreadable.
    const date = typeof eventDate === 'string' ? eventDate : ''
    events.set(action, [...(events.get(action) ?? []), date])
  }
  return events
}

/** `null` if there is none, `undefined` if it cannot be parsed or several differ. */
function onlyDate(dates: readonly string[] = []): EpochMs | null | undefined {
  if (dates.length === 0) return null
  const [first, ...others] = dates.map(parseDate)
  return others.every((other) => other === first) ? first : undefined
}

/**
 * Name of the entity with the role of the registrar: `fn` of its jCard (RFC 7095), else its handle.
 */
function registrarOf(object: JsonObject): string | null {
  const registrar = objects(object['entities']).find(({ roles }) =>
    texts(roles).some((role) => role.toLowerCase() === 'registrar'),
  )
  if (registrar === undefined) return null
  const card = registrar['vcardArray']
  const properties: unknown = Array.isArray(card) ? card[1] : undefined
  const name = list(properties).find((entry) => Array.isArray(entry) && entry[0] === 'fn')
  const described: unknown = Array.isArray(name) ? name[3] : undefined
  const shown = typeof described === 'string' ? cleanText(described) : null
  if (shown !== null) return shown
  const { handle } = registrar
  return typeof handle === 'string' ? cleanText(handle) : null
}

function nameserversOf(object: JsonObject): readonly string[] {
  const names = objects(object['nameservers']).map(({ ldhName, unicodeName }) => {
    const name = typeof ldhName === 'string' ? ldhName : unicodeName
    return typeof name === 'string' ? cleanText(name.toLowerCase().replace(/\.$/, '')) : null
  })
  return [...new Set(names.filter((name) => name !== null))].slice(0, MAX_NAMESERVERS)
}

function signedOf(object: JsonObject): boolean | null {
  const secure = object['secureDNS']
  const signed = isJsonObject(secure) ? secure['delegationSigned'] : undefined
  return typeof signed === 'boolean' ? signed : null
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_ENTRIES) : []
}

function objects(value: unknown): readonly JsonObject[] {
  return list(value).filter(isJsonObject)
}

/** Some servers send a single string instead of a list. */
function texts(value: unknown): readonly string[] {
  return (typeof value === 'string' ? [value] : list(value)).filter(
    (each) => typeof each === 'string',
  )
}
