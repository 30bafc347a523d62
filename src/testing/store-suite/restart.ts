import { strict as assert } from 'node:assert'
import type { FullStore } from '../../store/store.ts'
import { removeAcrossRestart } from './account-removal.ts'
import {
  availabilityOf,
  claim,
  commitOne,
  contact,
  dailyOf,
  hour,
  hourlyOf,
  incident,
  ids,
  monitor,
  notice,
  on,
  queue,
  refused,
  result,
  T0,
} from './case.ts'
import type { Case } from './case.ts'

/** Reopens the data of the closed store. */
export type Reopen = (closed: FullStore) => Promise<FullStore>

type Restarted = (store: FullStore, then: (store: FullStore) => Promise<void>) => Promise<void>

function restarter(reopen: Reopen): Restarted {
  return async (store, then) => {
    await store.close()
    const next = await reopen(store)
    await next.open()
    try {
      await then(next)
    } finally {
      await next.close()
    }
  }
}

export function removalRestartCases(reopen: Reopen): Readonly<Record<string, Case>> {
  return {
    'an account whose removal a restart interrupted is gone for everybody': (store) =>
      removeAcrossRestart(store, restarter(reopen)),
  }
}

/** Cases on data that survives a restart. */
export function restartCases(reopen: Reopen): Readonly<Record<string, Case>> {
  const restarted = restarter(reopen)
  return {
    'everything is there after a restart': async (store) => {
      const account = await store.accounts.create({ name: 'a', created_at: T0 })
      const location = await store.locations.ensure('here')
      const duty = await store.contacts.create(contact())
      const made = await store.monitors.create(monitor({ token_hash: 'h', token: 't' }))
      await commitOne(
        store,
        on(made, {
          results: [result()],
          availability: [{ at: T0, availability: 'up' }],
          daily: [{ day: '2026-03-01', ok: 1, fail: 0, unknown: 0, ok_ms: 1, latency: { '1': 1 } }],
          hourly: [hour()],
          open_incident: incident(),
          notify: [notice({ incident: 'opened' })],
        }),
      )
      await store.meta.set('alive', '7')
      const reads = (one: FullStore) =>
        Promise.all([
          one.accounts.list(),
          one.locations.list(),
          one.contacts.list(1),
          one.monitors.list({ account_id: 'all', limit: 9 }),
          one.results.list({ monitor_id: made.id, limit: 9 }),
          availabilityOf(one, made.id),
          dailyOf(one, made.id),
          hourlyOf(one, made.id),
          one.incidents.list({ account_id: 'all', limit: 9 }),
          one.notifications.list({ account_id: 'all', limit: 9 }),
          one.meta.get('alive'),
        ])
      const before = await reads(store)
      await restarted(store, async (next) => {
        assert.deepEqual(await reads(next), before)
        assert.deepEqual(await next.locations.ensure('here'), location)
        assert.equal((await next.contacts.get(duty.id))?.name, 'Duty')
        assert.ok((await next.accounts.create({ name: 'b', created_at: T0 })).id > account.id)
      })
    },

    'ids are not used again after a restart': async (store) => {
      const made = await store.monitors.create(monitor())
      await commitOne(store, on(made, { remove: true }))
      const duty = await store.contacts.create(contact())
      await store.contacts.remove(duty.id)
      await restarted(store, async (next) => {
        assert.ok((await next.monitors.create(monitor())).id > made.id)
        assert.ok((await next.contacts.create(contact())).id > duty.id)
      })
    },

    'rows under way at a restart are taken over under a new claim': async (store) => {
      const row = await queue(store)
      const [claimed] = await claim(store, { lease_until: T0 + 1000 })
      await restarted(store, async (next) => {
        const again = await claim(next, { now: T0 + 1000 })
        assert.deepEqual(ids(again), [row.id])
        assert.equal(again[0]?.claims, 2)
        assert.equal(again[0].interruptions, 1)
        assert.equal(again[0].sent_at, claimed?.sent_at)
      })
    },

    'a store that is not open refuses to work, and closing twice does no harm': async (store) => {
      await store.close()
      await store.close()
      await refused(store.accounts.list())
      await refused(store.commit([]))
    },
  }
}
