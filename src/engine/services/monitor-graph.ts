/**
 * What monitors wait for: the parents that they depend on, and the members that a composite is judged from. No monitor
 * may wait for itself, over any number of these.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import { addProblem, problemAt } from '../../fields/problems.ts'
import type { JsonObject, MonitorRecord } from '../../model.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'
import type { MonitorType } from '../registry/registry.ts'
import { hasTagOf, MAX_BY_TAG, ruleOf } from '../rounds/composite.ts'

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
  const tagged = isComposite ? await byTag(core, draft, settings) : []
  const ids = [...named.depends_on, ...named.monitor_ids]
  const below = dependents(await readAbove(core, draft, { ids, records: tagged }), id)
  for (const [name, ids] of Object.entries(named))
    for (const [index, other_id] of ids.entries()) {
      const note = (problem: string): void =>
        addProblem(problems, name, problemAt([index], problem))
      const other = await core.store.monitors.get(other_id)
      if (other?.account_id !== account_id) note(`invalid: there is no monitor ${other_id}`)
      else if (below.has(other_id)) note(`invalid: monitor ${other_id} depends on this one`)
    }
  if (Object.keys(problems).length > 0 || !isComposite) return problems
  const dependent = tagged.find((member) => below.has(member.id))
  if (dependent === undefined) return problems
  return { member_tags: `invalid: monitor ${dependent.id}, a member by tag, depends on this one` }
}

interface Above {
  readonly ids: readonly number[]
  /** These as well, which need not be read. */
  readonly records: readonly MonitorRecord[]
}

/** These monitors and all that they wait for, each with what it waits for. Each is read once. */
async function readAbove(
  core: Core,
  draft: MonitorDraft,
  { ids, records }: Above,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const { store, clock } = core
  const known = new Map(records.map((record) => [record.id, record]))
  const edges = new Map<number, readonly number[]>()
  const wanted = new Set([...ids, ...known.keys()])
  wanted.delete(draft.id ?? NEW)
  const yieldIfLong = yielderOf(clock)
  for (const id of wanted) {
    await yieldIfLong()
    const record = known.get(id) ?? (await store.monitors.get(id))
    const reached = record === undefined ? [] : await waitsFor(core, draft, record)
    edges.set(id, reached)
    for (const each of reached) if (each !== (draft.id ?? NEW)) wanted.add(each)
  }
  return edges
}

/** Parents, and members of a composite: by tag also the monitor as it would be stored. */
async function waitsFor(core: Core, draft: MonitorDraft, record: MonitorRecord): Promise<number[]> {
  const { depends_on } = record.common
  if (core.registry.get(record.type)?.checker.composite === undefined) return [...depends_on]
  const rule = ruleOf(record.settings)
  const tagged = await byTag(core, draft, record.settings)
  const { id = NEW, type, common } = draft
  const isMember = type.checker.composite === undefined && hasTagOf(rule, common.tags)
  return [
    ...depends_on,
    ...rule.monitor_ids,
    ...tagged.map((member) => member.id),
    ...(isMember ? [id] : []),
  ]
}

/** Members by tag as they are stored, without the monitor itself. */
async function byTag(
  core: Core,
  { account_id, id = NEW }: MonitorDraft,
  settings: JsonObject,
): Promise<readonly MonitorRecord[]> {
  const rule = ruleOf(settings)
  if (rule.tags.size === 0) return []
  const tags = [[...rule.tags]]
  const found = await core.store.monitors.list(
    { account_id, tags, limit: MAX_BY_TAG },
    setAside(core, 'monitor'),
  )
  return found.filter(
    (record) => record.id !== id && core.registry.get(record.type)?.checker.composite === undefined,
  )
}

/** The monitor and those that wait for it, directly or indirectly. */
function dependents(
  edges: ReadonlyMap<number, readonly number[]>,
  id: number,
): ReadonlySet<number> {
  const children = new Map<number, number[]>()
  for (const [child, parents] of edges)
    for (const parent of parents) {
      const known = children.get(parent)
      if (known === undefined) children.set(parent, [child])
      else known.push(child)
    }
  const below = new Set([id])
  for (const each of below) for (const child of children.get(each) ?? []) below.add(child)
  return below
}
