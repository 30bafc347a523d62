import { strict as assert } from 'node:assert'
import type { KeyRecord } from '../../model.ts'
import type { FullStore } from '../../store/store.ts'
import {
  anotherAccount,
  availabilityOf,
  claim,
  commitOne,
  contact,
  dailyOf,
  hour,
  hourlyOf,
  incident,
  machine,
  monitor,
  notice,
  offers,
  on,
  queue,
  refused,
  result,
  T0,
} from './case.ts'
import type { Case, Part } from './case.ts'

function keyOf(account_id: number): Omit<KeyRecord, 'id'> {
  const rest = { scopes: ['read'] as const, created_at: T0, last_used_at: null, revoked_at: null }
  return { account_id, name: 'ci', prefix: 'svc_ab', hash: `hash of ${account_id}`, ...rest }
}

/** An account with a record of every kind. */
async function furnished(store: FullStore) {
  const account_id = await anotherAccount(store)
  const made = await store.monitors.create(monitor({ account_id, token_hash: `of ${account_id}` }))
  const duty = await store.contacts.create(contact({ account_id }))
  if (offers(store, 'keys')) await store.keys.create(keyOf(account_id))
  const done = await commitOne(
    store,
    on(made, {
      results: [result()],
      availability: [{ at: T0, availability: 'up' }],
      daily: [{ day: '2026-03-01', ok: 1, fail: 0, unknown: 0, ok_ms: 1, latency: { '1': 1 } }],
      hourly: [hour()],
      locations: [
        { monitor_id: made.id, location_id: 1, consecutive_fails: 0, last: null, memo: null },
      ],
      open_incident: incident(),
      notify: [notice({ contact_id: duty.id, incident: 'opened' })],
    }),
  )
  const response = { request_hash: 'h', status: 201, body: '{}', expires_at: T0 + 9 }
  if (offers(store, 'idempotencyResponses'))
    await store.idempotencyResponses.put(account_id, 'key', response)
  return {
    account_id,
    made,
    incident_id: done.incident_id ?? 0,
    row: done.notification_ids[0] ?? 0,
  }
}

async function left(
  store: FullStore,
  { account_id, made, row }: Awaited<ReturnType<typeof furnished>>,
) {
  const of = { account_id, limit: 9 }
  const lists = await Promise.all([
    store.monitors.list(of),
    store.contacts.list(account_id),
    offers(store, 'keys') ? store.keys.list(account_id) : [],
    store.incidents.list(of),
    store.notifications.list(of),
    store.notifications.attempts([row]),
    store.monitors.locations([made.id]),
    store.results.list({ monitor_id: made.id, limit: 9 }),
    availabilityOf(store, made.id),
    dailyOf(store, made.id),
    hourlyOf(store, made.id),
  ])
  const response = offers(store, 'idempotencyResponses')
    ? await store.idempotencyResponses.get(account_id, 'key', T0)
    : undefined
  return [...lists.map(({ length }) => length), response === undefined ? 0 : 1]
}

export const accountLifeCases: Readonly<Record<string, Case>> = {
  'an account is made once by its external id, also by several at once': async (store) => {
    const asked = Array.from({ length: 5 }, (_, index) =>
      store.accounts.create({ name: `n${index}`, external_id: 'crm-7', created_at: T0 }),
    )
    const [first, ...others] = await Promise.all(asked)
    for (const other of others) assert.deepEqual(other, first)
    assert.deepEqual(await store.accounts.byExternalId('crm-7'), first)
    assert.equal(await store.accounts.byExternalId('crm-8'), undefined)
    assert.equal(await store.accounts.byExternalId(''), undefined)
    assert.equal((await store.accounts.list()).length, 2)
  },

  'defaults of monitors are kept with their account, and replaced as a whole': async (store) => {
    const monitor_defaults = { interval_sec: 300, tags: ['Ü "x"'], metadata: { deep: [1, null] } }
    const made = await store.accounts.create({ name: 'a', monitor_defaults, created_at: T0 })
    const other = await store.accounts.create({ name: 'b', created_at: T0 })
    assert.deepEqual(made.monitor_defaults, monitor_defaults)
    assert.deepEqual(await store.accounts.get(made.id), made)
    const renamed = await store.accounts.update(made.id, { name: 'c' })
    assert.deepEqual(renamed, { ...made, name: 'c' })
    const changed = { monitor_defaults: { notify_recovery: false } }
    const updated = await store.accounts.update(made.id, changed)
    assert.deepEqual(updated, { ...renamed, ...changed })
    assert.deepEqual(await store.accounts.list().then((all) => all.slice(-2)), [updated, other])
    assert.deepEqual(other.monitor_defaults, {})
  },

  'an update of an account changes what it names': async (store) => {
    const made = await store.accounts.create({ name: 'a', external_id: 'x', created_at: T0 })
    await store.accounts.create({ name: 'b', external_id: 'y', created_at: T0 })
    const quotas = { monitors: 5, min_interval_sec: null }
    const changed = await store.accounts.update(made.id, { name: 'c', quotas })
    assert.deepEqual(changed, { ...made, name: 'c', quotas })
    assert.deepEqual(await store.accounts.get(made.id), changed)
    await refused(store.accounts.update(made.id, { external_id: 'y' }), 'external_id_taken')
    assert.equal((await store.accounts.update(made.id, { external_id: 'x' }))?.external_id, 'x')
    assert.equal((await store.accounts.update(made.id, { external_id: null }))?.external_id, null)
    assert.equal(await store.accounts.byExternalId('x'), undefined)
    assert.equal(await store.accounts.update(made.id + 9, { name: 'd' }), undefined)
  },
}

