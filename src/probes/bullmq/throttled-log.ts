/**
 * What is wrong with a queue is wrong with every order on it: the log says it once, then once a minute.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { Logger } from '../../logger.ts'

const AGAIN_MS = 60_000

/** Kinds of complaints come from the code; this bounds what a mistake in it could cost. */
const KINDS = 100

export interface ThrottledLog {
  /** At most once a minute for each `message`, with how often it was left out meanwhile. */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}

export function createThrottledLog(clock: Clock, log: Logger): ThrottledLog {
  const said = new Map<string, { at: number; left_out: number }>()
  return {
    warn(fields, message) {
      const now = clock.monotonic()
      const last = said.get(message)
      if (last !== undefined && now - last.at < AGAIN_MS) {
        last.left_out++
        return
      }
      const left_out = last?.left_out ?? 0
      if (said.size < KINDS || last !== undefined) said.set(message, { at: now, left_out: 0 })
      log.warn({ ...fields, ...(left_out > 0 ? { left_out } : {}) }, message)
    },
  }
}
