import { strict as assert } from 'node:assert'
import type { Change, IncidentQuery, FullStore } from '../../store/store.ts'
import { anotherAccount, commitOne, ids, incident, MINUTE, monitor, on, T0 } from './case.ts'
import type { Case } from './case.ts'

async function open(
  store: FullStore,
  change: Partial<NonNullable<Change['open_incident']>> = {},
  account_id = 1,
) {
  const made = await store.monitors.create(monitor({ account_id }))
  const done = await commitOne(store, on(made, { open_incident: incident(change) }))
  return { made, id: done.incident_id ?? 0 }
}

export const incidentCases: Readonly<Record<string, Case>> = {
  'an opened incident is read back with its monitor and account': async (store) => {
    const { made, id } = await open(store, {}, await anotherAccount(store))
    assert.deepEqual(await store.incidents.get(id), {
      ...incident(),
      id,
      account_id: made.account_id,
      monitor_id: made.id,
      ended_at: null,
      closed_reason: null,
      acknowledged_at: null,
    })
    assert.equal(await store.incidents.get(id + 1), undefined)
  },

  'an update of an incident changes what it names': async (store) => {
    const { made, id } = await open(store)
    const causes = [...incident().causes, { at: T0 + 9, cause_code: 'dns', cause_text: 'No name' }]
    const first = await commitOne(
      store,
      on(made, { update_incident: { id, causes, locations_failed: [1, 2] } }),
    )
    assert.equal(first.incident_id, id)
    const changed = await store.incidents.get(id)
    assert.deepEqual(changed?.causes, causes)
    assert.deepEqual(changed.locations_failed, [1, 2])
    assert.equal(changed.ended_at, null)
    await commitOne(
      store,
      on(made, { update_incident: { id, ended_at: T0 + 5, closed_reason: 'recovered' } }),
    )
    assert.deepEqual(await store.incidents.get(id), {
      ...changed,
      ended_at: T0 + 5,
      closed_reason: 'recovered',
    })
  },

  'a change never touches the incident of another monitor': async (store) => {
    const { id } = await open(store)
    const other = await store.monitors.create(monitor())
    await store.commit([on(other, { update_incident: { id, ended_at: T0 } })])
    assert.equal((await store.incidents.get(id))?.ended_at, null)
  },

  'incidents are filtered and come newest first': async (store) => {
    const a = await open(store)
    const b = await open(store, { started_at: T0 + MINUTE, cause_code: 'dns' })
    const c = await open(store, { started_at: T0 + 2 * MINUTE }, await anotherAccount(store))
    await commitOne(store, on(a.made, { update_incident: { id: a.id, ended_at: T0 + 1 } }))
    const listed = async (query: Partial<IncidentQuery>) =>
      ids(await store.incidents.list({ account_id: 'all', limit: 100, ...query }))
    assert.deepEqual(await listed({}), [c.id, b.id, a.id])
    assert.deepEqual(await listed({ account_id: 1 }), [b.id, a.id])
    assert.deepEqual(await listed({ monitor_id: b.made.id }), [b.id])
    assert.deepEqual(await listed({ open: true }), [c.id, b.id])
    assert.deepEqual(await listed({ open: false }), [a.id])
    assert.deepEqual(await listed({ open: true, account_id: 1 }), [b.id])
    assert.deepEqual(await listed({ cause_code: 'dns' }), [b.id])
    assert.deepEqual(await listed({ from: T0 + MINUTE }), [c.id, b.id])
    assert.deepEqual(await listed({ to: T0 + MINUTE }), [a.id])
    assert.deepEqual(await listed({ before_id: c.id, limit: 1 }), [b.id])
    assert.deepEqual(await listed({ before_id: a.id }), [])
  },
}
