/** Which monitors nobody checks any more, judged without an engine. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { createStaleness } from '../../src/engine/scheduling/staleness.ts'
import type { CachedMonitor } from '../../src/engine/monitors/cached-monitor.ts'
import type { CheckOrder } from '../../src/probes/transport.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { cachedMonitor, NOON } from './cached-monitor.ts'
import type { Given } from './cached-monitor.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
/** `timeout_ms` and the way of a report. */
const REPORT = 15 * SECOND

interface About {
  readonly monitor_id: number
  readonly since: string
}

interface Watched {
  readonly remote?: boolean
  readonly monitors?: readonly CachedMonitor[]
}

function watched({ remote = false, monitors = [up()] }: Watched = {}) {
  const clock = simulatedClock({ now: NOON, settling: 'promises' })
  const known = new Map(monitors.map((each) => [each.record.id, each]))
  const told: string[] = []
  const logged: string[] = []
  const log = {
    warn: (of: About, text: string) => void logged.push(`${of.monitor_id} at ${of.since}: ${text}`),
    info: (of: About, text: string) => void logged.push(`${of.monitor_id} at ${of.since}: ${text}`),
  }
  const monitorCache = { peek: (id: number) => known.get(id), all: () => known.values() }
  const staleness = createStaleness({
    core: { clock, log } as never,
    monitorCache: monitorCache,
    remote,
  })
  staleness.start(({ cached, starved, since }) =>
    told.push(
      `${cached.record.id} ${starved ? 'starved' : 'checked'} since ${(since - NOON) / SECOND}`,
    ),
  )
  onTestFinished(() => staleness.stop())
  for (const each of monitors) staleness.track(each)
  return { clock, known, staleness, told, logged }
}

/** Checked every minute, last at noon. */
function up(given: Given = {}): CachedMonitor {
  return cachedMonitor({
    ...given,
    machine: {
      state: 'up',
      since: NOON,
      last_round_at: NOON,
      last_check_ended_at: NOON,
      ...given.machine,
    },
  })
}

describe('a monitor', () => {
  it('is starved once no check has started for two intervals, and is told once', async () => {
    const monitor = up()
    const { clock, staleness, told, logged } = watched({ monitors: [monitor] })
    await clock.advance(2 * MINUTE)
    expect([staleness.isStale(monitor), told]).toEqual([false, []])
    await clock.advance(1)
    expect([staleness.isStale(monitor), told]).toEqual([true, ['9 starved since 0']])
    await clock.advance(10 * MINUTE)
    expect(told).toHaveLength(1)
    staleness.checkStarted(9)
    staleness.checkStarted(9)
    expect(staleness.isStale(monitor)).toBe(false)
    expect(told).toEqual(['9 starved since 0', '9 checked since 0'])
    expect(logged).toEqual([
      '9 at 2026-01-01T12:00:00.000Z: a monitor is starved: its checks have not started for two intervals',
      '9 at 2026-01-01T12:00:00.000Z: a monitor is checked again',
    ])
    await clock.advance(2 * MINUTE + 1)
    expect(told.at(-1)).toBe(`9 starved since ${10 * 60 + 120.001}`)
  })

  it('is not while a check runs, and has two intervals from its end', async () => {
    const monitor = up()
    const { clock, staleness, told } = watched({ monitors: [monitor] })
    let end = (): void => undefined
    const run = staleness.countingChecks(
      () => new Promise((resolve) => (end = () => resolve({} as never))),
    )
    const running = run({ monitor_id: 9 } as CheckOrder, new AbortController().signal)
    await clock.advance(10 * MINUTE)
    expect(staleness.isStale(monitor)).toBe(false)
    end()
    await running
    await clock.advance(2 * MINUTE)
    expect([staleness.isStale(monitor), told]).toEqual([false, []])
    await clock.advance(1)
    expect([staleness.isStale(monitor), told]).toEqual([true, ['9 starved since 600']])
  })

  it('counts a check that failed as one', async () => {
    const { staleness, clock } = watched()
    const run = staleness.countingChecks(() => Promise.reject(new Error('no')))
    const order = { monitor_id: 9 } as CheckOrder
    await expect(run(order, new AbortController().signal)).rejects.toThrow('no')
    await clock.advance(2 * MINUTE + 1)
    expect(staleness.isStale(up())).toBe(true)
  })

  it.each<[string, Given]>([
    ['is paused', { machine: { state: 'paused' } }],
    ['is in maintenance', { machine: { state: 'maintenance' } }],
    ['waits for signals', { record: { token_hash: 'x' } }],
  ])('is never starved where it %s', async (_, given) => {
    const monitor = up(given)
    const { clock, staleness, told } = watched({ monitors: [monitor] })
    await clock.advance(60 * MINUTE)
    expect([staleness.isStale(monitor), staleness.count(), told]).toEqual([false, 0, []])
  })

  it('is stale after more than three undecided rounds, whenever it was checked', () => {
    const { staleness } = watched()
    const isStale = (inconclusive: number) => staleness.isStale(up({ machine: { inconclusive } }))
    expect([isStale(3), isStale(4)]).toEqual([false, true])
  })
})

