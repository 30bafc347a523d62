/** A round of a monitor: whom it asks, when it ends, and what is stored of it. */
import { describe, expect, it } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import type { CheckAnswer } from '../../src/probes/transport.ts'
import { NOON, plain } from './cached-monitor.ts'
import { FAILED, roundsRig } from './rounds-rig.ts'

const MINUTE = 60_000

/** Is made of others: up as long as each of its members is. */
const group = {
  ...defineChecker({
    type: 'group',
    title: 'Group',
    description: 'Is made of others',
    fields: {},
    target: () => 'x',
    run: () => Promise.resolve(up()),
  }),
  composite: {
    judge: (members: readonly { readonly state: string }[]) => ({
      verdict: members.every(({ state }) => state === 'up') ? 'ok' : 'fail',
      ...{ cause_code: 'members_down', cause_text: 'Down', findings: {} },
    }),
  },
} as unknown as AnyChecker

const BOTH = { location_ids: [1, 2] }
const notice = { event: 'expiring', key: 'k', data: { days_left: 3 } }

describe('a round', () => {
  it('asks each location of the monitor that the engine has, and no other', async () => {
    const { rounds, add, orders } = await roundsRig()
    const memo = { seen: 1 }
    const cached = await add({ location_ids: [2, 7], timeout_ms: 4000 })
    const state = { monitor_id: 1, location_id: 2, last: null, consecutive_fails: 0, memo }
    void rounds.run({ ...cached, locations: new Map([[2, state]]) }, NOON - 5)
    expect(orders).toMatchObject([
      {
        ...{ id: `1-1-${NOON - 5}-2`, monitor_id: 1, version: 1, round: NOON - 5, memo },
        ...{ location: { id: 2, name: 'there' }, timeout_ms: 4000, interval_sec: 60 },
        // A check that could not start by then gives way to the next one.
        expires_at: NOON + MINUTE,
      },
    ])
    void rounds.run(await add(BOTH), NOON)
    expect(orders.slice(1).map(({ location, memo }) => [location.name, memo])).toEqual([
      ['here', null],
      ['there', null],
    ])
  })

  it('is stored once all have reported, and leaves no timer behind', async () => {
    const all = await roundsRig()
    const { rounds, add, orders, answer, clock, results, published, checked } = all
    const run = rounds.run(await add(BOTH), NOON)
    answer(orders[1], FAILED)
    await clock.settle()
    expect([await results(1), rounds.underWay(1), published]).toEqual([[], true, []])
    answer(orders[0], {}, { lag_ms: 70 })
    await clock.advance(0)
    expect(await results(1)).toEqual(['0 @1 ok', '0 @2 fail timeout'])
    expect((await run)?.after?.record.machine).toMatchObject({ last_round_at: NOON })
    expect(published).toEqual(['1 confirming 0'])
    expect([rounds.underWay(1), checked, clock.pending, all.logged]).toEqual([false, [1, 1], 0, []])
    const [{ lag_ms } = {}] = await all.store.results.list({
      monitor_id: 1,
      location_id: 1,
      limit: 1,
    })
    expect(lag_ms).toBe(70)
  })

  it('ends without a location that is silent, an interval and the time of a check later', async () => {
    const { rounds, add, orders, answer, clock, results, published, store } = await roundsRig()
    void rounds.run(await add({ ...BOTH, interval_sec: 30, timeout_ms: 4000 }), NOON)
    answer(orders[0])
    await clock.advance(30_000 + 4000 + 5000 - 1)
    expect(await results(1)).toEqual([])
    await clock.advance(1)
    expect(await results(1)).toEqual(['0 @1 ok', '0 @2 unknown probe_no_report'])
    expect(published).toEqual([`1 up ${39 / 60}`])
    const [silent] = await store.results.list({ monitor_id: 1, location_id: 2, limit: 9 })
    expect(silent?.started_at).toBe(NOON + 39_000)
    // Too late.
    answer(orders[1], FAILED)
    await clock.settle()
    expect(await results(1)).toHaveLength(2)
  })

  it('of a monitor without a location of this engine ends at once', async () => {
    const { rounds, add, orders, clock, results } = await roundsRig()
    const run = rounds.run(await add({ location_ids: [7] }), NOON)
    await clock.advance(0)
    expect((await run)?.after?.record.machine.last_round_at).toBe(NOON)
    expect([orders, await results(1), clock.pending]).toEqual([[], [], 0])
  })

  it('is joined by whoever asks for another one meanwhile', async () => {
    const { rounds, add, orders, answer, clock, results } = await roundsRig()
    const cached = await add()
    const first = rounds.run(cached, NOON)
    const second = rounds.run(cached, NOON + 5)
    expect(orders).toHaveLength(1)
    answer(orders[0])
    await clock.settle()
    expect(await second).toBe(await first)
    expect(await results(1)).toEqual(['0 @1 ok'])
    // And the next one is another.
    void rounds.run(cached, NOON + 10)
    expect(orders).toHaveLength(2)
  })

  it('has the warnings of its monitor, also those that are learned', async () => {
    const { rounds, add, orders, answer, clock, store } = await roundsRig()
    void rounds.run(await add({ warn: { response: 'baseline' } }), NOON)
    void rounds.run(await add({ warn: { response: { above: 50 } } }), NOON)
    answer(orders[0], { duration_ms: 80 })
    answer(orders[1], { duration_ms: 80 })
    await clock.settle()
    const detailsOf = async (monitor_id: number) =>
      (await store.results.list({ monitor_id, limit: 1 }))[0]?.details
    expect(await detailsOf(1)).toBeDefined()
    expect(await detailsOf(2)).toHaveProperty('warning')
  })

  it('says of a notice where it was seen, if there are several locations', async () => {
    const telling = { ...plain, type: 'telling', events: ['expiring'] } as AnyChecker
    const { rounds, add, orders, answer, clock } = await roundsRig(telling)
    const one = rounds.run(await add({}, { type: 'telling' }), NOON)
    const two = rounds.run(await add(BOTH, { type: 'telling' }), NOON)
    const neither = rounds.run(await add(BOTH, { type: 'telling' }), NOON)
    answer(orders[0], {}, { notices: [notice] })
    answer(orders[1])
    answer(orders[2], {}, { notices: [notice] })
    answer(orders[3])
    answer(orders[4])
    await clock.settle()
    expect((await one)?.fresh).toEqual([notice])
    expect((await two)?.fresh).toEqual([{ ...notice, data: { days_left: 3, locations: [2] } }])
    expect((await neither)?.fresh).toEqual([])
  })
})

