import { strict as assert } from 'node:assert'
import type { FullStore } from '../../store/store.ts'
import {
  anotherAccount,
  claim,
  commitOne,
  ids,
  incident,
  MINUTE,
  monitor,
  notice,
  offers,
  on,
  queue,
  stored,
  T0,
} from './case.ts'
import type { Case } from './case.ts'

async function opened(store: FullStore) {
  const made = await store.monitors.create(monitor())
  const done = await commitOne(store, on(made, { open_incident: incident() }))
  return { made, incident_id: done.incident_id ?? 0 }
}

async function statuses(store: FullStore, row_ids: readonly number[]): Promise<string[]> {
  return Promise.all(row_ids.map(async (id) => (await stored(store, id)).status))
}

/** One row of each sort for one monitor: sending, due, later, later but attempted, a repeat that is due. */
async function oneOfEach(store: FullStore) {
  const made = await store.monitors.create(monitor())
  const lane = (contact_id: number, change = {}) => notice({ contact_id, ...change })
  const queued = await commitOne(store, on(made, { notify: [lane(1), lane(4)] }))
  await claim(store)
  const [sending = 0, attempted = 0] = queued.notification_ids
  await store.notifications.finish({
    id: attempted,
    claim: 1,
    status: 'queued',
    due_at: T0 + MINUTE,
    attempts: 1,
    interruptions: 0,
    error: 'http_500',
    at: T0,
  })
  const more = await commitOne(
    store,
    on(made, {
      notify: [lane(2), lane(3, { due_at: T0 + MINUTE }), lane(5, { repeat: 1, event: 'repeat' })],
    }),
  )
  const [due = 0, later = 0, repetition = 0] = more.notification_ids
  return { made, rows: [sending, due, later, attempted, repetition] }
}

