/**
 * The changes that bring an account to the state of a list of monitors, and their description.
 *
 * @module
 */

import type { Json } from '../model.ts'

/** A stored monitor. */
export interface KnownMonitor {
  readonly key: string
  readonly id: number
  readonly name: string
}

export interface CreatedMonitor {
  readonly key: string
  /** `null` until it is created. */
  readonly id: number | null
  readonly type: string
  readonly name: string
}

export interface UpdatedMonitor extends KnownMonitor {
  readonly changes: readonly Difference[]
}

export interface Difference {
  /** The name in the list: `contacts`, not `contact_ids`. */
  readonly field: string
  /** Secrets are `***` on both sides. */
  readonly from: Json
  readonly to: Json
}

/** What becomes of the windows of a list. */
export interface WindowPlan {
  readonly create: readonly Omit<KnownMonitor, 'id'>[]
  readonly update: readonly (KnownMonitor & { readonly changes: readonly Difference[] })[]
  readonly unchanged: readonly KnownMonitor[]
  readonly remove: readonly KnownMonitor[]
  /** Created from a list earlier, and no longer in it. */
  readonly leave: readonly KnownMonitor[]
  /** New ones that have ended: they are not created. */
  readonly ended: readonly Omit<KnownMonitor, 'id'>[]
}

export const NO_WINDOWS: WindowPlan = {
  ...{ create: [], update: [], unchanged: [], remove: [], leave: [], ended: [] },
}

/** A setting of the list without effect. */
export interface EntryWarning {
  readonly key: string
  /** The name in the list. */
  readonly field: string
  readonly text: string
}

export interface SyncPlan {
  readonly create: readonly CreatedMonitor[]
  readonly update: readonly UpdatedMonitor[]
  readonly unchanged: readonly KnownMonitor[]
  /** Paused by the list, or no longer in it. */
  readonly pause: readonly KnownMonitor[]
  readonly resume: readonly KnownMonitor[]
  readonly remove: readonly KnownMonitor[]
  /** Created from a list earlier, and no longer in it. */
  readonly leave: readonly KnownMonitor[]
  readonly warnings: readonly EntryWarning[]
  /** Maintenance windows; empty if the list says nothing of them. */
  readonly maintenance: WindowPlan
}

/** Whether the plan changes nothing. */
export function isEmptyPlan({
  create,
  update,
  pause,
  resume,
  remove,
  maintenance: windows,
}: SyncPlan): boolean {
  const ofWindows = [windows.create, windows.update, windows.remove]
  return [create, update, pause, resume, remove, ...ofWindows].every((part) => part.length === 0)
}

const VALUE_CHARS = 80

/** One line per monitor that changes, one per difference, and a count of the rest. */
export function describePlan(plan: SyncPlan): string[] {
  return [...monitorLines(plan), ...windowLines(plan.maintenance)]
}

const one = (sign: string, { key, name }: { key: string; name: string }): string =>
  `${sign} ${key}  ${JSON.stringify(name)}`

function monitorLines(plan: SyncPlan): string[] {
  return [
    ...plan.create.map((each) => `${one('+', each)}  ${each.type}`),
    ...plan.update.flatMap((each) => [
      one('~', each),
      ...each.changes.map((change) => `    ${differenceText(change)}`),
    ]),
    ...plan.resume.map((each) => `${one('>', each)}  resume`),
    ...plan.pause.map((each) => `${one('|', each)}  pause`),
    ...plan.remove.map((each) => `${one('-', each)}  remove`),
    ...plan.leave.map((each) => `${one('?', each)}  not in the list, left alone`),
    ...plan.warnings.map(({ key, field, text }) => `! ${key}  ${field}: ${text}`),
    `${plan.create.length} to create, ${plan.update.length} to update, ${plan.remove.length} to remove, ${plan.unchanged.length} unchanged`,
  ]
}

function windowLines(plan: WindowPlan): string[] {
  const { create, update, remove, unchanged, leave, ended } = plan
  if (Object.values(plan).every((part: readonly unknown[]) => part.length === 0)) return []
  return [
    ...create.map((each) => one('+', each)),
    ...update.flatMap((each) => [
      one('~', each),
      ...each.changes.map((change) => `    ${differenceText(change)}`),
    ]),
    ...remove.map((each) => `${one('-', each)}  remove`),
    ...leave.map((each) => `${one('?', each)}  not in the list, left alone`),
    ...ended.map((each) => `! ${each.key}  window: has ended, and is not created`),
    `maintenance: ${create.length} to create, ${update.length} to update, ${remove.length} to remove, ${unchanged.length} unchanged`,
  ]
}

function differenceText({ field, from, to }: Difference): string {
  const [before, after] = [shown(from), shown(to)]
  // Only secrets are masked, so equal texts mean another secret.
  return before === after ? `${field}: another secret` : `${field}: ${before} → ${after}`
}

function shown(value: Json): string {
  const text = JSON.stringify(value)
  return text.length <= VALUE_CHARS ? text : `${text.slice(0, VALUE_CHARS - 1)}…`
}
