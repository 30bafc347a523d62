/**
 * One timer for many ids, each with the time at which it is due: monitors, maintenance windows. It knows ids and times
 * only.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'
import type { EpochMs } from '../../model.ts'
import type { ClockSet } from '../../store/store.ts'
import { dueQueue } from '../../due-queue.ts'

/** The wall clock is compared with the monotonic one at least this often. */
const POLL_MS = 5_000

/** A larger difference means that the clock was set, a smaller one that it drifts. */
const JUMP_MS = 2_000

/** Ids handed over in one turn of the event loop: thousands of deadlines may pass at the same minute. */
const DUE_AT_ONCE = 50

export interface Scheduler {
  start(): void
  stop(): void
  set(id: number, due_at: EpochMs): void
  delete(id: number): void
  dueAt(id: number): EpochMs | undefined
  readonly size: number
}

export interface SchedulerOptions {
  readonly clock: Clock
  /** Called for each id that is due; it has been removed from the queue. */
  readonly onDue: (id: number, due_at: EpochMs) => void
  /** Called when the wall clock was set, before the ids get their new times. */
  readonly onClockSet?: (set: ClockSet) => void
  /** Asked for every id after the wall clock was set: when it is due now, `null` for never. */
  readonly dueAfterClockSet: (id: number, now: EpochMs) => EpochMs | null
}

export function createScheduler({
  clock,
  onDue,
  onClockSet,
  dueAfterClockSet,
}: SchedulerOptions): Scheduler {
  const queue = dueQueue()
  let timer: Timer | undefined
  let armedFor = Infinity
  let running = false
  let lastRead = readClocks()

  /** Both clocks at one time. */
  function readClocks(): { readonly wall: EpochMs; readonly monotonic: number } {
    return { wall: clock.now(), monotonic: clock.monotonic() }
  }

  function arm(): void {
    if (!running) return
    // Without anything scheduled, a clock that was set has no effect.
    if (queue.size === 0 && onClockSet === undefined) return
    const now = clock.now()
    const at = Math.min(queue.peek()?.due_at ?? Infinity, now + POLL_MS)
    if (timer !== undefined && armedFor <= at && armedFor >= now) return
    timer?.cancel()
    armedFor = at
    timer = clock.timer(Math.max(0, at - now), wake)
  }

  function wake(): void {
    timer = undefined
    detectJump()
    const now = clock.now()
    for (let n = 0; n < DUE_AT_ONCE; n++) {
      const first = queue.peek()
      if (first === undefined || first.due_at > now) break
      queue.pop()
      onDue(first.id, first.due_at)
    }
    // What is still due follows in the next turn of the event loop.
    arm()
  }

  function detectJump(): void {
    const last = lastRead
    lastRead = readClocks()
    const jump = lastRead.wall - lastRead.monotonic - (last.wall - last.monotonic)
    // Small differences are applied silently, so that they never add up to a jump.
    if (Math.abs(jump) < JUMP_MS) return
    const now = clock.now()
    // Set forward: only times up to the new one were skipped. Set back: every later time lies further ahead.
    onClockSet?.({
      by_ms: Math.round(jump),
      after: last.wall,
      before: jump > 0 ? now - (clock.monotonic() - last.monotonic) : Infinity,
    })
    for (const id of [...queue.ids()]) {
      const at = dueAfterClockSet(id, now)
      if (at === null) queue.delete(id)
      else queue.set(id, at)
    }
  }

  return {
    start() {
      running = true
      lastRead = readClocks()
      arm()
    },
    stop() {
      running = false
      timer?.cancel()
      timer = undefined
    },
    set(id, due_at) {
      queue.set(id, due_at)
      arm()
    },
    delete: (id) => queue.delete(id),
    dueAt: (id) => queue.get(id),
    get size() {
      return queue.size
    },
  }
}
