import { strict as assert } from 'node:assert'
import type { AuditRecord, NewAuditRecord } from '../../model.ts'
import type { FullStore } from '../../store/store.ts'
import { anotherAccount, commitOne, contact, DAY, ids, monitor, on, refused, T0 } from './case.ts'
import type { Case } from './case.ts'
import { maintenance, MOST } from './maintenance.ts'

function entry(change: Partial<NewAuditRecord> = {}): NewAuditRecord {
  return {
    at: T0,
    resource: 'monitor',
    resource_name: 'Shop',
    action: 'updated',
    actor: 'user:7',
    changes: [{ field: 'interval_sec', from: 60, to: 30 }, { field: 'auth.pass' }],
    ...change,
  }
}

async function logged(store: FullStore, account_id = 1): Promise<readonly AuditRecord[]> {
  return store.auditLog.list({ account_id, limit: 50 })
}

const key = {
  account_id: 1,
  name: 'ci',
  prefix: 'svc_1234',
  hash: 'h1',
  scopes: ['read'],
  created_at: T0,
  last_used_at: null,
  revoked_at: null,
} as const

export const auditCases: Readonly<Record<string, Case>> = {
  'a change of a monitor leaves its audit record, read back as it was written': async (store) => {
    const created = entry({ action: 'created', actor: null, changes: [] })
    const made = await store.monitors.create(monitor(), undefined, created)
    await commitOne(store, on(made, { audit: entry() }))
    await commitOne(store, on(made, { audit: entry({ action: 'deleted' }), remove: true }))
    const records = await logged(store)
    const of = { account_id: 1, resource_id: made.id }
    assert.deepEqual(
      records.map(({ id: _, ...record }) => record),
      [
        { ...entry({ action: 'deleted' }), ...of },
        { ...entry(), ...of },
        { ...created, ...of },
      ],
    )
    assert.deepEqual(
      ids(records),
      ids(records).toSorted((a, b) => b - a),
    )
  },

  'a change that is refused leaves no audit record': async (store) => {
    const made = await store.monitors.create(monitor())
    const outdated = on({ ...made, revision: made.revision + 1 }, { audit: entry() })
    const gone = on({ id: made.id + 1, revision: 1 }, { audit: entry() })
    const kept = on(made, { audit: entry({ resource_name: 'kept' }) })
    await store.commit([outdated, gone, kept])
    await refused(
      store.contacts.create(contact({ account_id: 9 }), undefined, entry()),
      'not_found',
    )
    assert.equal(await store.contacts.update(9, 1, { name: 'x' }, entry()), undefined)
    assert.equal(await store.contacts.remove(9, undefined, entry()), false)
    assert.equal(await store.accounts.update(9, { name: 'x' }, entry()), undefined)
    const records = await logged(store)
    assert.deepEqual(
      records.map(({ resource_name }) => resource_name),
      ['kept'],
    )
  },

  'changes of contacts leave their audit records': async (store) => {
    const duty = await store.contacts.create(contact(), undefined, entry({ action: 'created' }))
    await store.contacts.update(duty.id, 1, { name: 'Night' }, entry())
    await store.contacts.update(duty.id, 1, { name: 'Lost' }, entry())
    await store.contacts.remove(duty.id, 1, entry({ action: 'deleted' }))
    await store.contacts.remove(duty.id, 2, entry({ action: 'deleted' }))
    const records = await logged(store)
    assert.deepEqual(
      records.map(({ action, resource_id, account_id }) => [action, resource_id, account_id]),
      [
        ['deleted', duty.id, 1],
        ['updated', duty.id, 1],
        ['created', duty.id, 1],
      ],
    )
  },

  'changes of accounts leave their audit records, each account its own': async (store) => {
    const account = { name: 'a', external_id: 'a', created_at: T0 }
    const { id } = await store.accounts.create(account, entry({ action: 'created' }))
    await store.accounts.create(account, entry({ action: 'created' }))
    await store.accounts.update(id, { name: 'b' }, entry())
    assert.deepEqual(
      (await logged(store, id)).map(({ action, resource_id }) => [action, resource_id]),
      [
        ['updated', id],
        ['created', id],
      ],
    )
    assert.deepEqual(await logged(store), [])
    assert.equal((await store.auditLog.list({ account_id: 'all', limit: 9 })).length, 2)
    const unnamed = undefined as never
    await refused(store.auditLog.list({ account_id: unnamed, limit: 9 }), 'not_found')
  },

  'audit records are found by resource, action, actor and time, a page at a time': async (
    store,
  ) => {
    const made = await store.monitors.create(monitor())
    const other = await store.monitors.create(monitor())
    await commitOne(store, on(made, { audit: entry() }))
    await commitOne(store, on(made, { audit: entry({ at: T0 + 10, action: 'paused' }) }))
    await commitOne(store, on(other, { audit: entry({ at: T0 + 20, actor: 'key:1' }) }))
    await store.contacts.create(contact(), undefined, entry({ at: T0 + 30, resource: 'contact' }))
    const times = async (query: object): Promise<number[]> =>
      (await store.auditLog.list({ account_id: 1, limit: 9, ...query })).map(({ at }) => at - T0)
    assert.deepEqual(await times({}), [30, 20, 10, 0])
    assert.deepEqual(await times({ resource: 'monitor', resource_id: made.id }), [10, 0])
    assert.deepEqual(await times({ resource: 'contact' }), [30])
    assert.deepEqual(await times({ action: 'paused' }), [10])
    assert.deepEqual(await times({ actor: 'key:1' }), [20])
    assert.deepEqual(await times({ actor: 'key' }), [])
    assert.deepEqual(await times({ from: T0 + 10, to: T0 + 30 }), [20, 10])
    const [, second] = await store.auditLog.list({ account_id: 1, limit: 2 })
    assert.deepEqual(await times({ before_id: second?.id }), [10, 0])
  },
}

