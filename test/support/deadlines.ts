/**
 * Deadlines of checks that a test waits for: short, so that the suite is fast, and yet no matter of how
 * busy the machine is.
 *
 * @module
 */

import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'

const FACTOR = 4
const ATTEMPTS = 3
/** Part of a deadline that the machine may take from us before it can change what a check meets. */
const SHARE = 0.1

/**
 * Tries with `shortest_ms`, and where the test fails and this process was kept from running meanwhile,
 * with four and with sixteen times as much. A failure on a machine with time to spare is one at once.
 */
export async function withDeadline<T>(
  shortest_ms: number,
  attempt: (timeout_ms: number) => Promise<T>,
): Promise<T> {
  for (let tries = 1, timeout_ms = shortest_ms; ; tries++, timeout_ms *= FACTOR) {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const waited_ms = waitedForCpu_ms()
    try {
      return await attempt(timeout_ms)
    } catch (error) {
      // A deadline may fire in the same turn as the measurement, and before it.
      await setImmediate()
      const lost_ms = Math.max(delay.max / 1e6, waitedForCpu_ms() - waited_ms)
      if (tries === ATTEMPTS || lost_ms < timeout_ms * SHARE) throw error
    } finally {
      delay.disable()
    }
  }
}

/** How long this process was ready to run and had no CPU; 0 where the system does not tell. */
function waitedForCpu_ms(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
