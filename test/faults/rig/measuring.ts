/**
 * What the process takes, from time to time.
 *
 * @module
 */

import { readdirSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sleepOn, systemClock } from '../../../src/clock.ts'
import type { Clock } from '../../../src/clock.ts'
import type { Sample } from './plan.ts'

const MIB = 2 ** 20

export interface Counted {
  readonly clock: Clock
  /** Timers that are set. */
  timers(): number
}

export function countingTimers(inner: Clock): Counted {
  const set = new Set<symbol>()
  const clock: Clock = {
    ...inner,
    timer(ms, run, options) {
      const id = Symbol('timer')
      set.add(id)
      const timer = inner.timer(
        ms,
        () => {
          set.delete(id)
          run()
        },
        options,
      )
      return {
        cancel() {
          set.delete(id)
          timer.cancel()
        },
      }
    },
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
  }
  return { clock, timers: () => set.size }
}

/** Every so often in real time, as long as the process lives. */
export function measureEvery(
  pause_ms: number,
  { timers }: Counted,
  found: (sample: Sample) => void,
): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const measure = (): void => {
    collect()
    const { rss, heapUsed } = process.memoryUsage()
    found({
      at: systemClock.now(),
      rss_mib: rss / MIB,
      heap_mib: heapUsed / MIB,
      files: filesOpen(),
      timers: timers(),
    })
    systemClock.timer(pause_ms, measure, { background: true })
  }
  systemClock.timer(pause_ms, measure, { background: true })
}

/** Linux; 0 where nobody can tell. */
function filesOpen(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}
