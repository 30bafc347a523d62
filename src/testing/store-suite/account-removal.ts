import { strict as assert } from 'node:assert'
import type { MonitorRecord } from '../../model.ts'
import type { FullStore } from '../../store/store.ts'
import {
  availabilityOf,
  claim,
  commitOne,
  contact,
  dailyOf,
  HOUR,
  hour,
  hourlyOf,
  ids,
  incident,
  monitor,
  notice,
  offers,
  on,
  queue,
  refused,
  result,
  T0,
} from './case.ts'
import type { Case } from './case.ts'

const MONITORS = 4
const NOTICES = 3
/** Rows per step. */
const FEW = 4

const key = (account_id: number) => ({
  account_id,
  name: 'ci',
  prefix: 'svc_ab',
  hash: `hash of ${account_id}`,
  scopes: ['read', 'write'] as const,
  created_at: T0,
  last_used_at: null,
  revoked_at: null,
})

interface Big {
  readonly account_id: number
  readonly key_id: number
  readonly monitors: readonly MonitorRecord[]
}

/** An account with more rows than one step removes. */
async function big(store: FullStore): Promise<Big> {
  const account = { name: 'Big', external_id: 'crm-7', created_at: T0 }
  const { id: account_id } = await store.accounts.create(account)
  const key_id = offers(store, 'keys') ? (await store.keys.create(key(account_id))).id : 0
  const duty = await store.contacts.create(contact({ account_id }))
  const monitors = []
  for (let index = 0; index < MONITORS; index++) {
    const made = await store.monitors.create(monitor({ account_id, token_hash: `token ${index}` }))
    const days = ['2026-02-27', '2026-02-28', '2026-03-01']
    const counts = { ok: 1, fail: 0, unknown: 0, ok_ms: 1, latency: { '1': 1 } }
    await commitOne(
      store,
      on(made, {
        results: [result()],
        availability: [{ at: T0, availability: 'up' }],
        daily: days.map((day) => ({ day, ...counts })),
        hourly: days.map((_, at) => hour({ hour: T0 + at * HOUR })),
        locations: [
          { monitor_id: made.id, location_id: 1, consecutive_fails: 0, last: null, memo: null },
        ],
        open_incident: incident(),
        notify: Array.from({ length: NOTICES }, () =>
          notice({ contact_id: duty.id, incident: 'opened' }),
        ),
      }),
    )
    monitors.push(made)
  }
  return { account_id, monitors, key_id }
}

/** No query returns the account, and nothing can be added to it. */
async function requireGone(store: FullStore, { account_id, monitors, key_id }: Big): Promise<void> {
  assert.equal(await store.accounts.get(account_id), undefined)
  assert.equal(await store.accounts.update(account_id, { name: 'b' }), undefined)
  assert.ok(!ids(await store.accounts.list()).includes(account_id))
  if (offers(store, 'keys')) {
    assert.equal(await store.keys.byHash(`hash of ${account_id}`), undefined)
    assert.equal(await store.keys.byId(key_id), undefined)
    await refused(store.keys.create({ ...key(account_id), hash: 'another' }), 'not_found')
  }
  for (const [index, { id }] of monitors.entries()) {
    assert.equal(await store.monitors.get(id), undefined)
    assert.equal(await store.monitors.byTokenHash(`token ${index}`), undefined)
  }
  assert.deepEqual(await store.monitors.list({ account_id, limit: 9 }), [])
  assert.deepEqual(await store.monitors.list({ account_id: 'all', limit: 9 }), [])
  const changes = monitors.map((made) => on({ ...made, revision: 2 }, { results: [result()] }))
  const gone = { ok: false, reason: 'gone' }
  assert.deepEqual(
    await store.commit(changes),
    monitors.map(() => gone),
  )
  assert.deepEqual(await claim(store), [])
  assert.equal(await store.notifications.nextDue(), null)
  assert.equal(await store.notifications.depth(), 0)
  await refused(store.monitors.create(monitor({ account_id })), 'not_found')
  await refused(store.monitors.create(monitor({ account_id }), { monitors: 99 }), 'not_found')
  await refused(store.contacts.create(contact({ account_id })), 'not_found')
  await refused(store.contacts.create(contact({ account_id }), { contacts: 99 }), 'not_found')
  await refused(queue(store, { account_id }), 'not_found')
}

