/**
 * Limits how long a check works on what it has read: patterns, searches and assertions cost CPU, and a target or a
 * user chooses how much.
 *
 * @module
 */

import type { Clock } from '../clock.ts'

export interface WorkLimits {
  readonly clock: Pick<Clock, 'monotonic' | 'cpu'>
  /** CPU time of all parts together, in milliseconds. */
  readonly cpu_ms: number
  /** Time of all parts together, in milliseconds: a busy machine must not use up the deadline of the check. */
  readonly wall_ms: number
}

export interface WorkLimit {
  /** Runs a part of the work and counts its time. */
  run<T>(part: () => T): T
  /** The limit that has passed, such as `1 s of CPU time`; `undefined` if there is time left. */
  readonly passed: string | undefined
}

/** Time between the parts does not count. */
export function limitWork({ clock, cpu_ms, wall_ms }: WorkLimits): WorkLimit {
  let spentCpu_ms = 0
  let spentWall_ms = 0
  return {
    run(part) {
      const from = clock.monotonic()
      const cpuFrom = clock.cpu?.() ?? 0
      const result = part()
      const took_ms = clock.monotonic() - from
      spentWall_ms += took_ms
      // Other threads of the process may count as well.
      spentCpu_ms += clock.cpu === undefined ? took_ms : Math.min(took_ms, clock.cpu() - cpuFrom)
      return result
    },
    get passed() {
      if (spentCpu_ms > cpu_ms) return `${seconds(cpu_ms)} of CPU time`
      if (spentWall_ms > wall_ms) return seconds(wall_ms)
      return undefined
    },
  }
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(ms < 1000 ? 2 : 1))} s`
}
