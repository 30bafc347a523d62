/**
 * What waits, by account: the accounts have their turns in a ring, each one item at a time; within an account first
 * come, first served. So one that has much to do delays each other one by a single item a turn, however much that is.
 *
 * @module
 */

export interface RoundRobin<T> {
  readonly size: number
  add(account_id: number, item: T): void
  /** Takes out whose turn it is. */
  take(): T | undefined
  delete(account_id: number, item: T): void
  /** How many would be taken before one that this account adds now. */
  before(account_id: number): number
}

export function createRoundRobin<T>(): RoundRobin<T> {
  /** In the order of their turns; only those with something that waits. */
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
      // Behind all others.
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
      // Whoever stands before it in the ring has one turn more by then.
      let isAhead = true
      for (const [id, { size: waiting }] of ring) {
        if (id === account_id) isAhead = false
        else count += Math.min(waiting, isAhead ? rounds + 1 : rounds)
      }
      return count
    },
  }
}
