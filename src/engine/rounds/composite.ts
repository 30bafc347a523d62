/**
 * Composite types: the members of a monitor as they are at present, and the report that their states give. No probe
 * is asked.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import type { Member } from '../../checkers/member.ts'
import { decodeSettings } from '../../fields/parse.ts'
import type { CheckReport, JsonObject, MonitorRecord } from '../../model.ts'
import { fold } from '../../model/fold.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import type { SummarySource } from '../views/views.ts'

/** Members by tag. */
export const MAX_BY_TAG = 1000

export interface CompositeContext {
  readonly core: Core
  readonly monitorCache: Pick<MonitorCache, 'peek' | 'withTag'>
  readonly isStale: (cached: SummarySource) => boolean
}

/** The members that a monitor of a composite type names: by id, and by tag. */
export interface MemberRule {
  readonly monitor_ids: readonly number[]
  /** Folded, as tags are compared. */
  readonly tags: ReadonlySet<string>
}

/** `undefined` for a type that is not composite. */
export function memberRuleOf({
  type,
  settings,
}: Pick<CachedMonitor, 'type' | 'settings'>): MemberRule | undefined {
  return type.checker.composite === undefined ? undefined : ruleOf(settings)
}

export function ruleOf(settings: JsonObject): MemberRule {
  const { monitor_ids = [], member_tags = [] } = settings as {
    readonly monitor_ids?: readonly number[]
    readonly member_tags?: readonly string[]
  }
  return { monitor_ids, tags: new Set(member_tags.map(fold)) }
}

/** Whether a monitor with these tags is a member by tag. */
export function hasTagOf(rule: MemberRule, tags: readonly string[]): boolean {
  return rule.tags.size > 0 && tags.some((tag) => rule.tags.has(fold(tag)))
}

/** Judges a monitor of a composite type. */
export async function compositeReport(
  context: CompositeContext,
  cached: CachedMonitor,
): Promise<CheckReport> {
  const { checker } = cached.type
  const members = await membersOf(context, cached)
  const settings = decodeSettings(checker.fields, cached.settings as never)
  const judged = checker.composite?.judge(members, settings)
  return {
    outcome: {
      verdict: judged?.verdict ?? 'unknown',
      cause_code: judged?.cause_code ?? null,
      cause_text: judged?.cause_text ?? null,
      phase: null,
      started_at: iso(context.core.clock.now()),
      duration_ms: 0,
      phases: {},
      remote_ip: null,
      details: judged?.findings.details ?? {},
    },
  }
}

async function membersOf(context: CompositeContext, composite: CachedMonitor): Promise<Member[]> {
  const { record } = composite
  const rule = ruleOf(composite.settings)
  const found = new Map<number, CachedMonitor | MonitorRecord>()
  for (const id of rule.monitor_ids) {
    const member = context.monitorCache.peek(id) ?? (await context.core.store.monitors.get(id))
    if (member !== undefined) found.set(id, member)
  }
  if (rule.tags.size > 0)
    for (const member of await byTag(context, record.account_id, rule))
      found.set(recordOf(member).id, member)
  found.delete(record.id)
  return (
    [...found.values()]
      // An id of another account is no member, whatever the settings say.
      .filter((member) => recordOf(member).account_id === record.account_id)
      .sort((a, b) => recordOf(a).id - recordOf(b).id)
      .map((member) => memberOf(context, member))
  )
}

/** From memory, unless other engines on the store run some of the monitors. */
async function byTag(
  { core, monitorCache }: CompositeContext,
  account_id: number,
  rule: MemberRule,
): Promise<readonly (CachedMonitor | MonitorRecord)[]> {
  const isMember = ({ type }: MonitorRecord): boolean =>
    core.registry.get(type)?.checker.composite === undefined
  if (!core.store.shared) {
    const members: CachedMonitor[] = []
    for (const id of await monitorCache.withTag(account_id, rule.tags)) {
      const cached = monitorCache.peek(id)
      if (cached !== undefined && isMember(cached.record)) members.push(cached)
      if (members.length === MAX_BY_TAG) break
    }
    return members
  }
  const records = await core.store.monitors.list(
    { account_id, tags: [[...rule.tags]], limit: MAX_BY_TAG },
    setAside(core, 'monitor'),
  )
  return records.filter(isMember).map((record) => monitorCache.peek(record.id) ?? record)
}

function memberOf({ isStale }: CompositeContext, member: CachedMonitor | MonitorRecord): Member {
  const { id, common, machine } = recordOf(member)
  const source = 'record' in member ? member : { record: member, locations: new Map() }
  return { id, name: common.name, state: machine.state, stale: isStale(source) }
}

function recordOf(member: CachedMonitor | MonitorRecord): MonitorRecord {
  return 'record' in member ? member.record : member
}
