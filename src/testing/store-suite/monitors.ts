import { strict as assert } from 'node:assert'
import { shardOf } from '../../store/store.ts'
import type { FullStore } from '../../store/store.ts'
import { anotherAccount, commitOne, ids, machine, monitor, on, outcome, T0 } from './case.ts'
import type { Case } from './case.ts'

async function listed(
  store: FullStore,
  query: Partial<Parameters<FullStore['monitors']['list']>[0]>,
) {
  const monitors = await store.monitors.list({ account_id: 'all', limit: 100, ...query })
  return monitors.map((found) => found.common.name)
}

async function named(store: FullStore, ...names: readonly string[]): Promise<void> {
  for (const name of names) await store.monitors.create(monitor({ name }))
}

export const monitorCases: Readonly<Record<string, Case>> = {
  'monitors are listed by shard': async (store) => {
    const made: number[] = []
    for (let index = 0; index < 6; index++) made.push((await store.monitors.create(monitor())).id)
    const wanted = [made[1], made[4]].map((id) => shardOf(id ?? 0))
    assert.deepEqual(
      ids(await store.monitors.list({ account_id: 'all', shards: wanted, limit: 9 })),
      [made[1], made[4]],
    )
    assert.deepEqual(await store.monitors.list({ account_id: 'all', shards: [], limit: 9 }), [])
  },

  'a monitor is read back as it was written, at version and revision 1': async (store) => {
    const made = await store.monitors.create(monitor({ token: 'sealed', token_hash: 'h' }))
    assert.ok(made.id > 0)
    const expected = {
      ...monitor({ token: 'sealed', token_hash: 'h' }),
      id: made.id,
      version: 1,
      revision: 1,
    }
    assert.deepEqual(made, expected)
    assert.deepEqual(await store.monitors.get(made.id), expected)
    assert.equal(await store.monitors.get(made.id + 1), undefined)
  },

  'a monitor that is handed out is a copy': async (store) => {
    const made = await store.monitors.create(monitor({ tags: ['a'] }))
    ;(made.common.tags as string[]).push('b')
    const [listed] = await store.monitors.list({ account_id: 'all', limit: 1 })
    ;(listed?.machine.sent_notice_keys as string[]).push('x')
    const read = await store.monitors.get(made.id)
    assert.deepEqual(read?.common.tags, ['a'])
    assert.deepEqual(read.machine.sent_notice_keys, [])
  },

  'a monitor is found by the hash of its token': async (store) => {
    await store.monitors.create(monitor())
    const made = await store.monitors.create(monitor({ token_hash: 'abc', token: 't' }))
    assert.deepEqual(await store.monitors.byTokenHash('abc'), made)
    assert.equal(await store.monitors.byTokenHash('ab'), undefined)
    assert.equal(await store.monitors.byTokenHash(''), undefined)
  },

  'a new token replaces the old one': async (store) => {
    const made = await store.monitors.create(monitor({ token_hash: 'old', token: 't' }))
    await commitOne(store, on(made, { token: { token: 'u', token_hash: 'new' } }))
    assert.equal(await store.monitors.byTokenHash('old'), undefined)
    assert.equal((await store.monitors.byTokenHash('new'))?.token, 'u')
  },

  'monitors are filtered by account, state and type': async (store) => {
    await store.monitors.create(monitor({ name: 'a' }))
    const account_id = await anotherAccount(store)
    await store.monitors.create(monitor({ name: 'b', account_id }))
    await store.monitors.create(
      monitor({ name: 'c', type: 'ping', machine: machine({ state: 'up' }) }),
    )
    await store.monitors.create(
      monitor({ name: 'd', type: 'tcp', machine: machine({ state: 'down' }) }),
    )
    assert.deepEqual(await listed(store, {}), ['a', 'b', 'c', 'd'])
    assert.deepEqual(await listed(store, { account_id: 1 }), ['a', 'c', 'd'])
    assert.deepEqual(await listed(store, { states: ['up', 'down'] }), ['c', 'd'])
    assert.deepEqual(await listed(store, { types: ['http', 'tcp'] }), ['a', 'b', 'd'])
    assert.deepEqual(await listed(store, { types: ['http'], account_id }), ['b'])
    assert.deepEqual(await listed(store, { types: [] }), [])
    assert.deepEqual(await listed(store, { states: [] }), [])
  },

  'the state that is filtered by follows the machine': async (store) => {
    const made = await store.monitors.create(monitor({ name: 'a' }))
    await commitOne(store, on(made, { machine: machine({ state: 'paused' }) }))
    assert.deepEqual(await listed(store, { states: ['paused'] }), ['a'])
    assert.deepEqual(await listed(store, { states: ['pending'] }), [])
  },

  'tags match whole and without case; lists of tags add up': async (store) => {
    await store.monitors.create(monitor({ name: 'a', tags: ['Prod', 'web'] }))
    await store.monitors.create(monitor({ name: 'b', tags: ['production', 'ÉTÉ'] }))
    await store.monitors.create(monitor({ name: 'c', tags: ['50%_\\"x"', 'web'] }))
    assert.deepEqual(await listed(store, { tags: [['prod']] }), ['a'])
    assert.deepEqual(await listed(store, { tags: [['PROD', 'Production']] }), ['a', 'b'])
    assert.deepEqual(await listed(store, { tags: [['web'], ['prod']] }), ['a'])
    assert.deepEqual(await listed(store, { tags: [['été']] }), ['b'])
    assert.deepEqual(await listed(store, { tags: [['50%_\\"x"']] }), ['c'])
    assert.deepEqual(await listed(store, { tags: [['5%']] }), [])
    assert.deepEqual(await listed(store, { tags: [['x']] }), [])
    assert.deepEqual(await listed(store, { tags: [[]] }), [])
    assert.deepEqual(await listed(store, { tags: [] }), ['a', 'b', 'c'])
  },

  'metadata matches whole members, texts, numbers and flags; all given ones must match': async (
    store,
  ) => {
    const made = await store.monitors.create(
      monitor({ name: 'a', metadata: { team: 'Ops', id: 7, paid: true, deep: { x: '1' } } }),
    )
    assert.deepEqual(made.common.metadata, { team: 'Ops', id: 7, paid: true, deep: { x: '1' } })
    await store.monitors.create(
      monitor({ name: 'b', metadata: { team: 'ops', 'a.b"\\%_': 'é"\\%_\u0000', id: '7' } }),
    )
    await store.monitors.create(monitor({ name: 'c' }))
    assert.deepEqual(await listed(store, { metadata: { team: 'Ops' } }), ['a'])
    assert.deepEqual(await listed(store, { metadata: { team: 'ops' } }), ['b'])
    assert.deepEqual(await listed(store, { metadata: { id: '7' } }), ['a', 'b'])
    assert.deepEqual(await listed(store, { metadata: { id: '7', paid: 'true' } }), ['a'])
    assert.deepEqual(await listed(store, { metadata: { 'a.b"\\%_': 'é"\\%_\u0000' } }), ['b'])
    assert.deepEqual(await listed(store, { metadata: { team: 'Op' } }), [])
    assert.deepEqual(await listed(store, { metadata: { deep: '{"x":"1"}' } }), [])
    assert.deepEqual(await listed(store, { metadata: {} }), ['a', 'b', 'c'])
    const { common, settings, target } = monitor({ name: 'a', metadata: { team: 'new' } })
    await commitOne(store, on(made, { settings: { common, settings, target } }))
    assert.deepEqual(await listed(store, { metadata: { team: 'Ops' } }), [])
    assert.deepEqual(await listed(store, { metadata: { team: 'new' } }), ['a'])
  },

  'a search finds parts of name and target without case, also beyond ASCII': async (store) => {
    await named(store, 'Größe ÄÖÜ', 'ΑΘΗΝΑ', 'plain')
    await store.monitors.create(monitor({ name: 'other', target: 'tcp://Пример.example:25' }))
    assert.deepEqual(await listed(store, { q: 'äöü' }), ['Größe ÄÖÜ'])
    assert.deepEqual(await listed(store, { q: 'αθη' }), ['ΑΘΗΝΑ'])
    assert.deepEqual(await listed(store, { q: 'ПРИМЕР' }), ['other'])
    assert.deepEqual(await listed(store, { q: 'AIN' }), ['plain'])
    assert.deepEqual(await listed(store, { q: 'nowhere' }), [])
    assert.equal((await listed(store, { q: '' })).length, 4)
  },

  'a search takes wildcards of the database as plain text': async (store) => {
    await named(store, '100% sure', 'under_score', 'back\\slash', 'nothing')
    assert.deepEqual(await listed(store, { q: '%' }), ['100% sure'])
    assert.deepEqual(await listed(store, { q: 'r_s' }), ['under_score'])
    assert.deepEqual(await listed(store, { q: '\\' }), ['back\\slash'])
    assert.deepEqual(await listed(store, { q: "'" }), [])
  },

  'search and tags follow a change of settings': async (store) => {
    const made = await store.monitors.create(monitor({ name: 'old', tags: ['old'] }))
    const { common, settings } = monitor({ name: 'new', tags: ['new'] })
    await commitOne(
      store,
      on(made, { settings: { common, settings, target: 'https://n.example' } }),
    )
    assert.deepEqual(await listed(store, { q: 'old' }), [])
    assert.deepEqual(await listed(store, { tags: [['old']] }), [])
    assert.deepEqual(await listed(store, { q: 'N.EXAMPLE', tags: [['new']] }), ['new'])
  },

  'lists of monitors are paged by id': async (store) => {
    await named(store, 'a', 'b', 'c', 'd')
    const first = await store.monitors.list({ account_id: 'all', limit: 2 })
    assert.deepEqual(
      ids(first),
      ids(first).toSorted((a, b) => a - b),
    )
    const after_id = first[1]?.id ?? 0
    assert.deepEqual(await listed(store, { limit: 2, after_id }), ['c', 'd'])
    assert.deepEqual(await listed(store, { limit: 1, after_id }), ['c'])
    assert.deepEqual(await listed(store, { after_id: after_id + 2 }), [])
  },

  'the id of a removed monitor is not used again': async (store) => {
    const made = await store.monitors.create(monitor())
    await commitOne(store, on(made, { remove: true }))
    const next = await store.monitors.create(monitor())
    assert.ok(next.id > made.id)
  },

  'what is known per location is kept per monitor and location': async (store) => {
    const a = await store.monitors.create(monitor())
    const b = await store.monitors.create(monitor())
    const at = (monitor_id: number, location_id: number, consecutive_fails = 0) => ({
      monitor_id,
      location_id,
      last: outcome({ details: { size: location_id } }),
      consecutive_fails,
      memo: { seen: [consecutive_fails] },
    })
    await commitOne(store, on(b, { locations: [at(b.id, 2), at(b.id, 1)] }))
    await commitOne(store, on(a, { locations: [at(a.id, 1)] }))
    await commitOne(store, on(a, { locations: [at(a.id, 1, 4)] }))
    const expected = [at(a.id, 1, 4), at(b.id, 1), at(b.id, 2)]
    assert.deepEqual(await store.monitors.locations([b.id, a.id, b.id, 9999]), expected)
    assert.deepEqual(await store.monitors.locations([]), [])
  },

  'locations are read for any number of monitors': async (store) => {
    const made = await store.monitors.create(monitor())
    const state = { location_id: 1, last: null, consecutive_fails: 0, memo: null }
    await commitOne(store, on(made, { locations: [{ ...state, monitor_id: made.id }] }))
    const many = Array.from({ length: 5000 }, (_, index) => index + 1)
    assert.deepEqual(await store.monitors.locations(many), [{ ...state, monitor_id: made.id }])
  },

  'forgetting the locations goes before writing new ones': async (store) => {
    const made = await store.monitors.create(monitor())
    const at = (location_id: number) => ({
      monitor_id: made.id,
      location_id,
      last: null,
      consecutive_fails: 1,
      memo: 'm',
    })
    await commitOne(store, on(made, { locations: [at(1), at(2)] }))
    await commitOne(store, on(made, { at: T0, forget_locations: true, locations: [at(3)] }))
    assert.deepEqual(await store.monitors.locations([made.id]), [at(3)])
  },
}
