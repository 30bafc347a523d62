/**
 * Orders that an engine has sent and that have no answer yet.
 *
 * @module
 */

import type { CheckAnswer, CheckOrder } from '../transport.ts'
import type { Names, Setup } from './options.ts'
import type { Session } from './session.ts'

export interface Asked {
  readonly order: CheckAnswer['order']
  /** Name of the location. */
  readonly location: string
  /** On the queue of the location. */
  readonly job_id: string
  readonly account_id: number
  /** Monotonic time after which the order is tested for being lost. */
  look_at: number
  /** Monotonic time at which the order is given up in any case. */
  readonly until: number
  /** The order was neither on the queue nor answered at the last test. */
  missed: boolean
}

export interface PendingOrders {
  readonly size: number
  has(order_id: string): boolean
  /** Returns the number of pending orders of the account at the location, this one included. */
  add(order: CheckOrder, job_id: string, at: Pick<Asked, 'look_at' | 'until'>): number
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
    add({ id, account_id, monitor_id, version, round, location }, job_id, { look_at, until }) {
      const order = { id, monitor_id, version, round, location_id: location.id }
      const at = { location: location.name, account_id }
      const added = { order, ...at, job_id, look_at, until, missed: false }
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

/** Maximum number of concurrent commands. */
const AT_ONCE = 100

/** Cancels orders: waiting ones are removed from the queue, running ones are aborted. */
export async function withdraw(
  session: Session,
  { names, wire }: Pick<Setup, 'names' | 'wire'>,
  orders: readonly Asked[],
): Promise<void> {
  for (const [location, ids] of byLocation(orders)) {
    await session.redis.publish(names.cancel(location), wire.cancel(ids))
  }
  await inTurns(orders, async (asked) => {
    await session.queue(names.orders(asked.location)).remove(asked.job_id)
  })
}

/** Removes only orders that no probe has started. */
export async function withdrawWaiting(
  session: Session,
  names: Names,
  pending: PendingOrders,
): Promise<void> {
  await inTurns(pending.all(), async ({ order, location, job_id }) => {
    // 0: a probe has taken it.
    const removed = await session.queue(names.orders(location)).remove(job_id)
    if (removed === 1) pending.take(order.id)
  })
}

function byLocation(orders: readonly Asked[]): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { location, job_id } of orders) {
    const known = found.get(location)
    if (known === undefined) found.set(location, [job_id])
    else known.push(job_id)
  }
  return found
}

async function inTurns<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < all.length; i += AT_ONCE) {
    await Promise.all(all.slice(i, i + AT_ONCE).map(work))
  }
}
