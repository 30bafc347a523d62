import { strict as assert } from 'node:assert'
import {
  availabilityOf,
  dailyOf,
  commitOne,
  hour,
  hourlyOf,
  incident,
  machine,
  monitor,
  notice,
  offers,
  on,
  outcome,
  refused,
  result,
  T0,
} from './case.ts'
import type { Case } from './case.ts'

export const commitCases: Readonly<Record<string, Case>> = {
  'one change carries out all its parts': async (store) => {
    const made = await store.monitors.create(monitor())
    const down = machine({ state: 'down', fails: 2, sent_notice_keys: ['k'], availability: 'down' })
    const done = await commitOne(
      store,
      on(made, {
        machine: down,
        locations: [
          { monitor_id: made.id, location_id: 1, last: outcome(), consecutive_fails: 2, memo: 1 },
        ],
        results: [result(), result({ location_id: 2, verdict: 'fail', cause_code: 'timeout' })],
        availability: [{ at: T0, availability: 'down' }],
        daily: [{ day: '2026-03-01', ok: 1, fail: 1, unknown: 0, ok_ms: 12, latency: { '3': 1 } }],
        open_incident: incident(),
        notify: [notice({ incident: 'opened' })],
      }),
    )
    assert.equal(done.version, 1)
    assert.equal(done.revision, 2)
    assert.equal(done.result_ids.length, 2)
    assert.equal(done.notification_ids.length, 1)
    assert.ok(done.incident_id !== null)
    assert.deepEqual((await store.monitors.get(made.id))?.machine, down)
    assert.equal((await store.monitors.locations([made.id])).length, 1)
    assert.equal((await store.results.list({ monitor_id: made.id, limit: 9 })).length, 2)
    if (offers(store, 'availability'))
      assert.equal((await availabilityOf(store, made.id)).length, 1)
    if (offers(store, 'daily')) assert.equal((await dailyOf(store, made.id)).length, 1)
    const row = await store.notifications.get(done.notification_ids[0] ?? 0)
    assert.equal(row?.incident_id, done.incident_id)
    assert.equal(row.monitor_id, made.id)
    assert.equal(row.account_id, made.account_id)
  },

  'what a change writes belongs to its monitor, whatever ids its parts bring': async (store) => {
    const made = await store.monitors.create(monitor())
    const other = await store.monitors.create(monitor())
    const day = { day: '2026-03-01', ok: 1, fail: 0, unknown: 0, ok_ms: 12, latency: {} }
    const foreign = { id: 9999, monitor_id: other.id, account_id: 9999 }
    const { common, settings, target } = made
    const done = await commitOne(
      store,
      on(made, {
        settings: { ...{ common, settings, target }, ...foreign },
        results: [{ ...result(), ...foreign }],
        locations: [{ ...foreign, location_id: 1, last: null, consecutive_fails: 0, memo: null }],
        availability: [{ at: T0, availability: 'down', ...foreign }],
        daily: [{ ...day, ...foreign }],
        hourly: [{ ...hour(), ...foreign }],
        open_incident: { ...incident(), ...foreign },
        notify: [{ ...notice({ incident: 'opened' }), ...foreign }],
      }),
    )
    const update = { causes: [], ...foreign, id: done.incident_id ?? 0 }
    await commitOne(store, on({ ...made, revision: 2 }, { update_incident: update }))
    const [read] = await store.results.list({ monitor_id: made.id, limit: 9 })
    assert.deepEqual(read, { ...result(), id: done.result_ids[0], monitor_id: made.id })
    const [opened] = await store.incidents.list({ account_id: made.account_id, limit: 9 })
    assert.equal(opened?.monitor_id, made.id)
    const told = await store.notifications.get(done.notification_ids[0] ?? 0)
    assert.deepEqual([told?.account_id, told?.monitor_id], [made.account_id, made.id])
    assert.equal((await store.monitors.get(made.id))?.account_id, made.account_id)
    assert.deepEqual(
      (await store.monitors.locations([made.id, other.id])).map(({ monitor_id }) => monitor_id),
      [made.id],
    )
    const history = [availabilityOf, dailyOf, hourlyOf]
    for (const of of history) assert.deepEqual(await of(store, other.id), [])
    assert.deepEqual(await store.results.list({ monitor_id: other.id, limit: 9 }), [])
  },

  'a change for one location leaves the others alone, unless it forgets them': async (store) => {
    const made = await store.monitors.create(monitor())
    const state = (location_id: number, memo: number) => ({
      ...{ monitor_id: made.id, location_id, last: null, consecutive_fails: 0, memo },
    })
    await commitOne(store, on(made, { locations: [state(1, 1), state(2, 1)] }))
    await commitOne(store, on(made, { locations: [state(2, 5)] }))
    assert.deepEqual(await store.monitors.locations([made.id]), [state(1, 1), state(2, 5)])
    await commitOne(store, on(made, { forget_locations: true, locations: [state(2, 7)] }))
    assert.deepEqual(await store.monitors.locations([made.id]), [state(2, 7)])
  },

  'only a change of settings or token is one that the monitor shows': async (store) => {
    const made = await store.monitors.create(monitor({ token_hash: 'before', token: 'a' }))
    await commitOne(store, on(made, { at: T0 + 1, machine: machine({ state: 'up' }) }))
    assert.equal((await store.monitors.get(made.id))?.updated_at, T0)
    const token = { token: 'b', token_hash: 'after' }
    await commitOne(store, on(made, { at: T0 + 2, token }))
    const renewed = await store.monitors.byTokenHash('after')
    assert.deepEqual([renewed?.id, renewed?.updated_at, renewed?.version], [made.id, T0 + 2, 1])
    assert.equal(await store.monitors.byTokenHash('before'), undefined)
  },

  'no changes are no work': async (store) => {
    assert.deepEqual(await store.commit([]), [])
  },

  'a change that carries nothing is accepted': async (store) => {
    const made = await store.monitors.create(monitor())
    const done = await commitOne(store, on(made, {}))
    const expected = {
      ok: true,
      version: 1,
      revision: 2,
      incident_id: null,
      result_ids: [],
      notification_ids: [],
    }
    assert.deepEqual(done, expected)
    assert.deepEqual(await store.monitors.get(made.id), { ...made, revision: 2 })
  },

  'refused changes do not hinder the others': async (store) => {
    const a = await store.monitors.create(monitor())
    const b = await store.monitors.create(monitor())
    const committed = await store.commit([
      on(a, { results: [result()] }),
      on({ id: 9999, revision: 1 }, { results: [result()], notify: [notice()] }),
      on({ id: b.id, revision: 7 }, { machine: machine({ state: 'up' }), notify: [notice()] }),
      on(b, { results: [result(), result()] }),
    ])
    assert.deepEqual(
      committed.map((one) => (one.ok ? one.result_ids.length : one.reason)),
      [1, 'gone', 'outdated', 2],
    )
    assert.equal((await store.monitors.get(b.id))?.machine.state, 'pending')
    assert.equal(await store.notifications.depth(), 0)
    assert.deepEqual(await store.results.list({ monitor_id: 9999, limit: 9 }), [])
  },

  'every change grows the revision, settings the version, and what was worked out before is refused':
    async (store) => {
      const made = await store.monitors.create(monitor())
      const settings = {
        common: { ...made.common, name: 'New' },
        settings: { url: 'https://new.example' },
        target: 'https://new.example/',
      }
      const committed = await store.commit([
        on(made, { at: T0 + 5, settings }),
        on(made, { machine: machine({ state: 'up' }) }),
        on({ ...made, revision: 2 }, { at: T0 + 9, machine: machine({ state: 'late' }) }),
        on({ ...made, revision: 2 }, { at: T0 + 9, machine: machine({ state: 'down' }) }),
      ])
      assert.deepEqual(
        committed.map((one) => (one.ok ? [one.version, one.revision] : one.reason)),
        [[2, 2], 'outdated', [2, 3], 'outdated'],
      )
      const expected = { ...made, ...settings, version: 2, revision: 3, updated_at: T0 + 5 }
      assert.deepEqual(await store.monitors.get(made.id), {
        ...expected,
        machine: machine({ state: 'late' }),
      })
    },

  'a change that cannot be stored takes the whole list back': async (store) => {
    const a = await store.monitors.create(monitor())
    const b = await store.monitors.create(monitor())
    const good = { machine: machine({ state: 'up' }), results: [result()], notify: [notice()] }
    const unstorable = { size: 1n } as never
    await refused(
      store.commit([
        on(a, { ...good, open_incident: incident() }),
        on(b, { results: [result({ details: unstorable })] }),
        on(b, good),
      ]),
    )
    assert.deepEqual(await store.monitors.get(a.id), a)
    assert.deepEqual(await store.results.list({ monitor_id: a.id, limit: 9 }), [])
    assert.deepEqual(await store.incidents.list({ account_id: 'all', limit: 9 }), [])
    assert.equal(await store.notifications.depth(), 0)
    // The store continues to work.
    await commitOne(store, on(a, good))
    assert.equal((await store.results.list({ monitor_id: a.id, limit: 9 })).length, 1)
  },

  'the placeholder of the opened incident is filled in': async (store) => {
    const made = await store.monitors.create(monitor())
    const open = { id: 0, started_at: T0, cause_code: 'timeout' }
    const done = await commitOne(
      store,
      on(made, { machine: machine({ state: 'down', incident: open }), open_incident: incident() }),
    )
    const read = await store.monitors.get(made.id)
    assert.ok((done.incident_id ?? 0) > 0)
    assert.deepEqual(read?.machine.incident, { ...open, id: done.incident_id })
  },

  'an incident that is open already keeps its id in the machine': async (store) => {
    const made = await store.monitors.create(monitor())
    const open = { id: 41, started_at: T0, cause_code: 'timeout' }
    await commitOne(store, on(made, { machine: machine({ incident: open }) }))
    assert.deepEqual((await store.monitors.get(made.id))?.machine.incident, open)
  },

  'a removed monitor is gone with its history; incidents and log stay': async (store) => {
    const made = await store.monitors.create(monitor({ token_hash: 'h' }))
    const other = await store.monitors.create(monitor())
    const everything = {
      results: [result()],
      availability: [{ at: T0, availability: 'up' }],
      daily: [{ day: '2026-03-01', ok: 1, fail: 0, unknown: 0, ok_ms: 1, latency: {} }],
    } as const
    await commitOne(store, on(other, everything))
    const opened = await commitOne(
      store,
      on(made, { ...everything, open_incident: incident(), notify: [notice()] }),
    )
    const id = opened.incident_id ?? 0
    const update_incident = { id, ended_at: T0 + 1, closed_reason: 'deleted' } as const
    await commitOne(store, on(made, { update_incident, remove: true }))

    assert.equal(await store.monitors.get(made.id), undefined)
    assert.equal(await store.monitors.byTokenHash('h'), undefined)
    assert.deepEqual(await store.results.list({ monitor_id: made.id, limit: 9 }), [])
    assert.deepEqual(await availabilityOf(store, made.id), [])
    assert.deepEqual(await dailyOf(store, made.id), [])
    assert.deepEqual(await store.monitors.locations([made.id]), [])
    assert.equal((await store.incidents.get(id))?.closed_reason, 'deleted')
    assert.equal(
      (await store.notifications.list({ account_id: 'all', monitor_id: made.id, limit: 9 })).length,
      1,
    )
    assert.deepEqual(await store.commit([on(made, {})]), [{ ok: false, reason: 'gone' }])
    assert.equal((await store.results.list({ monitor_id: other.id, limit: 9 })).length, 1)
  },
}
