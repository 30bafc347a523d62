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
const LOOK_MS = 100

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

/**
 * How long `work` takes, in ms, without the time in which threads of this process, or of the others that it waits for,
 * were ready to run and had no CPU.
 */
export async function unhindered_ms(
  work: () => Promise<unknown>,
  ...others: readonly number[]
): Promise<number> {
  const before = ['self' as const, ...others].map((pid) => [pid, waitedForCpu_ms(pid)] as const)
  const waited = new Map<number | 'self', number>()
  const look = (): void => {
    for (const [pid, before_ms] of before)
      waited.set(pid, Math.max(waited.get(pid) ?? 0, waitedForCpu_ms(pid) - before_ms))
  }
  // One that ends takes its figures with it.
  const looking = setInterval(look, LOOK_MS)
  const from = performance.now()
  try {
    await work()
  } finally {
    clearInterval(looking)
  }
  look()
  return performance.now() - from - [...waited.values()].reduce((sum, ms) => sum + ms, 0)
}

/** How long threads of a process were ready to run and had no CPU, in all; 0 where the system does not tell. */
function waitedForCpu_ms(pid: number | 'self' = 'self'): number {
  let waited_ns = 0
  try {
    // Also those that hash passwords and read files, which a check waits for while the first one is idle.
    for (const thread of readdirSync(`/proc/${pid}/task`)) waited_ns += waitedOf(pid, thread)
  } catch {
    return 0
  }
  return waited_ns / 1e6
}

function waitedOf(pid: number | 'self', thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[1])
  } catch {
    // It has ended.
    return 0
  }
}
