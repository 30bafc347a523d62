/** Types that wait for signals: what an absence of the engine changes. */
import { describe, expect, it } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import { memoOf } from '../../src/engine/rounds/push.ts'
import { NOON } from './cached-monitor.ts'
import { MINUTE, TOKEN, pushing } from './push-rig.ts'
import type { Given, Memo } from './push-rig.ts'

describe('an absence of the engine', () => {
  /** Away from the fifth minute until now. */
  async function away(minutes: number, given: Given = {}) {
    const all = await pushing({ state: { availability: 'up', state: 'up' }, ...given })
    await all.push.signal(TOKEN, { kind: 'success' })
    await all.add({ type: 'other' }, 'other')
    await all.clock.advance(minutes * MINUTE)
    await all.push.resetMissedDeadlines(NOON + 5 * MINUTE)
    const { availability } = all.store
    const changes = (await availability.list(all.id, 0, NOON * 2)).map(({ at, availability }) => [
      ...[(at - NOON) / MINUTE, availability],
    ])
    return { ...all, changes }
  }

  it('does not count a deadline in it; the time until now is unknown', async () => {
    const { memo, machine, changes, published } = await away(30)
    expect(memo()).toEqual({ heard: ['success', 'absence 1'], due: NOON + 40 * MINUTE })
    expect(machine()).toMatchObject({ state: 'up', known_since: NOON + 30 * MINUTE })
    expect(changes.slice(-2)).toEqual([
      [5, 'unknown'],
      [30, 'up'],
    ])
    expect(published).toEqual(['1 up 0'])
  })

  it('changes nothing where the deadline is still ahead', async () => {
    const { memo, changes } = await away(9)
    expect([memo()?.heard, changes]).toEqual([['success'], []])
  })

  it('counts at the very time of the deadline', async () => {
    expect((await away(10)).memo()?.heard).toEqual(['success', 'absence 1'])
  })

  it('leaves a job alone that is paused, or has heard nothing', async () => {
    const paused = await pushing({ state: { state: 'paused' } })
    await paused.push.signal(TOKEN, { kind: 'success' })
    const silent = await pushing()
    for (const { push, clock, memo } of [paused, silent]) {
      const before = memo()
      await clock.advance(30 * MINUTE)
      await push.resetMissedDeadlines(NOON + 5 * MINUTE)
      expect(memo()).toEqual(before)
    }
  })

  it('changes nothing of a deadline that had passed before, or of what failed', async () => {
    const passed = await pushing({ state: { availability: 'up', state: 'up' } })
    await passed.push.signal(TOKEN, { kind: 'success' })
    const failed = await pushing({ state: { availability: 'up', state: 'up' } })
    await failed.push.signal(TOKEN, { kind: 'fail' })
    for (const [{ push, clock, memo, machine }, alive] of [
      [passed, 20],
      [failed, 5],
    ] as const) {
      const before = [memo(), machine()]
      await clock.advance(60 * MINUTE)
      await push.resetMissedDeadlines(NOON + alive * MINUTE)
      expect([memo(), machine()]).toEqual(before)
    }
  })

  /** A job with a damaged memo, and one behind it that has heard something. */
  async function damaged() {
    const all = await pushing({ state: { availability: 'up', state: 'up' } })
    const { record } = await all.add({}, 'another job')
    await all.push.signal('another job', { kind: 'success' })
    const state = { monitor_id: all.id, location_id: 1, last: null, consecutive_fails: 0 }
    await all.monitorCache.change(all.id, () => ({
      change: { monitor_id: all.id, revision: 1, at: NOON, locations: [{ ...state, memo: {} }] },
    }))
    await all.clock.advance(30 * MINUTE)
    return {
      ...all,
      heard: () => (memoOf(all.monitorCache.peek(record.id)!) as unknown as Memo).heard,
    }
  }

  it('is made good to the jobs behind one whose memo its checker cannot read', async () => {
    const { push, heard, logged } = await damaged()
    await push.resetMissedDeadlines(NOON + 5 * MINUTE)
    expect(heard()).toEqual(['success', 'absence 1'])
    expect(logged).toEqual([
      expect.stringContaining('error: a deadline could not be set again: Cannot read properties'),
    ])
  })

  it('is not made good where the store fails, which the start of the engine hears', async () => {
    const { push, fail, logged } = await damaged()
    const error = new StorageError('the disk is full')
    fail(true, error)
    await expect(push.resetMissedDeadlines(NOON + 5 * MINUTE)).rejects.toBe(error)
    expect(logged).toHaveLength(1)
  })

  it('leaves the history alone where it is unknown already, or stored until later', async () => {
    const unknown = await pushing({ state: { availability: 'unknown' } })
    const due = NOON + 10 * MINUTE
    const change = (id: number) => ({
      ...{ monitor_id: id, revision: 1, at: NOON },
      locations: [
        {
          ...{ monitor_id: id, location_id: 1, last: null, consecutive_fails: 0 },
          memo: { heard: [], due },
        },
      ],
    })
    await unknown.monitorCache.change(unknown.id, () => ({ change: change(unknown.id) }))
    await unknown.clock.advance(30 * MINUTE)
    await unknown.push.resetMissedDeadlines(NOON + 5 * MINUTE)
    expect(unknown.memo()?.heard).toEqual(['absence 1'])
    expect(await unknown.store.availability.list(unknown.id, 0, NOON * 2)).toEqual([])

    const known_since = NOON + 30 * MINUTE
    const later = await pushing({ state: { availability: 'up', state: 'up', known_since } })
    await later.monitorCache.change(later.id, () => ({ change: change(later.id) }))
    await later.clock.advance(30 * MINUTE)
    await later.push.resetMissedDeadlines(NOON + 5 * MINUTE)
    expect(later.memo()?.heard).toEqual(['absence 1'])
    for (const { changes } of [unknown, later]) expect(changes.at(-1)?.availability).toEqual([])
    expect(later.machine().known_since).toBe(known_since)
    expect(await later.store.availability.list(later.id, 0, NOON * 2)).toEqual([])
  })
})
