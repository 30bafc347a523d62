/**
 * What is planned: the occurrences of several windows, by their start.
 *
 * @module
 */

import { iso, yielderOf } from '../../clock.ts'
import { spanAt } from '../../incident/maintenance.ts'
import type { Span } from '../../incident/maintenance.ts'
import type { EpochMs, MaintenanceWindow } from '../../model.ts'
import type { OccurrenceView } from '../api/maintenance.ts'
import type { Core } from '../core/core.ts'
import type { AccountWindow } from '../monitors/account-windows.ts'

export interface UpcomingQuery {
  readonly windows: readonly AccountWindow[]
  /** The windows in the settings of a monitor. */
  readonly own: { readonly id: number; readonly windows: readonly MaintenanceWindow[] } | undefined
  readonly until: EpochMs
  readonly limit: number
}

/** One window with its occurrence that is not listed yet. */
interface Source extends Covers {
  readonly maintenance_id: number | null
  readonly name: string | null
  readonly window: MaintenanceWindow
  span: Span
}

type Covers = Pick<OccurrenceView, 'monitor_ids' | 'tags' | 'all_monitors'>

/** The first `limit` occurrences that are open or begin before `until`. One is computed for each that is listed. */
export async function upcomingOf(
  core: Core,
  { windows, own, until, limit }: UpcomingQuery,
): Promise<readonly OccurrenceView[]> {
  const now = core.clock.now()
  const yieldIfLong = yielderOf(core.clock)
  const isAhead = ({ span: [from, to] }: Source): boolean =>
    to > now && to !== Infinity && from < until
  let sources = [
    ...windows.map(({ record, span }): Source => {
      return { maintenance_id: record.id, ...record.settings, span }
    }),
    ...(own?.windows ?? []).map((window): Source => {
      const covers = { monitor_ids: [own?.id ?? 0], tags: [], all_monitors: false }
      return {
        maintenance_id: null,
        name: null,
        ...covers,
        window,
        span: spanAt(window, now, core),
      }
    }),
  ].filter(isAhead)
  const found: OccurrenceView[] = []
  while (found.length < limit && sources.length > 0) {
    await yieldIfLong()
    const first = sources.reduce((a, b) => (b.span[0] < a.span[0] ? b : a))
    found.push(occurrenceView(first, now))
    const { window, span } = first
    if (!('start' in window)) first.span = spanAt(window, span[1], core)
    if ('start' in window || !isAhead(first)) sources = sources.filter((each) => each !== first)
  }
  return found
}

function occurrenceView(
  { maintenance_id, name, window, span: [from, to], monitor_ids, tags, all_monitors }: Source,
  now: EpochMs,
): OccurrenceView {
  return {
    maintenance_id,
    name,
    starts_at: iso(from),
    ends_at: iso(to),
    active: from <= now,
    skip_checks: window.skip_checks,
    monitor_ids,
    tags,
    all_monitors,
  }
}
