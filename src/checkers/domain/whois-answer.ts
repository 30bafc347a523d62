/**
 * Parses a WHOIS answer. A record must contain the queried name; without a record, only a known
 * phrase means that the name is unregistered. Any other answer is inconclusive.
 *
 * @module
 */

import { parseHost } from '../../fields/url.ts'
import { toAddress } from '../../net/connection/endpoint.ts'
import { parseDate } from './dates.ts'
import { isSameName, unicodeName } from './name.ts'
import { cleanText, MAX_NAMESERVERS, readStatuses } from './registration.ts'
import type { Answer, Registration } from './registration.ts'
import { saysFree, saysLater } from './whois-phrases.ts'
import { readRecord, valuesOf } from './whois-record.ts'
import type { WhoisRecord } from './whois-record.ts'

/** Labels with the same meaning; if several have a value, the first label wins. */
const LABELS = {
  name: [
    'domain name',
    'domain',
    'domain name (ascii)',
    'ace',
    'nom de domaine',
    'complete domain name',
  ],
  expires: [
    'registry expiry date',
    'paid-till',
    'paid till',
    'expiry date',
    'expiration date',
    'expire date',
    'expiration time',
    'domain expiration date',
    'renewal date',
    'expires on',
    'expires',
    'expire',
    'expiry',
    'expiration',
    'valid until',
    'validity',
    'registrar registration expiration date',
  ],
  registrarExpires: ['registrar registration expiration date'],
  created: [
    'creation date',
    'created',
    'created on',
    'registered on',
    'registered date',
    'registration time',
    'registered',
    'domain registration date',
    'first registration date',
  ],
  updated: [
    'updated date',
    'last updated',
    'last update',
    'last updated date',
    'last-update',
    'last modified',
    'modified',
    'changed',
  ],
  registrar: [
    'registrar',
    'sponsoring registrar',
    'authorized agency',
    'registrar organization',
    'registrar name',
  ],
  status: ['domain status', 'status', 'state', 'eppstatus', 'registration status', 'flags'],
  nameserver: [
    'name server',
    'name servers',
    'nameserver',
    'nameservers',
    'nserver',
    'domain nameservers',
  ],
  dnssec: ['dnssec', 'signed', 'signing key'],
  referral: ['refer', 'whois', 'whois server', 'registrar whois server', 'referralserver'],
} as const

const FREE = /^(?:free|available|no object found)$/i

export interface WhoisReading {
  readonly answer: Answer
  /** `host` or `host:port` of a server that may know more. */
  readonly referral: string | null
}

/** @param publishesExpiry whether the registry publishes expiry dates */
export function readWhoisAnswer(
  text: string,
  { name, publishesExpiry }: { readonly name: string; readonly publishesExpiry: boolean },
): WhoisReading {
  if (text.trim() === '') {
    return { answer: unanswered('probe_whois_empty', 'The answer is empty'), referral: null }
  }
  const record = readRecord(text)
  const referral = referralOf(record)
  return { answer: answerOf(text, record, { name, publishesExpiry }), referral }
}

function answerOf(
  text: string,
  record: WhoisRecord,
  { name, publishesExpiry }: { readonly name: string; readonly publishesExpiry: boolean },
): Answer {
  const names = valuesOf(record, LABELS.name)
  if (names.some((told) => isSameName(told, name))) {
    return recordAnswer(text, record, publishesExpiry)
  }
  if (names.length > 0) {
    return unanswered('probe_whois_unparsed', 'The answer is a record of another name')
  }
  // Checked first: legal notices below a "no match" mention rate limits, too.
  if (saysFree(text, [name, unicodeName(name)])) return { state: 'free' }
  if (saysLater(text)) return limited()
  return unanswered('probe_whois_unparsed', 'The answer is no record of the name')
}

function recordAnswer(text: string, record: WhoisRecord, publishesExpiry: boolean): Answer {
  const expires_at = expiryOf(record)
  if (expires_at === undefined) {
    return unanswered('probe_whois_unparsed', 'The date of the end is in no certain form')
  }
  const statuses = statusesOf(record)
  if (expires_at === null && statuses.some((status) => FREE.test(status))) return { state: 'free' }
  const isTold = expires_at !== null || statuses.length > 0 || !publishesExpiry
  if (isTold) {
    return { state: 'registered', registration: registrationOf(record, { expires_at, statuses }) }
  }
  if (saysLater(text)) return limited()
  return unanswered(
    'probe_expiry_unpublished',
    'The record has neither the date of the end nor a status',
  )
}

