/** Rules that all stores share. */
import { describe, expect, it } from 'vitest'
import type { NotificationRecord } from '../../src/model.ts'
import { withIncident } from '../../src/store/change.ts'
import { isLongRevoked, isSearch, keyTaken } from '../../src/store/filters.ts'
import { memoryPlace, memoryStore } from '../../src/store/memory.ts'
import { promised, storageError } from '../../src/store/promised.ts'
import * as quota from '../../src/store/quota.ts'
import * as rules from '../../src/store/rules.ts'
import { SHARDS, shardOf } from '../../src/store/shared.ts'
import type { MonitorQuery } from '../../src/store/store.ts'
import { firstAccount, machine, monitor } from '../../src/testing/store-suite/case.ts'
import { MAINTENANCE, PUBLIC_PAGES, slugTaken, STATUS_REPORTS } from '../../src/store/versioned.ts'

describe('a quota', () => {
  it('is reached, and not passed, by as many; sums of fractions may miss by a little', () => {
    expect(quota.exceeds(5, undefined)).toBe(false)
    expect([5, 5 + 1e-6, 5.00001].map((use) => quota.exceeds(use, 5))).toEqual([false, false, true])
    const thirds = Array.from({ length: 15 }, () => 1 / 3)
    const sum = thirds.reduce((a, b) => a + b, 0)
    expect(quota.exceeds(sum, 5)).toBe(false)
  })

  it.each([
    ['monitors', { monitors: 6 }, 'The account may have 5 monitors, and this is beyond'],
    ['contacts', { contacts: 6 }, 'The account may have 5 contacts, and this is beyond'],
    [
      'checks_per_min',
      { checks_per_min: 6 },
      'The account may have 5 checks a minute, and this is beyond',
    ],
  ])('of %s names it and the limit', (what, use, message) => {
    const expected = expect.objectContaining({ code: 'quota', message }) as unknown
    expect(() => quota.requireWithin(use, { [what]: 5 })).toThrow(expected)
    expect(() => quota.requireWithin({ [what]: 5 }, { [what]: 5 })).not.toThrow()
    expect(() => quota.requireWithin({}, { [what]: 0 })).not.toThrow()
    expect(() => quota.requireWithin(use, {})).not.toThrow()
    expect(() => quota.requireWithin(use, undefined)).not.toThrow()
  })

  it.each([
    ['maintenance_windows', 'maintenance windows'],
    ['public_pages', 'public pages'],
    ['status_reports', 'status reports'],
  ] as const)('of %s is named as well', (what, words) => {
    expect(quota.quotaError(what, 3).message).toBe(
      `The account may have 3 ${words}, and this is beyond`,
    )
    const kinds = [MAINTENANCE, PUBLIC_PAGES, STATUS_REPORTS]
    expect(kinds.map((kind) => kind.words)).toContain(words)
  })

  it('leaves room for one more as long as there are fewer', () => {
    expect(() => quota.requireRoom(2, 3, 'pages')).not.toThrow()
    expect(() => quota.requireRoom(3, 3, 'pages')).toThrow(
      'The account may have 3 pages, and this is beyond',
    )
  })
})

describe('what is taken already', () => {
  it('is named', () => {
    expect(rules.externalIdTaken().message).toBe('Another account has this external_id')
    expect(slugTaken().message).toBe('Another public page has this slug; choose another one')
  })
})

describe('shards', () => {
  it('are those of ids, by turns', () => {
    expect([0, 1, 255, 256, 257].map(shardOf)).toEqual([0, 1, 255, 0, 1])
  })

  it('are dealt so that neighbours go to different engines, also where there are few', () => {
    const all = Array.from({ length: SHARDS }, (_, shard) => shard)
    const dealt = rules.dealt(all.toReversed())
    expect(dealt.toSorted((a, b) => a - b)).toEqual(all)
    expect(dealt.slice(0, 4)).toEqual([0, 23, 46, 69])
    // Ten monitors made one after the other, shared by two and by four engines.
    for (const engines of [2, 4]) {
      const owner = (shard: number) => Math.floor((dealt.indexOf(shard) * engines) / SHARDS)
      const counts = Array.from({ length: engines }, () => 0)
      for (let id = 1; id <= 12; id++) counts[owner(shardOf(id))]! += 1
      for (const count of counts) expect(count).toBeLessThanOrEqual(12 / engines + 2)
    }
  })
})

