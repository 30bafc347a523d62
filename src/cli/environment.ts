/**
 * Environment variables, and the flags of the same names that override them: read once, strictly, each
 * with the sentence that `--help` shows.
 *
 * @module
 */

import { ConfigurationError } from '../errors.ts'
import type { Environment, Flags, FlagOptions } from './command.ts'
import { textFlag } from './command.ts'
import { LOG_LEVELS } from './logger.ts'
import {
  baseUrlOf,
  booleanOf,
  eitherOf,
  feedOf,
  hostOf,
  jsonOrFile,
  keyOf,
  languagesOf,
  levelOf,
  listOf,
  namesOf,
  portOf,
  postgresOf,
  proxiesOf,
  proxyOf,
  rangesOf,
  redisOf,
  same,
  secretKeyOf,
  slugOf,
  timeZoneOf,
  upTo,
} from './setting-values.ts'

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
    'Redis, over which remote probes run the checks: redis://…',
    undefined,
    redisOf,
  ),
  api_key: setting('WATCHPOST_API_KEY', 'First API key, 16 to 512 characters', undefined, keyOf),
  secret_key: setting(
    'WATCHPOST_SECRET_KEY',
    'Encrypts secrets in the store and on Redis: base64 of 32 bytes',
    undefined,
    secretKeyOf,
  ),
  export_key: setting(
    'WATCHPOST_EXPORT_KEY',
    'Encrypts secrets in an export: base64 of 32 bytes (leaves them out)',
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
    'Retries a webhook after a failed connection (true)',
    true,
    booleanOf,
  ),
  proxy: setting(
    'WATCHPOST_PROXY',
    'Proxy for contacts: http://, https:// or socks5://',
    undefined,
    proxyOf,
  ),
  no_proxy: setting(
    'NO_PROXY',
    'Hosts to connect to without the proxy: names, addresses, with commas',
    [],
    listOf,
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
  metadata_in_payloads: setting(
    'WATCHPOST_METADATA_IN_PAYLOADS',
    'Notifications contain the metadata of their monitors (false)',
    false,
    booleanOf,
  ),
  monitors: setting('WATCHPOST_MONITORS', 'File of monitors, applied at start', undefined, same),
  monitor_defaults: setting(
    'WATCHPOST_MONITOR_DEFAULTS',
    'Settings of new monitors, as JSON or a file of it (none)',
    undefined,
    jsonOrFile,
  ),
  base_url: setting(
    'WATCHPOST_BASE_URL',
    'Public address of the server, for heartbeats (where it listens)',
    undefined,
    baseUrlOf,
  ),
  trust_proxy: setting(
    'WATCHPOST_TRUST_PROXY',
    'Trusts X-Forwarded-For of: CIDRs, loopback, private, a count (none)',
    undefined,
    proxiesOf,
  ),
  anchors: setting(
    'WATCHPOST_ANCHORS',
    'host:port, with commas, that answer whenever there is a network (none)',
    [],
    listOf,
  ),
  checks: setting('WATCHPOST_CHECKS', 'Concurrent checks, 1 to 10000 (64)', 64, upTo(10_000)),
  checks_per_host: setting(
    'WATCHPOST_CHECKS_PER_HOST',
    'Concurrent checks of an account against one host (2)',
    2,
    upTo(10_000),
  ),
  extra_checkers: setting(
    'WATCHPOST_EXTRA_CHECKERS',
    'Also the types beyond the sixteen: websocket, … (false)',
    false,
    booleanOf,
  ),
  rkn_feed: setting(
    'WATCHPOST_RKN_FEED',
    'Registry of blocked sites for rkn: a file or https://… (none)',
    undefined,
    feedOf,
  ),
  rkn_max_age_hours: setting(
    'WATCHPOST_RKN_MAX_AGE_HOURS',
    'Hours after which the data of that registry is too old, 1 to 8760 (48)',
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
    'Monitors with this tag have a public page at /status/<tag> (none)',
    undefined,
    slugOf,
  ),
  languages: setting(
    'WATCHPOST_LANGUAGES',
    'Languages of the page, the default first: en, de (en)',
    ['en'],
    languagesOf,
  ),
  time_zone: setting(
    'WATCHPOST_TIME_ZONE',
    'Time zone of the page, such as Europe/Berlin (that of each visitor)',
    undefined,
    timeZoneOf,
  ),
  metrics_token: setting(
    'WATCHPOST_METRICS_TOKEN',
    'Token that may read all of /metrics, 16 to 512 characters (only API keys)',
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
