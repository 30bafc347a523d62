import { describe, expect, it } from 'vitest'
import { audience, notificationDueAt, newNotices, nextRepeat } from '../../src/incident/notices.ts'
import type { JsonObject, Notice } from '../../src/model.ts'

const MINUTE = 60_000

describe('who is told', () => {
  it('the contacts that the monitor names and those for all monitors, once, by id', () => {
    const contacts = [
      { id: 4, all_monitors: false },
      { id: 3, all_monitors: true },
      { id: 2, all_monitors: false },
      { id: 1, all_monitors: true },
    ]
    const told = audience(contacts, { contact_ids: [4, 3, 9] })
    expect(told.map(({ id }) => id)).toEqual([1, 3, 4])
    expect(audience(contacts, { contact_ids: [] }).map(({ id }) => id)).toEqual([1, 3])
  })

  it('a contact with a delay later by so many minutes', () => {
    expect(notificationDueAt(7, { contact_delay: { 7: 5, 8: 1 } }, 1000)).toBe(1000 + 5 * MINUTE)
    expect(notificationDueAt(9, { contact_delay: { 7: 5 } }, 1000)).toBe(1000)
  })
})

describe('repeats', () => {
  const repeats = (notify_repeat_min: number, notify_repeat_max: number, repeat: number) =>
    nextRepeat({ notify_repeat_min, notify_repeat_max }, repeat, 1000)

  it('follow the delivery before by so many minutes', () => {
    expect(repeats(30, 0, 0)).toEqual({ repeat: 1, due_at: 1000 + 30 * MINUTE })
    expect(repeats(1, 5, 4)).toEqual({ repeat: 5, due_at: 1000 + MINUTE })
  })

  it('end at their number, and never without one', () => {
    expect(repeats(1, 2, 1)).not.toBeNull()
    expect(repeats(1, 2, 2)).toBeNull()
    expect(repeats(1, 2, 3)).toBeNull()
    expect(repeats(1, 0, 1000)).toMatchObject({ repeat: 1001 })
  })

  it('are none with 0 minutes', () => {
    expect(repeats(0, 0, 0)).toBeNull()
    expect(repeats(0, 3, 0)).toBeNull()
  })
})

describe('notices', () => {
  const notice = (event: string, key: string, data: JsonObject = {}): Notice => ({
    event,
    key,
    data,
  })

  it('are sent once per event and key', () => {
    const first = newNotices([], [notice('ssl_expiring', 'a:14')])
    expect(first.fresh).toEqual([notice('ssl_expiring', 'a:14')])
    const again = newNotices(first.sent_notice_keys, [notice('ssl_expiring', 'a:14')])
    expect(again.fresh).toEqual([])
    expect(again.sent_notice_keys).toEqual(first.sent_notice_keys)
    const others = [notice('ssl_expiring', 'a:7'), notice('domain_expiring', 'a:14')]
    expect(newNotices(first.sent_notice_keys, others).fresh).toEqual(others)
  })

  it('that are equal become one with the locations of all, and none is sent again', () => {
    const said = [
      notice('content_changed', 'x', { hash: 'x', locations: [1] }),
      notice('content_changed', 'x', { hash: 'x', locations: [2] }),
      // Another key, the same words.
      notice('content_changed', 'x2', { hash: 'x', locations: [3] }),
      notice('content_changed', 'y', { hash: 'y', locations: [4] }),
    ]
    const { fresh, sent_notice_keys } = newNotices([], said)
    expect(fresh).toEqual([
      notice('content_changed', 'x', { hash: 'x', locations: [1, 2, 3] }),
      notice('content_changed', 'y', { hash: 'y', locations: [4] }),
    ])
    expect(newNotices(sent_notice_keys, said).fresh).toEqual([])
  })

  it('of one key are one, whatever else they say; without locations none are made up', () => {
    const { fresh } = newNotices([], [notice('e', 'k', { a: 1 }), notice('e', 'k', { a: 2 })])
    expect(fresh).toEqual([notice('e', 'k', { a: 1 })])
  })

  it('of two events are two, though their data are the same', () => {
    const two = [notice('a', '1', { n: 1 }), notice('b', '1', { n: 1 })]
    expect(newNotices([], two).fresh).toEqual(two)
  })

  it('are remembered, the last fifty of them', () => {
    let keys: readonly string[] = []
    for (let n = 1; n <= 51; n++) keys = newNotices(keys, [notice('e', `k${n}`)]).sent_notice_keys
    expect(keys).toHaveLength(50)
    expect(newNotices(keys, [notice('e', 'k2'), notice('e', 'k51')]).fresh).toEqual([])
    expect(newNotices(keys, [notice('e', 'k1')]).fresh).toHaveLength(1)
  })
})
