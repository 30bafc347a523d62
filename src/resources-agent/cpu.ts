/**
 * How busy the processors were, from two readings of their counters.
 *
 * @module
 */

import { cpus } from 'node:os'
import type { Clock } from '../clock.ts'

/** Counters move in steps of 10 ms; a shorter window than this says nothing. */
const MIN_WINDOW_MS = 200

export interface CpuTimes {
  /** Since the machine started, over all cores, in any unit. */
  readonly busy: number
  readonly total: number
}

export type ReadCpu = () => CpuTimes

/** Percent since the last call; the first call waits for a window of its own. `null` where nothing is counted. */
export function cpuMeter(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  read: ReadCpu = readCpu,
): () => Promise<number | null> {
  let last: { readonly at: number; readonly times: CpuTimes } | undefined
  let shown: number | null = null

  return async () => {
    if (last === undefined) {
      last = { at: clock.monotonic(), times: read() }
      await clock.sleep(MIN_WINDOW_MS)
    }
    const at = clock.monotonic()
    // Timers may fire a little early.
    if (at - last.at < MIN_WINDOW_MS / 2) return shown
    const times = read()
    shown = busyBetween(last.times, times)
    last = { at, times }
    return shown
  }
}

/** `null` where the counters did not move, or went back (a virtual machine that was moved). */
export function busyBetween(from: CpuTimes, to: CpuTimes): number | null {
  const total = to.total - from.total
  const busy = to.busy - from.busy
  if (total <= 0 || busy < 0) return null
  return Math.round(Math.min(busy / total, 1) * 10_000) / 100
}

function readCpu(): CpuTimes {
  let busy = 0
  let total = 0
  for (const { times } of cpus()) {
    const working = times.user + times.nice + times.sys + times.irq
    busy += working
    total += working + times.idle
  }
  return { busy, total }
}
