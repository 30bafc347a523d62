/**
 * One target on all lists: the lists side by side, the entries of one list one after the other.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { round } from '../../net/timing/trace.ts'
import type { CheckContext } from '../checker.ts'
import { categoriesOf } from './catalogue.ts'
import type { ListKind } from './catalogue.ts'
import type { DnsblClient, Entry, ListError } from './dnsbl.ts'
import type { SelectedList, Selection } from './selection.ts'
import { domainNames } from './target.ts'
import type { Subject } from './target.ts'

/** A finding of one list, as it stands in details and webhooks. */
export interface Hit extends JsonObject {
  readonly id: string
  readonly zone: string | null
  /** The address or name that is listed. */
  readonly entry: string
  readonly codes: readonly string[]
  readonly categories: readonly string[]
  readonly reason: string | null
  readonly delist_url: string | null
}

export interface ListResult {
  readonly list: SelectedList
  readonly hits: readonly Hit[]
  /** Why it says nothing about some of the entries. */
  readonly error: ListError | null
  readonly duration_ms: number
}

/** What one check needs to ask a list. */
export interface Asker {
  readonly ctx: CheckContext
  readonly client: DnsblClient
  readonly ignored: Selection['ignored']
  /** Milliseconds left, with some to spare before the deadline: a list that is late is no failing target. */
  readonly left: () => number
}

/** Never rejects but for the signal: a list that fails says so in its result. */
export function askLists(
  asker: Asker,
  lists: readonly SelectedList[],
  subject: Subject,
): Promise<readonly ListResult[]> {
  const entries = entriesOf(subject)
  return Promise.all(lists.map((list) => askList(asker, list, entries)))
}

async function askList(
  asker: Asker,
  list: SelectedList,
  entries: readonly Entry[],
): Promise<ListResult> {
  const { clock } = asker.ctx
  const from = clock.monotonic()
  const hits: Hit[] = []
  const error = await within(asker, lookUpAll(asker, list, { entries, hits }), 'timeout' as const)
  return { list, hits: [...hits], error, duration_ms: round(clock.monotonic() - from) }
}

async function lookUpAll(
  asker: Asker,
  list: SelectedList,
  { entries, hits }: { readonly entries: readonly Entry[]; readonly hits: Hit[] },
): Promise<ListError | null> {
  const { ctx, client, left } = asker
  const usable = entries.filter(({ kind }) => list.kinds.includes(kind))
  const faults = new Map<ListKind, ListError | null>()
  let error: ListError | null = null
  for (const entry of usable) {
    const tested = faults.get(entry.kind)
    const fault = tested === undefined ? await client.selfTest(ctx, list, { entry, left }) : tested
    faults.set(entry.kind, fault)
    if (fault !== null) continue
    const found = await client.lookUp(ctx, list, { entry, left })
    if (found.state === 'error') error ??= found.error
    if (found.state === 'listed') hits.push(...hitOf(asker, list, { ...found, entry }))
  }
  return error ?? verdictOnTests(list, [...faults.values()])
}

/** A list whose kinds were guessed need not work for all of them. */
function verdictOnTests(
  list: SelectedList,
  faults: readonly (ListError | null)[],
): ListError | null {
  if (faults.length === 0) return 'not_applicable'
  const real = list.guessed ? faults.filter((fault) => fault !== 'selftest_failed') : faults
  if (real.length === 0) return 'selftest_failed'
  return real.find((fault) => fault !== null) ?? null
}

function hitOf(
  { ignored }: Asker,
  list: SelectedList,
  found: { readonly codes: readonly string[]; readonly reason: string | null; entry: Entry },
): readonly Hit[] {
  const categories = categoriesOf(list, found.codes)
  if (categories.every((category) => ignored.has(category))) return []
  const { id, shownZone: zone, delist_url } = list
  return [
    {
      ...{ id, zone, entry: found.entry.what, codes: found.codes, categories },
      reason: found.reason,
      delist_url: delist_url === '' ? null : delist_url,
    },
  ]
}

function entriesOf(subject: Subject): readonly Entry[] {
  const addresses = subject.addresses.map((what): Entry => ({
    kind: what.includes(':') ? 'ipv6' : 'ipv4',
    what,
  }))
  return [...domainNames(subject).map((what): Entry => ({ kind: 'domain', what })), ...addresses]
}

/** The outcome of `work`, or `late` when the time is up; the work itself ends with the check. */
export async function within<T, L>(
  { ctx, left }: Pick<Asker, 'ctx' | 'left'>,
  work: Promise<T>,
  late: L,
): Promise<T | L> {
  let timer: { cancel(): void } | undefined
  const timeIsUp = new Promise<L>((resolve) => {
    timer = ctx.clock.timer(left(), () => resolve(late))
  })
  try {
    return await Promise.race([work, timeIsUp])
  } finally {
    timer?.cancel()
  }
}
