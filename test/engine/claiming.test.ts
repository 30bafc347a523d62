/** When due notifications are claimed, and how many of them at once. */
import { describe, expect, it } from 'vitest'
import { createAttemptsUnderWay } from '../../src/engine/delivery/attempts-under-way.ts'
import { createClaiming } from '../../src/engine/delivery/claiming.ts'
import type { DeliveryLimits } from '../../src/engine/delivery/claiming.ts'
import { StorageError, UnreadableError } from '../../src/errors.ts'
import type { ContactRecord, NotificationRecord } from '../../src/model.ts'
import type { FullStore } from '../../src/store/store.ts'
import { anotherAccount, contact } from '../../src/testing/store-suite/case.ts'
import { NOON } from './cached-monitor.ts'
import { outboxRig } from './outbox-rig.ts'

interface Given extends DeliveryLimits {
  readonly shared?: boolean
  readonly grouped?: readonly number[]
  readonly hosts?: Readonly<Record<number, string>>
  /** Whether it has started. */
  readonly started?: boolean
}

interface Attempt {
  readonly rows: readonly NotificationRecord[]
  /** In ms since the test began. */
  readonly at: number
  readonly latest_start: number
  readonly end: (error?: Error) => void
}

/** Attempts that run until the test ends them. */
async function claimingRig(given: Given = {}) {
  const { shared = false, grouped = [], hosts = {}, started = true, ...limits } = given
  const rig = await outboxRig({ shared })
  const { core, clock, store } = rig
  const attempts: Attempt[] = []
  const underWay = createAttemptsUnderWay()
  const byContact = new Map(Object.entries(hosts).map(([id, host]) => [Number(id), host]))
  const known = new Set(grouped)
  const update = ({ id, group_window_sec }: ContactRecord): void =>
    void (group_window_sec > 0 && known.add(id))
  const claiming = createClaiming({
    ...{ core, limits, underWay, hosts: { byContact, grouped: known, update } },
    attempt: (rows, latest_start) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void => (error === undefined ? resolve() : reject(error))
        attempts.push({ rows, at: clock.now() - NOON, latest_start, end })
      }),
  })
  if (started) claiming.start()
  return {
    ...rig,
    rig,
    ...{ attempts, claiming, underWay },
    async wake() {
      claiming.wake()
      await clock.settle()
    },
    /** Of the attempts so far. */
    ids: () => attempts.map(({ rows }) => rows.map(({ id }) => id)),
    /** Ends an attempt as sent, as a recorder does. */
    async sent(index: number) {
      for (const { id, claims } of attempts[index]?.rows ?? []) {
        const end = { status: 'sent', attempts: 1, interruptions: 0, error: null } as const
        await store.notifications.finish({ id, claim: claims, at: clock.now(), ...end })
      }
      attempts[index]?.end()
      await clock.settle()
    },
  }
}

/** Each for a contact of its own. */
async function queueMany(queue: Awaited<ReturnType<typeof claimingRig>>['queue'], count: number) {
  for (let n = 1; n <= count; n++) await queue({ contact_id: n })
}

/** How often rows have been claimed from now on. */
function countClaims({ notifications }: FullStore): () => number {
  const claim = notifications.claim.bind(notifications)
  let count = 0
  Object.assign(notifications, {
    claim: (wanted: never) => {
      count += 1
      return claim(wanted)
    },
  })
  return () => count
}

