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
}

/** Whether the plan changes nothing. */
export function isEmptyPlan({ create, update, pause, resume, remove }: SyncPlan): boolean {
  return [create, update, pause, resume, remove].every((part) => part.length === 0)
}

const VALUE_CHARS = 80

/** One line per monitor that changes, one per difference, and a count of the rest. */
export function describePlan(plan: SyncPlan): string[] {
  const one = (sign: string, { key, name }: { key: string; name: string }): string =>
    `${sign} ${key}  ${JSON.stringify(name)}`
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

function differenceText({ field, from, to }: Difference): string {
  const [before, after] = [shown(from), shown(to)]
  // Only secrets are masked, so equal texts mean another secret.
  return before === after ? `${field}: another secret` : `${field}: ${before} → ${after}`
}

function shown(value: Json): string {
  const text = JSON.stringify(value)
  return text.length <= VALUE_CHARS ? text : `${text.slice(0, VALUE_CHARS - 1)}…`
}
