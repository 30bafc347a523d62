/** When monitors and jobs are due, without the rest of an engine. */
import { describe, expect, it } from 'vitest'
import { firstDueAt, nextDueAt } from '../../src/engine/scheduling/cadence.ts'
import type { MachineState, Suppression } from '../../src/model.ts'
import { machine } from '../../src/testing/store-suite/case.ts'
import { NOON } from './cached-monitor.ts'
import { after, due, grid, MINUTE, scheduled, window } from './schedule-rig.ts'

const SECOND = 1000
const INTERVAL = MINUTE
/** The job of the rig takes this for a deadline that never comes. */
const WITHOUT_DEADLINE = 0

describe('a monitor', () => {
  it('is checked soon after it was made, and then at its interval', async () => {
    const { schedule, add, clock, orders, answer, ticks, next } = await scheduled()
    await add({}, { last_round_at: null })
    const first = after(firstDueAt(1, INTERVAL, null, NOON))
    expect([next(), first < 10]).toEqual([first, true])
    await clock.advance(20 * SECOND)
    // Not before the engine starts.
    expect(orders).toEqual([])
    schedule.start()
    await clock.advance(0)
    expect(ticks()).toEqual([first])
    answer(orders[0])
    const second = grid(1, NOON + 20 * SECOND)
    await clock.advance((second - 20) * SECOND - 1)
    expect([ticks(), next()]).toEqual([[first], second])
    await clock.advance(1)
    answer(orders[1])
    await clock.advance(INTERVAL)
    expect(ticks()).toEqual([first, second, second + 60])
    schedule.stop()
    answer(orders[2])
    await clock.advance(5 * MINUTE)
    expect([ticks().length, clock.pending]).toEqual([3, 1])
  })

  it('is not checked where another engine runs it, though its time passes', async () => {
    const { schedule, add, clock, orders, next, foreign } = await scheduled()
    foreign.add(1)
    schedule.start()
    await add()
    await clock.advance(2 * MINUTE)
    expect([orders, next()]).toEqual([[], grid(1, NOON + 2 * MINUTE)])
  })

  it('is not checked while it is paused, whoever has paused it', async () => {
    const { schedule, add, change, clock, orders, next } = await scheduled()
    schedule.start()
    await add({}, { state: 'paused' })
    expect(next()).toBe(null)
    await add()
    const { machine } = (await change(2, {}, { silent: true })).before.record
    await change(2, { machine: { ...machine, state: 'paused' } }, { silent: true })
    await clock.advance(2 * MINUTE)
    expect([orders, next(2)]).toEqual([[], null])
  })

  it('is not checked in a window that says so', async () => {
    const { schedule, add, clock, orders, monitorCache } = await scheduled()
    schedule.start()
    await add({ maintenance: [window(0, 10, true)] })
    await clock.advance(5 * MINUTE)
    expect([monitorCache.peek(1)?.record.machine.state, orders]).toEqual(['maintenance', []])
    // At its end at once.
    await clock.advance(5 * MINUTE)
    expect(orders).toHaveLength(1)
  })

  it('in maintenance is checked as usual', async () => {
    const { schedule, add, clock, orders } = await scheduled()
    schedule.start()
    await add({ maintenance: [window(0, 10)] }, { state: 'maintenance' })
    await clock.advance(INTERVAL)
    expect(orders).toHaveLength(1)
  })

  it('misses a round while the one before has not ended', async () => {
    const { schedule, add, clock, ticks, next, results } = await scheduled()
    schedule.start()
    await add({ timeout_ms: 50_000 })
    const first = grid(1, NOON)
    await clock.advance(first * SECOND + INTERVAL)
    expect([ticks(), next()]).toEqual([[first], first + 120])
    await clock.advance(INTERVAL)
    expect(await results(1)).toEqual([`${first} @1 unknown probe_no_report`])
    expect(ticks()).toEqual([first, first + 120])
  })

  it('is stored with others where nobody waits for the round', async () => {
    const { schedule, add, clock, change, orders, answer, results } = await scheduled()
    schedule.start()
    await add()
    await add({ interval_sec: 3600 })
    await clock.advance(grid(1, NOON) * SECOND)
    await change(2, { machine: machine({ state: 'up' }) })
    answer(orders[0])
    await clock.settle()
    expect(await results(1)).toEqual([])
    await clock.advance(250)
    expect(await results(1)).toHaveLength(1)
  })

  it('that cannot be read is tried again five seconds later, unless it is gone', async () => {
    const { schedule, add, clock, logged, gone, unreadable, next, store } = await scheduled()
    const get = store.monitors.get.bind(store.monitors)
    schedule.start()
    await add()
    gone()
    unreadable(new Error('the disk is full'))
    const at = grid(1, NOON)
    await clock.advance(at * SECOND)
    const text = 'error: a due monitor could not be read'
    expect([logged, next()]).toEqual([[`${text}: the disk is full`], at + 5])
    Object.assign(store.monitors, { get })
    await store.monitors.get(1)
    Object.assign(store.monitors, { get: () => Promise.resolve(undefined) })
    await clock.advance(5 * SECOND)
    expect([logged.length, next()]).toEqual([1, null])
  })

  it('that is due tells how late the schedule is', async () => {
    const { schedule, add, addJob, clock } = await scheduled()
    await addJob(NOON - 5000)
    await add({}, { last_round_at: null })
    expect(schedule.lag_ms).toBe(0)
    schedule.start()
    await clock.advance(0)
    expect(schedule.lag_ms).toBe(5000)
    await clock.advance(10 * SECOND)
    expect(schedule.lag_ms).toBe(0)
  })

  it('keeps its place where the clock was set, and is forgotten where it is gone', async () => {
    const { schedule, add, clock, next, clocksSet, monitorCache } = await scheduled()
    schedule.start()
    await add({ interval_sec: 3600 })
    await add({ interval_sec: 3600 })
    await clock.advance(SECOND)
    monitorCache.drop([1, 2].map((id) => id % 256))
    const [kept] = [...monitorCache.all()]
    expect(kept).toBeUndefined()
    clock.jump(-10 * 24 * 60 * MINUTE)
    await clock.advance(5 * SECOND)
    expect(clocksSet).toHaveLength(1)
    expect([next(1), next(2)]).toEqual([null, null])
  })

  it('is due at its next time where the clock was set', async () => {
    const { schedule, add, clock, next } = await scheduled()
    schedule.start()
    await add({ interval_sec: 3600 })
    await clock.advance(SECOND)
    clock.jump(-10 * 24 * 60 * MINUTE)
    await clock.advance(5 * SECOND)
    expect(next()).toBe(after(nextDueAt(1, 3600 * SECOND, clock.now())))
  })

  it('shows its type, when it is due, and whether it is starved', async () => {
    const { schedule, add, clock, monitorCache, starved } = await scheduled()
    const cached = await add()
    expect(schedule.factsOf(cached)).toMatchObject({
      ...{ checker: { type: 'plain' }, next_due_at: schedule.nextDue(1), stale: false },
    })
    await clock.advance(3 * MINUTE)
    expect(schedule.factsOf(monitorCache.peek(1)!)).toMatchObject({ stale: true })
    expect(starved).toEqual(['1 true'])
    const unheard = { ...cached, record: { ...cached.record, id: 9, type: 'unheard_of' } }
    expect(schedule.factsOf(unheard)).toMatchObject({ checker: undefined, next_due_at: null })
  })
})

