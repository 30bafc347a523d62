/**
 * The options of `createEngine` and their first validation.
 *
 * @module
 */

import { EventEmitter } from 'eventemitter3'
import type { CheckerSource } from '../checkers/checker.ts'
import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { ConfigurationError } from '../errors.ts'
import { cronOccurrences } from '../fields/cron.ts'
import { parseProxy } from '../fields/proxy.ts'
import { loggerOf } from '../logger.ts'
import type { Logger } from '../logger.ts'
import type { AccountQuotas, EngineMonitorDefaults } from '../model.ts'
import { timeZones } from '../model/time.ts'
import type { TargetRule } from '../net/guard/guard.ts'
import type { OutgoingProxy } from '../net/proxy/proxy.ts'
import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { OptionTable } from '../options.ts'
import type { ProbeTransport } from '../probes/transport.ts'
import { createSeal } from '../seal.ts'
import { isCounted, notOffered, withFallbacks } from '../store/fallbacks.ts'
import type { Store } from '../store/store.ts'
import type { AnyContactKind } from '../webhook/contact-kind.ts'
import { webhookContact } from '../webhook/webhook-kind.ts'
import type { Core, Tracing } from './core/core.ts'
import { createRegistry } from './registry/registry.ts'
import { intervalProblem, parseDefaults } from './services/monitor-defaults.ts'
import { quotaProblems } from './services/quotas.ts'

/** Whole numbers from 1 to 10000. */
export interface EngineLimits {
  /** Concurrent checks, default 64; an eighth more are reserved for accounts without a running check. */
  readonly checks?: number | undefined
  /** Concurrent checks of one account against one host, default 2. */
  readonly checksPerHost?: number | undefined
  /** Concurrent deliveries, default 50, and per contact, default 5. */
  readonly deliveries?: number | undefined
  readonly deliveriesPerContact?: number | undefined
  /** Concurrent deliveries of one account to one host, default 10. */
  readonly deliveriesPerHost?: number | undefined
}

/** Days, including fractions: from 0.1 to 36500. */
export interface Retention {
  /** Raw results, default 30 days. */
  readonly resultsDays?: number | undefined
  /** The notification log, default 90 days. */
  readonly notificationsDays?: number | undefined
  /** Daily totals and availability, default 400 days. */
  readonly historyDays?: number | undefined
  /** Hourly totals, from which charts and learned baselines are computed, default 90 days. */
  readonly hourlyDays?: number | undefined
  /** The audit log, default 90 days. */
  readonly auditDays?: number | undefined
}

/** How many days each is kept, as given or by default. */
export function retentionDays(given: Retention = {}): Readonly<Record<keyof Retention, number>> {
  const { resultsDays = 30, notificationsDays = 90, historyDays = 400 } = given
  const { hourlyDays = 90, auditDays = 90 } = given
  return { resultsDays, notificationsDays, historyDays, hourlyDays, auditDays }
}

export interface ProxyOptions {
  /** `http://`, `https://` or `socks5://`, with `user:pass@` where it wants a login. It may have a private address. */
  readonly url: string
  /** Hosts that are connected to directly, as in `NO_PROXY`: names with their subdomains, addresses, `*`. */
  readonly direct?: readonly string[] | undefined
}

export interface EngineOptions<
  S extends CheckerSource = CheckerSource,
  K extends AnyContactKind = AnyContactKind,
