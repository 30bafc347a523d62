/**
 * Cancels orders: waiting ones are removed from the queue, running ones are aborted.
 *
 * @module
 */

import type { PendingOrders, Asked } from './pending-orders.ts'
import type { Names } from './names.ts'
import type { Setup } from './options.ts'
import type { Session } from './session.ts'

/** Maximum number of concurrent commands. */
const AT_ONCE = 100

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
    found.set(location, [...(found.get(location) ?? []), job_id])
  }
  return found
}

async function inTurns<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < all.length; i += AT_ONCE) {
    await Promise.all(all.slice(i, i + AT_ONCE).map(work))
  }
}