describe('a job', () => {
  it('is judged at its deadline, and not before', async () => {
    const { schedule, addJob, clock, judged, next, orders } = await scheduled()
    schedule.start()
    await addJob(NOON + MINUTE)
    expect(next()).toBe(60)
    await clock.advance(MINUTE - 1)
    expect(judged).toEqual([])
    await clock.advance(1)
    expect([judged, orders, next()]).toEqual([[1], [], null])
  })

  it('without a deadline is not due', async () => {
    const { schedule, addJob, next, clock, judged } = await scheduled()
    schedule.start()
    await addJob(NOON - MINUTE, { last_round_at: NOON })
    await clock.advance(60 * MINUTE)
    expect([next(), judged]).toEqual([null, []])
  })

  const held = (reason: Suppression['reason']): Partial<MachineState> => ({
    ...{ state: 'down', last_round_at: NOON },
    incident: {
      ...{ id: 7, started_at: NOON, cause_code: 'timeout' },
      suppression: { reason, by: null, rounds: 0 },
    },
  })

  it('that is down and waits for its parent is judged every five minutes, or when it is up', async () => {
    const { add, addJob, change, next, clock } = await scheduled()
    const { record } = await add()
    const job = await addJob(NOON - MINUTE, held('dependency'))
    expect(next(job)).toBe(300)
    const common = { ...record.common, interval_sec: 60, depends_on: [record.id] }
    await change(job, { settings: { common, settings: {}, target: 'x' } })
    expect(next(job)).toBe(60)
    await clock.advance(SECOND)
    await change(record.id, { machine: machine({ state: 'up' }), results: [] })
    expect(next(job)).toBe(1)
  })

  it('that is down, and of which all were told, is judged once a signal comes', async () => {
    const { addJob, next } = await scheduled()
    const incident = { id: 7, started_at: NOON, cause_code: 'timeout' }
    const told = { state: 'down', last_round_at: NOON, incident } as const
    expect(next(await addJob(NOON - MINUTE, told))).toBe(null)
  })

  it('that is down and flaps is judged at its interval; in maintenance none is', async () => {
    const { addJob, next } = await scheduled()
    expect(next(await addJob(NOON - MINUTE, held('flapping')))).toBe(600)
    const asked = { ...held('flapping'), last_round_at: null, since: NOON + MINUTE }
    expect(next(await addJob(NOON + 30 * MINUTE, asked))).toBe(660)
    const later = { ...held('maintenance'), state: 'maintenance' } as const
    expect(next(await addJob(NOON - MINUTE, later))).toBe(null)
    expect(next(await addJob(NOON - MINUTE, { ...later, state: 'pending' }))).toBe(null)
  })

  it('whose deadline is before its last judgement once it is changed is judged at once', async () => {
    const { addJob, change, next, clock, monitorCache } = await scheduled()
    const judged = { state: 'late', last_round_at: NOON + 2 * MINUTE } as const
    const now = NOON + 3 * MINUTE
    const jobs = [
      await addJob(NOON + MINUTE, judged),
      await addJob(now, { ...judged, last_round_at: now }),
      await addJob(NOON + 9 * MINUTE, judged),
      await addJob(WITHOUT_DEADLINE, judged),
    ]
    await clock.advance(3 * MINUTE)
    expect(jobs.map(next)).toEqual([null, null, 540, null])
    for (const id of jobs) {
      const { common } = monitorCache.peek(id)!.record
      await change(id, { settings: { common, settings: {}, target: 'x' } })
    }
    expect(jobs.map(next)).toEqual([180, 180, 540, null])
  })

  it('whose judgement cannot be stored is judged again five seconds later', async () => {
    const { schedule, addJob, clock, judged, logged, fail } = await scheduled()
    schedule.start()
    await addJob(NOON + MINUTE)
    fail(true)
    await clock.advance(MINUTE + 4999)
    expect(judged).toEqual([1])
    expect(logged).toEqual(['error: a missed deadline could not be judged: the disk is full'])
    fail(false)
    await clock.advance(1)
    expect(judged).toEqual([1, 1])
    await clock.advance(MINUTE)
    expect(judged).toHaveLength(2)
  })

  it('that has no deadline any more is not judged again', async () => {
    const { schedule, addJob, change, clock, judged, next, fail } = await scheduled()
    schedule.start()
    await addJob(NOON + MINUTE)
    const later = machine({ state: 'up', last_round_at: NOON + 2 * MINUTE })
    await change(1, { machine: later }, { silent: true })
    fail(true)
    await clock.advance(2 * MINUTE)
    expect([judged, next()]).toEqual([[1], null])
  })

  it.each(['paused', 'maintenance'] as const)('has no deadline in the state %s', async (state) => {
    const { schedule, addJob, monitorCache, next } = await scheduled()
    await addJob(NOON + MINUTE, { state })
    expect(next()).toBe(null)
    schedule.reschedule(monitorCache.peek(1)!, 'now')
    expect(next()).toBe(null)
  })

  it('has another deadline after a signal, and after an outage', async () => {
    const { addJob, change, next } = await scheduled()
    await addJob(NOON + MINUTE)
    await change(1, { locations: [due(1, NOON + 5 * MINUTE)] })
    expect(next()).toBe(300)
    await change(1, { machine: machine({ state: 'up', last_round_at: NOON + 6 * MINUTE }) })
    expect(next()).toBe(null)
  })

  it('is due no sooner while its failure waits to be confirmed', async () => {
    const { addJob, change, next } = await scheduled()
    await addJob(NOON + 5 * MINUTE)
    await change(1, { machine: machine({ state: 'confirming' }) })
    expect(next()).toBe(300)
  })

  it('is due no sooner because it was changed', async () => {
    const { schedule, addJob, monitorCache, next } = await scheduled()
    await addJob(NOON + 5 * MINUTE)
    schedule.reschedule(monitorCache.peek(1)!, 'now')
    expect(next()).toBe(300)
  })
})
