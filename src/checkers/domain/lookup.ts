/**
 * Looks up a name at its registry: RDAP first, WHOIS if there is no RDAP or it does not answer;
 * recent answers are shared by all monitors of the name.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import type { CheckContext } from '../checker.ts'
import type { Asking } from './asking.ts'
import { isFinal, queuedQuery } from './asking.ts'
import { createBootstrap } from './bootstrap.ts'
import { standingOf } from './registration.ts'
import { createQueues } from './queues.ts'
import { askRdap } from './rdap.ts'
import type { Sourced } from './registration.ts'
import { KNOWN_RDAP, KNOWN_WHOIS, longestMatch, PLAIN_QUERY, publishesExpiry } from './servers.ts'
import type { ServerTable, Table, WhoisServer } from './servers.ts'
import { askWhois, supplemented } from './whois.ts'
import type { WhoisStart } from './whois.ts'

export interface LookupOptions {
  /** `null`: the list is never fetched. */
  readonly bootstrapUrl: string | null
  /** Takes precedence over the list; an empty entry means no RDAP. */
  readonly rdapServers: ServerTable
  /** Takes precedence over the built-in servers; `null` means no WHOIS. */
  readonly whoisServers: Table<WhoisServer | null>
  readonly whoisRoot: string | null
  readonly gapMs: number
  readonly cacheMs: number
}

export interface Found {
  readonly answer: Sourced
  readonly attempts: readonly JsonObject[]
  /** Age of the answer; 0 for a fresh one. */
  readonly age_ms: number
}

export interface Lookup {
  find(ctx: CheckContext, name: string): Promise<Found>
}

/** Maximum cached names; the oldest are evicted first. */
const MAX_REMEMBERED = 10_000

export function createLookup(options: LookupOptions): Lookup {
  const queues = createQueues(options.gapMs)
  const names = createQueues(0)
  const bootstrap = createBootstrap(options.bootstrapUrl)
  const remembered = new Map<string, { readonly answer: Sourced; readonly at: number }>()

  async function serversFor(asking: Asking, name: string): Promise<readonly string[]> {
    const own = longestMatch(options.rdapServers, name)
    if (own !== undefined) return own
    const table = (await bootstrap.table(asking)) ?? KNOWN_RDAP
    return longestMatch(table, name) ?? []
  }

  function whoisFor(name: string): WhoisStart | undefined {
    const own = longestMatch(options.whoisServers, name)
    if (own !== undefined) return own ?? undefined
    const known = longestMatch(KNOWN_WHOIS, name)
    if (known !== undefined || options.whoisRoot === null) return known
    return { server: options.whoisRoot, query: PLAIN_QUERY, isRoot: true }
  }

  function recall(key: string, { clock }: CheckContext): Found | undefined {
    const memory = remembered.get(key)
    if (memory === undefined) return undefined
    const age_ms = clock.monotonic() - memory.at
    const { answer } = memory
    // A bad answer is not cached: the name may just have been renewed.
    const isGood =
      answer.state === 'registered' && standingOf(answer.registration, clock.now()) === 'good'
    return isGood && age_ms >= 0 && age_ms < options.cacheMs
      ? { answer, attempts: [], age_ms }
      : undefined
  }

  function remember(key: string, answer: Sourced, { clock }: CheckContext): void {
    remembered.delete(key)
    if (answer.state !== 'registered') return
    remembered.set(key, { answer, at: clock.monotonic() })
    const [oldest] = remembered.keys()
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  }

  return {
    async find(ctx, name) {
      const asking: Asking = { ctx, queues, attempts: [] }
      const bases = await serversFor(asking, name)
      const whois = whoisFor(name)
      // The servers are part of the key: another server may answer differently.
      const key = [name, ...bases, whois?.server].join(' ')
      // Concurrent checks of one name wait for the first one and use its answer.
      const result = await names.run(key, queuedQuery(ctx), async (): Promise<Found> => {
        const recalled = recall(key, ctx)
        if (recalled !== undefined) return recalled
        const answer = await ask(asking, { bases, whois }, name)
        remember(key, answer, ctx)
        return { answer, attempts: asking.attempts, age_ms: 0 }
      })
      return result.state === 'done' ? result.value : crowded(name)
    },
  }
}

interface Servers {
  readonly bases: readonly string[]
  readonly whois: WhoisStart | undefined
}

async function ask(asking: Asking, { bases, whois }: Servers, name: string): Promise<Sourced> {
  const rdap = await askRdap(asking, bases, name)
  if (whois === undefined) return rdap ?? nobodyToAsk(name)
  if (rdap === undefined) return askWhois(asking, whois, name)
  if (rdap.state === 'registered') {
    if (rdap.registration.expires_at !== null || !publishesExpiry(name)) return rdap
    return supplemented(rdap, await askWhois(asking, whois, name))
  }
  if (isFinal(rdap)) return rdap
  const second = await askWhois(asking, whois, name)
  return saysMore(second) ? second : rdap
}

/** A connection failure is less informative than an answer of an earlier server. */
function saysMore(answer: Sourced): boolean {
  if (answer.state !== 'unanswered') return true
  return (
    answer.cause_code !== 'probe_whois_unreachable' &&
    answer.cause_code !== 'probe_registry_unknown'
  )
}

function crowded(name: string): Found {
  const answer: Sourced = {
    state: 'unanswered',
    cause_code: 'probe_overloaded',
    cause_text: `Too many checks of ${name} were waiting for the registry`,
    source: 'rdap',
    server: '',
  }
  return { answer, attempts: [], age_ms: 0 }
}

function nobodyToAsk(name: string): Sourced {
  return {
    state: 'unanswered',
    cause_code: 'probe_registry_unknown',
    cause_text: `No server is known that could tell of ${name}`,
    source: 'rdap',
    server: '',
  }
}