describe('rows that are due', () => {
  it('are claimed for half a minute once it has started, and begin within 15 s', async () => {
    const { clock, attempts, wake, queue, store, claiming, ids } = await claimingRig({
      started: false,
    })
    await queue()
    await queue({ contact_id: 2 })
    await wake()
    expect(ids()).toEqual([])
    claiming.start()
    await clock.advance(7)
    await wake()
    expect(ids()).toEqual([[1], [2]])
    expect(attempts.map(({ latest_start }) => latest_start)).toEqual([15_007, 15_007])
    expect(await store.notifications.get(1)).toMatchObject({
      ...{ status: 'sending', lease_until: NOON + 30_007, sent_at: NOON + 7 },
    })
  })

  it('are not claimed after a stop before anything began', async () => {
    const { claiming } = await claimingRig({ started: false })
    expect(() => claiming.stop()).not.toThrow()
  })

  it('are not claimed after a stop, which leaves no timer behind', async () => {
    const { clock, wake, queue, claiming, ids, sent } = await claimingRig()
    await queue()
    await wake()
    await clock.advance(200)
    await queue({ contact_id: 2 })
    await sent(0)
    claiming.stop()
    expect(clock.pending).toBe(0)
    await clock.advance(120_000)
    await wake()
    expect(ids()).toEqual([[1]])
  })

  it('are found also where they come during a claim', async () => {
    const { wake, queue, claiming, ids } = await claimingRig()
    await queue()
    claiming.wake()
    await queue({ contact_id: 2 })
    await wake()
    expect(ids()).toEqual([[1], [2]])
  })

  it('are claimed by one claim at a time, and one more for all that came meanwhile', async () => {
    const { claiming, queue, store, clock, ids } = await claimingRig()
    const claim = store.notifications.claim.bind(store.notifications)
    const waiting: (() => void)[] = []
    Object.assign(store.notifications, {
      claim: async (wanted: never) => {
        await new Promise<void>((resolve) => waiting.push(resolve))
        return claim(wanted)
      },
    })
    claiming.wake()
    await queue()
    claiming.wake()
    claiming.wake()
    await clock.settle()
    expect(waiting).toHaveLength(1)
    waiting[0]?.()
    await clock.settle()
    expect([waiting.length, ids()]).toEqual([2, [[1]]])
    waiting[1]?.()
    await clock.settle()
    expect(waiting).toHaveLength(2)
  })

  it('are none: one timer waits for some', async () => {
    const { wake, clock } = await claimingRig()
    await wake()
    expect(clock.pending).toBe(1)
  })

  it('are claimed when they become due, not before', async () => {
    const { clock, wake, queue, attempts } = await claimingRig()
    await queue({ due_at: NOON + 20_000 })
    await wake()
    await clock.advance(19_999)
    expect(attempts).toEqual([])
    await clock.advance(1)
    expect(attempts.map(({ at }) => at)).toEqual([20_000])
  })

  it('of the next instant wait for a second', async () => {
    const { clock, wake, queue, attempts } = await claimingRig()
    await queue({ due_at: NOON + 20 })
    await wake()
    await clock.advance(999)
    expect(attempts).toEqual([])
    await clock.advance(1)
    expect(attempts.map(({ at }) => at)).toEqual([1000])
  })

  it.each([
    ['alone on the store, once a minute', false, 60_000],
    ['beside others, every five seconds', true, 5000],
  ])('are looked for without a hint: %s', async (_, shared, ms) => {
    const { clock, wake, queue, attempts } = await claimingRig({ shared })
    await wake()
    await queue()
    await clock.advance(ms - 1)
    expect(attempts).toEqual([])
    await clock.advance(1)
    expect(attempts.map(({ at }) => at)).toEqual([ms])
  })
})