function unanswered(
  cause_code: 'probe_whois_empty' | 'probe_whois_unparsed' | 'probe_expiry_unpublished',
  cause_text: string,
): Answer {
  return { state: 'unanswered', cause_code, cause_text }
}

function limited(): Answer {
  const cause_text = 'The registry answers no more for the time being'
  return { state: 'unanswered', cause_code: 'probe_rate_limited', cause_text }
}

function registrationOf(
  record: WhoisRecord,
  { expires_at, statuses }: Pick<Registration, 'expires_at' | 'statuses'>,
): Registration {
  const registrar = valuesOf(record, LABELS.registrar)[0]
  return {
    expires_at,
    statuses,
    registrar: registrar === undefined ? null : cleanText(registrar),
    created_at: firstDate(record, LABELS.created),
    updated_at: firstDate(record, LABELS.updated),
    registrar_expires_at: firstDate(record, LABELS.registrarExpires),
    nameservers: nameserversOf(record),
    dnssec: signedOf(record),
  }
}

/** `null` if there is none, `undefined` if it cannot be parsed or several differ. */
function expiryOf(record: WhoisRecord): number | null | undefined {
  for (const label of LABELS.expires) {
    const values = record.get(label) ?? []
    if (values.length === 0) continue
    const dates = new Set(values.map(parseDate))
    return dates.size === 1 ? [...dates][0] : undefined
  }
  return connectedUntil(record)
}

/** .co.jp: `[State] Connected (2027/03/31)` */
function connectedUntil(record: WhoisRecord): number | null | undefined {
  const [, date] = /^connected \((.+)\)$/i.exec(record.get('state')?.[0] ?? '') ?? []
  return date === undefined ? null : parseDate(date)
}

function firstDate(record: WhoisRecord, labels: readonly string[]): number | null {
  return valuesOf(record, labels).slice(0, 1).map(parseDate)[0] ?? null
}

/** .ru separates them by commas, .it by slashes; .fr reports a hold on its own line. */
function statusesOf(record: WhoisRecord): readonly string[] {
  const told = valuesOf(record, LABELS.status).flatMap((value) =>
    value
      .replace(/\(?https?:\/\/\S*/gi, ' ')
      // Avoids quadratic matching: without it the next pattern would rescan a long run of blanks
      // from each position.
      .replace(/\s+/g, ' ')
      .split(/[,/] | \/|,/),
  )
  const held = record.get('hold')?.some((value) => /^yes$/i.test(value)) === true
  return readStatuses(held ? [...told, 'serverHold'] : told)
}

/** The name comes first; addresses may follow. */
function nameserversOf(record: WhoisRecord): readonly string[] {
  const names = valuesOf(record, LABELS.nameserver).map((value) =>
    parseHost(value.split(/[\s,]/, 1)[0] ?? ''),
  )
  const found = names.filter((name) => name !== undefined && toAddress(name) === undefined)
  return [...new Set(found as string[])].slice(0, MAX_NAMESERVERS)
}

function signedOf(record: WhoisRecord): boolean | null {
  const told = valuesOf(record, LABELS.dnssec)[0]?.toLowerCase()
  if (told === undefined) return null
  if (/^(?:signed|yes|y$|true|signeddelegation)/.test(told)) return true
  return /^(?:unsigned|no\b|n$|false|inactive)/.test(told) ? false : null
}

/**
 * A host name with a WHOIS port: a record must not make the engine connect to mail servers or
 * internal addresses.
 */
function referralOf(record: WhoisRecord): string | null {
  for (const value of valuesOf(record, LABELS.referral)) {
    const [, host = '', port = ''] =
      /^(?:r?whois:\/\/)?([^\s:/]+)(?::(\d{1,5}))?\/?$/i.exec(value) ?? []
    const parsed = parseHost(host)
    if (parsed === undefined || !parsed.includes('.') || toAddress(parsed) !== undefined) continue
    if (port === '' || port === '43') return parsed
    if (Number(port) > 1023 && Number(port) <= 65_535) return `${parsed}:${port}`
  }
  return null
}