/** No row of the account is stored. */
async function requireNothing(store: FullStore, { account_id, monitors }: Big): Promise<void> {
  const of = { account_id, limit: 9 }
  const lists: (readonly unknown[])[] = [
    await store.contacts.list(account_id),
    offers(store, 'keys') ? await store.keys.list(account_id) : [],
    await store.incidents.list(of),
    await store.notifications.list(of),
    await store.monitors.locations(ids(monitors)),
  ]
  for (const { id } of monitors) {
    lists.push(await availabilityOf(store, id), await dailyOf(store, id))
    lists.push(await hourlyOf(store, id))
  }
  assert.deepEqual(lists.flat(), [])
}

async function removeToTheEnd(store: FullStore, { account_id }: Big): Promise<number> {
  for (let steps = 1; ; steps++) {
    assert.ok(steps < 99, 'a removal comes to its end')
    const left = await store.accounts.remove(account_id, FEW)
    if (left === 'done') return steps
    assert.equal(left, 'more')
  }
}

export const accountRemovalCases: Readonly<Record<string, Case>> = {
  'an account goes in steps, and is gone for everybody from the first on': async (store) => {
    const gone = await big(store)
    assert.equal(await store.accounts.remove(gone.account_id, FEW), 'more')
    await requireGone(store, gone)
    assert.ok((await removeToTheEnd(store, gone)) > MONITORS)
    await requireGone(store, gone)
    await requireNothing(store, gone)
    assert.equal(await store.accounts.remove(gone.account_id, FEW), undefined)
  },

  'no step takes many more rows than it may': async (store) => {
    const gone = await big(store)
    const notifications = async () =>
      (await store.notifications.list({ account_id: gone.account_id, limit: 99 })).length
    let before = await notifications()
    assert.equal(before, MONITORS * NOTICES)
    for (let left: unknown = 'more'; left === 'more';) {
      left = await store.accounts.remove(gone.account_id, FEW)
      const after = await notifications()
      assert.ok(before - after <= FEW, `${before - after} rows in one step of ${FEW}`)
      before = after
    }
  },

  'who comes with the external id of an account in removal is somebody new': async (store) => {
    const gone = await big(store)
    assert.equal(await store.accounts.remove(gone.account_id, FEW), 'more')
    assert.equal(await store.accounts.byExternalId('crm-7'), undefined)
    const next = await store.accounts.create({ name: 'N', external_id: 'crm-7', created_at: T0 })
    assert.ok(next.id > gone.account_id)
    const made = await store.monitors.create(monitor({ account_id: next.id }))
    const row = await queue(store, { account_id: next.id })
    await removeToTheEnd(store, gone)
    assert.deepEqual(await store.accounts.byExternalId('crm-7'), next)
    assert.deepEqual(await store.monitors.get(made.id), made)
    assert.deepEqual(ids(await claim(store)), [row.id])
  },
}

export const interruptedRemovalCases: Readonly<Record<string, Case>> = {
  'a removal that came to no end is ended by prune': async (store) => {
    const gone = await big(store)
    assert.equal(await store.accounts.remove(gone.account_id, FEW), 'more')
    await endByPrune(store)
    await requireNothing(store, gone)
    assert.equal(await store.accounts.remove(gone.account_id, FEW), undefined)
  },
}

async function endByPrune(store: FullStore): Promise<void> {
  const none = {
    results_before: 0,
    notifications_before: 0,
    history_before: 0,
    hours_before: 0,
    audit_before: 0,
    revoked_before: 0,
    idempotency_before: 0,
  }
  for (let steps = 0; (await store.prune({ ...none, limit: FEW })) >= FEW; steps++)
    assert.ok(steps < 99, 'a removal comes to its end')
}

/** The first step runs before a restart, the others after it. */
export async function removeAcrossRestart(
  store: FullStore,
  restarted: (store: FullStore, then: (store: FullStore) => Promise<void>) => Promise<void>,
): Promise<void> {
  const gone = await big(store)
  assert.equal(await store.accounts.remove(gone.account_id, FEW), 'more')
  await restarted(store, async (next) => {
    await requireGone(next, gone)
    await removeToTheEnd(next, gone)
    await requireNothing(next, gone)
  })
}
