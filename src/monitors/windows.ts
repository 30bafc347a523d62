/**
 * Planned work as code: maintenance windows of a list, compared with those of an account.
 *
 * A window keeps its key as the tag `window:<key>`, and names monitors of the list by the tags of their keys.
 *
 * @module
 */

import type { AccountScope } from '../engine/api/engine.ts'
import type { WindowInput } from '../engine/api/inputs.ts'
import type { MaintenanceView } from '../engine/api/maintenance.ts'
import { isWatchpostError, unlessGone, ValidationError } from '../errors.ts'
import type { Json } from '../model.ts'
import { isJsonObject } from '../model/json.ts'
import { isKey, KEY_PROBLEM, namesIn, tagOf } from './reading.ts'
import type { Problems } from './reading.ts'
import type { Difference, WindowPlan } from './plan.ts'

/** A maintenance window; at least one of `monitors`, `tags` and `all_monitors` is needed. */
export interface MaintenanceEntry {
  /** Identifies the window permanently, as the key of a monitor does. Stored as the tag `window:<key>`. */
  readonly key: string
  /** 1 to 200 characters; public pages show it. */
  readonly name: string
  readonly window: WindowInput
  /** Keys of monitors of the same list. */
  readonly monitors?: readonly string[] | undefined
  /** Every monitor with one of these tags. */
  readonly tags?: readonly string[] | undefined
  readonly all_monitors?: boolean | undefined
}

type Windows = AccountScope['maintenance']
type Input = Parameters<Windows['create']>[0]

interface PreparedWindow {
  readonly key: string
  readonly input: Input
  readonly known: MaintenanceView | undefined
  readonly changes: readonly Difference[]
  readonly ended: boolean
}

export interface PreparedWindows {
  readonly listed: readonly PreparedWindow[]
  readonly unlisted: readonly (readonly [key: string, window: MaintenanceView])[]
}

const KEY_TAG = 'window:'
const PAGE = 200

/** Adds every problem, keyed `maintenance.<key>.<field>`. */
export async function prepareWindows(
  windows: Windows,
  { list, keys }: { readonly list: unknown; readonly keys: ReadonlySet<string> },
  problems: Problems,
): Promise<PreparedWindows> {
  const entries = readEntries(list, keys, problems)
  const known = await knownWindows(windows)
  const listed: PreparedWindow[] = []
  for (const { key, input } of entries) {
    const stored = known.get(key)
    const options = stored === undefined ? {} : { against: stored.id }
    try {
      const { changes, ended } = await windows.preview(input, options)
      listed.push({ key, input, known: stored, changes: changes.map(inWords), ended })
    } catch (error) {
      if (!isWatchpostError(error) || !(error instanceof ValidationError)) throw error
      for (const [field, problem] of Object.entries(error.fields))
        problems[placeOf(key, field)] ??= problem
    }
  }
  const seen = new Set(entries.map(({ key }) => key))
  return { listed, unlisted: [...known].filter(([key]) => !seen.has(key)) }
}

export function planWindows(
  { listed, unlisted }: PreparedWindows,
  fate: 'leave' | 'pause' | 'remove',
): WindowPlan {
  const fresh = listed.filter(({ known }) => known === undefined)
  const stored = listed.flatMap(({ key, input, known, changes }) =>
    known === undefined ? [] : [{ key, id: known.id, name: input.name, changes }],
  )
  const named = ({ key, input: { name } }: PreparedWindow) => ({ key, name })
  const lost = unlisted.map(([key, { id, name }]) => ({ key, id, name }))
  return {
    create: fresh.filter(({ ended }) => !ended).map(named),
    update: stored.filter(({ changes }) => changes.length > 0),
    unchanged: stored
      .filter(({ changes }) => changes.length === 0)
      .map(({ changes: _, ...window }) => window),
    remove: fate === 'remove' ? lost : [],
    // A window is not paused.
    leave: fate === 'remove' ? [] : lost,
    ended: fresh.filter(({ ended }) => ended).map(named),
  }
}

