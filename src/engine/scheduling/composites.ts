/**
 * Monitors of composite types are judged at once when the state of a member changes, besides at their interval.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { EpochMs } from '../../model.ts'
import type { CachedMonitor, Changed } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import { fold } from '../../model/fold.ts'
import { memberRuleOf } from '../rounds/composite.ts'
import type { MemberRule } from '../rounds/composite.ts'

/** Time between two judgements caused by members: a thousand flapping members must not keep the engine busy. */
const PAUSE_MS = 1_000

export interface Composites {
  /** Adds a monitor, or takes over its current settings. */
  update(cached: CachedMonitor): void
  forget(monitor_id: number): void
  /** A monitor has changed: its composites are judged if its state or its tags did. */
  follow(changed: Changed): void
}

interface Composite extends MemberRule {
  readonly account_id: number
}

export interface CompositesOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly monitorCache: Pick<MonitorCache, 'peek'>
  readonly underWay: (monitor_id: number) => boolean
  /** The composite should be judged at this time, or before. */
  readonly onJudgementNeeded: (composite: CachedMonitor, at: EpochMs) => void
}

export function createComposites(options: CompositesOptions): Composites {
  const { clock, monitorCache, underWay, onJudgementNeeded } = options
  const composites = new Map<number, Composite>()
  /** The same by what they name: a change of a monitor reads only those that have it as a member. */
  const byMember = new Map<number | string, Set<number>>()
  /** Composites to judge again: their running round may have read the states before the change. */
  const judgeAgain = new Set<number>()
  /** When each is judged next, or was last, on the monotonic clock. */
  const judgeAt = new Map<number, number>()

  function update(cached: CachedMonitor): void {
    const rule = memberRuleOf(cached)
    const { id, account_id } = cached.record
    if (rule === undefined) return
    remove(id)
    const composite = { ...rule, account_id }
    composites.set(id, composite)
    for (const key of keysOf(composite)) {
      const known = byMember.get(key)
      if (known === undefined) byMember.set(key, new Set([id]))
      else known.add(id)
    }
  }

  function remove(id: number): void {
    const composite = composites.get(id)
    if (composite === undefined) return
    composites.delete(id)
    for (const key of keysOf(composite)) {
      const known = byMember.get(key)
      known?.delete(id)
      if (known?.size === 0) byMember.delete(key)
    }
  }

  function judge(composite: CachedMonitor): void {
    const { id } = composite.record
    const now = clock.monotonic()
    const last = judgeAt.get(id) ?? -Infinity
    const at = last > now ? last : Math.max(now, last + PAUSE_MS)
    judgeAt.set(id, at)
    onJudgementNeeded(composite, clock.now() + at - now)
  }

  function judgeCompositesOf({ record: { id, account_id, common } }: CachedMonitor): void {
    const tags = new Set(common.tags.map(fold))
    // Once, even if a composite names the member by id and by several tags.
    const found = new Set<number>()
    for (const key of keysOf({ account_id, monitor_ids: [id], tags }))
      for (const composite_id of byMember.get(key) ?? []) found.add(composite_id)
    for (const composite_id of found) {
      // An id of another account is no member, whatever the settings say.
      const isOwn = composites.get(composite_id)?.account_id === account_id
      if (!isOwn || composite_id === id) continue
      const composite = monitorCache.peek(composite_id)
      if (underWay(composite_id)) judgeAgain.add(composite_id)
      else if (composite !== undefined) judge(composite)
    }
  }

  function forget(id: number): void {
    remove(id)
    judgeAgain.delete(id)
    judgeAt.delete(id)
  }

  return {
    update,
    forget,
    follow({ before, after, change }) {
      if (after === undefined) forget(before.record.id)
      else if (change.settings !== undefined) update(after)
      if (composites.size === 0) return
      if (after !== undefined && judgeAgain.delete(after.record.id)) judge(after)
      const isSame = before.record.machine.state === after?.record.machine.state
      if (isSame && change.settings === undefined) return
      judgeCompositesOf(before)
      if (after !== undefined && change.settings !== undefined) judgeCompositesOf(after)
    },
  }
}

/** What a composite names: ids, and tags of its account. */
function* keysOf({ account_id, monitor_ids, tags }: Composite): Generator<number | string> {
  yield* monitor_ids
  for (const tag of tags) yield `${account_id} ${tag}`
}
