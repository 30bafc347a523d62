/**
 * What the overview says of all monitors of an account, counted once for a page.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { TypeView } from '../../engine/api/engine.ts'
import type { MonitorEntry, MonitorEntries } from '../../engine/services/account-monitors.ts'
import type { MonitorState } from '../../model.ts'
import type { Said } from '../layout/markup.ts'
import { isUnseen } from '../layout/words.ts'
import { nearestEnd, nearFrom } from '../monitor/highlights.ts'
import { offeredTags } from './offered-tags.ts'

/** Of a monitor something ends soon, such as a certificate, or has ended. */
export interface Ending {
  readonly id: number
  readonly name: string
  /** `Certificate ends in 4 days`. */
  readonly text: Said
}

export interface Counts {
  readonly total: number
  /** There are more monitors than these. */
  readonly cut: boolean
  readonly down: readonly MonitorEntry[]
  readonly up: number
  /** Those whose state is unknown, since they were not checked for too long. */
  readonly unseen: number
  /** Failing without being down yet, late, or about to end: what the sentence of the page adds to the state. */
  readonly attention: number
  /** The monitors that are neither up nor down, nor unseen. */
  readonly others: ReadonlyMap<MonitorState, number>
  readonly ending: readonly Ending[]
  /** When the last check of all began; empty without one. */
  readonly newest: string
  /** What the filter offers: nothing else would find a monitor. */
  readonly used: {
    readonly types: ReadonlySet<string>
    /** `undefined`: too many for a list. */
    readonly tags: readonly string[] | undefined
    readonly states: ReadonlySet<MonitorState>
  }
}

/** Monitors that are counted between two looks at the clock. */
const AT_ONCE = 200

export async function countsOf(
  { entries, cut }: MonitorEntries,
  types: ReadonlyMap<string, TypeView>,
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>,
): Promise<Counts> {
  const counting = startCounting(types, clock.now())
  const yieldIfLong = yielderOf(clock)
  let left = AT_ONCE
  for (const entry of entries) {
    counting.add(entry)
    if (--left > 0) continue
    left = AT_ONCE
    await yieldIfLong()
  }
  return { ...counting.counts(), total: entries.length, cut }
}

function startCounting(types: ReadonlyMap<string, TypeView>, now: number) {
  const dated = new Set(
    [...types.values()]
      .filter(({ highlights }) => highlights.some(({ format }) => format === 'end'))
      .map(({ type }) => type),
  )
  const down: MonitorEntry[] = []
  const ending: Ending[] = []
  const others = new Map<MonitorState, number>()
  const used = { types: new Set<string>(), states: new Set<MonitorState>() }
  const usedTags = offeredTags(groups)
  let [up, unseen, attention, newest] = [0, 0, 0, '']

  function endOf(entry: MonitorEntry): Ending | undefined {
    const { id, name, type, state, last } = entry
    if (last === undefined || state === 'paused' || !dated.has(type)) return undefined
    const about = { type: types.get(type), results: [last] }
    entry.derived.near_from ??= nearFrom(about)
    if (entry.derived.near_from >= now) return undefined
    const text = nearestEnd({ ...about, now })
    return text && { id, name, text }
  }

  function countState(entry: MonitorEntry, end: Ending | undefined): void {
    const { state, status } = entry
    if (status === 'down') down.push(entry)
    if (isUnseen(entry)) {
      unseen++
      return
    }
    if (status === 'up') up++
    else if (status !== 'down') others.set(state, (others.get(state) ?? 0) + 1)
    const isNear = end !== undefined || state === 'confirming' || state === 'late'
    if (status !== 'down' && isNear) attention++
  }

  return {
    add(entry: MonitorEntry): void {
      const { type, state, tags, last_at } = entry
      used.types.add(type)
      used.states.add(state)
      usedTags.add(tags)
      if (last_at > newest) newest = last_at
      const end = endOf(entry)
      if (end !== undefined) ending.push(end)
      countState(entry, end)
    },
    counts() {
      const offered = { ...used, tags: usedTags.list() }
      return { down, up, unseen, attention, others, ending, newest, used: offered }
    },
  }
}

/** Tags with the key of a list of monitors are left out: they are like names, one per monitor. */
function groups(tag: string): boolean {
  return !tag.startsWith('key:')
}
