/**
 * Parses bodies in short turns of the event loop, accounts in turn: those of many requests may be complete at the same
 * moment, and one of 256 KiB takes up to 30 ms.
 *
 * @module
 */

import { createTurns } from '../access/turns.ts'
import { turnWatchOf } from '../clock.ts'
import type { Clock } from '../clock.ts'

export type BodyTurns = <T>(account_id: number, parse: () => T) => Promise<T>

export function createBodyTurns(clock: Pick<Clock, 'monotonic' | 'timer' | 'sleep'>): BodyTurns {
  const inTurn = createTurns(1)
  const isTurnLong = turnWatchOf(clock)
  return (account_id, parse) =>
    inTurn(account_id, async () => {
      // What the requests do with their bodies counts as well.
      while (isTurnLong()) await clock.sleep(0)
      return parse()
    })
}
