/**
 * The options of the checker, validated once at its creation.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'
import { parseHost } from '../../fields/url.ts'
import { basesOf } from './bootstrap.ts'
import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import type { OptionTable } from '../../options.ts'
import type { LookupOptions } from './lookup.ts'
import { canonicalSuffix, PLAIN_QUERY, WHOIS_ROOT } from './servers.ts'
import type { WhoisServer } from './servers.ts'
import { canParseUrl } from '../../model/url.ts'

export interface DomainOptions {
  /** IANA's list of RDAP servers (RFC 9224), or a mirror of it. `null`: never fetched. */
  readonly bootstrapUrl?: string | null | undefined
  /**
   * Suffix to the base URL of its RDAP server, or several in order; an empty list: WHOIS only.
   * Takes precedence over the list.
   */
  readonly rdapServers?: Readonly<Record<string, string | readonly string[]>> | undefined
  /** Suffix to `host`, `host:port`, or either with its own query; `null`: no WHOIS. */
  readonly whoisServers?: Readonly<Record<string, string | WhoisServer | null>> | undefined
  /** Names the WHOIS server of any other top-level domain. `null`: none. Default whois.iana.org. */
  readonly whoisRoot?: string | null | undefined
  /** Minimum time between two queries to one server, in ms, 0 to 60000. Default 1000. */
  readonly gapMs?: number | undefined
  /** How long a registration in good standing is cached, in ms, 0 to 86400000. Default 3600000. */
  readonly cacheMs?: number | undefined
}

const BOOTSTRAP_URL = 'https://data.iana.org/rdap/dns.json'
const GAP_MS = { default: 1000, max: 60_000 }
const CACHE_MS = { default: 60 * 60_000, max: 24 * 60 * 60_000 }

/** The option names; the values are validated below. */
const OPTIONS: OptionTable<DomainOptions> = {
  bootstrapUrl: option.anything,
  rdapServers: option.object,
  whoisServers: option.object,
  whoisRoot: option.anything,
  gapMs: option.anything,
  cacheMs: option.anything,
}

/** @throws ConfigurationError */
export function readOptions(options: DomainOptions): LookupOptions {
  checkOptions('domain', options, OPTIONS)
  const { bootstrapUrl = BOOTSTRAP_URL, whoisRoot = WHOIS_ROOT } = options
  if (bootstrapUrl !== null && !isWebAddress(bootstrapUrl)) {
    throw wrong('bootstrapUrl', 'an http:// or https:// address is expected')
  }
  return {
    bootstrapUrl,
    whoisRoot: whoisRoot === null ? null : readServer('whoisRoot', whoisRoot),
    rdapServers: readTable('rdapServers', options.rdapServers, (value) => {
      const urls = [value].flat()
      const bases = basesOf(urls)
      if (bases.length !== urls.length) {
        throw wrong('rdapServers', 'at most four http:// or https:// addresses are expected')
      }
      return bases
    }),
    whoisServers: readTable('whoisServers', options.whoisServers, (value) => {
      if (value === null) return null
      const { server, query } =
        typeof value === 'string' ? { server: value, query: PLAIN_QUERY } : value
      if (!query.includes(PLAIN_QUERY) || /[\r\n]/.test(query)) {
        throw wrong('whoisServers', 'a query is one line with {name} in it')
      }
      return { server: readServer('whoisServers', server), query }
    }),
    gapMs: readNumber('gapMs', options.gapMs, GAP_MS),
    cacheMs: readNumber('cacheMs', options.cacheMs, CACHE_MS),
  }
}

function readTable<V, T>(
  option: string,
  given: Readonly<Record<string, V>> = {},
  read: (value: V) => T,
): ReadonlyMap<string, T> {
  return new Map(
    Object.entries(given).map(([text, value]) => {
      const suffix = canonicalSuffix(text)
      if (suffix === undefined) throw wrong(option, `"${text}" is no suffix of a domain`)
      return [suffix, read(value)]
    }),
  )
}

function readServer(option: string, text: string): string {
  const [, name = '', port = '43'] = /^([^\s:]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = parseHost(name)
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw wrong(option, `"${text}" is neither host nor host:port`)
  }
  return port === '43' ? host : `${host}:${port}`
}

function readNumber(
  option: string,
  given: number | undefined,
  bounds: { readonly default: number; readonly max: number },
): number {
  const value = given ?? bounds.default
  if (Number.isFinite(value) && value >= 0 && value <= bounds.max) return value
  throw wrong(option, `a number from 0 to ${bounds.max} is expected`)
}

function isWebAddress(text: string): boolean {
  return canParseUrl(text) && /^https?:$/.test(new URL(text).protocol)
}

function wrong(option: string, problem: string): ConfigurationError {
  return new ConfigurationError(`domain: ${option}: ${problem}`)
}
