/** Types that wait for signals: what a signal, a passed deadline and a clock that was set change. */
import { describe, expect, it } from 'vitest'
import { memoOf, movedState, withDeadlineReset } from '../../src/engine/rounds/push.ts'
import { contact } from '../../src/testing/store-suite/case.ts'
import { NOON } from './cached-monitor.ts'
import { MINUTE, TOKEN, pushing } from './push-rig.ts'

describe('a signal', () => {
  it('is remembered and judged at once, as a round of one location', async () => {
    const { push, memo, machine, orders, results, published } = await pushing()
    const answer = await push.signal(TOKEN, { kind: 'success', message: 'done' })
    expect(answer).toEqual({ state: 'up', next_expected_at: '2026-01-01T12:10:00.000Z' })
    expect(memo()).toEqual({ heard: ['success done'], due: NOON + 10 * MINUTE })
    expect(machine()).toMatchObject({ state: 'up', last_round_at: NOON })
    expect(orders).toMatchObject([
      {
        ...{ round: NOON, location: { id: 1, name: 'here' }, missed_limit: 1 },
        ...{ expires_at: NOON + 10_000, memo: { heard: ['success done'] }, type: 'job' },
      },
    ])
    expect([await results(), published]).toEqual([1, ['1 up 0']])
  })

  it('may be judged by what the judgement remembers instead', async () => {
    const { push, memo } = await pushing({ memo: { heard: ['own'], due: 5 } })
    await push.signal(TOKEN, { kind: 'success' })
    expect(memo()).toEqual({ heard: ['own'], due: 5 })
  })

  it.each([
    ['that is a line of the log', 'log', {}],
    ['of a job that is paused', 'success', { state: 'paused' }],
  ] as const)('%s is remembered only', async (_, kind, state) => {
    const { push, memo, orders, results, published, machine } = await pushing({ state })
    const before = machine()
    const answer = await push.signal(TOKEN, { kind })
    expect(answer).toEqual({ state: before.state, next_expected_at: null })
    expect([memo()?.heard, orders, await results()]).toEqual([[kind], [], 0])
    expect([machine(), published.length]).toEqual([before, 1])
  })

  it('is judged at the location of the job, also where this engine does not know it', async () => {
    const { push, add, orders } = await pushing()
    await add({}, 'there', { location_ids: [2, 1] })
    await add({}, 'nowhere', { location_ids: [5] })
    for (const token of ['there', 'nowhere']) await push.signal(token, { kind: 'success' })
    expect(orders.map(({ location }) => location)).toEqual([
      { id: 2, name: 'there' },
      { id: 5, name: 'local' },
    ])
  })

  it('may warn, and tell what is new', async () => {
    const notice = { event: 'changed', key: 'a', data: {} }
    const { push, add, store } = await pushing({ notices: [notice] })
    await store.contacts.create(contact({ all_monitors: true }))
    await add({}, 'warns', { warn: { response: 'baseline' } })
    expect(await push.signal('warns', { kind: 'success' })).toMatchObject({ state: 'up' })
    const told = async () => (await store.notifications.list({ account_id: 1, limit: 9 })).length
    expect(await told()).toBe(1)
    const quiet = await pushing()
    await quiet.store.contacts.create(contact({ all_monitors: true }))
    await quiet.push.signal(TOKEN, { kind: 'success' })
    expect(await quiet.store.notifications.list({ account_id: 1, limit: 9 })).toEqual([])
  })

  it('beyond the limit of a job that begins anew has no time to expect', async () => {
    const { push, monitorCache, cached, id } = await pushing()
    for (let n = 0; n < 60; n++) await push.signal(TOKEN, { kind: 'success' })
    const { revision } = cached().record
    const change = { monitor_id: id, revision, at: NOON, forget_locations: true }
    await monitorCache.change(id, () => ({ change }))
    const ignored = 'rate_limited'
    const answer = await push.signal(TOKEN, { kind: 'success' })
    expect(answer).toEqual({ state: 'up', next_expected_at: null, ignored })
  })

  it('of no monitor, or of one that waits for none, is not found', async () => {
    const { push, add } = await pushing()
    await add({ type: 'other' }, 'other')
    for (const token of ['nobody', 'other'])
      await expect(push.signal(token, { kind: 'success' })).rejects.toMatchObject({
        ...{ code: 'not_found', message: expect.stringContaining('monitor') as string },
      })
  })

  it('is heard after sixty lines of a log, of which each job has as many', async () => {
    const { push, memo, add } = await pushing()
    await add({}, 'other job')
    const log = () => push.signal(TOKEN, { kind: 'log' })
    for (let n = 0; n < 60; n++) expect(await log()).not.toHaveProperty('ignored')
    expect(await log()).toMatchObject({ ignored: 'rate_limited' })
    expect(await push.signal('other job', { kind: 'log' })).not.toHaveProperty('ignored')
    expect(await push.signal(TOKEN, { kind: 'fail' })).not.toHaveProperty('ignored')
    expect(memo()?.heard.at(-1)).toBe('fail')
  })

  it('beyond sixty in a minute is answered, and not remembered', async () => {
    const { push, memo, clock } = await pushing()
    for (let n = 0; n < 60; n++) await push.signal(TOKEN, { kind: 'success' })
    const answer = await push.signal(TOKEN, { kind: 'fail' })
    const next_expected_at = '2026-01-01T12:10:00.000Z'
    expect(answer).toEqual({ state: 'up', next_expected_at, ignored: 'rate_limited' })
    expect(memo()?.heard).toHaveLength(60)
    await clock.advance(MINUTE)
    expect(await push.signal(TOKEN, { kind: 'success' })).not.toHaveProperty('ignored')
    expect(memo()?.heard).toHaveLength(61)
  })

  it('counts the failures of its location, and sees the last one', async () => {
    const { push, cached } = await pushing({ verdict: 'fail' })
    await push.signal(TOKEN, { kind: 'fail' })
    await push.signal(TOKEN, { kind: 'fail' })
    await push.signal(TOKEN, { kind: 'log' })
    expect(cached().locations.get(1)).toMatchObject({
      ...{ location_id: 1, consecutive_fails: 2, last: { verdict: 'fail' } },
    })
    expect(cached().record.machine.state).toBe('down')
  })
})

