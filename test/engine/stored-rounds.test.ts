/** How a round is stored, tried again, overtaken and dropped. */
import { describe, expect, it } from 'vitest'
import { ConflictError, NotFoundError, StorageError, UnreadableError } from '../../src/errors.ts'
import type { CachedMonitor } from '../../src/engine/monitors/cached-monitor.ts'
import type { MachineState } from '../../src/model.ts'
import { machine } from '../../src/testing/store-suite/case.ts'
import { NOON } from './cached-monitor.ts'
import { FAILED, roundsRig } from './rounds-rig.ts'

const SECOND = 1000
const FULL = new StorageError('the disk is full')
const LOGGED = 'error: a round could not be stored: the disk is full'

/** What a promise rejects with: its code and its text. */
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: { readonly code: string; readonly message: string }) =>
      `${error.code}: ${error.message}`,
  )

type Rig = Awaited<ReturnType<typeof roundsRig>>

/** Stores a change of the machine of a monitor, as another part of the engine does. */
const turn = ({ monitorCache }: Rig, id: number, change: Partial<MachineState>) =>
  monitorCache.change(id, ({ record: { revision, machine } }) => ({
    change: { monitor_id: id, revision, at: NOON, machine: { ...machine, ...change } },
  }))

describe('a round that cannot be stored', () => {
  async function failing(error: Error = FULL) {
    const all = await roundsRig()
    const cached = await all.add()
    const run = all.rounds.run(cached, NOON)
    all.fail(true, error)
    all.answer(all.orders[0])
    const refused = await refusal(run)
    return { ...all, cached, refused }
  }

  it('is told to who waits for it, and stored five seconds later', async () => {
    const all = await failing()
    const { clock, refused, logged, fail, results, published, rounds } = all
    expect([refused, logged, published]).toEqual(['storage: the disk is full', [LOGGED], []])
    expect(rounds.underWay(1)).toBe(false)
    await clock.advance(5 * SECOND)
    expect(logged).toEqual([LOGGED, LOGGED])
    fail(false)
    await clock.advance(5 * SECOND - 1)
    expect(await results(1)).toEqual([])
    await clock.advance(1)
    expect(await results(1)).toEqual(['0 @1 ok'])
    expect(all.ended).toEqual(['1 lost', '1 lost', '1 stored'])
    expect(published).toEqual([`1 up ${10 / 60}`])
    await clock.advance(60 * SECOND)
    expect([published.length, clock.pending]).toEqual([1, 0])
  })

  it('is stored as soon as another one can be', async () => {
    const { rounds, add, orders, answer, clock, fail, results } = await failing()
    fail(false)
    void rounds.run(await add(), NOON)
    answer(orders[1])
    await clock.settle()
    expect(await results(2)).toHaveLength(1)
    expect(await results(1)).toEqual(['0 @1 ok'])
  })

  it.each<[string, Error, number]>([
    ['since others change the monitor all the time', conflict('busy'), 1],
    ['since it was refused', conflict('quota'), 0],
    ['since a row is damaged', new UnreadableError('Unreadable "machine" in row 1'), 0],
    ['since it has a defect', Object.assign(new Error('no'), { code: 'busy' }), 0],
  ])('%s, is tried again only where that can help', async (_, error, times) => {
    const { clock, changes, fail, results } = await failing(error)
    const before = changes.length
    fail(false)
    await clock.advance(60 * SECOND)
    expect([changes.length - before, await results(1)]).toHaveProperty('1.length', times)
  })

  it.each<[string, (all: Awaited<ReturnType<typeof failing>>) => unknown]>([
    ['another one begins', ({ rounds, cached }) => rounds.run(cached, NOON + 1)],
    ['its monitor changes', ({ rounds }) => rounds.cancel(1, 'changed')],
    ['the engine stops', ({ rounds }) => rounds.abandon()],
  ])('is not tried again once %s', async (_, happens) => {
    const all = await failing()
    void happens(all)
    all.fail(false)
    await all.clock.advance(20 * SECOND)
    expect([await all.results(1), all.published]).toEqual([[], []])
  })

  it('since its monitor was removed is no error of the engine, and not tried again', async () => {
    const { refused, logged, ended, clock } = await failing(new NotFoundError('monitor'))
    await clock.advance(20 * SECOND)
    expect([refused, logged, ended]).toEqual(['not_found: There is no such monitor', [], []])
  })

  it('is not tried again where another one has begun meanwhile', async () => {
    const { rounds, add, orders, answer, clock, store, logged, results } = await roundsRig()
    const cached = await add()
    let refuse = (_: Error): void => undefined
    const commit = store.commit.bind(store)
    store.commit = () => new Promise((_, reject) => (refuse = reject))
    const first = refusal(rounds.run(cached, NOON))
    answer(orders[0], FAILED)
    await clock.settle()
    rounds.cancel(1, 'changed')
    void rounds.run(cached, NOON + SECOND)
    refuse(FULL)
    await clock.settle()
    expect([await first, logged]).toEqual([expect.stringContaining('changed: '), [LOGGED]])
    // The end of the first does not end the second.
    expect(rounds.underWay(1)).toBe(true)
    store.commit = commit
    await clock.advance(20 * SECOND)
    expect(await results(1)).toEqual([])
    answer(orders[1])
    await clock.settle()
    expect(await results(1)).toEqual(['1 @1 ok'])
  })

  function conflict(code: string) {
    return new ConflictError(code, 'no')
  }
})