describe('attempts at the same time', () => {
  it('are 50, of which 5 of a contact and 10 at a host, unless the operator says otherwise', async () => {
    const many = await claimingRig()
    await queueMany(many.queue, 60)
    await many.wake()
    expect(many.attempts).toHaveLength(50)

    const one = await claimingRig()
    for (let n = 0; n < 9; n++) await one.queue()
    await one.wake()
    expect(one.attempts).toHaveLength(5)

    const hosts = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [n + 1, 'a.example']))
    const host = await claimingRig({ hosts })
    await queueMany(host.queue, 20)
    await host.wake()
    expect(host.attempts).toHaveLength(10)
  })

  it('are as many as the operator says', async () => {
    const limits = { deliveries: 7, deliveriesPerContact: 2, deliveriesPerHost: 3 }
    const hosts = { 1: 'a.example', 2: 'a.example', 3: 'b.example' }
    const { wake, queue, attempts } = await claimingRig({ ...limits, hosts })
    for (const contact_id of [1, 1, 1, 2, 2, 3, 4, 5, 6, 7]) await queue({ contact_id })
    await wake()
    const contacts = attempts.map(({ rows }) => rows[0]?.contact_id)
    expect(contacts).toEqual([1, 1, 2, 3, 4, 5, 6])
  })

  it('do not count any more once they have waited for 100 ms', async () => {
    const { clock, wake, queue, attempts, underWay } = await claimingRig({ deliveries: 2 })
    await queueMany(queue, 5)
    await wake()
    expect(attempts).toHaveLength(2)
    await clock.advance(99)
    expect(attempts).toHaveLength(2)
    await clock.advance(1)
    expect(attempts).toHaveLength(4)
    await clock.advance(100)
    expect([attempts.length, underWay.size, underWay.busy]).toEqual([5, 5, 1])
  })

  it('that have waited free capacity, which one claim fills only where there was none', async () => {
    const { clock, wake, queue, store, foreground } = await claimingRig({ deliveries: 2 })
    const count = countClaims(store)
    await queue()
    await wake()
    await clock.advance(101)
    expect(count()).toBe(1)
    // Only the wait for the next row keeps the process alive.
    expect(foreground.filter((ms) => ms < 1000)).toEqual([])
  })

  it('are twenty times as many at most, however long they wait', async () => {
    const { clock, wake, queue, attempts, sent } = await claimingRig({ deliveries: 1 })
    await queueMany(queue, 25)
    await wake()
    for (let n = 0; n < 40; n++) await clock.advance(100)
    expect(attempts).toHaveLength(20)
    await sent(3)
    await clock.advance(5)
    expect(attempts).toHaveLength(21)
  })

  it('of one account leave an eighth more for the others, however long they wait', async () => {
    const { rig, clock, store, wake, queue, attempts } = await claimingRig({ deliveries: 2 })
    await queueMany(queue, 60)
    await wake()
    for (let n = 0; n < 40; n++) await clock.advance(100)
    expect(attempts).toHaveLength(40)
    const account_id = await anotherAccount(store)
    for (let n = 0; n < 8; n++) await rig.queue({ account_id, contact_id: 100 + n })
    await wake()
    for (let n = 0; n < 40; n++) await clock.advance(100)
    expect(attempts.slice(40).flatMap(({ rows }) => rows.map((row) => row.account_id))).toEqual(
      Array.from({ length: 5 }, () => account_id),
    )
  })

  it('that end make room for others 5 ms later, with one claim', async () => {
    const { clock, wake, queue, attempts, sent, store } = await claimingRig({ deliveries: 2 })
    await queueMany(queue, 4)
    await wake()
    const count = countClaims(store)
    await sent(0)
    await clock.advance(3)
    await sent(1)
    expect(attempts).toHaveLength(2)
    await clock.advance(2)
    expect(attempts.map(({ at }) => at)).toEqual([0, 0, 5, 5])
    expect(count()).toBe(1)
    await sent(2)
    await clock.advance(5)
    expect(count()).toBe(2)
  })

  it('of a row whose lease has passed are one: the running one goes on under the new claim', async () => {
    const { clock, wake, queue, attempts, underWay } = await claimingRig()
    await queue()
    await wake()
    await clock.advance(31_000)
    await wake()
    expect(underWay.claimOf(1)).toBe(2)
    expect(attempts.map(({ rows }) => rows.length).filter((count) => count > 0)).toEqual([1])
  })

  it('leave room that is filled at once where the others run already', async () => {
    const { clock, wake, queue, attempts } = await claimingRig({ deliveries: 2 })
    await queue()
    await wake()
    await clock.advance(29_000)
    for (const contact_id of [2, 3]) await queue({ contact_id, due_at: NOON + 30_000 })
    // When the lease of the first passes, it takes one of the two places of the claim.
    await clock.advance(1000)
    expect(attempts.map(({ rows, at }) => [rows[0]?.id, at])).toEqual([
      [1, 0],
      [2, 30_000],
      [3, 30_000],
    ])
  })
})

