/**
 * Deadlines of checks that a test waits for: short, so that the suite is fast, and yet no matter of how
 * busy the machine is.
 *
 * @module
 */

import { readdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'

const FACTOR = 4
const ATTEMPTS = 3
/** Part of a deadline that the machine may take from us before it can change what a check meets. */
const SHARE = 0.1

/**
 * Tries with `shortest_ms`, and where the test fails and a process was kept from running meanwhile, this one or another,
 * such as a server that is asked, with four and with sixteen times as much. A failure on a machine with time to spare is
 * one at once.
 */
export async function withDeadline<T>(
  shortest_ms: number,
  attempt: (timeout_ms: number) => Promise<T>,
  waitedSoFar_ms = waitedOnMachine_ms,
): Promise<T> {
  for (let tries = 1, timeout_ms = shortest_ms; ; tries++, timeout_ms *= FACTOR) {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const waited_ms = waitedSoFar_ms()
    try {
      return await attempt(timeout_ms)
    } catch (error) {
      // A deadline may fire in the same turn as the measurement, and before it.
      await setImmediate()
      const lost_ms = Math.max(delay.max / 1e6, waitedSoFar_ms() - waited_ms)
      if (tries === ATTEMPTS || lost_ms < timeout_ms * SHARE) throw error
    } finally {
      delay.disable()
    }
  }
}

/** For how long some process of this machine was ready to run and had no CPU; of this process where Linux does not tell. */
export function waitedOnMachine_ms(): number {
  try {
    const [, waited_us = ''] =
      /^some .*total=(\d+)$/m.exec(readFileSync('/proc/pressure/cpu', 'utf8')) ?? []
    return Number(waited_us) / 1e3
  } catch {
    return waitedForCpu_ms()
  }
}

/** How long threads of this process were ready to run and had no CPU, in all; 0 where the system does not tell. */
function waitedForCpu_ms(): number {
  let waited_ns = 0
  try {
    // Also those that hash passwords and read files, which a check waits for while the first one is idle.
    for (const thread of readdirSync('/proc/self/task')) waited_ns += waitedOf(thread)
  } catch {
    return 0
  }
  return waited_ns / 1e6
}

function waitedOf(thread: string): number {
  try {
    return Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')[1])
  } catch {
    // It has ended.
    return 0
  }
}
