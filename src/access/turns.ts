/**
 * Long answers, such as the metrics of thousands of monitors, are made for a few requests at a time, accounts in turn:
 * the parts of many of them would all run in each turn of the event loop.
 *
 * @module
 */

import { createFairQueue } from '../fair-queue.ts'
import type { Queued } from '../fair-queue.ts'

/** Runs the work when it is the turn of the account. */
export type InTurn = <T>(account_id: number, work: () => Promise<T>) => Promise<T>

interface Asking extends Queued {
  readonly start: () => void
}

/**
 * Requests of one account that are worked on at a time. A store in PostgreSQL serves first who has asked first: without
 * a bound, hundreds of one account would be before each request of another, and before its rounds.
 */
export const AT_WORK = 6

/** At most `most` of an account at a time; however many accounts there are. */
export function createAccountLimit(most: number): InTurn {
  return createTurns(Infinity, most)
}

/** So many at a time, and one more for an account that has none. */
export function createTurns(slots: number, perAccount: number = slots): InTurn {
  const queue = createFairQueue<Asking>({ slots, perHost: perAccount })

  function startNext(): void {
    for (let next = queue.take(); next !== undefined; next = queue.take()) next.start()
  }

  return async (account_id, work) => {
    const asking = await new Promise<Asking>((resolve) => {
      const own: Asking = { account_id, host: '', start: () => resolve(own) }
      queue.add(own)
      startNext()
    })
    try {
      return await work()
    } finally {
      queue.release(asking)
      startNext()
    }
  }
}
