/**
 * Defaults of new monitors that an engine or an account sets: which settings they may have, and which of them a type
 * takes.
 *
 * @module
 */

import type { AnyChecker } from '../../checkers/checker.ts'
import type { AnyField, FieldTable } from '../../fields/field.ts'
import { fieldNamed } from '../../fields/field.ts'
import type { JsonObject } from '../../model.ts'
import { commonFields } from './monitor-fields.ts'

/** They say something of one monitor. */
const PER_MONITOR: readonly string[] = ['name', 'depends_on', 'maintenance']
/** They name contacts, which belong to one account. */
const PER_ACCOUNT: readonly string[] = ['contact_ids', 'contact_delay']

/** A registered type, by the settings that all monitors have. */
interface DefaultsType {
  readonly checker: AnyChecker
  readonly common: FieldTable
}

/** The bounds that most types have; none is required, and none has a default. */
export function defaultsTable(setBy: 'engine' | 'account'): FieldTable {
  const excluded = setBy === 'account' ? PER_MONITOR : [...PER_MONITOR, ...PER_ACCOUNT]
  const fields = Object.entries<AnyField>(commonFields())
  return Object.fromEntries(
    fields
      .filter(([name]) => !excluded.includes(name))
      .map(([name, { fallback: _, ...field }]) => [name, { ...field, presence: 'optional' }]),
  )
}

/** The input with the defaults that it leaves open, as far as the type takes them. */
export function withDefaults(
  type: DefaultsType,
  input: JsonObject,
  defaults: JsonObject,
): JsonObject {
  const taken = Object.entries(defaults).filter(
    ([name, value]) => (input[name] ?? null) === null && takes(type, name, value),
  )
  return { ...input, ...Object.fromEntries(taken) }
}

/**
 * A value outside the bounds of the type is not moved to the nearest one: an interval meant for web servers would
 * query a registry as often as it allows.
 */
function takes({ common, checker }: DefaultsType, name: string, value: unknown): boolean {
  const field = fieldNamed(common, name)
  if (field === undefined || field.info.no_effect !== undefined) return false
  // How often a job runs is not how often something is checked.
  if (name === 'interval_sec' && checker.push !== undefined) return false
  if (name.endsWith('_threshold') && checker.common?.certain === true) return false
  const result = field.schema['~standard'].validate(value)
  return !(result instanceof Promise) && result.issues === undefined
}
