import { describe, expect, it } from 'vitest'
import { deadlineTimer } from '../../src/net/timing/deadline.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

/** A clock whose timers fire `late_ms` too late, as those of a process that stood still. */
function rig(late_ms = 0) {
  const clock = simulatedClock()
  let first = true
  const passed: number[] = []
  const from = clock.monotonic()
  const timer: typeof clock.timer = (ms, run) => {
    const late = first ? late_ms : 0
    first = false
    return clock.timer(ms + late, run)
  }
  const deadline = deadlineTimer(
    { timer, monotonic: () => clock.monotonic() },
    { ms: 1000, reading_ms: 500 },
    () => passed.push(clock.monotonic() - from),
  )
  return { clock, deadline, passed }
}

describe('a deadline', () => {
  it('passes in time', async () => {
    const { clock, passed } = rig()
    await clock.advance(999)
    expect(passed).toEqual([])
    await clock.advance(10_000)
    expect(passed).toEqual([1000])
  })

  it('passes late by what is noise', async () => {
    const { clock, passed } = rig(250)
    await clock.advance(10_000)
    expect(passed).toEqual([1250])
  })

  it('leaves time for reading where the process stood still when it passed', async () => {
    const { clock, passed } = rig(251)
    await clock.advance(10_000)
    expect(passed).toEqual([1751])
  })

  it.each([0, 5000])('that is cancelled does not pass, also %i ms late', async (late_ms) => {
    const { clock, deadline, passed } = rig(late_ms)
    await clock.advance(late_ms === 0 ? 500 : 6100)
    deadline.cancel()
    await clock.advance(10_000)
    expect(passed).toEqual([])
  })
})