describe('contacts that group their notifications', () => {
  /** Rows that have waited for the end of a window; `each`: a contact has an account of its own. */
  async function waited(given: Given, contacts: readonly number[], attempts = 0, each = false) {
    const all = await claimingRig(given)
    const accounts = new Map<number, number>()
    for (const contact_id of contacts) {
      const account_id = accounts.get(contact_id) ?? (each ? await anotherAccount(all.store) : 1)
      accounts.set(contact_id, account_id)
      await all.queue({ account_id, contact_id, event: 'down' })
    }
    for (const { id, claims } of await all.store.notifications.claim({
      ...{ now: NOON, lease_until: NOON + 1, limit: 999, per_contact: 999 },
    })) {
      const end = { status: 'queued', attempts, interruptions: 0, error: 'grouped' } as const
      await all.store.notifications.finish({ id, claim: claims, due_at: NOON, at: NOON, ...end })
    }
    return all
  }

  it('get all that has waited in one attempt, whatever the limits', async () => {
    const limits = { deliveries: 2, deliveriesPerContact: 1, grouped: [1] }
    const { wake, ids, store } = await waited(limits, [1, 2, 1, 1, 3])
    await wake()
    expect(ids()).toEqual([[1, 3, 4], [2]])
    const leases = [1, 3, 4].map((id) => store.notifications.get(id))
    for (const row of await Promise.all(leases)) expect(row?.lease_until).toBe(NOON + 30_000)
  })

  it('of 50 at most', async () => {
    const contacts = Array.from({ length: 60 }, () => 1)
    const { wake, attempts } = await waited({ deliveriesPerContact: 1, grouped: [1] }, contacts)
    await wake()
    expect(attempts.map(({ rows }) => rows.length)).toEqual([50])
  })

  it('have one attempt each, so that those that hang leave room for other accounts', async () => {
    const contacts = Array.from({ length: 60 }, (_, n) => 1 + (n % 4))
    const all = await waited({ deliveries: 2, grouped: [1, 2, 3, 4] }, contacts)
    const { rig, clock, store, wake, attempts, underWay } = all
    await wake()
    for (let n = 0; n < 10; n++) await clock.advance(100)
    expect(attempts.map(({ rows }) => rows.length)).toEqual([15, 15, 15, 15])
    expect([underWay.size, underWay.busySize, underWay.rows]).toEqual([4, 0, 60])
    const account_id = await anotherAccount(store)
    await rig.queue({ account_id, contact_id: 100 })
    await wake()
    expect(attempts.slice(4).map(({ rows }) => rows[0]?.account_id)).toEqual([account_id])
  })

  it('have a bound of the rows of all their attempts', async () => {
    const grouped = [1, 2, 3, 4]
    const contacts = Array.from({ length: 200 }, (_, n) => 1 + (n % 4))
    const all = await waited({ deliveries: 1, grouped }, contacts, 0, true)
    const { clock, wake, attempts, sent } = all
    await wake()
    for (let n = 0; n < 10; n++) await clock.advance(100)
    expect(attempts.map(({ rows }) => rows.length)).toEqual([50, 50])
    await sent(0)
    await clock.advance(5)
    expect(attempts).toHaveLength(3)
  })

  it('get what has not waited by itself, and others get theirs one by one', async () => {
    const fresh = await claimingRig({ deliveriesPerContact: 1, grouped: [1] })
    await fresh.queue({ event: 'down' })
    await fresh.queue({ event: 'down' })
    await fresh.wake()
    expect(fresh.ids()).toEqual([[1]])

    const others = await waited({ deliveriesPerContact: 1, grouped: [9] }, [1, 1])
    await others.wake()
    expect(others.ids()).toEqual([[1]])
  })

  it.each([
    ['has waited', 0],
    ['was tried', 1],
  ])('get in one attempt what %s, by a window that another process has set', async (_, tried) => {
    const all = await waited({ deliveriesPerContact: 2, shared: true }, [1, 2, 1, 2, 1, 99], tried)
    const { store, wake, ids } = all
    for (const group_window_sec of [60, 0])
      await store.contacts.create(contact({ group_window_sec }))
    await wake()
    expect(ids()).toEqual([[1, 3, 5], [2], [4], [6]])
  })

  it.each([
    [true, [2, 99]],
    [false, []],
  ])('of which a shared store (%s) may know more are asked for', async (shared, expected) => {
    const given = { deliveriesPerContact: 2, shared, grouped: [1] }
    const { store, queue, wake, logged } = await waited(given, [1, 2, 2, 99], 1)
    await queue({ contact_id: 3, event: 'down' })
    const asked: number[] = []
    const { get } = store.contacts
    store.contacts.get = (id) => {
      asked.push(id)
      return get(id)
    }
    await wake()
    expect([asked, logged]).toEqual([expected, []])
  })

  it.each([
    ['cannot be read now', StorageError, 0, [[1], [2]]],
    ['cannot be read now, and nothing of what was tried', StorageError, 1, []],
    ['is damaged, also when it was tried', UnreadableError, 1, [[1], [2]]],
  ])('get by themselves what has a contact that %s', async (_, Failure, tried, expected) => {
    const all = await waited({ deliveriesPerContact: 2, shared: true }, [1, 1], tried)
    const { store, wake, ids, logged } = all
    store.contacts.get = () => Promise.reject(new Failure('the disk is full'))
    await wake()
    expect(ids()).toEqual(expected)
    expect(logged).toEqual(['error: a contact could not be read: the disk is full'])
  })

  const LOST = [
    ['took no effect', false],
    ['took effect', true],
  ] as const

  /** The claim of the rest of a digest takes effect, or not, and its answer is lost. */
  async function restIsLost(
    limits: Given,
    attempts: number,
    took: boolean,
    failure: Error = new StorageError('the disk is full'),
  ) {
    const all = await waited({ ...limits, grouped: [1] }, [1, 1], attempts)
    const claim = all.store.notifications.claim.bind(all.store.notifications)
    let loses = true
    Object.assign(all.store.notifications, {
      claim: async (wanted: { readonly contact_id?: number }) => {
        const isLost = loses && wanted.contact_id !== undefined
        const rows = isLost && !took ? [] : await claim(wanted as never)
        if (!isLost) return rows
        loses = false
        throw failure
      },
    })
    return all
  }

  it.each(LOST)(
    'get at first what was claimed where the rest cannot be read, and later only the rest, whose claim %s',
    async (_, took) => {
      const { clock, wake, ids, logged } = await restIsLost({ deliveriesPerContact: 1 }, 0, took)
      await wake()
      expect(ids()).toEqual([[1]])
      expect(logged).toEqual(['error: the outbox could not be read: the disk is full'])
      // The lease of the first has passed, and its attempt still runs.
      await clock.advance(31_000)
      await wake()
      expect(ids()).toEqual([[1], [2]])
    },
  )

  it.each(LOST)(
    'get nothing of what was tried before where the rest cannot be read, and later all of it; its claim %s',
    async (_, took) => {
      const { clock, store, wake, ids, logged } = await restIsLost({ deliveries: 1 }, 1, took)
      await wake()
      expect(logged[0]).toBe('error: the outbox could not be read: the disk is full')
      await clock.advance(29_000)
      expect(ids()).toEqual([])
      const given = { status: 'queued', due_at: NOON + 30_000, error: 'grouped', interruptions: 0 }
      expect(await store.notifications.get(1)).toMatchObject(given)
      await clock.advance(2_000)
      expect(ids()).toEqual([[1, 2]])
    },
  )

  it('get at once what was tried before where reading the rest fails for good', async () => {
    const failure = new TypeError('not a store')
    const { wake, ids } = await restIsLost({ deliveries: 1 }, 1, false, failure)
    await wake()
    expect(ids()[0]).toEqual([1])
  })

  it('keep the claim of an attempt that outlasts its lease', async () => {
    const { clock, store, wake, ids, underWay } = await waited({ grouped: [1] }, [1], 1)
    await wake()
    const claim = store.notifications.claim.bind(store.notifications)
    Object.assign(store.notifications, {
      claim: (wanted: { readonly contact_id?: number }) =>
        wanted.contact_id === undefined
          ? claim(wanted as never)
          : Promise.reject(new StorageError('the disk is full')),
    })
    await clock.advance(31_000)
    await wake()
    const row = await store.notifications.get(1)
    expect(row).toMatchObject({ status: 'sending', claims: underWay.claimOf(1), interruptions: 1 })
    expect(ids()).toEqual([[1]])
  })

  it('get what was tried before and cannot be given back once its lease has passed', async () => {
    const { clock, store, wake, ids, logged } = await restIsLost({ deliveries: 1 }, 1, true)
    store.notifications.finish = () => Promise.reject(new StorageError('the disk is full'))
    await wake()
    expect(logged[1]).toBe('error: a notification could not be given back: the disk is full')
    await clock.advance(31_000)
    expect(ids()).toEqual([[1, 2]])
  })

  it('get what was tried before and waits, also where the clock is set back meanwhile', async () => {
    const { clock, store, wake, ids } = await restIsLost({ deliveries: 1 }, 1, true)
    await wake()
    const by_ms = -3_600_000
    await store.clockSet?.({ by_ms, after: clock.now(), before: Infinity })
    clock.jump(by_ms)
    await wake()
    await clock.advance(31_000)
    expect(ids()).toEqual([[1, 2]])
  })
})