> {
  /** Where everything is kept: `memoryStore()`, `sqliteStore({ file })`, `postgresStore({ url })`, or your own. */
  readonly store: Store
  /** The types that monitors may have: `builtinCheckers()`, single ones such as `http()`, or your own. */
  readonly checkers: readonly S[]
  /** The contact kinds that monitors can notify; default the webhook of the specification. */
  readonly contacts?: readonly K[] | undefined
  /** Where checks run; default this process. */
  readonly probes?: ProbeTransport | undefined
  /** Names of the locations, default one, `local`. A name keeps its id for ever. */
  readonly locations?: readonly string[] | undefined
  /**
   * The addresses that checks may connect to. Default `open`: everything but the metadata services of clouds; use
   * `public` for monitors of untrusted users.
   */
  readonly targets?: TargetRule | undefined
  /** 32 bytes, or their base64: encrypts secrets in the store. */
  readonly secretKey?: string | Uint8Array | undefined
  /** The public address of the REST API, for heartbeat addresses. Default: a path only. */
  readonly baseUrl?: string | undefined
  /** Certificates (PEM) that checks and deliveries trust in addition to the default ones. */
  readonly ca?: string | readonly string[] | undefined
  /** For webhooks and the other contact kinds that speak HTTP. Default: none; the environment is not read. */
  readonly proxy?: ProxyOptions | undefined
  /**
   * Addresses (`host:port`, at most 10) that answer whenever this location has a network: a gateway, a resolver, a
   * large site. A failing check counts only while one of them answers; otherwise it is `unknown` (`probe_offline`).
   * One that never answered proves nothing. Default none: every failure counts.
   */
  readonly anchors?: readonly string[] | undefined
  /** How many checks and deliveries run at the same time. */
  readonly limits?: EngineLimits | undefined
  /** How long results, notifications, hourly and daily totals and the audit log are kept. */
  readonly retention?: Retention | undefined
  /** Quotas of accounts without their own (`accounts.create`). Default: unlimited. */
  readonly quotas?: AccountQuotas | undefined
  /**
   * Settings of new monitors of all accounts, in place of those of their types; `monitor_defaults` of an account goes
   * over them. Default: none. A change affects no existing monitor.
   */
  readonly monitorDefaults?: EngineMonitorDefaults | undefined
  /** The bodies of notifications contain `monitor.metadata`. Default `false`. */
  readonly metadataInPayloads?: boolean | undefined
  /** Default the system's; tests use `simulatedClock()` of `watchpost/testing`. */
  readonly clock?: Clock | undefined
  /**
   * Called like pino, `(fields, message)`: a pino logger fits as it is. Default: errors that no listener of `error`
   * receives are one line each on stderr, everything else is silent. `false` silences that as well.
   */
  readonly logger?: Logger | false | undefined
  /** Spans around checks, commits and deliveries: `await openTelemetry()` of `watchpost/otel`. Default none. */
  readonly tracing?: Tracing | undefined
}

const count = option.wholeNumber(1, 10_000)
const days = option.numberBetween(0.1, 36_500)

/** Each field by its path; its ids are validated when the store is open. */
function defaultsRule(value: unknown, path: string): readonly string[] {
  const parsed = parseDefaults(value, 'engine')
  if (parsed.ok) return []
  return Object.entries(parsed.fields).map(([name, problem]) =>
    name === '' ? `${path}: an object is expected` : `${path}.${name}: ${problem}`,
  )
}

const OPTIONS: OptionTable<EngineOptions> = {
  store: option.object,
  checkers: option.listOf(option.eitherOf('a checker', option.object, option.callback)),
  contacts: option.listOf(option.having('check', 'deliver')),
  probes: option.having('start', 'send', 'cancel', 'stop', 'online'),
  locations: option.listOf(option.text),
  // Validated where the policy is created.
  targets: option.anything,
  secretKey: option.eitherOf('32 bytes, or their base64,', option.text, option.bytes),
  baseUrl: option.text,
  ca: option.authority,
  proxy: option.group<ProxyOptions>({ url: option.text, direct: option.listOf(option.text) }),
  anchors: option.listOf(option.text),
  limits: option.group<EngineLimits>({
    checks: count,
    checksPerHost: count,
    deliveries: count,
    deliveriesPerContact: count,
    deliveriesPerHost: count,
  }),
  retention: option.group<Retention>({
    resultsDays: days,
    notificationsDays: days,
    historyDays: days,
    hourlyDays: days,
    auditDays: days,
  }),
  quotas: option.object,
  monitorDefaults: defaultsRule,
  metadataInPayloads: option.flag,
  clock: option.clock,
  logger: option.logger,
  tracing: option.having('check', 'commit', 'delivery'),
}

