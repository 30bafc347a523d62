import { strict as assert } from 'node:assert'
import type { KeyRecord } from '../../model.ts'
import {
  anotherAccount,
  commitOne,
  contact,
  ids,
  incident,
  monitor,
  notice,
  on,
  queue,
  refused,
  T0,
} from './case.ts'
import type { Case } from './case.ts'

export function key(change: Partial<KeyRecord> = {}): Omit<KeyRecord, 'id'> {
  return {
    account_id: 1,
    name: 'ci',
    prefix: 'svc_ab',
    hash: 'a'.repeat(64),
    scopes: ['monitors:read', 'checks:run'],
    created_at: T0,
    last_used_at: null,
    revoked_at: null,
    ...change,
  }
}

/** On a store without any account. */
export const emptyCases: Readonly<Record<string, Case>> = {
  'the first account is made once': async (store) => {
    const asked = Array.from({ length: 5 }, (_, index) => ({ name: `n${index}`, created_at: T0 }))
    const given = await Promise.all(asked.map((account) => store.accounts.ensureFirst(account)))
    assert.equal(new Set(given.map(({ id }) => id)).size, 1)
    assert.deepEqual(await store.accounts.list(), given.slice(0, 1))
    assert.equal(given[0]?.id, 1)
  },

  'accounts get positive ids and are listed in their order': async (store) => {
    const first = await store.accounts.create({ name: 'Ünïcode & "quotes"', created_at: T0 })
    const second = await store.accounts.create({ name: 'b', created_at: T0 + 1 })
    assert.ok(first.id > 0 && second.id > first.id)
    assert.deepEqual(first, {
      id: first.id,
      name: 'Ünïcode & "quotes"',
      external_id: null,
      quotas: {},
      monitor_defaults: {},
      created_at: T0,
    })
    assert.deepEqual(await store.accounts.list(), [first, second])
    assert.deepEqual(await store.accounts.get(second.id), second)
    assert.equal(await store.accounts.get(second.id + 1), undefined)
  },
}

export const accountCases: Readonly<Record<string, Case>> = {
  'nothing is stored for an account that is not there': async (store) => {
    for (const account_id of [2, 0, -1]) {
      await refused(store.monitors.create(monitor({ account_id })), 'not_found')
      await refused(store.contacts.create(contact({ account_id })), 'not_found')
      await refused(queue(store, { account_id }), 'not_found')
    }
    const account_id = await anotherAccount(store)
    assert.deepEqual(await store.contacts.list(account_id), [])
    for (const asked of [account_id, 'all'] as const) {
      assert.deepEqual(await store.monitors.list({ account_id: asked, limit: 9 }), [])
      assert.deepEqual(await store.notifications.list({ account_id: asked, limit: 9 }), [])
    }
  },

  'a list is of one account or of all, and of nobody where that is left open': async (store) => {
    const made = await store.monitors.create(monitor())
    await commitOne(store, on(made, { open_incident: incident(), notify: [notice()] }))
    for (const account_id of [undefined, null, 0, -1, 1.5, NaN, '1', 'ALL', true, [1]]) {
      const query = { account_id, limit: 9 } as never
      await refused(store.monitors.list(query), 'not_found')
      await refused(store.incidents.list(query), 'not_found')
      await refused(store.notifications.list(query), 'not_found')
    }
    const all = { account_id: 'all', limit: 9 } as const
    assert.equal((await store.monitors.list(all)).length, 1)
    assert.equal((await store.incidents.list(all)).length, 1)
    assert.equal((await store.notifications.list(all)).length, 1)
  },
}

export const keyCases: Readonly<Record<string, Case>> = {
  'no key is stored for an account that is not there': async (store) => {
    for (const account_id of [2, 0, -1])
      await refused(store.keys.create(key({ account_id })), 'not_found')
    assert.deepEqual(await store.keys.list(await anotherAccount(store)), [])
  },

  'a key is found by its hash or its id, and by nothing else': async (store) => {
    const made = await store.keys.create(key())
    assert.deepEqual(await store.keys.byId(made.id), made)
    assert.equal(await store.keys.byId(made.id + 1), undefined)
    assert.equal(await store.keys.byId(0), undefined)
    assert.deepEqual(await store.keys.byHash('a'.repeat(64)), made)
    assert.equal(await store.keys.byHash('A'.repeat(64)), undefined)
    assert.equal(await store.keys.byHash(''), undefined)
  },

  'keys are listed per account': async (store) => {
    const account_id = await anotherAccount(store)
    const mine = await store.keys.create(key({ hash: 'a' }))
    const other = await store.keys.create(key({ hash: 'b', account_id }))
    const mine_too = await store.keys.create(key({ hash: 'c' }))
    assert.deepEqual(await store.keys.list(1), [mine, mine_too])
    assert.deepEqual(await store.keys.list(account_id), [other])
    assert.deepEqual(await store.keys.list(account_id + 1), [])
  },

  'two keys never share a hash': async (store) => {
    await store.keys.create(key())
    const account_id = await anotherAccount(store)
    await refused(store.keys.create(key({ account_id })), 'validation')
    assert.deepEqual(await store.keys.list(account_id), [])
  },

  'use and revocation of a key are written one at a time': async (store) => {
    const made = await store.keys.create(key())
    await store.keys.update(made.id, { last_used_at: T0 + 1 })
    await store.keys.update(made.id, { revoked_at: T0 + 2 })
    await store.keys.update(made.id, {})
    const expected = { ...made, last_used_at: T0 + 1, revoked_at: T0 + 2 }
    assert.deepEqual(await store.keys.byHash(made.hash), expected)
    assert.deepEqual(await store.keys.byId(made.id), expected)
    await store.keys.update(made.id + 1, { revoked_at: T0 })
  },
}

export const locationCases: Readonly<Record<string, Case>> = {
  'a location keeps the id of its name for ever': async (store) => {
    const berlin = await store.locations.ensure('berlin')
    const oslo = await store.locations.ensure('oslo')
    assert.deepEqual(await store.locations.ensure('berlin'), berlin)
    assert.notEqual(oslo.id, berlin.id)
    assert.deepEqual(await store.locations.list(), [berlin, oslo])
    assert.deepEqual(ids(await store.locations.list()), [berlin.id, oslo.id])
  },

  'a location asked for several times at once is made once': async (store) => {
    const asked = await Promise.all(Array.from({ length: 5 }, () => store.locations.ensure('rome')))
    assert.equal(new Set(ids(asked)).size, 1)
    assert.equal((await store.locations.list()).length, 1)
  },
}
