/**
 * `blacklist`: whether a host, its addresses or its pages are on DNS blocklists, in the registry of
 * blocked sites of a country, or flagged by Safe Browsing.
 *
 * @module watchpost/checkers/blacklist
 */

import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import type { OptionTable } from '../../options.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Stored } from '../../fields/field.ts'
import { parseNameServer } from '../../net/dns/names.ts'
import { defineChecker } from '../checker.ts'
import { createDnsblClient } from './dnsbl.ts'
import { BLACKLIST_CAUSES } from './judge.ts'
import { runBlacklist } from './run.ts'
import { createSelector } from './selection.ts'
import type { ListOption } from './selection.ts'
import { fieldsWith, missing } from './fields.ts'
import type { BlacklistFields, Providers } from './fields.ts'

export { registryFeed } from './registry-feed.ts'
export type { RegistryFeedOptions } from './registry-feed.ts'
export { safeBrowsing } from './safe-browsing.ts'
export type { SafeBrowsingOptions } from './safe-browsing.ts'
export type { BlacklistProvider, ProviderContext, ProviderFinding } from './provider.ts'
export type { Subject } from './target.ts'
export { CATALOGUE } from './catalogue.ts'
export type { Blocklist } from './catalogue.ts'

export interface BlacklistOptions {
  /**
   * The lists of a monitor without `lists`. `free`: those of the catalogue that are free to use
   * without registration; `curated`: the whole catalogue, for operators who have read the terms of
   * each list (`CATALOGUE`); or ids, zones and lists of your own. Default `free`.
   */
  readonly lists?: 'free' | 'curated' | readonly ListOption[] | undefined
  /**
   * Resolvers for queries to the lists, `ip:port`. Many lists refuse public resolvers: run your
   * own. Default: those of the location.
   */
  readonly nameservers?: readonly string[] | undefined
  /** Providers of `gsb` and `rkn`. A monitor that selects a missing one is rejected with 422. */
  readonly providers?: Providers | undefined
  /**
   * Minimum number of lists that must answer before an unlisted target counts as clean. Default 1.
   */
  readonly minWorking?: number | undefined
  /** Minimum time between two queries to one zone, in ms. Default 250. */
  readonly paceMs?: number | undefined
}

const DEFAULT_PACE_MS = 250

const OPTIONS: OptionTable<BlacklistOptions> = {
  // Validated together with the monitors' own lists.
  lists: option.anything,
  nameservers: option.listOf(option.text),
  providers: option.group<Providers>({
    rkn: option.having('lookUp'),
    gsb: option.having('lookUp'),
  }),
  minWorking: option.anything,
  paceMs: option.milliseconds(0),
}

/**
 * Answers and self-tests of lists are cached in the returned checker, for all its monitors.
 *
 * @throws ConfigurationError for an invalid option
 */
export const blacklist = (options: BlacklistOptions = {}) => {
  checkOptions('blacklist', options, OPTIONS)
  const selector = readSelector(options)
  const client = createDnsblClient({
    paceMs: options.paceMs ?? DEFAULT_PACE_MS,
    ...(options.nameservers !== undefined ? { nameservers: options.nameservers } : {}),
  })
  const { providers = {}, minWorking = 1 } = options
  return defineChecker({
    type: 'blacklist',
    title: 'Blacklists',
    description:
      'Looks for a host, its addresses and its pages on DNS blocklists, in a national registry of blocked sites and in Safe Browsing.',
    fields: fieldsWith(providers),
    common: {
      interval_sec: { default: 21_600, min: 900 },
      timeout_ms: { default: 30_000 },
      singleLocation: true,
      noEffect: {
        confirm_locations: 'a list answers the same everywhere, and is checked from one location',
      },
      fail_threshold: { default: 1 },
    },
    causes: BLACKLIST_CAUSES,
    downEvent: 'blacklisted',
    figures: ['lists_checked', 'lists_failed'],
    measurements: {
      lists:
        'Every listing: id, zone, entry (the address or name), codes, categories, reason and delist_url',
      checked: 'Every list and provider that was asked: id, listed, error and duration_ms',
      lists_checked: 'Lists that gave a usable answer',
      lists_failed: 'Lists that did not',
      addresses: 'Addresses that were looked up, at most 8',
      addresses_skipped: 'Further addresses of the host; private ones are not counted',
      unresolved: 'Why the host has no address that could be looked up',
    },
    highlights: {
      lists_checked: { title: 'Lists queried' },
      lists_failed: { title: 'Lists without an answer' },
    },
    refine: (stored) => refine(stored),
    target: ({ target }) => target,
    run: (ctx, settings) =>
      runBlacklist(ctx, settings, { selector, client, providers, minWorking }),
  })

  function refine(stored: Stored<BlacklistFields>) {
    const problems: Record<string, string> = {}
    for (const name of ['rkn', 'gsb'] as const) {
      const problem = missing(name, providers)
      if (stored[name] && problem !== undefined) problems[name] = `invalid: ${problem}`
    }
    const selected = selector.select(stored.lists)
    if ('problem' in selected) problems['lists'] = `invalid: ${selected.problem}`
    else if (selected.lists.length === 0 && !stored.rkn && !stored.gsb) {
      problems['lists'] = 'invalid: nothing is left to ask'
    }
    return Object.keys(problems).length > 0 ? { fields: problems } : { settings: stored }
  }
}

function readSelector({ lists = 'free', nameservers = [], minWorking = 1 }: BlacklistOptions) {
  const wrong = nameservers.find((text) => parseNameServer(text) === undefined)
  if (wrong !== undefined) throw new ConfigurationError(`blacklist: "${wrong}" is no name server`)
  if (!Number.isInteger(minWorking) || minWorking < 1) {
    throw new ConfigurationError('blacklist: minWorking must be an integer of at least 1')
  }
  try {
    return createSelector(lists)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigurationError(`blacklist: lists: ${why}`, { cause })
  }
}