export async function applyWindows(
  windows: Windows,
  { prepared, plan }: { readonly prepared: PreparedWindows; readonly plan: WindowPlan },
  changed: () => void,
): Promise<void> {
  const inputs = new Map(prepared.listed.map(({ key, input }) => [key, input]))
  for (const { key } of plan.create) await windows.create(inputs.get(key) as Input).then(changed)
  if (plan.create.length > 0) await removeTwins(windows, inputs)
  for (const { key, id } of plan.update)
    await windows.update(id, inputs.get(key) as Input).then(changed)
  for (const { id } of plan.remove) await windows.remove(id).then(changed)
}

function readEntries(
  list: unknown,
  keys: ReadonlySet<string>,
  problems: Problems,
): readonly { readonly key: string; readonly input: Input }[] {
  if (!Array.isArray(list)) {
    problems['maintenance'] = 'invalid: a list is expected'
    return []
  }
  const seen = new Set<string>()
  return (list as readonly unknown[]).flatMap((given, index) => {
    const place = `maintenance entry ${index + 1}`
    if (!isJsonObject(given)) {
      problems[place] = 'invalid: an object is expected'
      return []
    }
    const { key, monitors, ...settings } = given
    if (!isKey(key)) problems[`${place}.key`] = key === undefined ? 'required' : KEY_PROBLEM
    else if (seen.has(key)) problems[placeOf(key, 'key')] = 'invalid: an earlier entry has it'
    if (!isKey(key) || seen.has(key)) return []
    seen.add(key)
    const names = namesIn(monitors, placeOf(key, 'monitors'), problems)
    const stranger = names.find((name) => !keys.has(name))
    if (stranger !== undefined)
      problems[placeOf(key, 'monitors')] =
        `invalid: no monitor of the list has the key "${stranger}"`
    const tags = namesIn(settings['tags'], placeOf(key, 'tags'), problems)
    if (tags.some((tag) => tag.trim().startsWith(KEY_TAG)))
      problems[placeOf(key, 'tags')] = `invalid: ${KEY_TAG}… is set by the sync`
    if (names.length + tags.length === 0 && settings['all_monitors'] !== true)
      problems[placeOf(key, 'monitors')] ??= 'required: or tags, or all_monitors'
    const input = {
      ...{ all_monitors: false, ...settings, monitor_ids: [] },
      tags: [...tags, ...names.map(tagOf), KEY_TAG + key],
    }
    return [{ key, input: input as unknown as Input }]
  })
}

/** Of windows that several syncs made at the same time, the first one of each key stays. */
async function removeTwins(windows: Windows, listed: { has(key: string): boolean }): Promise<void> {
  const first = new Set<string>()
  for await (const [key, { id }] of keyedWindows(windows)) {
    if (first.has(key)) await windows.remove(id).catch(unlessGone)
    else if (listed.has(key)) first.add(key)
  }
}

/** Of several with a key the last: a sync that was interrupted may have left twins. */
async function knownWindows(windows: Windows): Promise<ReadonlyMap<string, MaintenanceView>> {
  const known = new Map<string, MaintenanceView>()
  for await (const [key, window] of keyedWindows(windows)) known.set(key, window)
  return known
}

async function* keyedWindows(
  windows: Windows,
): AsyncGenerator<readonly [key: string, window: MaintenanceView]> {
  for (let after: number | null = 0; after !== null;) {
    const page: Awaited<ReturnType<Windows['list']>> = await windows.list({
      limit: PAGE,
      ...(after === 0 ? {} : { after }),
    })
    for (const window of page.items) {
      const tag = window.tags.find((each) => each.startsWith(KEY_TAG))
      if (tag !== undefined) yield [tag.slice(KEY_TAG.length), window]
    }
    after = page.next
  }
}

function placeOf(key: string, field: string): string {
  return `maintenance.${key}${field === '' ? '' : `.${field}`}`
}

/** The tag of its own key says nothing. */
function inWords({ field, from, to }: Difference): Difference {
  const shown = (value: Json): Json =>
    field === 'tags' && Array.isArray(value)
      ? (value as readonly Json[]).filter(
          (tag) => !(typeof tag === 'string' && tag.startsWith(KEY_TAG)),
        )
      : value
  return { field, from: shown(from), to: shown(to) }
}
