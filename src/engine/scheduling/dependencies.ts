/**
 * Failures that wait for their parent: the parent is checked; once it is known to be up, the child is checked, and
 * its next failing round is notified.
 *
 * @module
 */

import type { MachineState } from '../../model.ts'
import type { Changed, CachedMonitor, MonitorCache } from '../monitors/monitor-cache.ts'

export interface Dependencies {
  /** Adds a monitor that this engine now watches. */
  note(cached: CachedMonitor): void
  forget(monitor_id: number): void
  /** A monitor has changed. After a round, its parents or waiting children are checked. */
  follow(changed: Changed): void
}

export interface DependenciesOptions {
  readonly monitorCache: MonitorCache
  /** A check of this monitor should run soon. */
  readonly onWanted: (cached: CachedMonitor) => void
}

export function createDependencies({ monitorCache, onWanted }: DependenciesOptions): Dependencies {
  /** Monitors whose incident is suppressed because of a parent. */
  const waiting = new Set<number>()

  function note({ record }: CachedMonitor): void {
    if (waits(record.machine)) waiting.add(record.id)
    else waiting.delete(record.id)
  }

  function askParents(cached: CachedMonitor): void {
    const since = cached.record.machine.incident?.started_at ?? 0
    for (const id of cached.record.common.depends_on) {
      const parent = monitorCache.peek(id)
      if (parent !== undefined && (parent.record.machine.last_round_at ?? 0) < since)
        onWanted(parent)
    }
  }

  function askChildren({ record }: CachedMonitor): void {
    for (const id of waiting) {
      const child = monitorCache.peek(id)
      if (child?.record.common.depends_on.includes(record.id) === true) onWanted(child)
    }
  }

  return {
    note,
    forget: (id) => void waiting.delete(id),
    follow({ before, after, change }) {
      if (after === undefined) {
        waiting.delete(before.record.id)
        return
      }
      note(after)
      if (change.results === undefined) return
      const { machine } = after.record
      if (waits(machine) && machine.incident?.suppression?.by === null) askParents(after)
      if (machine.state === 'up' && waiting.size > 0) askChildren(after)
    },
  }
}

function waits({ incident }: MachineState): boolean {
  return incident?.suppression?.reason === 'dependency'
}
