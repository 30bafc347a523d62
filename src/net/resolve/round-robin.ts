/**
 * A round-robin queue by account: each account in the ring gets one item per turn; within an
 * account first in, first out. An account with many items delays each other account by one item per
 * turn.
 *
 * @module
 */

export interface RoundRobin<T> {
  readonly size: number
  add(account_id: number, item: T): void
  /** Removes and returns the next item. */
  take(): T | undefined
  delete(account_id: number, item: T): void
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
