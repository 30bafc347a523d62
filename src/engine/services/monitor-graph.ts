/**
 * What monitors wait for: the parents that they depend on, and the members that a composite is judged from. No monitor
 * may wait for itself, over any number of these.
 *
 * @module
 */

import { addProblem, problemAt } from '../../fields/problems.ts'
import type { JsonObject, MonitorRecord } from '../../model.ts'
import type { Core } from '../core/core.ts'
import type { MonitorType } from '../registry/registry.ts'
import { hasTagOf, ruleOf } from '../rounds/composite.ts'

/** A monitor as it would be stored. */
export interface MonitorDraft {
  readonly account_id: number
  /** Absent for a new one. */
  readonly id: number | undefined
  readonly type: MonitorType
  readonly common: { readonly depends_on: readonly number[]; readonly tags: readonly string[] }
  readonly settings: JsonObject
}

/** A new monitor has no id yet. */
const NEW = 0
/** Members by tag. */
const MOST_BY_TAG = 1000
/** Monitors read in a row before yielding: a store that answers synchronously never yields by itself. */
const READ_AT_ONCE = 16

/** Parents and members must exist in the account, and none may wait for this monitor, directly or indirectly. */
export async function graphProblems(
  core: Core,
  draft: MonitorDraft,
): Promise<Record<string, string>> {
  const problems: Record<string, string> = {}
  const { account_id, type, common, settings, id = NEW } = draft
  const isComposite = type.checker.composite !== undefined
  const named = {
    depends_on: common.depends_on,
    monitor_ids: isComposite ? ruleOf(settings).monitor_ids : [],
  }
  if (named.depends_on.length === 0 && !isComposite) return problems
  const below = await waitingFor(core, draft)
  for (const [name, ids] of Object.entries(named))
    for (const [index, other_id] of ids.entries()) {
      const note = (problem: string): void =>
        addProblem(problems, name, problemAt([index], problem))
      const other = await core.store.monitors.get(other_id)
      if (other?.account_id !== account_id) note(`invalid: there is no monitor ${other_id}`)
      else if (below.has(other_id)) note(`invalid: monitor ${other_id} depends on this one`)
    }
  if (Object.keys(problems).length > 0 || !isComposite) return problems
  const own = (await byTag(core, draft, settings)).find((member) => below.has(member))
  if (own === undefined) return problems
  return {
    member_tags:
      own === id
        ? 'invalid: it would be its own member'
        : `invalid: monitor ${own}, a member by tag, depends on this one`,
  }
}

/** Of all that this monitor waits for, those that wait for it, and the monitor itself. */
async function waitingFor(core: Core, draft: MonitorDraft): Promise<ReadonlySet<number>> {
  const { id = NEW, common, settings, type } = draft
  const own = type.checker.composite === undefined ? [] : await membersOf(core, draft, settings)
  return dependents(await readAbove(core, draft, [...common.depends_on, ...own]), id)
}

/** These monitors and all that they wait for, each with what it waits for. Each is read once. */
async function readAbove(
  core: Core,
  draft: MonitorDraft,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const { store, clock, registry } = core
  const edges = new Map<number, readonly number[]>()
  const wanted = new Set(ids)
  wanted.delete(draft.id ?? NEW)
  for (const id of wanted) {
    if (edges.size > 0 && edges.size % READ_AT_ONCE === 0) await clock.sleep(0)
    const record = await store.monitors.get(id)
    const isComposite =
      record !== undefined && registry.get(record.type)?.checker.composite !== undefined
    const members = isComposite ? await membersOf(core, draft, record.settings) : []
    const own = [...(record?.common.depends_on ?? []), ...members]
    edges.set(id, own)
    for (const each of own) if (each !== (draft.id ?? NEW)) wanted.add(each)
  }
  return edges
}

async function membersOf(core: Core, draft: MonitorDraft, settings: JsonObject): Promise<number[]> {
  return [...ruleOf(settings).monitor_ids, ...(await byTag(core, draft, settings))]
}

/** Members by tag, with this monitor as it would be stored. */
async function byTag(
  { store, registry }: Core,
  { account_id, id = NEW, type, common }: MonitorDraft,
  settings: JsonObject,
): Promise<number[]> {
  const rule = ruleOf(settings)
  if (rule.tags.size === 0) return []
  const tags = [[...rule.tags]]
  const found = await store.monitors.list({ account_id, tags, limit: MOST_BY_TAG })
  const isMember = (record: Pick<MonitorRecord, 'id' | 'type'>): boolean =>
    record.id !== id && registry.get(record.type)?.checker.composite === undefined
  const isDraftMember = type.checker.composite === undefined && hasTagOf(rule, common.tags)
  return [...found.filter(isMember).map((record) => record.id), ...(isDraftMember ? [id] : [])]
}

/** The monitor and those that wait for it, directly or indirectly. */
function dependents(
  edges: ReadonlyMap<number, readonly number[]>,
  id: number,
): ReadonlySet<number> {
  const children = new Map<number, number[]>()
  for (const [child, own] of edges)
    for (const parent of own) {
      const known = children.get(parent)
      if (known === undefined) children.set(parent, [child])
      else known.push(child)
    }
  const below = new Set([id])
  for (const each of below) for (const child of children.get(each) ?? []) below.add(child)
  return below
}
