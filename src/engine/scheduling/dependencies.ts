/**
 * Failures that wait for their parent: the parent is checked; once it is known to be up, the child is checked, and
 * its next failing round is notified.
 *
 * @module
 */

import type { MachineState } from '../../model.ts'
import type { CachedMonitor, Changed } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'

export interface Dependencies {
  /** Adds a monitor, or takes over its current state. */
  update(cached: CachedMonitor): void
  forget(monitor_id: number): void
  /** A monitor has changed. After a round, its parents or waiting children are checked. */
  follow(changed: Changed): void
}

export interface DependenciesOptions {
  readonly monitorCache: MonitorCache
  /** Called with a monitor that should be checked soon. */
  readonly onCheckNeeded: (cached: CachedMonitor) => void
}

export function createDependencies({
  monitorCache,
  onCheckNeeded,
}: DependenciesOptions): Dependencies {
  /** Monitors whose incident is suppressed because of a parent, with their parents. */
  const waiting = new Map<number, readonly number[]>()
  /** The same by parent: a round does not look at the children of all others. */
  const childrenOf = new Map<number, Set<number>>()

  function update({ record: { id, machine, common } }: CachedMonitor): void {
    const parents = waitsForParent(machine) ? common.depends_on : undefined
    if (waiting.get(id) === parents) return
    forget(id)
    if (parents === undefined) return
    waiting.set(id, parents)
    for (const parent of parents) {
      const children = childrenOf.get(parent)
      if (children === undefined) childrenOf.set(parent, new Set([id]))
      else children.add(id)
    }
  }

  function forget(id: number): void {
    for (const parent of waiting.get(id) ?? []) {
      const children = childrenOf.get(parent)
      children?.delete(id)
      if (children?.size === 0) childrenOf.delete(parent)
    }
    waiting.delete(id)
  }

  function checkParents(cached: CachedMonitor): void {
    const since = cached.record.machine.incident?.started_at ?? 0
    for (const id of cached.record.common.depends_on) {
      const parent = monitorCache.peek(id)
      if (parent !== undefined && (parent.record.machine.last_round_at ?? 0) < since)
        onCheckNeeded(parent)
    }
  }

  function checkChildren({ record }: CachedMonitor): void {
    for (const id of childrenOf.get(record.id) ?? []) {
      const child = monitorCache.peek(id)
      if (child !== undefined) onCheckNeeded(child)
    }
  }

  return {
    update,
    forget,
    follow({ before, after, change }) {
      if (after === undefined) {
        forget(before.record.id)
        return
      }
      update(after)
      if (change.results === undefined) return
      const { machine } = after.record
      if (waitsForParent(machine) && machine.incident?.suppression?.by === null) checkParents(after)
      if (machine.state === 'up') checkChildren(after)
    },
  }
}

function waitsForParent({ incident }: MachineState): boolean {
  return incident?.suppression?.reason === 'dependency'
}
