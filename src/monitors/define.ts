/**
 * Monitors as code: a list in a repository, typed by checker.
 *
 * @module
 */

import type { AnyChecker, CheckerInput } from '../checkers/checker.ts'
import type { SpecifiedChecker } from '../checkers/index.ts'
import type { CommonInput } from '../engine/api/inputs.ts'

/** Any of the built-in checkers that are registered without further options. */
export type BuiltinChecker = SpecifiedChecker

/** Fields with names in entries and ids in the engine. */
type ById = 'name' | 'location_ids' | 'contact_ids' | 'contact_delay' | 'depends_on'

interface ByName {
  /**
   * Identifies the monitor permanently: 1 to 60 lower-case letters, digits, `.`, `_`, `-` and `/`.
   * Stored as the tag `key:<key>`. Another key is another monitor.
   */
  readonly key: string
  /** Default: the checked address. */
  readonly name?: string | undefined
  /** Names of contacts, in addition to those for all monitors. */
  readonly contacts?: readonly string[] | undefined
  /** Name of a contact to minutes. */
  readonly contact_delay?: Readonly<Record<string, number>> | undefined
  /** Names of locations; default all. */
  readonly locations?: readonly string[] | undefined
  /** Keys of monitors of the same list. */
  readonly depends_on?: readonly string[] | undefined
  /** `true`: paused, `false`: not paused; if absent, users may pause and resume it. */
  readonly paused?: boolean | undefined
}

/** One monitor: a type with its settings, and the common settings. */
export type MonitorEntry<C extends AnyChecker = BuiltinChecker> = C extends AnyChecker
  ? CheckerInput<C> & Omit<CommonInput, ById> & ByName
  : never

/**
 * Returns the list unchanged, checked by the compiler. Name checkers beyond the specification and of your own as
 * well: `defineMonitors<BuiltinChecker | ExtraChecker | ReturnType<typeof mine>>([…])`.
 */
export function defineMonitors<C extends AnyChecker = BuiltinChecker>(
  monitors: readonly MonitorEntry<C>[],
): readonly MonitorEntry<C>[] {
  return monitors
}
