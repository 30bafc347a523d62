/**
 * Finds orders and engines that are lost.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { Asked, PendingOrders } from './pending-orders.ts'
import { isEngineId } from './options.ts'
import type { Names } from './options.ts'
import { deadEngines, forgetEngine } from './presence.ts'
import type { Beating } from './presence.ts'
import type { Session } from './session.ts'

/** Maximum number of orders tested per beat. */
const LOOKED_FOR = 200

/** Longer than a probe keeps answers: none will arrive for this engine. */
const DEAD_MS = 2 * 3_600_000

export interface Search {
  readonly session: Session
  readonly names: Names
  readonly engine: string
  readonly pending: PendingOrders
  readonly clock: Clock
  readonly beatMs: number
}

/**
 * A probe removes an order only after its answer is on the queue. So an order that is neither queued nor answered, at
 * two beats, was lost with its probe or with the memory of Redis.
 */
export async function findLost(search: Search): Promise<readonly Asked[]> {
  const { session, names, engine, pending, clock, beatMs } = search
  const looked = pending.due(clock.monotonic(), LOOKED_FOR)
  if (looked.length === 0) return []
  const asking = session.redis.pipeline()
  for (const { order, location, job_id } of looked) {
    const keys = [
      names.job(names.orders(location), job_id),
      names.job(names.answers(engine), order.id),
    ]
    asking.exists(...keys)
  }
  const found = (await asking.exec()) ?? []
  const now = clock.monotonic()
  return looked.filter((asked, index) => {
    // The answer may have arrived during the query.
    if (!pending.has(asked.order.id)) return keep(asked, false)
    if (asked.until <= now) return pending.take(asked.order.id) !== undefined
    if (found[index]?.[1] !== 0) return keep(asked, false)
    if (!asked.missed) return keep(asked, true)
    return pending.take(asked.order.id) !== undefined
  })

  function keep(asked: Asked, missed: boolean): false {
    asked.missed = missed
    asked.look_at = clock.monotonic() + beatMs
    return false
  }
}

/** Removes the queues of engines that ended without cleanup. */
export async function clearUpAfterDead(session: Session, beating: Beating): Promise<void> {
  for (const engine of await deadEngines(beating, DEAD_MS)) {
    if (isEngineId(engine)) {
      await session.queue(beating.names.answers(engine)).obliterate({ force: true })
    }
    await forgetEngine(beating, engine)
  }
}
