/**
 * The parts of a command, and the exit codes that all commands share.
 *
 * @module
 */

import type { ParseArgsConfig } from 'node:util'

/** Of `check` and `verify` as monitoring plugins have them; `usage` as in sysexits(3). */
export const EXIT = { ok: 0, failed: 1, failing: 2, unknown: 3, usage: 64 } as const

export type Environment = Readonly<Record<string, string | undefined>>
export type FlagOptions = NonNullable<ParseArgsConfig['options']>
export type Flags = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>

/** One call of a command. */
export interface Call {
  readonly flags: Flags
  /** What is no flag, in order. */
  readonly words: readonly string[]
  readonly env: Environment
}

/** The possible words of a command, for shells that complete them. */
export interface Words {
  /** Known ones, each with what may come behind it. */
  readonly known?: Readonly<Record<string, readonly string[]>>
  /** The known ones may come again and again. */
  readonly repeated?: boolean
  /** Paths are expected: after the known words, or from the start if there are none. */
  readonly files?: boolean
}

export interface Command {
  /** Usage, what it does, examples, flags, exit codes: lines of at most 110 characters. */
  readonly help: string
  readonly options: FlagOptions
  words?(): Words | Promise<Words>
  /** Resolves with the exit code. @throws ConfigurationError for wrong usage */
  run(call: Call): Promise<number>
}

/** Value of a flag that is given at most once. */
export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}
