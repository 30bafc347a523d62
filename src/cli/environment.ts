/**
 * Environment variables, and the flags of the same names that win over them: read once, strictly, each
 * with the sentence that `--help` shows.
 *
 * @module
 */

import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { ConfigurationError } from '../errors.ts'
import { parseCidr } from '../net/guard/ip.ts'
import { readTrustProxy } from '../net/peer/trusted-proxies.ts'
import type { Environment, Flags, FlagOptions } from './command.ts'
import { textFlag } from './command.ts'
import { LOG_LEVELS } from './logger.ts'

interface Setting<T> {
  readonly variable: string
  readonly flag: string
  readonly about: string
  /** Used where nothing was given. */
  readonly fallback: T
  /** @throws ConfigurationError with what is wrong; a secret is never repeated */
  read(text: string): T
}

const SETTINGS = {
  port: setting('PORT', 'Port to listen on; 0 is any free one (8080)', 8080, portOf),
  host: setting('HOST', 'Address to listen on (127.0.0.1)', '127.0.0.1', hostOf),
  data: setting('WATCHPOST_DATA', 'SQLite file (data/watchpost.db)', 'data/watchpost.db', same),
  database_url: setting(
    'DATABASE_URL',
    'PostgreSQL instead of SQLite: postgres://…',
    null,
    postgresOf,
  ),
  redis_url: setting(
    'REDIS_URL',
    'Redis, over which probes elsewhere make the checks: redis://…',
    undefined,
    redisOf,
  ),
  api_key: setting('WATCHPOST_API_KEY', 'First API key, 16 to 512 characters', undefined, keyOf),
  secret_key: setting(
    'WATCHPOST_SECRET_KEY',
    'Seals secrets in the file and on Redis: base64 of 32 bytes',
    undefined,
    secretKeyOf,
  ),
  targets: setting(
    'WATCHPOST_TARGETS',
    'What may be checked: open or public (open)',
    'open',
    eitherOf('open', 'public'),
  ),
  webhook_allow: setting(
    'WATCHPOST_WEBHOOK_ALLOW',
    'Private ranges that contacts may reach: CIDRs, with commas',
    [],
    rangesOf,
  ),
  retry_connection_errors: setting(
    'WATCHPOST_RETRY_CONNECTION_ERRORS',
    'Tries a webhook again after a failed connection (true)',
    true,
    booleanOf,
  ),
  locations: setting(
    'WATCHPOST_LOCATIONS',
    'Names of locations, with commas (local)',
    ['local'],
    namesOf,
  ),
  contacts: setting(
    'WATCHPOST_CONTACTS',
    'JSON file of contacts, synced at start',
    undefined,
    same,
  ),
  manage_contacts: setting(
    'WATCHPOST_MANAGE_CONTACTS',
    'Contacts may be changed over REST (false)',
    false,
    booleanOf,
  ),
  monitors: setting('WATCHPOST_MONITORS', 'File of monitors, applied at start', undefined, same),
  base_url: setting(
    'WATCHPOST_BASE_URL',
    'Address from outside, for heartbeats (where it listens)',
    undefined,
    baseUrlOf,
  ),
  trust_proxy: setting(
    'WATCHPOST_TRUST_PROXY',
    'Believed X-Forwarded-For: CIDRs, loopback, private, a count (none)',
    undefined,
    proxiesOf,
  ),
  anchors: setting(
    'WATCHPOST_ANCHORS',
    'host:port, with commas, that answer whenever there is a network (none)',
    [],
    listOf,
  ),
  checks: setting('WATCHPOST_CHECKS', 'Checks at the same time, 1 to 10000 (64)', 64, upTo(10_000)),
  checks_per_host: setting(
    'WATCHPOST_CHECKS_PER_HOST',
    'Checks of an account at the same time against one host (2)',
    2,
    upTo(10_000),
  ),
  rkn_feed: setting(
    'WATCHPOST_RKN_FEED',
    'Registry of blocked sites for rkn: a file or https://… (none)',
    undefined,
    feedOf,
  ),
  rkn_max_age_hours: setting(
    'WATCHPOST_RKN_MAX_AGE_HOURS',
    'Hours after which that registry says nothing, 1 to 8760 (48)',
    48,
    upTo(8760),
  ),
  gsb_key: setting(
    'WATCHPOST_GSB_KEY',
    'Key of Google Safe Browsing or Web Risk for gsb (none)',
    undefined,
    (text) => keyOf(text, 1),
  ),
  gsb_url: setting(
    'WATCHPOST_GSB_URL',
    "Origin that answers for gsb instead of Google's (none)",
    undefined,
    baseUrlOf,
  ),
  gsb_api: setting(
    'WATCHPOST_GSB_API',
    'v4 (Safe Browsing) or webrisk (Web Risk) (v4)',
    'v4',
    eitherOf('v4', 'webrisk'),
  ),
  public_tag: setting(
    'WATCHPOST_PUBLIC_TAG',
    'Monitors with this tag are shown to everybody at /status/<tag> (none)',
    undefined,
    slugOf,
  ),
  metrics_token: setting(
    'WATCHPOST_METRICS_TOKEN',
    'Token that may read all of /metrics, 16 to 512 characters (API keys alone)',
    undefined,
    keyOf,
  ),
  log_level: setting('LOG_LEVEL', `${LOG_LEVELS.join(', ')} (info)`, 'info', levelOf),
}