it.each<[string, readonly string[] | undefined]>([
  ['others', ['renewed']],
  ['none', undefined],
])('a notice of a type that lists %s is dropped', async (_, events) => {
  const telling = { ...plain, type: 'telling', events } as AnyChecker
  const { rounds, add, orders, answer, clock } = await roundsRig(telling)
  const round = rounds.run(await add({}, { type: 'telling' }), NOON)
  answer(orders[0], {}, { notices: [notice] })
  await clock.settle()
  expect((await round)?.fresh).toEqual([])
})

describe('an answer', () => {
  const asked = async () => {
    const all = await roundsRig()
    void all.rounds.run(await all.add(BOTH), NOON)
    const [order] = all.orders
    return { ...all, order: order! }
  }

  it.each<[string, object]>([
    ['of another monitor', { monitor_id: 7 }],
    ['of another round', { round: NOON + 1 }],
    ['from before a change of the settings', { version: 0 }],
    ['of a location that has no order', { location: { id: 3, name: 'nowhere' } }],
  ])('%s has no effect', async (_, change) => {
    const { answer, order, orders, checked, clock, results, logged } = await asked()
    answer({ ...order, ...change }, FAILED)
    answer(orders[1])
    await clock.settle()
    expect([checked, await results(1), logged]).toEqual([[1], [], []])
    answer(order)
    await clock.settle()
    expect(await results(1)).toEqual(['0 @1 ok', '0 @2 ok'])
  })

  it('that comes twice counts once', async () => {
    const { answer, order, orders, checked, clock, results } = await asked()
    answer(order)
    answer(order, FAILED)
    await clock.settle()
    expect([checked, await results(1)]).toEqual([[1], []])
    answer(orders[1])
    answer(orders[1], FAILED)
    await clock.settle()
    expect([checked, await results(1)]).toEqual([
      [1, 1],
      ['0 @1 ok', '0 @2 ok'],
    ])
  })

  it('of a check that has not begun is no sign of one', async () => {
    const { answer, order, checked } = await asked()
    answer(order, { verdict: 'unknown', cause_code: 'cancelled' }, { begun: false })
    expect(checked).toEqual([])
  })

  it('that is none is logged', async () => {
    const { rounds, logged, checked } = await asked()
    rounds.answer({ order: {}, report: null } as unknown as CheckAnswer)
    const text = 'error: an answer cannot be read: The transport gave no answer'
    expect([logged, checked]).toEqual([[text], []])
  })
})

