/**
 * Turns the synchronous functions of a store into the promises of the contract.
 *
 * @module
 */

import { isWatchpostError, StorageError } from '../errors.ts'
import type { WatchpostError } from '../errors.ts'

/** A group of the contract with synchronous results, except for `Slow`, which take several turns. */
export type Sync<Group, Slow extends keyof Group = never> = {
  readonly [Name in keyof Group]: Name extends Slow
    ? Group[Name]
    : Group[Name] extends (...args: infer Args) => Promise<infer Result>
      ? (...args: Args) => Result
      : never
}

/** The same where it does not matter which of them are slow. */
export type Grouped<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result | Promise<Result>
    : never
}

interface Passage {
  /** Called before each function; throws if the store is not open. */
  readonly check?: () => void
  /** Converts a thrown value into the rejection. */
  readonly failure: (error: unknown) => Error
}

/** Wraps every function of the group in a promise. */
export function promised<Group extends object>(group: Grouped<Group>, passage: Passage): Group {
  const entries = Object.entries<(...args: unknown[]) => unknown>(group)
  const wrapped = entries.map(([name, run]) => [
    name,
    // Not `async`: when the call returns, the work is done and its order fixed, or has begun.
    (...args: unknown[]): Promise<unknown> => {
      try {
        passage.check?.()
        return settled(run(...args), passage)
      } catch (error) {
        return Promise.reject(passage.failure(error))
      }
    },
  ])
  return Object.fromEntries(wrapped) as Group
}

function settled(result: unknown, { failure }: Passage): Promise<unknown> {
  if (!(result instanceof Promise)) return Promise.resolve(result)
  return result.catch((error: unknown) => {
    throw failure(error)
  })
}

/** Wraps any error as a `StorageError`; a `WatchpostError` stays as it is. */
export function storageError(message: string, error: unknown): WatchpostError {
  if (isWatchpostError(error)) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new StorageError(`${message}: ${reason}`, { cause: error })
}
