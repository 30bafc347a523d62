/**
 * Parses expected record values in the notations that people use: as in a zone file, as printed by
 * dig, with or without the trailing dot, in any case.
 *
 * @module
 */

import { asciiName } from '../../net/dns/names.ts'
import { canonicalIpv6 } from '../../net/dns/records.ts'
import { contains, parseCidr, parseIp } from '../../net/guard/ip.ts'
import type { Ip } from '../../net/guard/ip.ts'

/** Whether a record is an expected one. */
export type Expectation = (value: ReadValue) => boolean

/** The value of a record, read once for all that is expected: an answer has up to 4,000 records. */
export interface ReadValue {
  readonly text: string
  /** {@link canonicalValue}; of an address its text. */
  readonly canonical: string
  /** Of a record with an address. */
  readonly ip: Ip | undefined
  /** In lower case where case does not matter. */
  readonly searched: string
}

export function readValue(text: string, rrtype: string): ReadValue {
  const isAddress = rrtype === 'A' || rrtype === 'AAAA'
  return {
    text,
    canonical: isAddress ? text : canonicalValue(text, rrtype),
    ip: isAddress ? parseIp(text) : undefined,
    searched: searchedText(text, rrtype),
  }
}

/** Types whose text may contain commas and is case-sensitive. */
const FREE_TEXT = new Set(['TXT', 'CAA', 'NAPTR', 'HTTPS', 'SVCB'])

/**
 * Types whose last field is digits that dig separates with blanks; the number of fields before it.
 */
const FIELDS_BEFORE_DIGITS: Readonly<Partial<Record<string, number>>> = {
  DS: 3,
  TLSA: 3,
  SSHFP: 2,
  DNSKEY: 3,
}

/**
 * Splits a text at line breaks, and at commas if no value of the type contains any; not inside
 * double quotes.
 */
export function splitExpected(text: string, rrtype: string, commas = true): readonly string[] {
  const separator = commas && !FREE_TEXT.has(rrtype) ? /[,\r\n]/ : /[\r\n]/
  const parts: string[] = []
  let part = ''
  let quoted = false
  for (const character of text) {
    if (character === '"') quoted = !quoted
    if (quoted || !separator.test(character)) part += character
    else {
      parts.push(part)
      part = ''
    }
  }
  parts.push(part)
  return parts.map((each) => each.trim()).filter((each) => each !== '')
}

/** Whether a value contains a text; case-sensitive only for types where case matters. */
export function containing(text: string, rrtype: string): Expectation {
  const wanted = searchedText(text, rrtype)
  return ({ searched }) => searched.includes(wanted)
}

function searchedText(text: string, rrtype: string): string {
  return FREE_TEXT.has(rrtype) ? text : text.toLowerCase()
}

/**
 * `undefined` if no record of the type can have this value. Addresses may be ranges
 * (`192.0.2.0/24`).
 */
export function parseExpected(text: string, rrtype: string): Expectation | undefined {
  if (rrtype === 'A' || rrtype === 'AAAA') return addressExpectation(text, rrtype)
  const wanted = canonicalValue(text, rrtype)
  return ({ canonical }) => canonical === wanted
}

/** The canonical spelling: equal for values with the same meaning. */
function canonicalValue(text: string, rrtype: string): string {
  const trimmed = text.trim()
  if (rrtype === 'TXT') return unquoted(trimmed)
  if (rrtype === 'CAA') return canonicalCaa(trimmed)
  if (FREE_TEXT.has(rrtype)) return trimmed.replace(/\s+/g, ' ')
  const fields = trimmed.split(/\s+/)
  const before = FIELDS_BEFORE_DIGITS[rrtype]
  if (before === undefined) return fields.map(canonicalName).join(' ')
  const digits = fields.slice(before).join('')
  // Base64 is case-sensitive, hexadecimal digits are not.
  const last = rrtype === 'DNSKEY' ? digits : digits.toLowerCase()
  return [...fields.slice(0, before), last].join(' ')
}

function addressExpectation(text: string, rrtype: 'A' | 'AAAA'): Expectation | undefined {
  const family = rrtype === 'A' ? 4 : 6
  if (text.includes('/')) return rangeExpectation(text, family)
  if (parseIp(text)?.family !== family) return undefined
  const wanted = family === 4 ? text : canonicalIpv6(text)
  return (value) => value.text === wanted
}

function rangeExpectation(text: string, family: 4 | 6): Expectation | undefined {
  try {
    const range = parseCidr(text)
    if (range.family !== family) return undefined
    return ({ ip }) => ip !== undefined && contains(range, ip)
  } catch {
    return undefined
  }
}

/** `"one " "two"`, the notation of zone files and dig, is `one two`. */
function unquoted(text: string): string {
  if (!/^"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*$/s.test(text)) return text
  const pieces = text.match(/"(?:[^"\\]|\\.)*"/gs) ?? []
  return pieces.map((piece) => piece.slice(1, -1).replace(/\\(["\\;])/g, '$1')).join('')
}

function canonicalCaa(text: string): string {
  const [, flags, tag = '', value = ''] = /^(\d+)\s+(\S+)\s(.*)$/s.exec(text) ?? []
  return flags === undefined ? text : `${flags} ${tag.toLowerCase()} ${unquoted(value.trim())}`
}

function canonicalName(word: string): string {
  if (word === '.') return word
  const bare = word.replace(/\.$/, '').toLowerCase()
  return asciiName(bare)
}
