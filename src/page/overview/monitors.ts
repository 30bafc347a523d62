/**
 * The monitors of an account for the overview: all of them for the counts, the filtered ones ordered by urgency.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { AccountScope, MonitorFilter } from '../../engine/api/engine.ts'
import type { MonitorSummary } from '../../engine/api/views.ts'
import type { MonitorState } from '../../model.ts'
import { isUnseen } from '../layout/words.ts'

/** Maximum number of monitors read for one page; a filter finds the others. */
const MONITORS_LIMIT = 5000

const CHUNK = 200

export interface Collected {
  readonly monitors: readonly MonitorSummary[]
  /** There are more than {@link MONITORS_LIMIT}. */
  readonly cut: boolean
}

/** How a list is read: the clock yields to the event loop between its pages. */
export interface Reading {
  readonly scope: AccountScope
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>
}

export async function collectMonitors(
  { scope, clock }: Reading,
  filter: Omit<MonitorFilter, 'limit' | 'after'> = {},
): Promise<Collected> {
  const monitors: MonitorSummary[] = []
  const yieldIfLong = yielderOf(clock)
  let after: number | null = 0
  while (after !== null && monitors.length < MONITORS_LIMIT) {
    const page: Awaited<ReturnType<AccountScope['monitors']['list']>> = await scope.monitors.list({
      ...filter,
      limit: CHUNK,
      ...(after === 0 ? {} : { after }),
    })
    monitors.push(...page.items)
    after = page.next
    await yieldIfLong()
  }
  return { monitors, cut: after !== null }
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

/** Stale monitors rank with pending ones. */
function urgencyOf(monitor: MonitorSummary): number {
  return Math.min(URGENCY[monitor.state], isUnseen(monitor) ? URGENCY.confirming : Infinity)
}

export function byUrgency(monitors: readonly MonitorSummary[]): readonly MonitorSummary[] {
  // Created once: `localeCompare` resolves its options for every pair.
  const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  return [...monitors].sort(
    (a, b) => urgencyOf(a) - urgencyOf(b) || names.compare(a.name, b.name) || a.id - b.id,
  )
}