describe('a round', () => {
  it.each<[string, Partial<MachineState>, number]>([
    ['of a monitor that is paused meanwhile does not count', { state: 'paused' }, 0],
    ['that a later one has overtaken does not count', { last_round_at: NOON + 5 }, 0],
    ['of a monitor that starts over counts', { last_round_at: null }, 1],
    ['of a monitor that changes its state otherwise counts', { state: 'pending' }, 1],
  ])('%s', async (_, change, count) => {
    const all = await roundsRig()
    const { rounds, add, orders, answer, clock, results, published, logged } = all
    const run = rounds.run(await add({}, { machine: machine({ last_round_at: NOON - 60 }) }), NOON)
    await turn(all, 1, change)
    answer(orders[0])
    await clock.settle()
    expect(await results(1)).toHaveLength(count)
    expect(await run).toEqual(count === 0 ? null : expect.anything())
    expect([published.length, logged, rounds.underWay(1)]).toEqual([count, [], false])
  })

  it('with settings that have changed meanwhile does not count', async () => {
    const { rounds, add, orders, answer, clock, results, monitorCache } = await roundsRig()
    const run = rounds.run(await add(), NOON)
    await monitorCache.change(1, ({ record: { revision, common, settings, target } }) => ({
      change: { monitor_id: 1, revision, at: NOON, settings: { common, settings, target } },
    }))
    answer(orders[0])
    await clock.settle()
    expect([await run, await results(1)]).toEqual([null, []])
  })

  /** Right after a commit, so that one that may wait waits. */
  async function deferrable() {
    const all = await roundsRig()
    const cached = await all.add()
    void all.rounds.run(await all.add(), NOON)
    all.answer(all.orders[0])
    await all.clock.settle()
    return {
      ...all,
      cached,
      run: (): void => void all.rounds.run(cached, NOON, { deferrable: true }),
    }
  }

  it('that nobody waits for is stored with others, a quarter of a second later', async () => {
    const { run, orders, answer, clock, results } = await deferrable()
    run()
    run()
    answer(orders[1])
    await clock.advance(249)
    expect(await results(1)).toEqual([])
    await clock.advance(1)
    expect(await results(1)).toEqual(['0 @1 ok'])
  })

  it('that somebody asks for meanwhile is stored at once', async () => {
    const { run, rounds, cached, orders, answer, clock, results } = await deferrable()
    run()
    void rounds.run(cached, NOON)
    answer(orders[1])
    await clock.settle()
    expect(await results(1)).toEqual(['0 @1 ok'])
  })

  it('that somebody asks for while it waits is stored at once', async () => {
    const { run, rounds, cached, orders, answer, clock, results } = await deferrable()
    run()
    answer(orders[1])
    await clock.settle()
    const joined = rounds.run(cached, NOON)
    await clock.settle()
    expect(await results(1)).toEqual(['0 @1 ok'])
    expect(await joined).toMatchObject({ change: { monitor_id: 1 } })
  })

  it('that somebody asks for is stored at once', async () => {
    const { rounds, cached, orders, answer, clock, results } = await deferrable()
    void rounds.run(cached, NOON)
    answer(orders[1])
    await clock.settle()
    expect(await results(1)).toEqual(['0 @1 ok'])
  })
})