describe('the payload of a notification', () => {
  it.each([
    ['{}', true],
    ['{"event":"down"}', true],
    ['[]', false],
    ['null', false],
    ['5', false],
    ['"text"', false],
    ['true', false],
    ['{"event":', false],
    ['', false],
  ])('%s can be sent: %s', (payload, readable) => {
    expect(rules.isReadable(payload)).toBe(readable)
  })
})

it.each<[Partial<Record<keyof NotificationRecord, unknown>>, boolean]>([
  [{}, true],
  [{ payload: '[]' }, false],
  [{ due_at: 'soon' }, false],
  // A claim counts one more, and PostgreSQL has no larger integer.
  [{ claims: 2_147_483_646 }, true],
  [{ claims: 2_147_483_647 }, false],
  [{ claims: 2_147_483_648 }, false],
])('a notification with %j can be sent: %s', (change, sendable) => {
  const row = { id: 1, claims: 0, due_at: 5, payload: '{}', ...change } as NotificationRecord
  expect(rules.isSendable(row)).toBe(sendable)
})

describe('a host with a limit', () => {
  const hosts = {
    of: new Map([
      [1, 'a'],
      [2, 'a'],
      [3, 'b'],
    ]),
    limit: 2,
  }
  const takes = (given: typeof hosts | undefined, underWay: readonly [number, number][]) => {
    const hasRoom = rules.hostsWithRoom(given, underWay)
    return [1, 2, 3, 1, 9, 9, 9].map((contact_id) => hasRoom({ contact_id }))
  }

  it('takes as many as there is room for, those under way included', () => {
    const all = [true, true, true, false, true, true, true]
    expect(takes(hosts, [])).toEqual(all)
    expect(takes(hosts, [[2, 1]])).toEqual([true, false, true, false, true, true, true])
    expect(
      takes(hosts, [
        [1, 1],
        [2, 1],
        [9, 5],
      ]),
    ).toEqual([false, false, true, false, true, true, true])
  })

  it('is none where there is no limit', () => {
    expect(takes(undefined, [[1, 9]])).toEqual(Array.from({ length: 7 }, () => true))
  })
})

describe('accounts', () => {
  const row = (id: number, account_id: number) => ({ id, account_id })

  it('take turns, beginning with the one that has the fewest under way', () => {
    const rows = [row(1, 1), row(2, 1), row(3, 1), row(4, 2), row(5, 2), row(6, 3)]
    const ids = (underWay: readonly [number, number][], limit: number) =>
      rules.sharedByAccount(rows, underWay, { limit }).map(({ id }) => id)
    expect(ids([], 3)).toEqual([1, 4, 6])
    expect(ids([[1, 2]], 3)).toEqual([4, 5, 6])
    expect(ids([[3, 1]], 2)).toEqual([1, 4])
    expect(ids([], 5)).toEqual([1, 2, 4, 5, 6])
    expect(ids([], 6)).toEqual([1, 2, 3, 4, 5, 6])
  })
})

it('a queued notification waits quietly until it is due', () => {
  const row = { status: 'queued', error: 'quiet_hours', due_at: 10 } as NotificationRecord
  expect([9, 10].map((at) => rules.waitsQuietly(row, at))).toEqual([true, false])
  expect(rules.waitsQuietly({ ...row, status: 'sending' }, 9)).toBe(false)
  expect(rules.waitsQuietly({ ...row, error: 'grouped' }, 9)).toBe(false)
})

describe('the time that a receiver sees', () => {
  const row = (change: Partial<NotificationRecord> = {}) =>
    ({ status: 'queued', attempts: 0, interruptions: 0, sent_at: 5, ...change }) as const

  it.each([
    ['nothing has left the process', {}, true],
    ['it has none yet', { sent_at: null, status: 'sending', attempts: 1 }, true],
    ['it is being sent', { status: 'sending' }, false],
    ['an attempt was counted', { attempts: 1 }, false],
    ['an attempt was interrupted', { interruptions: 1 }, false],
  ] as const)('is a new one where %s: %j, %s', (_, change, anew) => {
    expect(rules.datesAnew(row(change))).toBe(anew)
  })
})

describe('the state of a monitor', () => {
  const incident = { id: 0, started_at: 5, cause_code: 'timeout' }

  it('names the incident that the same change opens', () => {
    expect(withIncident(machine({ incident }), 7).incident).toEqual({ ...incident, id: 7 })
    const open = machine({ incident: { ...incident, id: 3 } })
    expect(withIncident(open, 7)).toBe(open)
    const opening = machine({ incident })
    expect(withIncident(opening, null)).toBe(opening)
    expect(withIncident(machine(), 7).incident).toBeNull()
  })
})