/** @throws ConfigurationError */
export function coreOf(options: EngineOptions): Core {
  checkOptions('createEngine', options, OPTIONS)
  const { store, checkers, contacts = [webhookContact()], secretKey } = options
  // Callers without types get a message instead of a stack trace.
  if (typeof (store as Partial<Store> | undefined)?.commit !== 'function') {
    throw new ConfigurationError(
      'createEngine needs a store: createEngine({ store: memoryStore(), checkers: […] })',
    )
  }
  if (!Array.isArray(checkers))
    throw new ConfigurationError('createEngine needs checkers: an array, for example [http()]')
  if (options.locations?.length === 0)
    throw new ConfigurationError('An engine needs at least one location')
  if (options.locations?.some((name) => name.trim() === '') === true)
    throw new ConfigurationError('A location has a name that is not empty')
  if (new Set(options.locations).size < (options.locations?.length ?? 0))
    throw new ConfigurationError('Two locations have the same name')
  refuseUnsupported(options)
  const zones = timeZones()
  const [wrong] = Object.entries(quotaProblems(options.quotas ?? {}))
  if (wrong !== undefined) throw new ConfigurationError(`createEngine: ${wrong.join(': ')}`)
  const monitorDefaults = defaultsOf(options)
  return {
    quotas: options.quotas ?? {},
    monitorDefaults,
    clock: options.clock ?? systemClock,
    log: loggerOf(options.logger),
    logsOnlyUnheard: options.logger === undefined,
    store: withFallbacks(store),
    registry: createRegistry(checkers),
    zones,
    nextOccurrence: cronOccurrences(zones),
    contactKinds: contactKindsOf(contacts),
    seal: createSeal(secretKey),
    metadataInPayloads: options.metadataInPayloads ?? false,
    tracing: options.tracing,
    events: new EventEmitter(),
    baseUrl: (options.baseUrl ?? '').replace(/(?<!\/)\/+$/, ''),
    ca: options.ca,
    proxy: proxyOf(options.proxy),
    locations: [],
    reported: new Set(),
  }
}

/** @throws ConfigurationError; the address is not repeated, since it may hold a password */
function proxyOf(given: ProxyOptions | undefined): OutgoingProxy | undefined {
  if (given === undefined) return undefined
  const parsed = parseProxy(given.url)
  if (!parsed.ok) throw new ConfigurationError(`createEngine: proxy.url: ${parsed.problem}`)
  return { url: parsed.url, auth: parsed.auth, direct: given.direct }
}

/** @throws ConfigurationError for an interval shorter than the quotas allow */
function defaultsOf({ monitorDefaults = {}, quotas }: EngineOptions): EngineMonitorDefaults {
  const parsed = parseDefaults(monitorDefaults, 'engine')
  const value = parsed.ok ? parsed.value : {}
  const { interval_sec } = intervalProblem(value, quotas?.min_interval_sec)
  if (interval_sec === undefined) return value
  throw new ConfigurationError(`createEngine: monitorDefaults.interval_sec: ${interval_sec}`)
}

/** @throws ConfigurationError for an option that the store does not support */
function refuseUnsupported({ store, quotas, retention }: EngineOptions): void {
  if (retention !== undefined && store.prune === undefined)
    throw notOffered('The option `retention`', 'prune')
  if (isCounted(quotas) && store.accounts.use === undefined)
    throw notOffered('The option `quotas`', 'accounts.use')
}

/** @throws ConfigurationError if two kinds have one name */
function contactKindsOf(contacts: readonly AnyContactKind[]): Core['contactKinds'] {
  const kinds = new Map<string, AnyContactKind>()
  for (const kind of contacts) {
    if (kinds.has(kind.kind))
      throw new ConfigurationError(`Two contact kinds have the name "${kind.kind}"`)
    kinds.set(kind.kind, kind)
  }
  return kinds
}