export type SettingName = keyof typeof SETTINGS
export type SettingValues<N extends SettingName> = {
  readonly [K in N]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never
}

/**
 * The values of these settings. An empty variable counts as one that is not set, as in compose files.
 *
 * @throws ConfigurationError that begins with the flag or variable at fault
 */
export function readSettings<N extends SettingName>(
  names: readonly N[],
  { flags, env }: { readonly flags: Flags; readonly env: Environment },
): SettingValues<N> {
  const entries = names.map((name) => {
    const each = SETTINGS[name] as Setting<unknown>
    const flag = textFlag(flags, each.flag)
    if (flag !== undefined) return [name, valueOf(each, flag, `--${each.flag}`)]
    const variable = env[each.variable]
    if (variable === undefined || variable === '') return [name, each.fallback]
    return [name, valueOf(each, variable, each.variable)]
  })
  return Object.fromEntries(entries) as SettingValues<N>
}

/** The flags of these settings, for `parseArgs`. */
export function settingFlags(names: readonly SettingName[]): FlagOptions {
  return Object.fromEntries(names.map((name) => [SETTINGS[name].flag, { type: 'string' }]))
}

/** The part of `--help` about these settings. */
export function settingsHelp(names: readonly SettingName[]): string {
  const rows = names.map((name) => SETTINGS[name])
  return rows
    .map(({ flag, variable, about }) => `  --${flag.padEnd(15)} ${variable.padEnd(25)} ${about}`)
    .join('\n')
}

/** Unknown variables with the prefix of watchpost: a mistyped one would silently have no effect. */
export function strangeVariables(env: Environment): string[] {
  const known = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable))
  return Object.keys(env).filter((name) => name.startsWith('WATCHPOST_') && !known.has(name))
}

function setting<T>(
  variable: string,
  about: string,
  fallback: T,
  read: (text: string) => T,
): Setting<T> {
  const flag = variable
    .replace(/^WATCHPOST_/, '')
    .toLowerCase()
    .replaceAll('_', '-')
  return { variable, flag, about, fallback, read }
}

function valueOf(each: Setting<unknown>, text: string, source: string): unknown {
  try {
    return each.read(text)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigurationError(`${source}: ${problem}`, { cause })
  }
}

function wrong(problem: string): ConfigurationError {
  return new ConfigurationError(problem)
}

function same(text: string): string {
  if (text.trim() === '') throw wrong('a path is expected')
  return text
}