describe('a monitor whose rounds cannot be stored', () => {
  async function failing(given: Given = {}) {
    const monitor = up({ common: { interval_sec: 60 }, ...given })
    const all = watched({ monitors: [monitor] })
    const goOn = async (ms: number) => {
      all.staleness.checkStarted(9)
      await all.clock.advance(ms)
      return all.staleness.isStale(monitor)
    }
    await goOn(MINUTE)
    all.staleness.roundEnded(9, false)
    return { ...all, goOn, monitor }
  }

  it('is stale once more than an interval has passed since the first, whatever followed', async () => {
    const { goOn, staleness, told } = await failing()
    expect(await goOn(30 * SECOND)).toBe(false)
    staleness.roundEnded(9, false)
    expect(await goOn(30 * SECOND)).toBe(false)
    expect(await goOn(1)).toBe(true)
    // Its checks go on.
    expect(told).toEqual([])
  })

  it('is not from the next that is stored on, and has an interval anew', async () => {
    const { goOn, staleness, monitor } = await failing()
    expect(await goOn(MINUTE + 1)).toBe(true)
    staleness.roundEnded(9, true)
    expect(await goOn(MINUTE)).toBe(false)
    staleness.roundEnded(9, false)
    expect(await goOn(MINUTE)).toBe(false)
    expect(await goOn(1)).toBe(true)
    staleness.forget(9)
    staleness.track(monitor)
    expect(await goOn(1)).toBe(false)
  })

  it.each(['paused', 'maintenance'] as const)('is not while it is in %s', async (state) => {
    const { goOn } = await failing({ machine: { state } })
    expect(await goOn(5 * MINUTE)).toBe(false)
  })
})

describe('a check that is made elsewhere', () => {
  it('is known by its report, which has time to arrive', async () => {
    const monitor = up()
    const { clock, staleness, told } = watched({ remote: true, monitors: [monitor] })
    await clock.advance(2 * MINUTE + REPORT)
    expect([staleness.isStale(monitor), told]).toEqual([false, []])
    await clock.advance(1)
    expect([staleness.isStale(monitor), told]).toEqual([true, ['9 starved since 0']])
  })

  it('of a monitor of another engine is known by what is stored', async () => {
    const other = up({ id: 4 })
    const { clock, staleness } = watched()
    await clock.advance(2 * MINUTE + REPORT)
    expect(staleness.isStale(other)).toBe(false)
    await clock.advance(1)
    expect(staleness.isStale(other)).toBe(true)
  })

  it('counts once it is stored', async () => {
    const { clock, known, told } = watched({ remote: true })
    await clock.advance(MINUTE)
    known.set(
      9,
      up({ machine: { last_round_at: NOON + MINUTE, last_check_ended_at: NOON + MINUTE } }),
    )
    await clock.advance(2 * MINUTE + REPORT)
    expect(told).toEqual([])
    await clock.advance(1)
    expect(told).toEqual(['9 starved since 60'])
  })

  it('that this process stored itself does not count again', async () => {
    const { clock, known, staleness, told } = watched()
    const later = up({
      machine: { last_round_at: NOON + MINUTE, last_check_ended_at: NOON + MINUTE },
    })
    await clock.advance(MINUTE)
    known.set(9, later)
    staleness.roundStored(later)
    await clock.advance(MINUTE + 1)
    expect(told).toEqual(['9 starved since 0'])
  })
})

