/**
 * Cases for several stores on the same data.
 *
 * @module
 */

import { strict as assert } from 'node:assert'
import type { MonitorRecord, NotificationRecord } from '../../model.ts'
import type { Committed, FullStore } from '../../store/store.ts'
import type { SharedCase } from './shared-parts.ts'
import {
  anotherAccount,
  claim,
  commitOne,
  contact,
  ids,
  incident,
  monitor,
  notice,
  on,
  queue,
  refused,
  result,
  T0,
} from './case.ts'

const REPEAT = { event: 'repeat', due_at: T0, payload: '{"event":"repeat"}', repeat: 1 } as const

function end({ id, claims }: NotificationRecord) {
  const done = { status: 'sent', attempts: 1, interruptions: 0, error: null, at: T0 } as const
  return { id, claim: claims, ...done }
}

export const sharedCases: Readonly<Record<string, SharedCase>> = {
  'what one store has written, the other reads': async (store, beside) => {
    const other = await beside()
    const made = await store.monitors.create(monitor())
    await commitOne(other, on(made, { results: [result()] }))
    assert.equal((await store.results.list({ monitor_id: made.id, limit: 9 })).length, 1)
    assert.equal((await store.monitors.get(made.id))?.revision, 2)
    assert.deepEqual(await other.locations.ensure('here'), await store.locations.ensure('here'))
  },

  'two stores that make an account of one external id at once make one': async (store, beside) => {
    const stores = [store, await beside()]
    for (let turn = 0; turn < 5; turn++) {
      const account = { name: 'a', external_id: `crm-${turn}`, created_at: T0 }
      const made = await Promise.all(stores.map((one) => one.accounts.create(account)))
      assert.deepEqual(made[0], made[1])
    }
    assert.equal((await store.accounts.list()).length, 6)
  },

  'of changes worked out on the same revision one is made': async (store, beside) => {
    const stores = [store, await beside()]
    const made = await store.monitors.create(monitor())
    for (let revision = 1; revision <= 10; revision++) {
      const change = on({ ...made, revision }, { results: [result()] })
      const answers = (await Promise.all(stores.map((one) => one.commit([change])))).flat()
      assert.deepEqual(answers.map((one) => (one.ok ? 'made' : one.reason)).toSorted(), [
        'made',
        'outdated',
      ])
    }
    assert.equal((await store.results.list({ monitor_id: made.id, limit: 99 })).length, 10)
  },

  'groups of the same monitors in any order do not block each other': async (store, beside) => {
    const stores = [store, await beside()]
    const monitors: MonitorRecord[] = []
    for (let index = 0; index < 12; index++) monitors.push(await store.monitors.create(monitor()))
    for (let revision = 1; revision <= 8; revision++) {
      const group = monitors.map((one) => on({ ...one, revision }, { results: [result()] }))
      const [a = [], b = []]: (readonly Committed[])[] = await Promise.all(
        stores.map((one, index) => one.commit(index === 0 ? group : group.toReversed())),
      )
      const made = a.map((one, index) => Number(one.ok) + Number(b.at(-1 - index)?.ok))
      assert.deepEqual(
        made,
        monitors.map(() => 1),
      )
    }
  },

  'claims at the same time share no row, and no contact has more than allowed': async (
    store,
    beside,
  ) => {
    const stores = [store, await beside()]
    for (let index = 0; index < 60; index++) await queue(store, { contact_id: index % 5 })
    const wanted = { limit: 8, per_contact: 3 }
    const claimed = (
      await Promise.all([...stores, ...stores, ...stores].map((one) => claim(one, wanted)))
    ).flat()
    assert.equal(new Set(ids(claimed)).size, claimed.length)
    const rest = await claim(store, { ...wanted, limit: 60 })
    const counts = [0, 1, 2, 3, 4].map(
      (id) => [...claimed, ...rest].filter(({ contact_id }) => contact_id === id).length,
    )
    assert.deepEqual(counts, [3, 3, 3, 3, 3])
  },

  'rows of one monitor and contact go in their order, however many claim': async (
    store,
    beside,
  ) => {
    const stores = [store, await beside(), store]
    const lanes = await Promise.all([1, 2, 3].map((contact_id) => laneOf(store, contact_id)))
    const begun = new Set<number>()
    const ended = new Set<number>()
    const work = async (one: FullStore): Promise<void> => {
      while (ended.size < 30) {
        for (const row of await claim(one, { limit: 4 })) {
          assert.ok(!begun.has(row.id), `row ${row.id} was claimed twice`)
          begun.add(row.id)
          const lane = lanes.find((each) => each.includes(row.id)) ?? []
          const waiting = lane.filter((id) => id < row.id && !ended.has(id))
          assert.deepEqual(waiting, [], `row ${row.id} overtook`)
          ended.add(row.id)
          assert.equal(await one.notifications.finish(end(row)), true)
        }
      }
    }
    await Promise.all(stores.map(work))
    assert.equal(await store.notifications.depth(), 0)
  },

  'a lapsed lease is taken over once': async (store, beside) => {
    const stores = [store, await beside()]
    const row = await queue(store)
    const [first] = await claim(store, { lease_until: T0 + 10 })
    const taken = (
      await Promise.all([...stores, ...stores].map((one) => claim(one, { now: T0 + 10 })))
    ).flat()
    assert.deepEqual(ids(taken), [row.id])
    assert.equal(taken[0]?.claims, 2)
    assert.ok(first !== undefined)
    assert.equal(await store.notifications.finish(end(first)), false)
    assert.equal((await store.notifications.attempts([row.id])).length, 1)
  },

  'an incident that is closed while a row of it ends has nothing following': async (
    store,
    beside,
  ) => {
    const other = await beside()
    for (let round = 0; round < 10; round++) {
      const made = await store.monitors.create(monitor())
      const opened = await commitOne(
        store,
        on(made, { open_incident: incident(), notify: [notice({ incident: 'opened' })] }),
      )
      const [row] = await claim(store)
      assert.ok(row !== undefined && opened.incident_id !== null)
      const close = on(
        { ...made, revision: opened.revision },
        {
          update_incident: { id: opened.incident_id, ended_at: T0, closed_reason: 'recovered' },
          cancel: { scope: 'later', reason: 'recovered' },
        },
      )
      await Promise.all([
        other.commit([close]),
        store.notifications.finish({ ...end(row), then: REPEAT }),
      ])
      assert.equal(await store.notifications.depth(), 0)
    }
  },
}