describe('a revoked key', () => {
  it('is old once it was revoked before the time', () => {
    const isOld = isLongRevoked({ revoked_before: 10 } as never)
    const revoked = [null, 9, 10, 11].map((revoked_at) => isOld({ revoked_at } as never))
    expect(revoked).toEqual([false, true, false, false])
  })
})

describe('a failure of a store', () => {
  const failure = (error: unknown) => storageError('It refused', error)
  const cause = new Error('the disk is full')

  it('is told as one, with its cause, whatever was thrown', () => {
    expect(failure(cause)).toMatchObject({
      code: 'storage',
      message: 'It refused: the disk is full',
      cause,
    })
    expect(failure('a text')).toMatchObject({ message: 'It refused: a text' })
    const known = quota.quotaError('monitors', 1)
    expect(failure(known)).toBe(known)
  })

  it('is the end of the call, whether it comes at once or later', async () => {
    type Group = Record<'now' | 'later' | 'good', () => Promise<number>>
    const group = promised<Group>(
      {
        now: () => {
          throw cause
        },
        later: () => Promise.reject(cause),
        good: () => 5,
      },
      { failure },
    )
    const told = { code: 'storage', message: 'It refused: the disk is full', cause }
    await expect(group.now()).rejects.toMatchObject(told)
    await expect(group.later()).rejects.toMatchObject(told)
    expect(await group.good()).toBe(5)
  })
})

describe('a store in memory', () => {
  it('is to be opened first, and answers nothing once it is closed', async () => {
    const store = memoryStore()
    const closed = { code: 'storage', message: 'The store in memory is not open' }
    await expect(store.meta.get('x')).rejects.toMatchObject(closed)
    await store.open()
    await store.meta.set('x', '1')
    await store.close()
    await expect(store.meta.get('x')).rejects.toMatchObject(closed)
    await store.open()
    expect(await store.meta.get('x')).toBe('1')
  })

  it('says what it refuses', async () => {
    expect(() => memoryStore({ colour: 'red' } as never)).toThrow('memoryStore: unknown option')
    const store = memoryStore()
    await store.open()
    await firstAccount(store)
    const settings: Record<string, unknown> = {}
    settings['circle'] = settings
    const refused = store.monitors.create(monitor({ settings: settings as never }))
    await expect(refused).rejects.toThrow('The store in memory refused a value: ')
    await expect(store.backup?.('file', {})).rejects.toThrow(
      'A store in memory has no file to back up; see export',
    )
  })
  it('has what several processes need only where it shares its place', () => {
    const parts = ['shards', 'changes', 'requests', 'idempotencyLocks'] as const
    const alone = memoryStore()
    const shared = memoryStore({ place: memoryPlace() })
    expect([alone.shared, shared.shared]).toEqual([false, true])
    for (const part of parts) {
      expect(alone).not.toHaveProperty(part)
      expect(shared).toHaveProperty(part)
    }
  })

  it('tells the others once that the windows of an account go with it', async () => {
    const place = memoryPlace()
    const [store, other] = [memoryStore({ place }), memoryStore({ place })]
    await Promise.all([store.open(), other.open()])
    await firstAccount(store)
    const { id } = await store.accounts.create({ name: 'Two', created_at: 0 })
    const told: string[] = []
    await other.changes?.listen(
      () => undefined,
      (table) => told.push(table),
    )
    expect(await store.accounts.remove(id, 99)).toBe('done')
    expect(await store.accounts.remove(id, 99)).toBeUndefined()
    expect(told).toEqual(['maintenance'])
  })
})

describe('changes of a whole table', () => {
  it('are broadcast for windows, which engines keep in memory', () => {
    const kinds = [MAINTENANCE, PUBLIC_PAGES, STATUS_REPORTS]
    expect(kinds.map(({ broadcast }) => broadcast)).toEqual(['maintenance', undefined, undefined])
  })
})

it.each<[Partial<MonitorQuery>, boolean]>([
  [{}, false],
  [{ tags: [['a']] }, true],
  [{ metadata: { a: 'b' } }, true],
  [{ q: 'shop' }, true],
])('whether a query of monitors searches their texts, with %j: %s', (query, expected) => {
  expect(isSearch({ account_id: 1, limit: 1, ...query })).toBe(expected)
})

it('a key that is taken is refused by its field', () => {
  expect(keyTaken().fields).toEqual({ key: 'invalid: this key exists already' })
})