describe('trouble', () => {
  it('of the store is logged, and tried again after 1, 2, 4 s, at most half a minute', async () => {
    const { rig, clock, wake, logged, queue, attempts } = await claimingRig()
    await queue()
    rig.trouble = true
    await wake()
    const at: number[] = []
    for (let seconds = 0; seconds < 130; seconds++) {
      while (at.length < logged.length) at.push(seconds)
      await clock.advance(1000)
    }
    expect(at).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121])
    expect(new Set(logged)).toEqual(
      new Set(['error: the outbox could not be read: the disk is full']),
    )
    rig.trouble = false
    await clock.advance(30_000)
    expect(attempts).toHaveLength(1)
    // After a success the pauses begin anew.
    rig.trouble = true
    const before = logged.length
    await wake()
    await clock.advance(1000)
    expect(logged).toHaveLength(before + 2)
  })

  it('of an attempt is logged, and its row is claimed again after its lease', async () => {
    const { clock, wake, logged, queue, attempts } = await claimingRig()
    await queue()
    await wake()
    attempts[0]?.end(new Error('the recorder gave up'))
    await clock.settle()
    expect(logged).toEqual([
      'error: a notification could not be recorded; it will be sent again: the recorder gave up',
    ])
    await clock.advance(29_999)
    expect(attempts).toHaveLength(1)
    await clock.advance(1)
    expect(attempts).toHaveLength(2)
  })
})
