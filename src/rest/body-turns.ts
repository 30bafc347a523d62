/**
 * Parses bodies in short turns of the event loop, accounts in turn: those of many requests may be complete at the same
 * moment, and one of 256 KiB takes up to 30 ms.
 *
 * @module
 */

import { createTurns } from '../access/turns.ts'
import type { Clock } from '../clock.ts'

/** After this time no further body is parsed in this turn. */
const TURN_MS = 8

export type BodyTurns = <T>(account_id: number, parse: () => T) => Promise<T>

export function createBodyTurns(clock: Pick<Clock, 'monotonic' | 'sleep'>): BodyTurns {
  const inTurn = createTurns(1)
  let spent_ms = 0
  return (account_id, parse) =>
    inTurn(account_id, async () => {
      if (spent_ms > TURN_MS) {
        await clock.sleep(0)
        spent_ms = 0
      }
      const from = clock.monotonic()
      try {
        return parse()
      } finally {
        spent_ms += clock.monotonic() - from
      }
    })
}