function booleanOf(text: string): boolean {
  return eitherOf('true', 'false')(text) === 'true'
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Infinity
  if (port > 65535) throw wrong(`"${text}" is no port; 0 to 65535 is expected`)
  return port
}

function upTo(most: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,5}$/.test(text) ? Number(text) : 0
    if (count < 1 || count > most) throw wrong(`"${text}" is no number from 1 to ${most}`)
    return count
  }
}

function hostOf(text: string): string {
  if (isIP(text) === 0 && !/^[a-z\d][a-z\d.-]*$/i.test(text))
    throw wrong(`"${text}" is no address; one such as 127.0.0.1 or 0.0.0.0 is expected`)
  return text
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

function postgresOf(text: string): string | null {
  const url = urlOf(text)
  if (url !== undefined && /^postgres(?:ql)?:$/.test(url.protocol)) return text
  throw wrong(
    'postgres://user:password@host:5432/database is expected, special characters percent-encoded',
  )
}

/** It may hold a password, so it is not repeated. */
function redisOf(text: string): string {
  const url = urlOf(text)
  if (url !== undefined && /^rediss?:$/.test(url.protocol) && url.hostname !== '') return text
  throw wrong('redis://user:password@host:6379/0 is expected, or rediss:// for TLS')
}

/** A path or a web address. */
function feedOf(text: string): { readonly url: string } | { readonly file: string } {
  if (/^https?:\/\//i.test(text)) return { url: text }
  if (!existsSync(text)) throw wrong(`there is no file ${quoted(text)}`)
  return { file: text }
}

/** It is a secret, so it is not repeated. */
function keyOf(text: string, least = 16): string {
  if (/^[\x21-\x7e]{1,512}$/.test(text) && text.length >= least) return text
  throw wrong(`${least} to 512 characters are expected, printable ASCII without spaces`)
}

function secretKeyOf(text: string): string {
  const bytes = Buffer.from(text, 'base64')
  if (/^[\w+/-]+=*$/.test(text) && bytes.length === 32) return text
  throw wrong('the base64 of 32 bytes is expected; make one with: openssl rand -base64 32')
}

function eitherOf<const W extends string>(one: W, other: W): (text: string) => W {
  return (text) => {
    const word = [one, other].find((each) => each === text)
    if (word !== undefined) return word
    throw wrong(`"${text}" is neither ${one} nor ${other}`)
  }
}

function rangesOf(text: string): readonly string[] {
  return listOf(text).map((range) => {
    parseCidr(range)
    return range
  })
}

function proxiesOf(text: string): string {
  readTrustProxy(text)
  return text
}

function namesOf(text: string): readonly string[] {
  const names = listOf(text)
  const long = names.find((name) => name.length > 64)
  if (long !== undefined) throw wrong(`"${long}" has more than 64 characters`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw wrong(`"${twice}" is named twice`)
  return names
}

function listOf(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  if (items.includes('')) throw wrong(`"${text}" has an empty entry`)
  return items
}

function baseUrlOf(text: string): string {
  const url = urlOf(text)
  const plain = url !== undefined && url.search + url.hash + url.username + url.password === ''
  if (plain && /^https?:$/.test(url.protocol)) return text.replace(/(?<!\/)\/+$/, '')
  throw wrong(`${quoted(text)} is no address such as https://watch.example.com`)
}

/** As it was written, but for what stands in an address before its `@`, where people write passwords. */
function quoted(text: string): string {
  return JSON.stringify(text.replace(/^.*@/s, '***@').replace(/[?#].*/s, '?…'))
}

function slugOf(text: string): string {
  if (/^[a-z\d][a-z\d-]{0,63}$/i.test(text)) return text
  throw wrong(`"${text}" is no tag of letters, digits and hyphens, at most 64`)
}

function levelOf(text: string): (typeof LOG_LEVELS)[number] {
  const level = LOG_LEVELS.find((name) => name === text)
  if (level !== undefined) return level
  throw wrong(`"${text}" is no level; ${LOG_LEVELS.join(', ')} are`)
}