describe('a deadline that has passed', () => {
  it('is judged by what is remembered', async () => {
    const { push, machine, clock, cached, orders } = await pushing()
    await push.signal(TOKEN, { kind: 'success' })
    await clock.advance(11 * MINUTE)
    await push.judge(cached())
    expect(machine()).toMatchObject({ state: 'down', last_round_at: NOON + 11 * MINUTE })
    expect(orders[1]).toMatchObject({ round: NOON + 11 * MINUTE, memo: { heard: ['success'] } })
  })

  it('is judged with nothing remembered as well', async () => {
    const { push, cached, orders } = await pushing()
    await push.judge(cached())
    expect(orders).toMatchObject([{ memo: null }])
  })

  it('is none any more where the job was paused, or its settings changed', async () => {
    const paused = await pushing({ state: { state: 'paused' } })
    const { push, cached, orders, published, logged } = paused
    expect(await push.judge(cached())).toBeNull()
    const busy = await pushing()
    const before = busy.cached()
    const { common, settings, target } = before.record
    const change = { settings: { common, settings, target }, revision: 1, at: NOON }
    await busy.monitorCache.change(busy.id, () => ({ change: { monitor_id: busy.id, ...change } }))
    expect(await busy.push.judge(before)).toBeNull()
    expect([orders, busy.orders, published]).toEqual([[], [], []])
    expect([logged, busy.logged]).toEqual([[], []])
  })
})

describe('a clock that was set', () => {
  it('moves every deadline, and the time of the last round, by as much', async () => {
    const { push, memo, machine, clock, add, published } = await pushing()
    await push.signal(TOKEN, { kind: 'success' })
    await add({ type: 'other' }, 'other')
    await add({}, 'silent')
    clock.jump(60 * MINUTE)
    push.clockSet(60 * MINUTE)
    await clock.settle()
    expect(memo()).toEqual({ heard: ['success', 'clock_set 1'], due: NOON + 70 * MINUTE })
    expect(machine().last_round_at).toBe(NOON + 60 * MINUTE)
    expect(published).toEqual(['1 up 0', '1 up 60'])
  })

  it('moves no deadline of a monitor that another engine has: that one does', async () => {
    const { push, memo, clock } = await pushing()
    await push.signal(TOKEN, { kind: 'success' })
    push.clockSet(60 * MINUTE, () => false)
    await clock.settle()
    expect(memo()).toEqual({ heard: ['success'], due: NOON + 10 * MINUTE })
  })

  it('leaves a job without a round without one', async () => {
    const { push, memo, machine, clock } = await pushing({ state: { state: 'paused' } })
    await push.signal(TOKEN, { kind: 'success' })
    push.clockSet(MINUTE)
    await clock.settle()
    expect([memo()?.heard, machine().last_round_at]).toEqual([['success', 'clock_set 1'], null])
  })

  it('is logged where it cannot be followed', async () => {
    const { push, clock, fail, logged } = await pushing()
    await push.signal(TOKEN, { kind: 'success' })
    fail(true)
    push.clockSet(MINUTE)
    await clock.settle()
    expect(logged).toEqual(['error: a deadline could not follow the clock: the disk is full'])
  })
})

describe('a job that resumes', () => {
  it('has a whole period again, if it has heard anything', async () => {
    const { push, cached } = await pushing()
    expect(withDeadlineReset(cached(), NOON)).toEqual({})
    await push.signal(TOKEN, { kind: 'success' })
    expect(withDeadlineReset(cached(), NOON + MINUTE).locations).toMatchObject([
      {
        ...{ monitor_id: 1, location_id: 1, consecutive_fails: 0, last: { verdict: 'ok' } },
        memo: { heard: ['success', 'resumed 1'], due: NOON + 11 * MINUTE },
      },
    ])
  })

  it('is none where the type waits for nothing', async () => {
    const { add } = await pushing()
    const cached = await add({ type: 'other' }, 'other')
    expect([withDeadlineReset(cached, NOON), memoOf(cached)]).toEqual([{}, undefined])
  })
})

describe('what is known of a job', () => {
  const at = (location_ids: readonly number[]) => ({ location_ids, interval_sec: 600 }) as never

  it('moves to the location that its new settings name first, and stays nowhere else', async () => {
    const { push, cached } = await pushing()
    await push.signal(TOKEN, { kind: 'success' })
    const state = cached().locations.get(1)
    expect(movedState(cached(), at([2, 1]))).toEqual({
      forget_locations: true,
      locations: [{ ...state, location_id: 2 }],
    })
  })

  it('stays where its location does, and is nothing before the first signal', async () => {
    const { push, cached } = await pushing()
    expect(movedState(cached(), at([2]))).toEqual({})
    await push.signal(TOKEN, { kind: 'success' })
    expect(movedState(cached(), at([1, 2]))).toEqual({})
  })
})
