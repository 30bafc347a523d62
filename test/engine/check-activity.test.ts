/** How long ago each monitor was checked: what must not be hidden from whoever waits for an alert. */
import { describe, expect, it } from 'vitest'
import { createCheckActivity } from '../../src/engine/scheduling/check-activity.ts'
import type { MonitorRecord } from '../../src/model.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { machine, monitor } from '../../src/testing/store-suite/case.ts'

const SEC = 1000

function rig() {
  const clock = simulatedClock()
  const start = clock.now()
  /** A monitor whose last check, as stored, was so many milliseconds after the start. */
  const record = (checked_ms: number, interval_sec = 60, since_ms = -3600 * SEC): MonitorRecord => {
    const times = { since: start + since_ms, last_check_ended_at: start + checked_ms }
    const { common, ...rest } = monitor({ machine: machine(times) })
    return { ...rest, id: 1, common: { ...common, interval_sec } } as MonitorRecord
  }
  return { clock, record, activity: createCheckActivity(clock) }
}

describe('the time since the last check', () => {
  it('is that of the store for a monitor of another process', async () => {
    const { clock, record, activity } = rig()
    await clock.advance(5 * SEC)
    expect(activity.has(1)).toBe(false)
    expect(activity.sinceLastCheck(record(-2 * SEC))).toBe(7 * SEC)
  })

  it('is that of the store at first, and goes on whatever is done to the wall clock', async () => {
    const { clock, record, activity } = rig()
    activity.track(record(-2 * SEC))
    expect(activity.has(1)).toBe(true)
    expect(activity.sinceLastCheck(record(-2 * SEC))).toBe(2 * SEC)
    clock.jump(3600 * SEC)
    await clock.advance(3 * SEC)
    expect(activity.sinceLastCheck(record(-2 * SEC))).toBe(5 * SEC)
    clock.jump(-7200 * SEC)
    expect(activity.sinceLastCheck(record(-2 * SEC))).toBe(5 * SEC)
  })

  it('begins anew where the stored check lies in the future: the clock was set back', () => {
    const { record, activity } = rig()
    activity.track(record(600 * SEC))
    expect(activity.sinceLastCheck(record(600 * SEC))).toBe(0)
  })

  it('is none while a check runs, and counts from the start of the last one', async () => {
    const { clock, record, activity } = rig()
    const one = record(-2 * SEC)
    activity.track(one)
    activity.checked(1, 1)
    activity.checked(1, 1)
    await clock.advance(9 * SEC)
    expect(activity.sinceLastCheck(one)).toBe(0)
    activity.checked(1, -1)
    await clock.advance(SEC)
    expect(activity.sinceLastCheck(one)).toBe(0)
    activity.checked(1, -1)
    await clock.advance(4 * SEC)
    expect(activity.sinceLastCheck(one)).toBe(4 * SEC)
    // An end without a start counts none.
    activity.checked(1, -1)
    activity.checked(1, 1)
    await clock.advance(SEC)
    expect(activity.sinceLastCheck(one)).toBe(0)
  })

  it('is that of a check which another process has stored meanwhile, once', async () => {
    const { clock, record, activity } = rig()
    activity.track(record(-2 * SEC))
    await clock.advance(30 * SEC)
    activity.takeStored(record(20 * SEC))
    expect(activity.sinceLastCheck(record(20 * SEC))).toBe(10 * SEC)
    await clock.advance(10 * SEC)
    clock.jump(-3600 * SEC)
    activity.takeStored(record(20 * SEC))
    expect(activity.sinceLastCheck(record(20 * SEC))).toBe(20 * SEC)
  })

  it('is never longer by what the store says', async () => {
    const { clock, record, activity } = rig()
    activity.track(record(-2 * SEC))
    activity.checked(1, 0)
    await clock.advance(SEC)
    activity.takeStored(record(-SEC))
    expect(activity.sinceLastCheck(record(-SEC))).toBe(SEC)
  })

  it('does not count the stored rounds of this process again', async () => {
    const { clock, record, activity } = rig()
    activity.track(record(-2 * SEC))
    activity.checked(1, 0)
    await clock.advance(30 * SEC)
    activity.roundStored(record(20 * SEC))
    activity.takeStored(record(20 * SEC))
    expect(activity.sinceLastCheck(record(20 * SEC))).toBe(30 * SEC)
  })

  it('begins anew with another interval, and with no other change', async () => {
    const { clock, record, activity } = rig()
    activity.track(record(-2 * SEC))
    await clock.advance(30 * SEC)
    activity.track(record(-2 * SEC))
    expect(activity.sinceLastCheck(record(-2 * SEC))).toBe(32 * SEC)
    activity.track(record(-2 * SEC, 10))
    expect(activity.sinceLastCheck(record(-2 * SEC, 10))).toBe(0)
    await clock.advance(5 * SEC)
    activity.track(record(-2 * SEC, 10))
    expect(activity.sinceLastCheck(record(-2 * SEC, 10))).toBe(5 * SEC)
  })

  it('counts a resumption that is stored while it is tracked again', async () => {
    const { clock, record, activity } = rig()
    activity.track(record(-2 * SEC))
    await clock.advance(30 * SEC)
    const resumed = record(-2 * SEC, 60, 25 * SEC)
    activity.track(resumed)
    expect(activity.sinceLastCheck(resumed)).toBe(5 * SEC)
  })

  it('is that of the store again once the monitor is forgotten', async () => {
    const { clock, record, activity } = rig()
    activity.track(record(-2 * SEC))
    activity.checked(1, 0)
    await clock.advance(SEC)
    activity.forget(1)
    expect(activity.has(1)).toBe(false)
    expect(activity.sinceLastCheck(record(-2 * SEC))).toBe(3 * SEC)
    // Nothing is known of it, and nothing is remembered.
    activity.checked(1, 1)
    activity.roundStored(record(0))
    activity.takeStored(record(0))
    expect(activity.has(1)).toBe(false)
  })
})
