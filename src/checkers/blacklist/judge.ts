/**
 * Turns the answers of lists and providers into a verdict.
 *
 * A listed target is down. An unlisted one is up only if enough lists answered, every selected
 * provider answered, and every list that had the target last time answered: a list that is silent
 * now must not close the incident that it opened.
 *
 * @module
 */

import type { Json } from '../../model.ts'
import { down, unknown, up } from '../checker.ts'
import type { Findings, Judgement } from '../checker.ts'
import type { Hit, ListResult } from './ask-lists.ts'
import type { ListError } from './dnsbl.ts'
import type { ProviderFinding } from './provider.ts'

export const BLACKLIST_CAUSES = {
  /**
   * `details.lists` contains list and reason. First remove the cause (an open relay, a hacked page), then
   * ask for removal at `delist_url`.
   */
  list_listed: { text: 'The target is on a blocklist' },
  /** As `list_listed`. */
  list_rkn_listed: { text: 'The target is in the registry of blocked sites' },
  /** As `list_listed`. */
  list_gsb_flagged: { text: 'The target is flagged as dangerous' },
  /**
   * The state of the target is unknown. Lists refuse public resolvers: configure your own.
   * `details.checked` shows which list failed. See
   * [blacklist](../checkers/blacklist.md#options-for-the-host).
   */
  probe_dnsbl_blocked: { text: 'The lists refuse to answer us', verdict: 'unknown' },
  /** As `probe_dnsbl_blocked`. */
  probe_dnsbl_selftest_failed: { text: 'The lists do not work', verdict: 'unknown' },
  /** As `probe_dnsbl_blocked`. */
  probe_dnsbl_timeout: { text: 'The lists did not answer in time', verdict: 'unknown' },
  /** As `probe_dnsbl_blocked`. */
  probe_dnsbl_failed: { text: 'The lists could not be queried', verdict: 'unknown' },
  /** settings: As `probe_dnsbl_blocked`. */
  probe_not_applicable: {
    text: 'None of the lists can be asked about this target',
    verdict: 'unknown',
  },
  /** As `probe_dnsbl_blocked`. */
  probe_provider_unconfigured: {
    text: 'No provider is registered for what is asked',
    verdict: 'unknown',
  },
  /** As `probe_dnsbl_blocked`. */
  probe_provider_failed: { text: 'The provider could not be queried', verdict: 'unknown' },
  probe_rate_limited: { text: 'The provider is asked too often', verdict: 'unknown' },
  /** As `probe_dnsbl_blocked`. */
  probe_feed_stale: { text: 'The copy of the registry is too old', verdict: 'unknown' },
} as const

export type BlacklistCause = keyof typeof BLACKLIST_CAUSES

export type ProviderName = 'rkn' | 'gsb'

export interface Evidence {
  readonly target: string
  readonly lists: readonly ListResult[]
  readonly providers: readonly {
    readonly name: ProviderName
    readonly finding: ProviderFinding
    readonly hits: readonly Hit[]
  }[]
  /** Ids of the lists that had the target last time. */
  readonly before: readonly string[]
  readonly minWorking: number
  /** Why the host has no address to look up. */
  readonly unresolved: string | null
}

const PROVIDER_CAUSES = { rkn: 'list_rkn_listed', gsb: 'list_gsb_flagged' } as const

const LIST_CAUSES: Readonly<Record<ListError, BlacklistCause>> = {
  blocked: 'probe_dnsbl_blocked',
  selftest_failed: 'probe_dnsbl_selftest_failed',
  timeout: 'probe_dnsbl_timeout',
  busy: 'probe_dnsbl_timeout',
  failed: 'probe_dnsbl_failed',
  hijacked: 'probe_dnsbl_failed',
  not_applicable: 'probe_not_applicable',
}

const ERROR_TEXTS: Readonly<Record<ListError, string>> = {
  blocked: 'refuses to answer us',
  selftest_failed: 'does not know its own test entries',
  timeout: 'did not answer in time',
  busy: 'had no turn in time',
  failed: 'could not be queried',
  hijacked: 'is answered by another server',
  not_applicable: 'cannot be asked about this target',
}

export function judge(evidence: Evidence): Judgement<BlacklistCause> {
  const hits = hitsOf(evidence)
  const findings = { memo: { listed: remembered(evidence) } as Json }
  if (hits.length > 0) return listed(evidence, hits, findings)
  return undecided(evidence) ?? up(findings)
}

export function hitsOf({ lists, providers }: Evidence): readonly Hit[] {
  return [...lists.flatMap(({ hits }) => hits), ...providers.flatMap(({ hits }) => hits)]
}

/** Lists whose answer can be used. */
export function isWorking({ error, hits }: ListResult): boolean {
  return error === null || hits.length > 0
}

function listed(
  { target, lists, providers }: Evidence,
  hits: readonly Hit[],
  findings: Findings,
): Judgement<BlacklistCause> {
  const provider = providers.find(({ finding }) => finding.state === 'listed')
  const byList = lists.some((result) => result.hits.length > 0)
  const cause = byList || provider === undefined ? 'list_listed' : PROVIDER_CAUSES[provider.name]
  const names = [...new Set(hits.map(({ id }) => id))]
  const [first] = hits
  const what = first === undefined || first.entry === target ? '' : ` (as ${first.entry})`
  const why = first === undefined ? '' : ` for ${first.categories.join(', ')}`
  const more = names.length > 1 ? ` and ${names.length - 1} more` : ''
  return down(cause, `${target}${what} is listed by ${names[0]}${why}${more}`, findings)
}

/** No answer from lists that had the target last time, from a provider, or from too many lists. */
function undecided(evidence: Evidence): Judgement<BlacklistCause> | undefined {
  const { lists, providers, before, minWorking, unresolved } = evidence
  const silent = lists.find((result) => !isWorking(result) && before.includes(result.list.id))
  if (silent !== undefined) return silence(silent, 'had the target last time and ')
  for (const { finding } of providers) {
    if (finding.state === 'unknown') return unknown(finding.cause_code, finding.cause_text)
  }
  if (lists.length === 0 || lists.filter(isWorking).length >= minWorking) return undefined
  const worst = lists.find(({ error }) => error !== null && error !== 'not_applicable')
  if (worst !== undefined) return silence(worst)
  // If a provider has answered, a target that no list supports still gets a verdict.
  if (providers.length > 0) return undefined
  const why = unresolved === null ? '' : `: ${unresolved}`
  return unknown('probe_not_applicable', `No list can be asked about this target${why}`)
}

function silence({ list, error }: ListResult, before = ''): Judgement<BlacklistCause> {
  const kind = error ?? 'failed'
  return unknown(LIST_CAUSES[kind], `${list.id} ${before}${ERROR_TEXTS[kind]}`)
}

/** Lists that have the target now, and those that had it and did not answer. */
function remembered(evidence: Evidence): string[] {
  const silent = [
    ...evidence.lists.filter((result) => !isWorking(result)).map(({ list }) => list.id),
    ...evidence.providers
      .filter(({ finding }) => finding.state === 'unknown')
      .map(({ name }) => name),
  ]
  const now = hitsOf(evidence).map(({ id }) => id)
  return [...new Set([...now, ...evidence.before.filter((id) => silent.includes(id))])]
}
