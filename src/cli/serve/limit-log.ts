/**
 * Says that clients were cut off: once, and then at most once a minute, however many there are.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { Logger } from '../../logger.ts'
import type { LimitEvent, LimitName } from '../../rest/node.ts'

const PAUSE_MS = 60_000

/** Ends of everyday life: a browser leaves a connection open, a phone leaves the network. */
const EVERYDAY: ReadonlySet<LimitName> = new Set(['idleTimeoutMs', 'writeTimeoutMs'])

export function limitLog(
  log: Pick<Logger, 'warn'>,
  clock: Pick<Clock, 'monotonic'>,
): (event: LimitEvent) => void {
  const told = new Map<LimitName, number>()
  const counts = new Map<LimitName, number>()
  return ({ limit, address }) => {
    if (EVERYDAY.has(limit)) return
    const connections = (counts.get(limit) ?? 0) + 1
    counts.set(limit, connections)
    const now = clock.monotonic()
    if (now - (told.get(limit) ?? -Infinity) < PAUSE_MS) return
    told.set(limit, now)
    counts.delete(limit)
    log.warn({ limit, connections, address }, 'connections were ended at a limit')
  }
}