describe('a monitor that is changed', () => {
  it('has two intervals of grace, of the new ones', async () => {
    const { clock, known, staleness, told } = watched()
    await clock.advance(90 * SECOND)
    const changed = up({ common: { interval_sec: 30 } })
    known.set(9, changed)
    staleness.track(changed)
    await clock.advance(MINUTE)
    expect(told).toEqual([])
    await clock.advance(1)
    expect(told).toEqual(['9 starved since 90'])
  })

  it('and forgotten, or removed, is not told of', async () => {
    const forgotten = watched()
    forgotten.staleness.forget(9)
    await forgotten.clock.advance(10 * MINUTE)
    forgotten.staleness.checkStarted(9)
    expect(forgotten.told).toEqual([])
    const removed = watched()
    removed.known.delete(9)
    await removed.clock.advance(10 * MINUTE)
    expect(removed.told).toEqual([])
    const starved = watched()
    await starved.clock.advance(3 * MINUTE)
    starved.known.delete(9)
    starved.staleness.checkStarted(9)
    expect(starved.told).toHaveLength(1)
    starved.staleness.forget(9)
    starved.staleness.checkStarted(9)
    expect(starved.told).toHaveLength(1)
  })

  it('of a type that waits for signals is not tracked', async () => {
    const monitor = up({ checker: { push: {} as never } })
    const { clock, told } = watched({ monitors: [monitor] })
    await clock.advance(10 * MINUTE)
    expect(told).toEqual([])
    expect(clock.pending).toBe(0)
  })
})

describe('after the process was suspended', () => {
  it.each([
    [5000, ['true']],
    [5001, []],
  ])(
    'for %d ms, what is due by now may start before anything is told',
    async (suspended_ms, told_then) => {
      const clock = simulatedClock({ now: NOON, settling: 'promises' })
      let late = 0
      const monitor = up()
      const told: string[] = []
      const staleness = createStaleness({
        core: {
          // The time at which timers fire is later than the one they were set for.
          clock: { ...clock, monotonic: () => clock.monotonic() + late },
          log: { warn: () => undefined, info: () => undefined },
        } as never,
        monitorCache: { peek: () => monitor, all: () => [monitor].values() },
        remote: false,
      })
      staleness.start(({ starved }) => told.push(String(starved)))
      staleness.track(monitor)
      await clock.advance(2 * MINUTE)
      late = suspended_ms
      await clock.advance(1)
      expect(told).toEqual(told_then)
      expect(staleness.isStale(monitor)).toBe(true)
      await clock.advance(2 * MINUTE)
      expect(told).toEqual(['true'])
      staleness.stop()
    },
  )

  it('a stop ends the evaluation', async () => {
    const { clock, staleness, told } = watched()
    staleness.stop()
    expect(clock.pending).toBe(0)
    await clock.advance(10 * MINUTE)
    expect(told).toEqual([])
  })
})

describe('the number of stale monitors', () => {
  it('is counted anew after a second', async () => {
    const monitors = [up({ id: 1 }), up({ id: 2 }), up({ id: 3, machine: { inconclusive: 9 } })]
    const { clock, staleness } = watched({ monitors })
    expect(staleness.count()).toBe(1)
    await clock.advance(2 * MINUTE)
    expect(staleness.count()).toBe(1)
    await clock.advance(999)
    // By now all three are stale.
    expect(staleness.count()).toBe(1)
    await clock.advance(1)
    expect(staleness.count()).toBe(3)
  })
})