export const auditQuotaCases: Readonly<Record<string, Case>> = {
  'what a quota refuses leaves no audit record': async (store) => {
    await store.monitors.create(monitor(), { monitors: 1 }, entry())
    await refused(store.monitors.create(monitor(), { monitors: 1 }, entry()), 'quota')
    await refused(store.contacts.create(contact(), { contacts: 0 }, entry()), 'quota')
    assert.equal((await logged(store)).length, 1)
  },
}

export const auditKeyCases: Readonly<Record<string, Case>> = {
  'changes of keys leave their audit records, their use leaves none': async (store) => {
    const made = await store.keys.create(key, entry({ resource: 'key', action: 'created' }))
    await store.keys.update(made.id, { last_used_at: T0 })
    await store.keys.update(made.id, { revoked_at: T0 }, entry({ action: 'revoked' }))
    await store.keys.update(made.id + 1, { revoked_at: T0 }, entry({ action: 'revoked' }))
    assert.deepEqual(
      (await logged(store)).map(({ action, resource_id }) => [action, resource_id]),
      [
        ['revoked', made.id],
        ['created', made.id],
      ],
    )
  },
}

export const auditMaintenanceCases: Readonly<Record<string, Case>> = {
  'changes of planned work leave their audit records, refused ones leave none': async (store) => {
    const account_id = await anotherAccount(store)
    const of = (action: NewAuditRecord['action']) => entry({ resource: 'maintenance', action })
    const { settings } = maintenance()
    const change = { settings, updated_at: T0, audit: of('updated') }
    const planned = maintenance({ account_id })
    const { id } = await store.maintenance.create(planned, 1, of('created'))
    await refused(store.maintenance.create(planned, 1, of('created')), 'quota')
    const nobody = maintenance({ account_id: account_id + 1 })
    await refused(store.maintenance.create(nobody, MOST, of('created')), 'not_found')
    await store.maintenance.update(id, 1, change)
    await store.maintenance.update(id, 1, change)
    await store.maintenance.remove(id, 1, of('deleted'))
    await store.maintenance.remove(id, 2, of('deleted'))
    await store.maintenance.remove(id, undefined, of('deleted'))
    assert.deepEqual(
      (await logged(store, account_id)).map(({ id: _, ...record }) => record),
      (['deleted', 'updated', 'created'] as const).map((action) => ({
        ...of(action),
        ...{ account_id, resource_id: id },
      })),
    )
    assert.deepEqual(await logged(store), [])
  },
}

export const auditRemovalCases: Readonly<Record<string, Case>> = {
  'the audit log of an account goes with it, and the first account is told once': async (store) => {
    const account_id = await anotherAccount(store)
    for (let index = 0; index < 3; index++)
      await store.contacts.create(contact({ account_id }), undefined, entry())
    const removal = entry({ resource: 'account', action: 'deleted', resource_name: null })
    let left = await store.accounts.remove(account_id, 2, removal)
    while (left === 'more') left = await store.accounts.remove(account_id, 2, removal)
    await store.accounts.remove(account_id, 2, removal)
    const all = await store.auditLog.list({ account_id: 'all', limit: 9 })
    assert.deepEqual(
      all.map(({ id: _, ...record }) => record),
      [{ ...removal, account_id: 1, resource_id: account_id }],
    )
  },
}

export const pruneAuditCases: Readonly<Record<string, Case>> = {
  'old audit records go, no more than asked for at a time': async (store) => {
    const made = await store.monitors.create(monitor())
    for (const day of [0, 1, 2, 3])
      await commitOne(store, on(made, { audit: entry({ at: T0 + day * DAY }) }))
    const options = {
      ...{ results_before: 0, notifications_before: 0, history_before: 0, hours_before: 0 },
      revoked_before: 0,
      idempotency_before: 0,
      audit_before: T0 + 3 * DAY,
      limit: 2,
    }
    assert.equal(await store.prune(options), 2)
    assert.equal((await logged(store)).length, 2)
    assert.equal(await store.prune(options), 1)
    assert.equal(await store.prune(options), 0)
    assert.deepEqual(
      (await logged(store)).map(({ at }) => at),
      [T0 + 3 * DAY],
    )
  },
}
