/**
 * One check of `blacklist`: resolve, query all sources, decide.
 *
 * Only a listing fails the target: the event of this type is "blacklisted", and neither a silent
 * list nor a host without an address is a listing.
 *
 * @module
 */

import type { Settings } from '../../fields/field.ts'
import type { Json, JsonObject } from '../../model.ts'
import { CheckFailure } from '../../net/failure.ts'
import { hundredths } from '../../net/timing/trace.ts'
import { unknown } from '../checker.ts'
import type { CheckContext, Judgement } from '../checker.ts'
import { askLists, within } from './ask-lists.ts'
import type { Hit } from './ask-lists.ts'
import type { DnsblClient } from './dnsbl.ts'
import type { BlacklistFields } from './fields.ts'
import { hitsOf, isWorking, judge } from './judge.ts'
import type { BlacklistCause, Evidence, ProviderName } from './judge.ts'
import type { BlacklistProvider, ProviderFinding } from './provider.ts'
import type { Selector } from './selection.ts'
import { isPublic, MAX_ADDRESSES, readTarget } from './target.ts'
import type { BlacklistTarget, Subject } from './target.ts'
import { isJsonObject } from '../../model/json.ts'

export interface BlacklistParts {
  readonly selector: Selector
  readonly client: DnsblClient
  readonly providers: { readonly [P in ProviderName]?: BlacklistProvider }
  readonly minWorking: number
}

/** Reserved before the deadline, which would count as a failure of the target. */
const SPARE_MS = 250

export async function runBlacklist(
  ctx: CheckContext,
  settings: Settings<BlacklistFields>,
  parts: BlacklistParts,
): Promise<Judgement<BlacklistCause>> {
  const left = (): number => Math.max(0, ctx.remaining() - SPARE_MS)
  const selected = parts.selector.select(settings.lists)
  // The options may have lost lists since the monitor was created.
  if ('problem' in selected) return unknown('probe_not_applicable', selected.problem)
  const { subject, unresolved } = await resolveTarget(ctx, readTarget(settings.target), left)
  const asker = { ctx, client: parts.client, ignored: selected.ignored, left }
  const wanted = (['rkn', 'gsb'] as const).filter((name) => settings[name])
  const [lists, ...providers] = await Promise.all([
    askLists(asker, selected.lists, subject),
    ...wanted.map((name) => askProvider({ ctx, left }, name, { subject, parts })),
  ])
  const evidence: Evidence = {
    ...{ target: subject.host, lists, providers, unresolved, minWorking: parts.minWorking },
    before: listedBefore(ctx.memo),
  }
  ctx.measure(measured(evidence, providers))
  return judge(evidence)
}

type Left = () => number

async function resolveTarget(
  ctx: CheckContext,
  target: BlacklistTarget,
  left: Left,
): Promise<{ readonly subject: Subject; readonly unresolved: string | null }> {
  if (target.isAddress)
    return { subject: { ...target, addresses: [target.host] }, unresolved: null }
  const found = await within({ ctx, left }, addressesOf(ctx, target.host), 'No answer in time')
  if (typeof found === 'string') {
    ctx.measure({ unresolved: found })
    return { subject: { ...target, addresses: [] }, unresolved: found }
  }
  const usable = found.filter(isPublic)
  const addresses = usable.slice(0, MAX_ADDRESSES)
  const skipped = usable.length - addresses.length
  ctx.measure({ addresses, ...(skipped > 0 ? { addresses_skipped: skipped } : {}) })
  const unresolved = usable.length > 0 ? null : `${target.host} has no public address`
  return { subject: { ...target, addresses }, unresolved }
}

/** The addresses, or why there are none. */
async function addressesOf(ctx: CheckContext, host: string): Promise<readonly string[] | string> {
  try {
    return (await ctx.net.resolve(host)).map(({ address }) => address)
  } catch (error) {
    if (error instanceof CheckFailure) return error.message
    throw error
  }
}

interface Asked {
  readonly name: ProviderName
  readonly finding: ProviderFinding
  readonly hits: readonly Hit[]
  readonly duration_ms: number
}

async function askProvider(
  { ctx, left }: { readonly ctx: CheckContext; readonly left: Left },
  name: ProviderName,
  { subject, parts }: { readonly subject: Subject; readonly parts: BlacklistParts },
): Promise<Asked> {
  const from = ctx.clock.monotonic()
  const provider = parts.providers[name]
  const finding =
    provider === undefined
      ? unconfigured(name)
      : await within({ ctx, left }, lookUp(ctx, provider, subject), late(name))
  return {
    name,
    finding,
    hits: finding.state === 'listed' ? [hitOf(name, subject, finding)] : [],
    duration_ms: hundredths(ctx.clock.monotonic() - from),
  }
}

async function lookUp(
  ctx: CheckContext,
  provider: BlacklistProvider,
  subject: Subject,
): Promise<ProviderFinding> {
  try {
    return await provider.lookUp(ctx, subject)
  } catch (error) {
    if (ctx.signal.aborted) throw error
    // Errors of others may contain their key; only our own errors are free of secrets.
    const why = error instanceof CheckFailure ? `: ${error.message}` : ''
    if (why === '') ctx.log.warn({ err: error }, 'a blacklist provider failed')
    return failed(`The provider could not be queried${why}`)
  }
}

function unconfigured(name: ProviderName): ProviderFinding {
  const cause_text = `No provider for ${name} is configured here`
  return { state: 'unknown', cause_code: 'probe_provider_unconfigured', cause_text }
}

function late(name: ProviderName): ProviderFinding {
  return failed(`The provider for ${name} did not answer in time`)
}

function failed(cause_text: string): ProviderFinding {
  return { state: 'unknown', cause_code: 'probe_provider_failed', cause_text }
}

function hitOf(
  id: ProviderName,
  subject: Subject,
  { categories, reason }: Extract<ProviderFinding, { state: 'listed' }>,
): Hit {
  const entry = subject.url ?? subject.host
  return { id, zone: null, entry, codes: [], categories, reason, delist_url: null }
}

function listedBefore(memo: Json | undefined): readonly string[] {
  const listed = isJsonObject(memo) ? memo['listed'] : undefined
  return Array.isArray(listed) ? listed.filter((id) => typeof id === 'string') : []
}

function measured(evidence: Evidence, providers: readonly Asked[]): JsonObject {
  const { lists } = evidence
  const working = lists.filter(isWorking).length
  return {
    lists: hitsOf(evidence),
    checked: [
      ...lists.map(({ list, hits, error, duration_ms }) => ({
        ...{ id: list.id, zone: list.shownZone, listed: hits.length > 0, error, duration_ms },
      })),
      ...providers.map(({ name, finding, duration_ms }) => ({
        ...{ id: name, zone: null, listed: finding.state === 'listed', duration_ms },
        error: finding.state === 'unknown' ? finding.cause_code : null,
      })),
    ],
    lists_checked: working,
    lists_failed: lists.length - working,
  }
}
