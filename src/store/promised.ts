/**
 * Lets a store that works in one go be written with plain functions and offered as the promises of the contract.
 *
 * @module
 */

import { isWatchpostError, StorageError } from '../errors.ts'
import type { WatchpostError } from '../errors.ts'

/** A group of the contract with the promises taken off. */
export type Sync<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never
}

interface Passage {
  /** Called before each function; throws where the store is not ready. */
  readonly check?: () => void
  /** What a thrown value is rejected as. */
  readonly failure: (error: unknown) => Error
}

/** Every function of the group as one that answers with a promise. */
export function promised<Group extends object>(group: Sync<Group>, passage: Passage): Group {
  const entries = Object.entries<(...args: unknown[]) => unknown>(group)
  const wrapped = entries.map(([name, run]) => [
    name,
    // Not `async`: the work is done, and its order decided, by the time the call returns.
    (...args: unknown[]): Promise<unknown> => {
      try {
        passage.check?.()
        return Promise.resolve(run(...args))
      } catch (error) {
        return Promise.reject(passage.failure(error))
      }
    },
  ])
  return Object.fromEntries(wrapped) as Group
}

/** Any error as a `StorageError`; one of ours is kept: that, or what says why a value was refused. */
export function storageError(message: string, error: unknown): WatchpostError {
  if (isWatchpostError(error)) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new StorageError(`${message}: ${reason}`, { cause: error })
}
