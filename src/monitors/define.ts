/**
 * Monitors as code: a list that a repository keeps, with the types of each checker.
 *
 * @module
 */

import type { AnyChecker, CheckerInput } from '../checkers/checker.ts'
import type { builtinCheckers } from '../checkers/index.ts'
import type { CommonInput } from '../engine/api/inputs.ts'

/** Any of the checkers that ship with watchpost. */
export type BuiltinChecker = ReturnType<typeof builtinCheckers>[number]

/** What an entry says by name, where the engine has ids. */
type ById = 'name' | 'location_ids' | 'contact_ids' | 'contact_delay' | 'depends_on'

interface ByName {
  /**
   * Identifies the monitor for ever: 1 to 60 lower-case letters, digits, `.`, `_`, `-` and `/`. Kept as the
   * tag `key:<key>`. Another key is another monitor.
   */
  readonly key: string
  /** Default: the checked address. */
  readonly name?: string | undefined
  /** Names of contacts told besides those marked for all monitors. */
  readonly contacts?: readonly string[] | undefined
  /** Name of a contact to minutes. */
  readonly contact_delay?: Readonly<Record<string, number>> | undefined
  /** Names of locations; default all. */
  readonly locations?: readonly string[] | undefined
  /** Keys of monitors of the same list. */
  readonly depends_on?: readonly string[] | undefined
  /** `true` is paused, `false` is not; where absent, people may pause and resume it. */
  readonly paused?: boolean | undefined
}

/** One monitor: a type with its settings, and the common ones. */
export type MonitorEntry<C extends AnyChecker = BuiltinChecker> = C extends AnyChecker
  ? CheckerInput<C> & Omit<CommonInput, ById> & ByName
  : never

/**
 * The list as it is, checked by the compiler. Checkers of your own are named as well:
 * `defineMonitors<BuiltinChecker | ReturnType<typeof mine>>([…])`.
 */
export function defineMonitors<C extends AnyChecker = BuiltinChecker>(
  monitors: readonly MonitorEntry<C>[],
): readonly MonitorEntry<C>[] {
  return monitors
}
