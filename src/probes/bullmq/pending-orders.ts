/**
 * Orders that an engine has sent and that have no answer yet.
 *
 * @module
 */

import type { CheckAnswer, CheckOrder } from '../transport.ts'

export interface Asked {
  readonly order: CheckAnswer['order']
  /** Name of the location. */
  readonly location: string
  /** On the queue of the location. */
  readonly job_id: string
  readonly account_id: number
  /** Monotonic time after which the order is tested for being lost. */
  look_at: number
  /** The order was neither on the queue nor answered at the last test. */
  missed: boolean
}

export interface PendingOrders {
  readonly size: number
  has(order_id: string): boolean
  /** Returns the number of pending orders of the account at the location, this one included. */
  add(order: CheckOrder, job_id: string, look_at: number): number
  /** Removes an order; `undefined` if it is not pending. */
  take(order_id: string): Asked | undefined
  takeAll(of: (asked: Asked) => boolean): readonly Asked[]
  all(): readonly Asked[]
  /** Orders to test now, at most `limit`, oldest first. */
  due(now: number, limit: number): readonly Asked[]
  /** Resolves when no order is left. */
  empty(): Promise<void>
}

export function createPendingOrders(): PendingOrders {
  const asked = new Map<string, Asked>()
  const waiting = new Set<() => void>()
  /** Orders by location and account. */
  const counts = new Map<string, number>()

  function count({ location, account_id }: Asked, by: 1 | -1): number {
    const key = `${account_id} ${location}`
    const counted = (counts.get(key) ?? 0) + by
    if (counted === 0) counts.delete(key)
    else counts.set(key, counted)
    return counted
  }

  function take(order_id: string): Asked | undefined {
    const found = asked.get(order_id)
    if (asked.delete(order_id) && found !== undefined) count(found, -1)
    if (asked.size === 0) {
      for (const resolve of waiting) resolve()
      waiting.clear()
    }
    return found
  }

  return {
    get size() {
      return asked.size
    },
    has: (order_id) => asked.has(order_id),
    add({ id, account_id, monitor_id, version, round, location }, job_id, look_at) {
      const order = { id, monitor_id, version, round, location_id: location.id }
      const at = { location: location.name, account_id }
      const added = { order, ...at, job_id, look_at, missed: false }
      take(id)
      asked.set(id, added)
      return count(added, 1)
    },
    take,
    takeAll(of) {
      const found = [...asked.values()].filter(of)
      for (const { order } of found) take(order.id)
      return found
    },
    all: () => [...asked.values()],
    due(now, limit) {
      const found: Asked[] = []
      for (const each of asked.values()) {
        if (found.length === limit) break
        if (each.look_at <= now) found.push(each)
      }
      return found
    },
    empty: () =>
      asked.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.add(resolve)
          }),
  }
}
