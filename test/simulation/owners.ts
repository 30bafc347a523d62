/** Which of several engines has a monitor, and since when. */
import { shardOf } from '../../src/store/store.ts'
import type { Ledger } from './ledger.ts'
import type { EntryOf, Stamp } from './tape.ts'

interface Owners {
  /** By process. */
  readonly held: ReadonlyMap<number, readonly EntryOf<'held'>[]>
  readonly leases: ReadonlyMap<number, readonly EntryOf<'lease'>[]>
  /** Leases that came when the one before was over. */
  readonly lapses: ReadonlyMap<number, readonly EntryOf<'lease'>[]>
  /** Calls of the store that failed. */
  readonly failures: readonly Stamp[]
}

const known = new WeakMap<Ledger, Owners>()

function ownersOf(ledger: Ledger): Owners {
  const found = known.get(ledger)
  if (found !== undefined) return found
  const leases = byLife(ledger.all('lease'))
  const lapses = [...leases.values()].flatMap((own) =>
    own.filter(({ wall }, place) => wall > (own[place - 1]?.until ?? Infinity)),
  )
  const owners: Owners = {
    held: byLife(ledger.all('held')),
    ...{ leases, lapses: byLife(lapses) },
    failures: ledger.all('trouble').filter(({ fate }) => fate === 'fail'),
  }
  known.set(ledger, owners)
  return owners
}

function byLife<T extends { readonly life: number }>(entries: readonly T[]): Map<number, T[]> {
  const by = new Map<number, T[]>()
  for (const entry of entries) {
    const list = by.get(entry.life)
    if (list === undefined) by.set(entry.life, [entry])
    else list.push(entry)
  }
  return by
}

/** Whether the process has the monitor at that place of the tape; one alone on its store has all. */
export function owns(ledger: Ledger, life: number, monitor_id: number, n: number): boolean {
  if (ledger.plan.machines === 1) return true
  const last = ownersOf(ledger)
    .held.get(life)
    ?.findLast((each) => each.n < n)
  return last?.shards.includes(shardOf(monitor_id)) === true
}

/**
 * Where on the tape a lease of this process was last over before it was renewed: what it gets back then it judges by
 * what is stored, without the looks of a round that gave way.
 */
export function lastLapse(ledger: Ledger, seen: Stamp & { readonly life: number }): number {
  const { lapses, leases } = ownersOf(ledger)
  const own = leases.get(seen.life) ?? []
  const last = own[firstAfter(own, seen) - 1]
  if (last === undefined) return 0
  if (seen.wall > last.until) return seen.n
  const ended = lapses.get(seen.life) ?? []
  return ended[firstAfter(ended, seen) - 1]?.n ?? 0
}

/**
 * When the process took up the monitor that it has: at the renewal of its lease after it got the shard, or after what
 * failed then was tried again. `seen` where it is still about to. `undefined` where it has not got it, or is alone.
 */
export function takenUp(
  ledger: Ledger,
  monitor_id: number,
  seen: Stamp & { readonly life: number },
): Stamp | undefined {
  const { life, n } = seen
  if (ledger.plan.machines === 1 || !owns(ledger, life, monitor_id, n)) return undefined
  const { held, leases, failures } = ownersOf(ledger)
  const had = held.get(life)!.filter((each) => each.n < n)
  const without = had.findLastIndex(({ shards }) => !shards.includes(shardOf(monitor_id)))
  let begin: Stamp = had[without + 1]!
  for (;;) {
    const own = leases.get(life) ?? []
    const lease = own[firstAfter(own, begin)]
    if (lease === undefined || lease.n > n) return seen
    const failure = failures[firstAfter(failures, begin)]
    if (failure === undefined || failure.n > lease.n) return lease
    begin = lease
  }
}

/** Where in a list in the order of the tape those after this one begin. */
function firstAfter(list: readonly Stamp[], { n }: Stamp): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle]!.n <= n) low = middle + 1
    else high = middle
  }
  return low
}
