import { strict as assert } from 'node:assert'
import type { NotificationRecord } from '../../model.ts'
import type { FinishedAttempt, NewNotification, FullStore } from '../../store/store.ts'
import {
  anotherAccount,
  claim,
  commitOne,
  contact,
  ids,
  MINUTE,
  monitor,
  notice,
  on,
  queue,
  stored,
  T0,
} from './case.ts'
import type { Case } from './case.ts'

/** Rows of one monitor, in their order. */
async function lane(
  store: FullStore,
  ...rows: readonly Partial<NewNotification>[]
): Promise<number[]> {
  const made = await store.monitors.create(monitor())
  const done = await commitOne(store, on(made, { notify: rows.map(notice) }))
  return [...done.notification_ids]
}

function end(id: number, change: Partial<FinishedAttempt> = {}): FinishedAttempt {
  const base = { id, claim: 1, status: 'sent', attempts: 1, interruptions: 0 } as const
  return { ...base, error: null, at: T0, ...change }
}

export const claimCases: Readonly<Record<string, Case>> = {
  'a due row is claimed with a lease, a claim number and the time of its first attempt': async (
    store,
  ) => {
    const row = await queue(store)
    const claimed = await claim(store, { now: T0 + 5, lease_until: T0 + 30_005 })
    const expected = {
      ...row,
      status: 'sending',
      lease_until: T0 + 30_005,
      claims: 1,
      sent_at: T0 + 5,
    } as const
    assert.deepEqual(claimed, [expected])
    assert.deepEqual(await stored(store, row.id), expected)
    assert.deepEqual(await store.notifications.attempts([row.id]), [])
  },

  'a row that is not due is not claimed': async (store) => {
    const row = await queue(store, { due_at: T0 + 1 })
    assert.deepEqual(await claim(store, { now: T0 }), [])
    assert.deepEqual(ids(await claim(store, { now: T0 + 1 })), [row.id])
  },

  'a claim for one contact takes rows of no other, up to its own limit': async (store) => {
    const one = await store.contacts.create(contact())
    const other = await store.contacts.create(contact())
    for (let count = 0; count < 3; count++) {
      await queue(store, { contact_id: one.id, monitor_id: null })
      await queue(store, { contact_id: other.id, monitor_id: null })
    }
    const first = await claim(store, { per_contact: 1, limit: 1, contact_id: other.id })
    assert.deepEqual(
      first.map(({ contact_id }) => contact_id),
      [other.id],
    )
    const rest = await claim(store, { per_contact: 3, limit: 10, contact_id: other.id })
    assert.deepEqual(
      rest.map(({ contact_id }) => contact_id),
      [other.id, other.id],
    )
    assert.equal((await claim(store, { per_contact: 5, limit: 10 })).length, 3)
  },

  'a row under a running lease is not claimed twice': async (store) => {
    await queue(store)
    await claim(store, { now: T0, lease_until: T0 + 10 })
    assert.deepEqual(await claim(store, { now: T0 + 9 }), [])
  },

  'a backlog that waits behind a row in backoff hides nothing that is free, however deep it is':
    async (store) => {
      // More rows than any store tests one by one, all due before the claimable one.
      const [head = 0] = await lane(store, ...Array.from({ length: 300 }, () => ({})))
      await claim(store)
      await store.notifications.finish(end(head, { status: 'queued', due_at: T0 + 3 * MINUTE }))
      const [first = 0] = await lane(store, { due_at: T0 + 10 }, { due_at: T0 })
      const alone = await queue(store, { due_at: T0 + 5 })
      const later = await queue(store, { due_at: T0 + 20 })
      const [, last = 0] = await lane(store, { due_at: T0 + 9 * MINUTE }, { due_at: T0 + 30 })
      const now = T0 + MINUTE
      assert.deepEqual(ids(await claim(store, { now, limit: 2 })), [alone.id, first])
      assert.deepEqual(ids(await claim(store, { now, per_contact: 4 })), [later.id, last])
      assert.deepEqual(await claim(store, { now }), [])
    },

  'rows beyond what their host may have wait for those under way; who has no host does not': async (
    store,
  ) => {
    const contacts = [11, 12, 13, 14, 15]
    // Sequentially: created concurrently, a shared store may give them ids in any order.
    const made: NotificationRecord[] = []
    for (const contact_id of contacts) made.push(await queue(store, { contact_id }))
    const of = new Map([11, 12, 13].map((id) => [id, 'one.test']))
    of.set(14, 'two.test')
    const hosts = { of, limit: 2 }
    const [first = 0, second = 0, third = 0, ...others] = ids(made)
    assert.deepEqual(ids(await claim(store, { hosts })), [first, second, ...others])
    assert.deepEqual(await claim(store, { hosts }), [])
    await store.notifications.finish(end(first))
    assert.deepEqual(ids(await claim(store, { hosts })), [third])
  },

  'accounts take turns where more is due than asked for, the one with the fewest under way first':
    async (store) => {
      const account_id = await anotherAccount(store)
      const first: NotificationRecord[] = []
      for (let n = 0; n < 6; n++) first.push(await queue(store, { contact_id: 20 + n }))
      const second = await queue(store, { account_id, contact_id: 30, due_at: T0 + 1 })
      const third = await queue(store, { account_id, contact_id: 31, due_at: T0 + 2 })
      const [a, b, c, d, e, f] = ids(first)
      const now = T0 + 5
      assert.deepEqual(ids(await claim(store, { now, limit: 3 })), [a, b, second.id])
      assert.deepEqual(ids(await claim(store, { now, limit: 2 })), [c, third.id])
      const late = await queue(store, { account_id, contact_id: 32, due_at: T0 + 4 })
      assert.deepEqual(ids(await claim(store, { now, limit: 1 })), [late.id])
      assert.deepEqual(ids(await claim(store, { now })), [d, e, f])
    },

  'an account has no more rows under way than `per_account`': async (store) => {
    const account_id = await anotherAccount(store)
    const first: NotificationRecord[] = []
    for (let n = 0; n < 4; n++) first.push(await queue(store, { contact_id: 20 + n }))
    const second = await queue(store, { account_id, contact_id: 30, due_at: T0 + 1 })
    const [a, b, c] = ids(first)
    const wanted = { now: T0 + 5, per_account: 2 }
    assert.deepEqual(ids(await claim(store, wanted)), [a, b, second.id])
    assert.deepEqual(await claim(store, wanted), [])
    await store.notifications.finish(end(a ?? 0, { status: 'sent' }))
    assert.deepEqual(ids(await claim(store, wanted)), [c])
  },

  'rows that are final are not claimed': async (store) => {
    for (const status of ['sent', 'failed', 'cancelled'] as const) {
      const row = await queue(store)
      await claim(store)
      await store.notifications.finish(end(row.id, { status }))
    }
    assert.deepEqual(await claim(store, { now: T0 + MINUTE }), [])
  },

  'a lapsed lease is taken over, and the attempt noted as interrupted': async (store) => {
    const row = await queue(store)
    await claim(store, { now: T0, lease_until: T0 + 10 })
    const [second] = await claim(store, { now: T0 + 10, lease_until: T0 + 20 })
    assert.deepEqual(second, {
      ...row,
      status: 'sending',
      lease_until: T0 + 20,
      claims: 2,
      interruptions: 1,
      sent_at: T0,
    })
    const [third] = await claim(store, { now: T0 + 20 })
    assert.equal(third?.claims, 3)
    assert.equal(third.interruptions, 2)
    assert.equal(third.attempts, 0)
    const noted = { notification_id: row.id, duration_ms: 0, http_status: null, answer: null }
    assert.deepEqual(await store.notifications.attempts([row.id]), [
      { ...noted, claim: 1, at: T0 + 10, error: 'interrupted' },
      { ...noted, claim: 2, at: T0 + 20, error: 'interrupted' },
    ])
  },

  'a row of which nothing was sent is dated anew': async (store) => {
    const row = await queue(store)
    await claim(store, { now: T0 + 1 })
    const unsent = { status: 'queued', due_at: T0 + MINUTE, attempts: 0 } as const
    await store.notifications.finish(end(row.id, unsent))
    const [again] = await claim(store, { now: T0 + MINUTE, lease_until: T0 + 2 * MINUTE })
    assert.equal(again?.sent_at, T0 + MINUTE)
    const [taken] = await claim(store, { now: T0 + 2 * MINUTE })
    assert.equal(taken?.sent_at, T0 + MINUTE)
  },

  'the first attempt dates a row for good': async (store) => {
    const row = await queue(store)
    await claim(store, { now: T0 + 1 })
    await store.notifications.finish(end(row.id, { status: 'queued', due_at: T0 + MINUTE }))
    const [again] = await claim(store, { now: T0 + MINUTE })
    assert.equal(again?.sent_at, T0 + 1)
    assert.equal(again.interruptions, 0)
  },

  'rows come in order of due time, then id': async (store) => {
    const late = await queue(store, { due_at: T0 - 1, contact_id: 1 })
    const early = await queue(store, { due_at: T0 - 3, contact_id: 2 })
    const tie = await queue(store, { due_at: T0 - 1, contact_id: 3 })
    const middle = await queue(store, { due_at: T0 - 2, contact_id: 1 })
    assert.deepEqual(ids(await claim(store)), [early.id, middle.id, late.id, tie.id])
  },

  'no more rows are claimed than asked for, the longest due first': async (store) => {
    const rows = []
    for (const wait of [1, 3, 2]) rows.push(await queue(store, { due_at: T0 - wait }))
    const [a, b, c] = ids(rows)
    assert.deepEqual(ids(await claim(store, { limit: 2 })), [b, c])
    assert.deepEqual(ids(await claim(store, { limit: 2 })), [a])
  },

  'a contact has no more rows under way than allowed, over all claims': async (store) => {
    const first = await queue(store)
    const second = await queue(store)
    const third = await queue(store)
    const other = await queue(store, { contact_id: 2 })
    const wanted = { per_contact: 2 }
    assert.deepEqual(ids(await claim(store, wanted)), [first.id, second.id, other.id])
    assert.deepEqual(await claim(store, wanted), [])
    await store.notifications.finish(end(first.id))
    assert.deepEqual(ids(await claim(store, wanted)), [third.id])
  },

  'a full contact does not keep the others waiting': async (store) => {
    for (let index = 0; index < 20; index++) await queue(store, { due_at: T0 - 100 + index })
    const other = await queue(store, { contact_id: 2 })
    const claimed = ids(await claim(store, { limit: 3, per_contact: 2 }))
    assert.equal(claimed.length, 3)
    assert.ok(claimed.includes(other.id))
  },

  'an abandoned row does not fill its own place': async (store) => {
    const row = await queue(store)
    await claim(store, { now: T0, lease_until: T0 + 10 })
    assert.deepEqual(ids(await claim(store, { now: T0 + 10, per_contact: 1 })), [row.id])
  },

  'a row waits while an earlier one of the same monitor and contact is under way': async (
    store,
  ) => {
    const [down = 0, up] = await lane(store, {}, { event: 'up' })
    assert.deepEqual(ids(await claim(store)), [down])
    assert.deepEqual(await claim(store), [])
    await store.notifications.finish(end(down))
    assert.deepEqual(ids(await claim(store)), [up])
  },

  'a row waits while an earlier one is due, whatever their due times': async (store) => {
    const [first] = await lane(store, { due_at: T0 }, { due_at: T0 - MINUTE })
    assert.deepEqual(ids(await claim(store)), [first])
  },

  'a row waits while an earlier one pauses between attempts': async (store) => {
    const [down = 0, up] = await lane(store, {}, { event: 'up' })
    await claim(store)
    const pause = { status: 'queued', due_at: T0 + MINUTE, error: 'timeout' } as const
    await store.notifications.finish(end(down, pause))
    assert.deepEqual(await claim(store, { now: T0 + 1 }), [])
    assert.deepEqual(ids(await claim(store, { now: T0 + MINUTE })), [down])
    await store.notifications.finish(end(down, { claim: 2, status: 'failed' }))
    assert.deepEqual(ids(await claim(store, { now: T0 + MINUTE })), [up])
  },

  'a row does not wait for an earlier one that is neither due nor attempted': async (store) => {
    const [, second] = await lane(store, { due_at: T0 + MINUTE }, {})
    assert.deepEqual(ids(await claim(store)), [second])
  },

  'a row waits for no other monitor and no other contact': async (store) => {
    const [a, b] = await lane(store, { contact_id: 1 }, { contact_id: 2 })
    const [c] = await lane(store, { contact_id: 1 })
    assert.deepEqual(ids(await claim(store)), [a, b, c])
  },

  'a row waits while an earlier one was abandoned': async (store) => {
    const [down] = await lane(store, {}, { event: 'up' })
    await claim(store, { now: T0, lease_until: T0 + 10 })
    assert.deepEqual(ids(await claim(store, { now: T0 + 10 })), [down])
  },

  'a row does not wait for one that is cancelled': async (store) => {
    const made = await store.monitors.create(monitor())
    await commitOne(store, on(made, { notify: [notice()] }))
    const done = await commitOne(
      store,
      on(made, { cancel: { scope: 'all', reason: 'r' }, notify: [notice({ event: 'up' })] }),
    )
    assert.deepEqual(ids(await claim(store)), done.notification_ids)
  },

  'rows without a monitor do not wait for each other': async (store) => {
    const first = await queue(store)
    const second = await queue(store)
    assert.deepEqual(ids(await claim(store)), [first.id, second.id])
  },

  'a row that cannot be read is set aside and holds nothing up': async (store) => {
    const [broken = 0, behind] = await lane(store, { payload: '{"event":' }, {})
    const list = await queue(store, { payload: '[]', due_at: T0 - 9 })
    const good = await queue(store)
    const claimed = ids(await claim(store, { limit: 2 }))
    assert.deepEqual(claimed.toSorted(), [behind, good.id].toSorted())
    for (const id of [broken, list.id]) {
      const row = await stored(store, id)
      assert.equal(row.status, 'failed')
      assert.equal(row.error, 'unreadable')
      assert.equal(row.finished_at, T0)
    }
  },

  'two claims at once share no row': async (store) => {
    for (let index = 0; index < 20; index++) await queue(store, { contact_id: index % 4 })
    const claims = await Promise.all([claim(store, { limit: 10 }), claim(store, { limit: 10 })])
    // One may pass over contacts that the other serves at that moment.
    const claimed = [...claims, await claim(store, { limit: 20 })].flatMap(ids)
    assert.equal(claimed.length, 20)
    assert.equal(new Set(claimed).size, 20)
  },

  'the next due time is that of the first row or the first lapsing lease': async (store) => {
    assert.equal(await store.notifications.nextDue(), null)
    const row = await queue(store, { due_at: T0 })
    assert.equal(await store.notifications.nextDue(), T0)
    await claim(store, { lease_until: T0 + 50 })
    assert.equal(await store.notifications.nextDue(), T0 + 50)
    await queue(store, { due_at: T0 + 40 })
    assert.equal(await store.notifications.nextDue(), T0 + 40)
    await queue(store, { due_at: T0 + 60 })
    assert.equal(await store.notifications.nextDue(), T0 + 40)
    await store.notifications.finish(end(row.id))
    await claim(store, { now: T0 + 60, lease_until: T0 + 99 })
    assert.equal(await store.notifications.nextDue(), T0 + 99)
  },

  'the depth counts rows that are not final': async (store) => {
    assert.equal(await store.notifications.depth(), 0)
    const row = await queue(store)
    await queue(store, { due_at: T0 + MINUTE })
    await claim(store)
    assert.equal(await store.notifications.depth(), 2)
    await store.notifications.finish(end(row.id))
    assert.equal(await store.notifications.depth(), 1)
  },
}
