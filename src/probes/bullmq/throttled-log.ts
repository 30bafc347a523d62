/**
 * Logs a problem of a queue once, then once a minute: it affects every order on the queue.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { Logger } from '../../logger.ts'

const REPEAT_MS = 60_000

/** Messages come from the code; this bounds the memory if one is built dynamically. */
const KINDS = 100

export interface ThrottledLog {
  /** At most once a minute for each `message`, with the number of suppressed lines. */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}

export function createThrottledLog(clock: Clock, log: Logger): ThrottledLog {
  const said = new Map<string, { at: number; left_out: number }>()
  return {
    warn(fields, message) {
      const now = clock.monotonic()
      const last = said.get(message)
      if (last !== undefined && now - last.at < REPEAT_MS) {
        last.left_out++
        return
      }
      const left_out = last?.left_out ?? 0
      if (said.size < KINDS || last !== undefined) said.set(message, { at: now, left_out: 0 })
      log.warn({ ...fields, ...(left_out > 0 ? { left_out } : {}) }, message)
    },
  }
}
