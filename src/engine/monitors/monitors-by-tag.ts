/**
 * The monitors in memory by their tags. An account has an index from its first question on: most accounts have no
 * composite that names members by tag.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { fold } from '../../model/fold.ts'
import type { CachedMonitor } from './cached-monitor.ts'

export interface MonitorsByTag {
  /** A monitor in memory was replaced, added (`before` is `undefined`) or removed (`after` is). */
  follow(before: CachedMonitor | undefined, after: CachedMonitor | undefined): void
  /** Ids of the monitors of the account that have one of these folded tags, lowest first. */
  find(account_id: number, tags: Iterable<string>): Promise<readonly number[]>
}

interface Index {
  /** By folded tag. */
  readonly ids: Map<string, Set<number>>
  /** Until the monitors that were there before the index are in it. */
  filling: Promise<void> | undefined
}

export interface MonitorsByTagOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly monitors: ReadonlyMap<number, CachedMonitor>
}

export function createMonitorsByTag({ clock, monitors }: MonitorsByTagOptions): MonitorsByTag {
  const indexes = new Map<number, Index>()

  /** What changes while it is read is followed as well; adding an id twice does no harm. */
  async function fill(index: Index, account_id: number): Promise<void> {
    const yieldIfLong = yielderOf(clock)
    for (const { record } of monitors.values()) {
      if (record.account_id !== account_id) continue
      await yieldIfLong()
      // The monitor may have changed meanwhile.
      const now = monitors.get(record.id)
      if (now !== undefined) add(index.ids, now)
    }
    index.filling = undefined
  }

  return {
    follow(before, after) {
      const account_id = (after ?? before)?.record.account_id ?? 0
      const index = indexes.get(account_id)
      if (index === undefined || before?.record.common.tags === after?.record.common.tags) return
      if (before !== undefined) remove(index.ids, before)
      if (after !== undefined) add(index.ids, after)
      if (index.ids.size === 0 && index.filling === undefined) indexes.delete(account_id)
    },
    async find(account_id, tags) {
      let index = indexes.get(account_id)
      if (index === undefined) {
        index = { ids: new Map(), filling: undefined }
        index.filling = fill(index, account_id)
        indexes.set(account_id, index)
      }
      await index.filling
      const found = new Set<number>()
      for (const tag of tags) for (const id of index.ids.get(tag) ?? []) found.add(id)
      return [...found].sort((a, b) => a - b)
    },
  }
}

function add(ids: Index['ids'], { record: { id, common } }: CachedMonitor): void {
  for (const tag of common.tags.map(fold)) {
    const known = ids.get(tag)
    if (known === undefined) ids.set(tag, new Set([id]))
    else known.add(id)
  }
}

function remove(ids: Index['ids'], { record: { id, common } }: CachedMonitor): void {
  for (const tag of common.tags.map(fold)) {
    const known = ids.get(tag)
    known?.delete(id)
    if (known?.size === 0) ids.delete(tag)
  }
}
