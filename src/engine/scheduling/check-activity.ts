/**
 * When the monitors of this process were last checked, on the monotonic clock: by this process, whose checks are known
 * when they start, or by another one, whose checks are known by what is stored.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { checkTimesOf, lastCheckAt } from '../../incident/state.ts'
import type { EpochMs, MonitorRecord } from '../../model.ts'

interface Activity {
  interval_sec: number
  /** The number of running checks. */
  running: number
  /** Monotonic: the last check, here or elsewhere, or the last change of the interval. */
  last_check: number
  /** The last checks as stored: see `checkTimesOf`. */
  stored: readonly EpochMs[]
}

export interface CheckActivity {
  has(monitor_id: number): boolean
  /** Adds a monitor, or takes over its changed interval, which counts as a check. */
  track(record: MonitorRecord): void
  forget(monitor_id: number): void
  /** A check started (1) or ended (-1) in this process, or another process reported one (0). */
  checked(monitor_id: number, running: -1 | 0 | 1): void
  /** Counts the checks that another process has stored: each once, and dated by the wall clock. */
  takeStored(record: MonitorRecord): void
  /** The stored checks are those of this process: they are counted already. */
  roundStored(record: MonitorRecord): void
  /** How long ago the last check was, in ms; 0 while one runs. */
  sinceLastCheck(record: MonitorRecord): number
}

export function createCheckActivity(clock: Pick<Clock, 'now' | 'monotonic'>): CheckActivity {
  const activities = new Map<number, Activity>()

  /** The monotonic time of a stored check. A time in the future was stored before the clock was set back. */
  function monotonicOf(stored: EpochMs): number {
    return clock.monotonic() - Math.max(0, clock.now() - stored)
  }

  function takeStored({ id, machine }: MonitorRecord): void {
    const activity = activities.get(id)
    if (activity === undefined) return
    const stored = checkTimesOf(machine)
    const added = stored.filter((at, i) => at !== activity.stored[i])
    activity.stored = stored
    activity.last_check = Math.max(activity.last_check, ...added.map(monotonicOf))
  }

  function track(record: MonitorRecord): void {
    const { id, common, machine } = record
    const { interval_sec } = common
    const activity = activities.get(id) ?? {
      interval_sec,
      running: 0,
      last_check: monotonicOf(lastCheckAt(machine)),
      stored: checkTimesOf(machine),
    }
    activities.set(id, activity)
    takeStored(record)
    if (activity.interval_sec !== interval_sec) activity.last_check = clock.monotonic()
    activity.interval_sec = interval_sec
  }

  return {
    has: (id) => activities.has(id),
    track,
    forget: (id) => void activities.delete(id),
    checked(id, running) {
      const activity = activities.get(id)
      if (activity === undefined) return
      activity.running = Math.max(0, activity.running + running)
      activity.last_check = clock.monotonic()
    },
    takeStored,
    roundStored({ id, machine }) {
      const activity = activities.get(id)
      if (activity !== undefined) activity.stored = checkTimesOf(machine)
    },
    sinceLastCheck({ id, machine }) {
      const activity = activities.get(id)
      if (activity === undefined) return clock.now() - lastCheckAt(machine)
      return activity.running > 0 ? 0 : clock.monotonic() - activity.last_check
    },
  }
}