describe('an order that cannot be sent', () => {
  it.each<[string, () => Promise<void>]>([
    ['later', () => Promise.reject(new Error('no way'))],
    [
      'at once',
      () => {
        throw new Error('no way')
      },
    ],
  ])('ends as if its location were silent: the transport says so %s', async (_, send) => {
    const { rounds, add, probes, clock, results, logged, checked } = await roundsRig()
    Object.assign(probes, { send })
    void rounds.run(await add({ location_ids: [2] }), NOON)
    await clock.settle()
    expect(await results(1)).toEqual(['0 @2 unknown probe_no_report'])
    expect(logged).toEqual([
      'error: an order could not be sent: monitor_id 1: location there: no way',
    ])
    // Nothing was checked.
    expect(checked).toEqual([])
  })
})

describe('a round of a monitor that is made of others', () => {
  it('is decided from their states, at each of its locations, without an order', async () => {
    const { rounds, add, monitorCache, orders, clock, results, checked } = await roundsRig(group)
    await add()
    const { record } = await add(BOTH, { type: 'group', settings: { monitor_ids: [1] } })
    const run = async (tick: number) => {
      void rounds.run(monitorCache.peek(record.id)!, tick)
      await clock.advance(0)
    }
    await run(NOON)
    await monitorCache.change(1, ({ record: { id, revision, machine } }) => ({
      change: { monitor_id: id, revision, at: NOON, machine: { ...machine, state: 'down' } },
    }))
    await run(NOON + 1000)
    expect(await results(record.id)).toEqual([
      ...['0 @1 ok members_down', '0 @2 ok members_down'],
      ...['1 @1 fail members_down', '1 @2 fail members_down'],
    ])
    expect([orders, checked]).toEqual([[], [2, 2, 2, 2]])
  })

  it('that is dropped before they are read is not stored', async () => {
    const { rounds, add, clock, results, checked, published } = await roundsRig(group)
    await add()
    const cached = await add({}, { type: 'group', settings: { monitor_ids: [1] } })
    rounds.run(cached, NOON).catch(() => undefined)
    rounds.cancel(cached.record.id, 'changed')
    await clock.advance(0)
    expect([await results(cached.record.id), checked, published]).toEqual([[], [], []])
  })

  it('is undecided where they cannot be read', async () => {
    const { rounds, add, clock, results, store, logged } = await roundsRig(group)
    const cached = await add({}, { type: 'group', settings: { monitor_ids: [77] } })
    Object.assign(store.monitors, { get: () => Promise.reject(new Error('the disk is full')) })
    void rounds.run(cached, NOON)
    await clock.advance(0)
    expect(logged).toEqual(['error: the members of a monitor could not be read: the disk is full'])
    expect(await results(1)).toEqual(['0 @1 unknown probe_no_report'])
  })
})