/** Ten rows of one monitor and contact. */
async function laneOf(store: FullStore, contact_id: number): Promise<readonly number[]> {
  const made = await store.monitors.create(monitor())
  const notify = Array.from({ length: 10 }, () => notice({ contact_id }))
  return (await commitOne(store, on(made, { notify }))).notification_ids
}

export const sharedQuotaCases: Readonly<Record<string, SharedCase>> = {
  'what an account may have holds over all stores': async (store, beside) => {
    const stores = [store, await beside()]
    const twenty = Array.from({ length: 20 }, (_, index) => stores[index % 2] ?? store)
    await Promise.allSettled(twenty.map((one) => one.monitors.create(monitor(), { monitors: 5 })))
    await Promise.allSettled(twenty.map((one) => one.contacts.create(contact(), { contacts: 3 })))
    assert.deepEqual(await store.accounts.use(1), { monitors: 5, contacts: 3, checks_per_min: 5 })
    const monitors = await store.monitors.list({ account_id: 1, limit: 9 })
    const { common, settings, target } = monitor()
    const faster = { settings: { common: { ...common, interval_sec: 30 }, settings, target } }
    const within = { checks_per_min: 7 }
    const changes = monitors.map((made) => on(made, { ...faster, within }))
    const answers = await Promise.all(
      changes.map((change, index) => (stores[index % 2] ?? store).commit([change])),
    )
    assert.equal(answers.flat().filter(({ ok }) => ok).length, 2)
    assert.equal((await store.accounts.use(1)).checks_per_min, 7)
  },
}

export const sharedRemovalCases: Readonly<Record<string, SharedCase>> = {
  'an account that one store removes takes nothing from another any more': async (
    store,
    beside,
  ) => {
    const other = await beside()
    for (let turn = 0; turn < 5; turn++) {
      const account_id = await anotherAccount(store)
      const made = await store.monitors.create(monitor({ account_id }))
      const [removed, , added] = await Promise.allSettled([
        store.accounts.remove(account_id, 99),
        other.commit([on(made, { open_incident: incident(), notify: [notice()] })]),
        other.monitors.create(monitor({ account_id }), { monitors: 9 }),
      ])
      assert.deepEqual(removed, { status: 'fulfilled', value: 'done' })
      if (added.status === 'rejected')
        await refused(Promise.reject(added.reason as Error), 'not_found')
      const all = { account_id: 'all', limit: 9 } as const
      assert.deepEqual(await store.monitors.list(all), [])
      assert.deepEqual(await store.incidents.list(all), [])
      assert.deepEqual(await store.notifications.list(all), [])
    }
  },
}