export const removedAccountCases: Readonly<Record<string, Case>> = {
  'a removed account is gone with all that is its own, and nobody else notices': async (store) => {
    const gone = await furnished(store)
    const stays = await furnished(store)
    const before = await left(store, stays)
    const has = (part: Part): number => (offers(store, part) ? 1 : 0)
    const history = [has('availability'), has('daily'), has('hourly'), has('idempotencyResponses')]
    assert.deepEqual(before, [1, 1, has('keys'), 1, 1, 0, 1, 1, ...history])
    assert.deepEqual(await left(store, gone), before)
    assert.equal(await store.accounts.remove(gone.account_id, 99), 'done')
    assert.deepEqual(
      await left(store, gone),
      Array.from(before, () => 0),
    )
    assert.deepEqual(await left(store, stays), before)
    assert.equal(await store.accounts.get(gone.account_id), undefined)
    if (offers(store, 'keys'))
      assert.equal(await store.keys.byHash(`hash of ${gone.account_id}`), undefined)
    assert.equal(await store.monitors.byTokenHash(`of ${gone.account_id}`), undefined)
    assert.deepEqual(await store.commit([on(gone.made, {})]), [{ ok: false, reason: 'gone' }])
    await refused(queue(store, { account_id: gone.account_id }), 'not_found')
    assert.deepEqual(
      (await claim(store)).map(({ id }) => id),
      [stays.row],
    )
    assert.equal(await store.accounts.remove(gone.account_id, 99), undefined)
    assert.ok((await anotherAccount(store)) > stays.account_id)
  },

  'the end of an attempt of a removed account is refused': async (store) => {
    const { account_id, row } = await furnished(store)
    const [claimed] = await claim(store)
    assert.equal(claimed?.id, row)
    await store.accounts.remove(account_id, 99)
    const end = {
      id: row,
      claim: 1,
      at: T0,
      status: 'sent',
      attempts: 1,
      interruptions: 0,
    } as const
    assert.equal(await store.notifications.finish({ ...end, error: null }), false)
    assert.equal(await store.notifications.depth(), 0)
  },
}

export const quotaCases: Readonly<Record<string, Case>> = {
  'what an account has is counted: checks of what is not paused and has no token': async (
    store,
  ) => {
    const account_id = await anotherAccount(store)
    const { common } = monitor()
    const every = (interval_sec: number, location_ids: readonly number[]) => ({
      ...common,
      interval_sec,
      location_ids,
    })
    await store.monitors.create(monitor({ account_id, common: every(30, [1, 2, 3]) }))
    await store.monitors.create(monitor({ account_id, token_hash: 'h' }))
    const paused = machine({ state: 'paused' })
    await store.monitors.create(monitor({ account_id, machine: paused }))
    await store.contacts.create(contact({ account_id }))
    await store.monitors.create(monitor())
    const expected = { monitors: 3, contacts: 1, checks_per_min: 6 }
    assert.deepEqual(await store.accounts.use(account_id), expected)
  },

  'of those that arrive at once as many are made as an account may have': async (store) => {
    const account_id = await anotherAccount(store)
    const tally = async (made: readonly Promise<unknown>[]) => {
      const settled = await Promise.allSettled(made)
      const refusals = settled.flatMap((one) =>
        one.status === 'rejected' ? [one.reason as Error] : [],
      )
      for (const reason of refusals) await refused(Promise.reject(reason), 'quota')
      return settled.length - refusals.length
    }
    const twenty = <T>(make: () => Promise<T>) => Array.from({ length: 20 }, make)
    const monitors = () => store.monitors.create(monitor({ account_id }), { monitors: 7 })
    assert.equal(await tally(twenty(monitors)), 7)
    const contacts = () => store.contacts.create(contact({ account_id }), { contacts: 3 })
    assert.equal(await tally(twenty(contacts)), 3)
    const checked = () => store.monitors.create(monitor({ account_id }), { checks_per_min: 9 })
    assert.equal(await tally(twenty(checked)), 2)
    const use = { monitors: 9, contacts: 3, checks_per_min: 9 }
    assert.deepEqual(await store.accounts.use(account_id), use)
    const token = () =>
      store.monitors.create(monitor({ account_id, token_hash: 't' }), { checks_per_min: 9 })
    assert.equal(await tally([token()]), 1)
  },

  'a change may not take an account beyond its checks; fewer than before it always may': async (
    store,
  ) => {
    const { common, settings, target } = monitor()
    const every = (interval_sec: number) => ({
      settings: { common: { ...common, interval_sec }, settings, target },
    })
    const within = { checks_per_min: 3 }
    const made = await store.monitors.create(monitor())
    const other = await store.monitors.create(monitor({ machine: machine({ state: 'paused' }) }))
    const faster = on(made, { ...every(20), within })
    const resumed = on(other, { machine: machine(), within })
    // The limit allows one check a minute more; each change alone fits, both together do not.
    const both = await store.commit([faster, resumed])
    assert.deepEqual(
      both.map((one) => (one.ok ? 'ok' : one.reason)),
      ['ok', 'quota'],
    )
    const [beyond] = await store.commit([{ ...faster, ...every(19), revision: 2 }])
    assert.deepEqual(beyond, { ok: false, reason: 'quota' })
    assert.equal((await store.monitors.get(made.id))?.revision, 2)
    const lower = { checks_per_min: 0.5 }
    const [less] = await store.commit([{ ...faster, ...every(30), revision: 2, within: lower }])
    assert.equal(less?.ok, true)
    const [named] = await store.commit([{ ...faster, ...every(30), revision: 3, within: lower }])
    assert.equal(named?.ok, true)
    assert.equal((await store.accounts.use(1)).checks_per_min, 2)
  },
}
