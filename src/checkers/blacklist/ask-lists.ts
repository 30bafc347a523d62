/**
 * Queries all lists for one target: the lists in parallel, the entries of one list in sequence.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { hundredths } from '../../net/timing/trace.ts'
import type { CheckContext } from '../checker.ts'
import { categoriesOf } from './catalogue.ts'
import type { ListKind } from './catalogue.ts'
import type { DnsblClient, Entry, ListError } from './dnsbl.ts'
import type { SelectedList, Selection } from './selection.ts'
import { domainNames } from './target.ts'
import type { Subject } from './target.ts'

/** A listing by one list, as shown in details and webhooks. */
export interface Hit extends JsonObject {
  readonly id: string
  readonly zone: string | null
  /** The listed address or name. */
  readonly entry: string
  readonly codes: readonly string[]
  readonly categories: readonly string[]
  readonly reason: string | null
  readonly delist_url: string | null
}

export interface ListResult {
  readonly list: SelectedList
  readonly hits: readonly Hit[]
  /** Why some of the entries have no answer. */
  readonly error: ListError | null
  readonly duration_ms: number
}

/** What one check needs to query a list. */
export interface Asker {
  readonly ctx: CheckContext
  readonly client: DnsblClient
  readonly ignored: Selection['ignored']
  /**
   * Milliseconds left, minus a reserve before the deadline: a slow list is not a failure of the
   * target.
   */
  readonly left: () => number
}

/** Rejects only when the signal aborts: the failure of a list is part of its result. */
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
  return { list, hits: [...hits], error, duration_ms: hundredths(clock.monotonic() - from) }
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

/** If the kinds of a list were guessed, it need not work for all of them. */
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

/** The result of `work`, or `late` when the time is up; the work itself ends with the check. */
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