describe('a round that is dropped', () => {
  it.each<['paused' | 'changed', string]>([
    ['paused', 'paused: The monitor was paused while the check ran'],
    ['changed', 'changed: The monitor was changed while the check ran; ask again'],
  ])('since its monitor was %s says so, and leaves nothing behind', async (reason, text) => {
    const { rounds, add, orders, answer, cancelled, clock, results, checked } = await roundsRig()
    const run = refusal(rounds.run(await add(), NOON))
    expect(rounds.cancel(7, reason)).toBe(false)
    expect([cancelled, rounds.underWay(1)]).toEqual([[], true])
    expect(rounds.cancel(1, reason)).toBe(true)
    expect([cancelled, rounds.underWay(1), clock.pending]).toEqual([[1], false, 0])
    expect(await run).toBe(text)
    answer(orders[0])
    await clock.settle()
    expect([await results(1), checked]).toEqual([[], []])
    expect(rounds.cancel(1, reason)).toBe(false)
  })

  it('since its time is over leaves nothing behind, and goes on where a caller waits for it', async () => {
    const { rounds, add, orders, answer, clock, results } = await roundsRig()
    const regular = refusal(rounds.run(await add(), NOON, { deferrable: true }))
    const asked = rounds.run(await add(), NOON)
    // There is no round of the last one.
    for (const id of [1, 2, 7]) rounds.cancelScheduled(id)
    expect([rounds.underWay(1), rounds.underWay(2)]).toEqual([false, true])
    for (const order of orders) answer(order)
    await clock.settle()
    expect(await regular).toContain('changed: ')
    expect((await asked)?.after?.record.id).toBe(2)
    expect([await results(1), await results(2)]).toEqual([[], ['0 @1 ok']])
  })

  it('since the engine stops says so, unless all have reported: that is stored first', async () => {
    const { rounds, add, orders, answer, clock, results } = await roundsRig()
    const [first, second] = [await add(), await add()]
    const stored = rounds.run(first, NOON, { deferrable: true })
    const waiting = refusal(rounds.run(second, NOON))
    answer(orders[0])
    await rounds.abandon()
    expect(await results(1)).toEqual(['0 @1 ok'])
    expect(await stored).toMatchObject({ change: { monitor_id: 1 } })
    expect(await waiting).toBe('unavailable: The engine stops')
    await clock.advance(0)
    expect([rounds.underWay(2), clock.pending]).toEqual([false, 0])
  })

  it('is waited for by a stop, however long the store takes', async () => {
    const { rounds, add, orders, answer, clock, results, store } = await roundsRig()
    void rounds.run(await add(), NOON)
    let go = (): void => undefined
    const commit = store.commit.bind(store)
    store.commit = (changes) =>
      new Promise<void>((resolve) => (go = resolve)).then(() => commit(changes))
    answer(orders[0])
    let stopped = false
    const stopping = rounds.abandon().then(() => (stopped = true))
    await clock.settle()
    expect([stopped, await results(1)]).toEqual([false, []])
    go()
    await stopping
    expect(await results(1)).toEqual(['0 @1 ok'])
  })

  it('is waited for by a stop, though it cannot be stored, and not tried again', async () => {
    const { rounds, add, orders, answer, clock, results, fail, logged } = await roundsRig()
    const cached: CachedMonitor = await add()
    void rounds.run(cached, NOON)
    fail(true, FULL)
    answer(orders[0])
    await rounds.abandon()
    expect(logged).toEqual([LOGGED])
    fail(false)
    await clock.advance(20 * SECOND)
    expect(await results(1)).toEqual([])
  })
})
