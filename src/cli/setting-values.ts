/**
 * What the values of settings must be: each function returns what the text means.
 *
 * @throws ConfigurationError with what is wrong; a secret is never repeated
 * @module
 */

import { parseProxy } from '../fields/proxy.ts'
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { ConfigurationError } from '../errors.ts'
import { parseCidr } from '../net/guard/ip.ts'
import { readTrustProxy } from '../net/peer/trusted-proxies.ts'
import { LOG_LEVELS } from './logger.ts'
import { isTimeZone } from '../model/time.ts'
import { canParseUrl } from '../model/url.ts'
import type { BuiltinLanguage } from '../page/words/languages.ts'

function wrong(problem: string): ConfigurationError {
  return new ConfigurationError(problem)
}

export function same(text: string): string {
  if (text.trim() === '') throw wrong('a path is expected')
  return text
}

export function booleanOf(text: string): boolean {
  return eitherOf('true', 'false')(text) === 'true'
}

export function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Infinity
  if (port > 65535) throw wrong(`"${text}" is no port; 0 to 65535 is expected`)
  return port
}

export function upTo(most: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,5}$/.test(text) ? Number(text) : 0
    if (count < 1 || count > most) throw wrong(`"${text}" is no number from 1 to ${most}`)
    return count
  }
}

export function hostOf(text: string): string {
  if (isIP(text) === 0 && !/^[a-z\d][a-z\d.-]*$/i.test(text))
    throw wrong(`"${text}" is no address; one such as 127.0.0.1 or 0.0.0.0 is expected`)
  return text
}

function urlOf(text: string): URL | undefined {
  return canParseUrl(text) ? new URL(text) : undefined
}

export function postgresOf(text: string): string | null {
  const url = urlOf(text)
  if (url !== undefined && /^postgres(?:ql)?:$/.test(url.protocol)) return text
  throw wrong(
    'postgres://user:password@host:5432/database is expected, special characters percent-encoded',
  )
}

/** It may hold a password, so it is not repeated. */
export function redisOf(text: string): string {
  const url = urlOf(text)
  if (url !== undefined && /^rediss?:$/.test(url.protocol) && url.hostname !== '') return text
  throw wrong('redis://user:password@host:6379/0 is expected, or rediss:// for TLS')
}

/** A path or a web address. */
export function feedOf(text: string): { readonly url: string } | { readonly file: string } {
  if (/^https?:\/\//i.test(text)) return { url: text }
  if (!existsSync(text)) throw wrong(`there is no file ${quoted(text)}`)
  return { file: text }
}

/** JSON of an object as it is, or a path. Nothing of the text is repeated. */
export function jsonOrFile(text: string): { readonly json: unknown } | { readonly file: string } {
  if (!text.trimStart().startsWith('{')) return { file: same(text) }
  try {
    return { json: JSON.parse(text) }
  } catch {
    throw wrong('is not valid JSON; an object such as {"interval_sec":300} is expected, or a file')
  }
}

/** It is a secret, so it is not repeated. */
export function keyOf(text: string, least = 16): string {
  if (/^[\x21-\x7e]{1,512}$/.test(text) && text.length >= least) return text
  throw wrong(`${least} to 512 characters are expected, printable ASCII without spaces`)
}

export function secretKeyOf(text: string): string {
  const bytes = Buffer.from(text, 'base64')
  if (/^[\w+/-]+=*$/.test(text) && bytes.length === 32) return text
  throw wrong('the base64 of 32 bytes is expected; make one with: openssl rand -base64 32')
}

export function eitherOf<const W extends string>(one: W, other: W): (text: string) => W {
  return (text) => {
    const word = [one, other].find((each) => each === text)
    if (word !== undefined) return word
    throw wrong(`"${text}" is neither ${one} nor ${other}`)
  }
}

export function rangesOf(text: string): readonly string[] {
  return listOf(text).map((range) => {
    parseCidr(range)
    return range
  })
}

export function proxiesOf(text: string): string {
  readTrustProxy(text)
  return text
}

/** The text: the engine reads it again. */
export function proxyOf(text: string): string {
  const parsed = parseProxy(text)
  if (!parsed.ok) throw wrong(parsed.problem)
  return text
}

export function namesOf(text: string): readonly string[] {
  const names = listOf(text)
  const long = names.find((name) => name.length > 64)
  if (long !== undefined) throw wrong(`"${long}" has more than 64 characters`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw wrong(`"${twice}" is named twice`)
  return names
}

export function listOf(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  if (items.includes('')) throw wrong(`"${text}" has an empty entry`)
  return items
}

export function baseUrlOf(text: string): string {
  const url = urlOf(text)
  const plain = url !== undefined && url.search + url.hash + url.username + url.password === ''
  if (plain && /^https?:$/.test(url.protocol)) return text.replace(/(?<!\/)\/+$/, '')
  throw wrong(`${quoted(text)} is no address such as https://watch.example.com`)
}

/** As it was written, but for what stands in an address before its `@`, where people write passwords. */
function quoted(text: string): string {
  return JSON.stringify(text.replace(/^.*@/s, '***@').replace(/[?#].*/s, '?…'))
}

export function slugOf(text: string): string {
  if (/^[a-z\d][a-z\d-]{0,63}$/i.test(text)) return text
  throw wrong(`"${text}" is no tag of letters, digits and hyphens, at most 64`)
}

/** Named here, so that commands without a page do not load its words. */
const LANGUAGES: Readonly<Record<BuiltinLanguage, BuiltinLanguage>> = { en: 'en', de: 'de' }

export function languagesOf(text: string): readonly BuiltinLanguage[] {
  const known = Object.values(LANGUAGES)
  const tags = text.split(',').map((tag) => tag.trim())
  const languages = known.filter((tag) => tags.includes(tag))
  if (languages.length < tags.length)
    throw wrong(`"${text}" is no list of ${known.join(', ')}, with commas, each at most once`)
  return languages.sort((a, b) => tags.indexOf(a) - tags.indexOf(b))
}

export function timeZoneOf(text: string): string {
  if (isTimeZone(text)) return text
  throw wrong(`"${text}" is no IANA time zone; one such as Europe/Berlin is expected`)
}

export function levelOf(text: string): (typeof LOG_LEVELS)[number] {
  const level = LOG_LEVELS.find((name) => name === text)
  if (level !== undefined) return level
  throw wrong(`"${text}" is no level; ${LOG_LEVELS.join(', ')} are`)
}
