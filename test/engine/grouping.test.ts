/** Which notifications wait for the end of a window, and which go out together. */
import { describe, expect, it } from 'vitest'
import {
  groupsOf,
  hasWaited,
  isWaitReason,
  LARGEST_GROUP,
  waitForGroup,
} from '../../src/engine/delivery/grouping.ts'
import { isFollowUp, notSent } from '../../src/engine/delivery/outcome.ts'
import type { NotificationRecord } from '../../src/model.ts'

const NOON = Date.UTC(2026, 0, 1, 12)
const row = (changes: Partial<NotificationRecord> = {}): NotificationRecord =>
  ({
    id: 1,
    contact_id: 7,
    event: 'down',
    attempts: 0,
    interruptions: 0,
    error: null,
    sent_at: NOON,
    ...changes,
  }) as NotificationRecord
const contact = (id: number, group_window_sec: number) => ({ id, group_window_sec })

describe('a notification of a contact that groups', () => {
  it('waits for the end of the window that it falls into, without an attempt', () => {
    const waiting = waitForGroup(row({ attempts: 0 }), contact(7, 60), NOON)
    expect(waiting).toMatchObject({
      status: 'queued',
      attempts: 0,
      interruptions: 0,
      error: 'grouped',
      at: NOON,
    })
    const { due_at = 0 } = waiting ?? {}
    expect(due_at).toBeGreaterThan(NOON)
    expect(due_at).toBeLessThanOrEqual(NOON + 60_000)
    const dueOf = (at: number) => waitForGroup(row(), contact(7, 60), at)?.due_at
    expect([due_at - 60_000, due_at - 1].map(dueOf)).toEqual([due_at, due_at])
    expect([due_at, due_at - 60_001].map(dueOf)).toEqual([due_at + 60_000, due_at - 60_000])
  })

  it('has a window of its own: contacts that were made one after the other do not call at once', () => {
    const offsets = [1, 2, 3, 4, 5].map(
      (id) => (waitForGroup(row(), contact(id, 600), NOON)?.due_at ?? 0) % 600_000,
    )
    expect(new Set(offsets).size).toBe(5)
  })

  it.each([
    ['a test', row({ event: 'test' })],
    ['one that was tried', row({ attempts: 1 })],
    ['one whose attempt was interrupted', row({ interruptions: 1 })],
    ['one that has waited', row({ error: 'grouped' })],
    ['one that quiet hours have held back', row({ error: 'quiet_hours' })],
  ])('does not wait if it is %s', (_, given) => {
    expect(waitForGroup(given, contact(7, 60), NOON)).toBeUndefined()
  })

  it('waits although another attempt of it failed to begin', () => {
    expect(waitForGroup(row({ error: 'storage' }), contact(7, 60), NOON)).toBeDefined()
  })

  it('does not wait where the contact does not group', () => {
    expect(waitForGroup(row(), contact(7, 0), NOON)).toBeUndefined()
  })
})

it('a reason to wait is none of an attempt', () => {
  expect(['grouped', 'quiet_hours', 'timeout', null].map(isWaitReason)).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect([row(), row({ attempts: 1 }), row({ error: 'timeout' })].map(hasWaited)).toEqual([
    false,
    true,
    false,
  ])
})

it('follows a first notification: the end, and that somebody took it on', () => {
  const events = ['up', 'acknowledged', 'down', 'repeat', 'outage', 'test']
  expect(events.filter((event) => isFollowUp({ event }))).toEqual(['up', 'acknowledged'])
})

it('one that is not sent keeps its attempts, and says why', () => {
  const tried = row({ attempts: 2, interruptions: 1 })
  expect(notSent(tried, 'cancelled', 'contact_deleted', NOON)).toEqual({
    ...{ status: 'cancelled', attempts: 2, interruptions: 1 },
    ...{ error: 'contact_deleted', at: NOON },
  })
})

describe('rows that go out together', () => {
  const waited = (id: number, changes: Partial<NotificationRecord> = {}) =>
    row({ id, error: 'grouped', ...changes })
  const idsOf = (rows: readonly NotificationRecord[], grouped: readonly number[] = [7, 8]) =>
    groupsOf(rows, new Set(grouped)).map((group) => group.map(({ id }) => id))

  it('are those of a contact that were first claimed at the same time', () => {
    const rows = [
      waited(1),
      waited(2, { contact_id: 8 }),
      waited(3),
      waited(4, { sent_at: NOON + 1 }),
      waited(5, { attempts: 2, error: 'timeout' }),
    ]
    expect(idsOf(rows)).toEqual([[1, 3, 5], [2], [4]])
  })

  it('are no tests, none that has not waited, and none of a contact that does not group', () => {
    expect(idsOf([waited(1, { event: 'test' }), waited(2)])).toEqual([[1], [2]])
    expect(idsOf([row({ id: 1 }), row({ id: 2 })])).toEqual([[1], [2]])
    expect(idsOf([waited(1), waited(2)], [8])).toEqual([[1], [2]])
  })

  it('are at most fifty', () => {
    const rows = Array.from({ length: 101 }, (_, n) => waited(n))
    expect(LARGEST_GROUP).toBe(50)
    expect(idsOf(rows).map((group) => group.length)).toEqual([50, 50, 1])
    expect(idsOf(rows).flat()).toEqual(rows.map(({ id }) => id))
  })
})
