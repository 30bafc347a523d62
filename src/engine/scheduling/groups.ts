/**
 * Monitors of composite types are judged at once when the state of a member changes, besides at their interval.
 *
 * @module
 */

import type { Changed, CachedMonitor, MonitorCache } from '../monitors/monitor-cache.ts'
import { hasTagOf, memberRuleOf } from '../rounds/composite.ts'
import type { MemberRule } from '../rounds/composite.ts'

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
  readonly monitorCache: Pick<MonitorCache, 'peek'>
  readonly underWay: (monitor_id: number) => boolean
  /** The group should be judged now. */
  readonly onJudgementNeeded: (group: CachedMonitor) => void
}

export function createGroups(options: GroupsOptions): Groups {
  const { monitorCache, underWay, onJudgementNeeded } = options
  const watching = new Map<number, Watching>()
  /** Their round under way may have read the states before the change. */
  const again = new Set<number>()

  function update(cached: CachedMonitor): void {
    const rule = memberRuleOf(cached)
    const { id, account_id } = cached.record
    if (rule === undefined) return
    watching.set(id, { ...rule, account_id })
  }

  function judgeGroupsOf(member: CachedMonitor): void {
    const { id, account_id, common } = member.record
    for (const [group_id, rule] of watching) {
      if (rule.account_id !== account_id || group_id === id) continue
      if (!rule.monitor_ids.includes(id) && !hasTagOf(rule, common.tags)) continue
      const group = monitorCache.peek(group_id)
      if (underWay(group_id)) again.add(group_id)
      else if (group !== undefined) onJudgementNeeded(group)
    }
  }

  return {
    update,
    forget(id) {
      watching.delete(id)
      again.delete(id)
    },
    follow({ before, after, change }) {
      if (after === undefined) watching.delete(before.record.id)
      else if (change.settings !== undefined) update(after)
      if (watching.size === 0) return
      if (after !== undefined && again.delete(after.record.id)) onJudgementNeeded(after)
      const isSame = before.record.machine.state === after?.record.machine.state
      if (isSame && change.settings === undefined) return
      judgeGroupsOf(before)
      if (after !== undefined && change.settings !== undefined) judgeGroupsOf(after)
    },
  }
}
