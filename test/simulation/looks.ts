/** When each monitor was looked at, and by which process. */
import type { Ledger, MonitorStory } from './ledger.ts'

/** A look in one process; or an answer that came out of turn, which counts as one where it was waited for. */
export interface Look {
  readonly life: number
  readonly isSure: boolean
  /** Where it begins on the tape. */
  readonly n: number
  readonly from: number
  to: number
  /** The latest end of this one and those before it. */
  latest: number
}

export type Looks = ReadonlyMap<number, readonly Look[]>

const known = new WeakMap<Ledger, Looks>()

/** Looks by monitor, in the order of their beginning. Those of a process that died ended with it. */
export function looksOf(ledger: Ledger): Looks {
  const found = known.get(ledger)
  if (found !== undefined) return found
  const looks = new Map<number, Look[]>()
  const open = new Map<number, Look>()
  const note = (id: number, look: Look): void => {
    const list = looks.get(id)
    if (list === undefined) looks.set(id, [look])
    else list.push(look)
  }
  for (const entry of ledger.entries) {
    const { at, n } = entry
    if (entry.kind === 'begun') {
      const look = { life: entry.life, isSure: true, n, from: at, to: Infinity, latest: 0 }
      open.set(entry.order, look)
      note(entry.monitor_id, look)
    } else if (entry.kind === 'look') {
      const look = open.get(entry.order)
      if (look !== undefined) look.to = at
      open.delete(entry.order)
    } else if (entry.kind === 'answered')
      note(entry.monitor_id, { life: entry.life, isSure: false, n, from: at, to: at, latest: 0 })
    else if (entry.kind === 'dies')
      for (const [order, look] of open) {
        if (look.life !== entry.life) continue
        look.to = at
        open.delete(order)
      }
  }
  for (const list of looks.values()) {
    let latest = 0
    for (const look of list) look.latest = latest = Math.max(latest, look.to)
  }
  known.set(ledger, looks)
  return looks
}

/** Those that had not ended at that time. */
export function lately(looks: Looks, { id }: MonitorStory, at: number): readonly Look[] {
  const all = looks.get(id) ?? []
  const first = all.findLastIndex(({ latest }) => latest < at)
  return all.slice(first + 1)
}

/** The last one of a list in the order of their times. */
export function lastUntil<T>(
  list: readonly T[],
  at: number,
  timeOf: (each: T) => number,
): T | undefined {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (timeOf(list[middle]!) <= at) low = middle + 1
    else high = middle
  }
  return list[low - 1]
}