export const notifyCases: Readonly<Record<string, Case>> = {
  'a new notification is queued, with nothing attempted': async (store) => {
    const { made, incident_id } = await opened(store)
    const wanted = notice({ incident: incident_id, due_at: T0 + 7, repeat: 2 })
    const done = await commitOne(store, on(made, { at: T0 + 3, notify: [wanted] }))
    const id = done.notification_ids[0] ?? 0
    assert.deepEqual(await store.notifications.get(id), {
      id,
      account_id: 1,
      monitor_id: made.id,
      incident_id,
      contact_id: 1,
      event: 'down',
      status: 'queued',
      due_at: T0 + 7,
      attempts: 0,
      claims: 0,
      interruptions: 0,
      lease_until: null,
      payload: '{"event":"down"}',
      sent_at: null,
      repeat: 2,
      error: null,
      created_at: T0 + 3,
      finished_at: null,
    })
  },

  'a notification can stand outside of any monitor': async (store) => {
    const account_id = await anotherAccount(store)
    const row = await queue(store, { account_id, contact_id: 8, due_at: T0 + 1 })
    assert.equal(row.monitor_id, null)
    assert.equal(row.incident_id, null)
    assert.equal(row.status, 'queued')
    assert.deepEqual(await store.notifications.get(row.id), row)
    assert.equal(await store.notifications.get(row.id + 1), undefined)
  },

  'a payload is kept to the letter': async (store) => {
    const payload = '{ "b":1.0,  "a":"\\u00e9é😀" , "a":2}'
    const row = await queue(store, { payload })
    assert.equal((await stored(store, row.id)).payload, payload)
  },

  'a recovery goes only to contacts that were told of the incident': async (store) => {
    const { made, incident_id } = await opened(store)
    const down = (contact_id: number) => notice({ contact_id, incident: incident_id })
    const up = (contact_id: number) => ({
      ...down(contact_id),
      event: 'up',
      only_if_notified: true,
    })
    const told = await commitOne(store, on(made, { notify: [down(1), down(2)] }))
    await store.contacts.remove(2)
    const later = await commitOne(store, on(made, { notify: [up(1), up(2), up(3)] }))
    assert.equal(told.notification_ids.length, 2)
    assert.equal(later.notification_ids.length, 1)
    const row = await stored(store, later.notification_ids[0] ?? 0)
    assert.equal(row.contact_id, 1)
    assert.equal(row.event, 'up')
  },

  'a failed notification counts as told, one of another incident does not': async (store) => {
    const { made, incident_id } = await opened(store)
    const next = await commitOne(store, on(made, { open_incident: incident() }))
    const down = notice({ incident: incident_id })
    const done = await commitOne(store, on(made, { notify: [down] }))
    await claim(store)
    await store.notifications.finish({
      id: done.notification_ids[0] ?? 0,
      claim: 1,
      status: 'failed',
      attempts: 1,
      interruptions: 0,
      error: 'http_404',
      at: T0,
    })
    const up = { ...down, event: 'up', only_if_notified: true }
    const same = await commitOne(store, on(made, { notify: [up] }))
    assert.equal(same.notification_ids.length, 1)
    const other = { ...up, incident: next.incident_id }
    const none = await commitOne(store, on(made, { notify: [other, { ...up, incident: null }] }))
    assert.deepEqual(none.notification_ids, [])
  },

  'a cancelled notification counts as sent where it was attempted': async (store) => {
    const { made, incident_id } = await opened(store)
    const down = (contact_id: number) => notice({ contact_id, incident: incident_id })
    const done = await commitOne(store, on(made, { notify: [down(1), down(2)] }))
    const [id = 0] = done.notification_ids
    await claim(store, { limit: 1 })
    await store.notifications.finish({
      id,
      claim: 1,
      status: 'queued',
      due_at: T0 + MINUTE,
      attempts: 1,
      interruptions: 0,
      error: 'timeout',
      at: T0,
    })
    const up = (contact_id: number) => ({
      ...down(contact_id),
      event: 'up',
      only_if_notified: true,
    })
    const cancel = { scope: 'all', reason: 'monitor_deleted' } as const
    const update_incident = { id: incident_id, ended_at: T0, closed_reason: 'deleted' } as const
    const gone = await commitOne(
      store,
      on(made, { update_incident, cancel, notify: [up(1), up(2)], remove: true }),
    )
    assert.deepEqual(await statuses(store, done.notification_ids), ['cancelled', 'cancelled'])
    assert.equal(gone.notification_ids.length, 1)
    // The monitor is removed; its waiting notifications are sent, and stored until then.
    const pruned = {
      ...{
        results_before: T0,
        history_before: T0,
        hours_before: T0,
        audit_before: T0,
        revoked_before: T0,
        idempotency_before: T0,
      },
      limit: 10,
    }
    if (offers(store, 'prune')) await store.prune({ ...pruned, notifications_before: T0 + MINUTE })
    const [row] = await claim(store)
    assert.deepEqual([row?.id, row?.event, row?.contact_id], [...gone.notification_ids, 'up', 1])
    assert.equal((await stored(store, id)).error, 'monitor_deleted')
  },

  'a late notification goes only to contacts that were not notified of the incident': async (
    store,
  ) => {
    const { made, incident_id } = await opened(store)
    const down = (contact_id: number) => notice({ contact_id, incident: incident_id })
    await commitOne(store, on(made, { notify: [down(1), down(2)] }))
    await store.contacts.remove(2)
    const late = (contact_id: number) => ({ ...down(contact_id), only_if_not_notified: true })
    const done = await commitOne(store, on(made, { notify: [late(1), late(2), late(3)] }))
    const rows = await Promise.all(done.notification_ids.map((id) => stored(store, id)))
    assert.deepEqual(
      rows.map(({ contact_id }) => contact_id),
      [2, 3],
    )
  },

  'cancelling goes before notifying': async (store) => {
    const { made, incident_id } = await opened(store)
    const later = notice({ incident: incident_id, due_at: T0 + MINUTE })
    const first = await commitOne(store, on(made, { notify: [later] }))
    const done = await commitOne(
      store,
      on(made, {
        cancel: { scope: 'later', reason: 'recovered' },
        notify: [{ ...later, event: 'up', only_if_notified: true }, notice({ event: 'other' })],
      }),
    )
    const row = await stored(store, first.notification_ids[0] ?? 0)
    assert.equal(row.status, 'cancelled')
    assert.equal(row.error, 'recovered')
    assert.equal(row.finished_at, T0)
    assert.equal(done.notification_ids.length, 1)
    assert.equal((await stored(store, done.notification_ids[0] ?? 0)).status, 'queued')
  },

  'cancelling "later" takes rows not due and not attempted, and every repetition': async (
    store,
  ) => {
    const { made, rows } = await oneOfEach(store)
    await commitOne(store, on(made, { cancel: { scope: 'later', reason: 'r' } }))
    assert.deepEqual(await statuses(store, rows), [
      'sending',
      'queued',
      'cancelled',
      'queued',
      'cancelled',
    ])
  },

  'cancelling "all" takes every queued row but an end, and none under way': async (store) => {
    const { made, rows } = await oneOfEach(store)
    const other = await queue(store)
    const up = notice({ contact_id: 6, event: 'up' })
    const done = await commitOne(store, on(made, { notify: [up] }))
    await commitOne(store, on(made, { cancel: { scope: 'all', reason: 'r' } }))
    assert.deepEqual(await statuses(store, done.notification_ids), ['queued'])
    assert.deepEqual(await statuses(store, rows), [
      'sending',
      'cancelled',
      'cancelled',
      'cancelled',
      'cancelled',
    ])
    assert.equal((await stored(store, other.id)).status, 'queued')
  },

  'cancelling can be held to one incident': async (store) => {
    const { made, incident_id } = await opened(store)
    const done = await commitOne(
      store,
      on(made, { notify: [notice({ incident: incident_id }), notice()] }),
    )
    const cancel = { scope: 'all', incident_id, reason: 'r' } as const
    await commitOne(store, on(made, { cancel }))
    assert.deepEqual(await statuses(store, done.notification_ids), ['cancelled', 'queued'])
  },

  'the log is filtered and comes newest first': async (store) => {
    const { made, incident_id } = await opened(store)
    const [a = 0] = (await commitOne(store, on(made, { notify: [notice()] }))).notification_ids
    const [b = 0] = (
      await commitOne(
        store,
        on(made, { notify: [notice({ contact_id: 2, incident: incident_id })] }),
      )
    ).notification_ids
    const account_id = await anotherAccount(store)
    const { id: c } = await queue(store, { account_id, contact_id: 2, due_at: T0 - 1 })
    await claim(store, { limit: 1 })
    const listed = async (query: object) =>
      ids(await store.notifications.list({ account_id: 'all', limit: 100, ...query }))
    assert.deepEqual(await listed({}), [c, b, a])
    assert.deepEqual(await listed({ account_id: 1 }), [b, a])
    assert.deepEqual(await listed({ account_id }), [c])
    assert.deepEqual(await listed({ monitor_id: made.id }), [b, a])
    assert.deepEqual(await listed({ incident_id }), [b])
    assert.deepEqual(await listed({ contact_id: 2 }), [c, b])
    assert.deepEqual(await listed({ statuses: ['sending'] }), [c])
    assert.deepEqual(await listed({ statuses: ['sending', 'queued'] }), [c, b, a])
    assert.deepEqual(await listed({ statuses: [] }), [])
    assert.deepEqual(await listed({ before_id: c, limit: 1 }), [b])
  },
}
