/**
 * Limits concurrent work to a number of slots; waiting accounts are served round-robin.
 *
 * @module
 */

import { waitFor } from '../timing/stop.ts'
import type { StopSignal } from '../timing/stop.ts'

export interface Semaphore {
  /**
   * Runs `work` once a slot is free. An abort ends the wait for a slot or for the result; running
   * work keeps its slot until it ends, since it cannot be cancelled. Without an account all calls
   * share one queue.
   */
  run<T>(signal: StopSignal, work: () => Promise<T>, account_id?: number): Promise<T>
  /** Calls of the account that wait for a slot. */
  waiting(account_id: number): number
}

export function createSemaphore(slots: number): Semaphore {
  let taken = 0
  const waiting = createRoundRobin<() => void>()

  function leave(account_id: number): void {
    taken -= 1
    // It has just had a turn, which it may have taken without waiting for it.
    waiting.defer(account_id)
    waiting.take()?.()
  }

  return {
    run: (signal, work, account_id = 0) =>
      waitFor(signal, ({ resolve, reject }) => {
        const enter = (): void => {
          taken += 1
          work()
            .then(resolve, reject)
            .finally(() => leave(account_id))
        }
        if (taken < slots) enter()
        else waiting.add(account_id, enter)
        return () => waiting.delete(account_id, enter)
      }),
    waiting: (account_id) => waiting.of(account_id),
  }
}

/**
 * A queue by account: each account in the ring gets one item per turn; within an account first in,
 * first out. An account with many items delays each other account by one item per turn.
 */
export interface RoundRobin<T> {
  readonly size: number
  add(account_id: number, item: T): void
  /** Removes and returns the next item. */
  take(): T | undefined
  delete(account_id: number, item: T): void
  /** Puts the account behind all others. */
  defer(account_id: number): void
  /** Number of items of the account. */
  of(account_id: number): number
  /** Number of items that would be taken before one that this account adds now. */
  before(account_id: number): number
}

export function createRoundRobin<T>(): RoundRobin<T> {
  /** Accounts with waiting items, in turn order. */
  const ring = new Map<number, Set<T>>()
  let size = 0

  return {
    get size() {
      return size
    },
    add(account_id, item) {
      const own = ring.get(account_id) ?? new Set()
      ring.set(account_id, own)
      own.add(item)
      size++
    },
    take() {
      const [first] = ring
      if (first === undefined) return undefined
      const [account_id, own] = first
      const [item] = own
      if (item === undefined) return undefined
      own.delete(item)
      size--
      // To the end of the ring.
      ring.delete(account_id)
      if (own.size > 0) ring.set(account_id, own)
      return item
    },
    delete(account_id, item) {
      const own = ring.get(account_id)
      if (own?.delete(item) !== true) return
      size--
      if (own.size === 0) ring.delete(account_id)
    },
    defer(account_id) {
      const own = ring.get(account_id)
      if (own === undefined) return
      ring.delete(account_id)
      ring.set(account_id, own)
    },
    of: (account_id) => ring.get(account_id)?.size ?? 0,
    before(account_id) {
      const rounds = ring.get(account_id)?.size ?? 0
      let count = rounds
      // Accounts ahead in the ring get one more turn by then.
      let isAhead = true
      for (const [id, { size: waiting }] of ring) {
        if (id === account_id) isAhead = false
        else count += Math.min(waiting, isAhead ? rounds + 1 : rounds)
      }
      return count
    },
  }
}
