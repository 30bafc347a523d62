/**
 * Monitors of composite types are judged at once when the state of a member changes, besides at their interval.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { EpochMs } from '../../model.ts'
import type { Changed, CachedMonitor, MonitorCache } from '../monitors/monitor-cache.ts'
import { hasTagOf, memberRuleOf } from '../rounds/composite.ts'
import type { MemberRule } from '../rounds/composite.ts'

/** Between two judgements that members ask for: a thousand that flap do not keep the engine busy with one group. */
const PAUSE_MS = 1_000

export interface Groups {
  /** Adds a monitor, or takes over its current settings. */
  update(cached: CachedMonitor): void
  forget(monitor_id: number): void
  /** A monitor has changed: its groups are judged if its state or its tags did. */
  follow(changed: Changed): void
}

interface Watching extends MemberRule {
  readonly account_id: number
}

export interface GroupsOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly monitorCache: Pick<MonitorCache, 'peek'>
  readonly underWay: (monitor_id: number) => boolean
  /** The group should be judged at this time, or before. */
  readonly onJudgementNeeded: (group: CachedMonitor, at: EpochMs) => void
}

export function createGroups(options: GroupsOptions): Groups {
  const { clock, monitorCache, underWay, onJudgementNeeded } = options
  const watching = new Map<number, Watching>()
  /** Their round under way may have read the states before the change. */
  const again = new Set<number>()
  /** On the monotonic clock. */
  const askedFor = new Map<number, number>()

  function update(cached: CachedMonitor): void {
    const rule = memberRuleOf(cached)
    const { id, account_id } = cached.record
    if (rule === undefined) return
    watching.set(id, { ...rule, account_id })
  }

  function judge(group: CachedMonitor): void {
    const { id } = group.record
    const now = clock.monotonic()
    const asked = askedFor.get(id) ?? -Infinity
    const at = asked > now ? asked : Math.max(now, asked + PAUSE_MS)
    askedFor.set(id, at)
    onJudgementNeeded(group, clock.now() + at - now)
  }

  function judgeGroupsOf(member: CachedMonitor): void {
    const { id, account_id, common } = member.record
    for (const [group_id, rule] of watching) {
      if (rule.account_id !== account_id || group_id === id) continue
      if (!rule.monitor_ids.includes(id) && !hasTagOf(rule, common.tags)) continue
      const group = monitorCache.peek(group_id)
      if (underWay(group_id)) again.add(group_id)
      else if (group !== undefined) judge(group)
    }
  }

  return {
    update,
    forget(id) {
      watching.delete(id)
      again.delete(id)
      askedFor.delete(id)
    },
    follow({ before, after, change }) {
      if (after === undefined) watching.delete(before.record.id)
      else if (change.settings !== undefined) update(after)
      if (watching.size === 0) return
      if (after !== undefined && again.delete(after.record.id)) judge(after)
      const isSame = before.record.machine.state === after?.record.machine.state
      if (isSame && change.settings === undefined) return
      judgeGroupsOf(before)
      if (after !== undefined && change.settings !== undefined) judgeGroupsOf(after)
    },
  }
}
