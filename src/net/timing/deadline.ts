/**
 * Deadlines, and when this process stood still: a blocked event loop, a stopped process, a machine asleep. What was
 * measured across such a time says nothing of the other side, whose answer may have come meanwhile and not been read.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'
import { WatchpostError } from '../../errors.ts'

/** Abort reason at the deadline. The current phase decides which cause it becomes. */
export class DeadlineError extends WatchpostError {
  readonly timeout_ms: number

  constructor(timeout_ms: number) {
    super('deadline', `Not complete within ${timeout_ms} ms`)
    this.timeout_ms = timeout_ms
  }
}

const SAMPLE_MS = 100
/** A shorter stall is within the error of every measurement. */
const STALL_MS = 250

/** Whether a timer that fires so many ms late does so because the process stood still. */
function isStall(late_ms: number): boolean {
  return late_ms > STALL_MS
}

export interface Deadline {
  readonly ms: number
  /** Added if the process was stalled when the deadline passed, to read what has arrived meanwhile. */
  readonly reading_ms: number
}

/** Calls `onPassed` when the deadline has passed. */
export function deadlineTimer(
  clock: Pick<Clock, 'timer' | 'monotonic'>,
  { ms, reading_ms }: Deadline,
  onPassed: () => void,
): Timer {
  const until = clock.monotonic() + ms
  let timer = clock.timer(ms, () => {
    if (isStall(clock.monotonic() - until)) timer = clock.timer(reading_ms, onPassed)
    else onPassed()
  })
  return { cancel: () => timer.cancel() }
}

export interface StallWatch {
  /** Watches until the returned function is called, which says how long it stood still meanwhile, in ms. */
  begin(): () => number
}

/** Samples only between `begin` and the call of its result. */
export function createStallWatch(clock: Clock): StallWatch {
  let measuring = 0
  let stalled_ms = 0
  let seen = 0
  let timer: Timer | undefined

  function look(): void {
    const now = clock.monotonic()
    const late = now - seen - SAMPLE_MS
    if (isStall(late)) stalled_ms += late
    seen = now
  }

  function sample(): void {
    look()
    timer = clock.timer(SAMPLE_MS, sample, { background: true })
  }

  return {
    begin() {
      if (measuring++ === 0) {
        seen = clock.monotonic()
        timer = clock.timer(SAMPLE_MS, sample, { background: true })
      }
      const before = stalled_ms
      return () => {
        // The end of a measurement may run before the timer of the late sample.
        look()
        if (--measuring === 0) timer?.cancel()
        return stalled_ms - before
      }
    },
  }
}
