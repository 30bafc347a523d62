/**
 * Orders that an engine has sent and has no answer to yet.
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
  /** Monotonic: when it is worth a look what has become of it. */
  look_at: number
  /** It was neither on the queue nor answered when last looked for. */
  missed: boolean
}

export interface Ledger {
  readonly size: number
  has(order_id: string): boolean
  add(order: CheckOrder, job_id: string, look_at: number): void
  /** Removes an order; `undefined` where nobody waits for it. */
  take(order_id: string): Asked | undefined
  takeAll(of: (asked: Asked) => boolean): readonly Asked[]
  all(): readonly Asked[]
  /** Orders to look after now, at most `limit`, the oldest first. */
  due(now: number, limit: number): readonly Asked[]
  /** Resolves when no order is left. */
  empty(): Promise<void>
}

export function createLedger(): Ledger {
  const asked = new Map<string, Asked>()
  const waiting = new Set<() => void>()

  function take(order_id: string): Asked | undefined {
    const found = asked.get(order_id)
    asked.delete(order_id)
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
    add({ id, monitor_id, version, round, location }, job_id, look_at) {
      const order = { id, monitor_id, version, round, location_id: location.id }
      asked.set(id, { order, location: location.name, job_id, look_at, missed: false })
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
