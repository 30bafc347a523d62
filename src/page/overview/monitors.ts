/**
 * The monitors of an account for the overview: all of them for the counts, the filtered ones ordered by urgency.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Engine } from '../../engine/api/engine.ts'
import { requestServicesOf } from '../../engine/services/request-services.ts'
import type {
  MonitorEntry,
  EntryFilter,
  MonitorEntries,
} from '../../engine/services/account-monitors.ts'
import type { MonitorState } from '../../model.ts'
import { isUnseen } from '../layout/words.ts'

/** Maximum number of monitors that one page counts; a filter finds the others. */
const MONITORS_LIMIT = 20_000

/** Whose monitors are read. */
export interface Reading {
  readonly engine: Engine
  readonly account_id: number
}

export function collectMonitors(
  { engine, account_id }: Reading,
  filter?: EntryFilter,
): Promise<MonitorEntries> {
  return requestServicesOf(engine).accountMonitors.list(account_id, MONITORS_LIMIT, filter)
}

/** The most urgent state first. */
const URGENCY: Readonly<Record<MonitorState, number>> = {
  down: 0,
  confirming: 1,
  recovering: 2,
  late: 3,
  pending: 4,
  up: 5,
  maintenance: 6,
  paused: 7,
}

/** Stale monitors rank with those that fail without being down yet. */
function urgencyOf(monitor: MonitorEntry): number {
  return Math.min(URGENCY[monitor.state], isUnseen(monitor) ? URGENCY.confirming : Infinity)
}

/** Monitors that are ordered between two looks at the clock. */
const AT_ONCE = 200

interface Part {
  readonly from: number
  readonly to: number
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
}

/** The monitors from `from` to before `to` in the order of urgency, then of names. */
export async function mostUrgent(
  monitors: readonly MonitorEntry[],
  { from, to, clock }: Part,
): Promise<readonly MonitorEntry[]> {
  const yieldIfLong = yielderOf(clock)
  const first: Ranked[] = []
  let left = AT_ONCE
  for (const entry of monitors) {
    insert(first, entry, to)
    if (--left > 0) continue
    left = AT_ONCE
    await yieldIfLong()
  }
  return first.slice(from).map(({ entry }) => entry)
}

/** Keeps the first `count`; most monitors are behind them. */
function insert(first: Ranked[], entry: MonitorEntry, count: number): void {
  const last = first.length < count ? undefined : first.at(-1)
  if (last !== undefined && urgencyOf(entry) > last.rank) return
  const ranked = rankedOf(entry)
  if (last !== undefined && order(ranked, last) > 0) return
  let [low, high] = [0, first.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const other = first[middle]
    if (other !== undefined && order(other, ranked) < 0) low = middle + 1
    else high = middle
  }
  first.splice(low, 0, ranked)
  if (first.length > count) first.pop()
}

interface Ranked {
  readonly entry: MonitorEntry
  readonly rank: number
}

function rankedOf(entry: MonitorEntry): Ranked {
  return { entry, rank: urgencyOf(entry) }
}

/** "shop 2" before "shop 10", "Ärzte" beside "Arzt", punctuation before letters. */
const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

function order(a: Ranked, b: Ranked): number {
  return a.rank - b.rank || names.compare(a.entry.name, b.entry.name) || a.entry.id - b.entry.id
}
