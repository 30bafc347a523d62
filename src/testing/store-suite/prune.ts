import { strict as assert } from 'node:assert'
import type { PruneOptions } from '../../store/store.ts'
import { key } from './accounts.ts'
import {
  anotherAccount,
  claim,
  commitOne,
  DAY,
  HOUR,
  hour,
  ids,
  incident,
  monitor,
  notice,
  on,
  queue,
  result,
  T0,
} from './case.ts'
import type { Case } from './case.ts'

/** Nothing is old enough unless a test overrides it. */
function older(change: Partial<PruneOptions>): PruneOptions {
  return {
    results_before: 0,
    notifications_before: 0,
    history_before: 0,
    hours_before: 0,
    audit_before: 0,
    revoked_before: 0,
    idempotency_before: 0,
    limit: 1000,
    ...change,
  }
}

export const pruneCases: Readonly<Record<string, Case>> = {
  'old results go, oldest first and no more than asked for at a time': async (store) => {
    const made = await store.monitors.create(monitor())
    const results = [0, 1, 2, 3].map((day) => result({ started_at: T0 + day * DAY }))
    const [, , c, d] = (await commitOne(store, on(made, { results }))).result_ids
    const options = older({ results_before: T0 + 3 * DAY, limit: 2 })
    assert.equal(await store.prune(options), 2)
    const list = () => store.results.list({ monitor_id: made.id, limit: 9 })
    assert.deepEqual(ids(await list()), [d, c])
    assert.equal(await store.prune(options), 1)
    assert.equal(await store.prune(options), 0)
    assert.deepEqual(ids(await list()), [d])
  },

  'old results go also when they came in late': async (store) => {
    const made = await store.monitors.create(monitor())
    const results = [5, 0].map((day) => result({ started_at: T0 + day * DAY }))
    const [recent] = (await commitOne(store, on(made, { results }))).result_ids
    assert.equal(await store.prune(older({ results_before: T0 + DAY })), 1)
    assert.deepEqual(ids(await store.results.list({ monitor_id: made.id, limit: 9 })), [recent])
  },

  'the ids of pruned results are not used again': async (store) => {
    const made = await store.monitors.create(monitor())
    const [first = 0] = (await commitOne(store, on(made, { results: [result()] }))).result_ids
    await store.prune(older({ results_before: T0 + 1 }))
    const [next = 0] = (await commitOne(store, on(made, { results: [result()] }))).result_ids
    assert.ok(next > first)
  },

  'old final notifications go with their attempts, the others stay': async (store) => {
    const final = await queue(store)
    const second = await queue(store)
    const recent = await queue(store)
    await claim(store)
    const attempt = { at: T0, duration_ms: 1, http_status: 200, error: null, answer: null }
    const end = { claim: 1, status: 'sent', attempts: 1, interruptions: 0, error: null } as const
    await store.notifications.finish({ ...end, id: final.id, at: T0 + 1, attempt })
    await store.notifications.finish({ ...end, id: second.id, at: T0 + 1, attempt })
    await store.notifications.finish({ ...end, id: recent.id, at: T0 + 9, attempt })
    const waiting = await queue(store)
    // No more than asked for at a time.
    for (let n = 0; n < 2; n++)
      assert.equal(await store.prune(older({ notifications_before: T0 + 9, limit: 1 })), 1)
    assert.equal(await store.prune(older({ notifications_before: T0 + 9 })), 0)
    assert.deepEqual(ids(await store.notifications.list({ account_id: 'all', limit: 9 })), [
      waiting.id,
      recent.id,
    ])
    assert.deepEqual(await store.notifications.attempts([final.id, second.id]), [])
    assert.equal((await store.notifications.attempts([recent.id])).length, 1)
  },

  'the notifications of an incident stay until its end is told: they say who is to hear of it':
    async (store) => {
      const made = await store.monitors.create(monitor())
      const told = notice({ contact_id: 1, incident: 'opened' })
      const opening = on(made, { open_incident: incident(), notify: [told] })
      const { incident_id, notification_ids } = await commitOne(store, opening)
      await claim(store)
      const end = { claim: 1, status: 'sent', attempts: 1, interruptions: 0, error: null } as const
      await store.notifications.finish({ ...end, id: notification_ids[0] ?? 0, at: T0 })
      const options = older({ notifications_before: T0 + 9 * DAY })
      assert.equal(await store.prune(options), 0)

      const over = { ended_at: T0 + 8 * DAY, closed_reason: 'recovered' } as const
      const ending = { update_incident: { id: incident_id ?? 0, ...over } }
      const up = notice({
        contact_id: 1,
        event: 'up',
        incident: incident_id,
        only_if_notified: true,
      })
      const done = await commitOne(store, on(made, { ...ending, notify: [up] }))
      const [up_id = 0] = done.notification_ids
      assert.equal(await store.prune(options), 0)
      await claim(store, { now: T0 + 8 * DAY })
      assert.equal(await store.prune(options), 0)
      await store.notifications.finish({ ...end, id: up_id, at: T0 + 10 * DAY })
      assert.equal(await store.prune(options), 1)
      assert.deepEqual(ids(await store.notifications.list({ account_id: 'all', limit: 9 })), [
        up_id,
      ])
    },
}

export const pruneDailyCases: Readonly<Record<string, Case>> = {
  'old days go': async (store) => {
    const made = await store.monitors.create(monitor())
    const counts = { ok: 1, fail: 0, unknown: 0, ok_ms: 1, latency: {} }
    const days = ['2026-02-27', '2026-02-28', '2026-03-01']
    await commitOne(store, on(made, { daily: days.map((day) => ({ day, ...counts })) }))
    assert.equal(await store.prune(older({ history_before: T0 + 5, limit: 1 })), 1)
    assert.equal(await store.prune(older({ history_before: T0 + 5 })), 1)
    const left = await store.daily.list(made.id, '2000-01-01', '2100-01-01')
    assert.deepEqual(
      left.map(({ day }) => day),
      ['2026-03-01'],
    )
  },
}

export const pruneHourlyCases: Readonly<Record<string, Case>> = {
  'old hours go': async (store) => {
    const made = await store.monitors.create(monitor())
    const hourly = [0, 1, 2].map((at) => hour({ hour: T0 + at * HOUR }))
    await commitOne(store, on(made, { hourly }))
    assert.equal(await store.prune(older({ hours_before: T0 + 2 * HOUR, limit: 1 })), 1)
    assert.equal(await store.prune(older({ hours_before: T0 + 2 * HOUR })), 1)
    const left = await store.hourly.list(made.id, 0, T0 * 2)
    assert.deepEqual(
      left.map((stats) => stats.hour),
      [T0 + 2 * HOUR],
    )
  },
}

export const pruneAvailabilityCases: Readonly<Record<string, Case>> = {
  'of the availability changes the one that still held stays, however old': async (store) => {
    const made = await store.monitors.create(monitor())
    const steady = await store.monitors.create(monitor())
    const entry = (day: number) => ({ at: T0 + day * DAY, availability: 'up' }) as const
    await commitOne(store, on(made, { availability: [0, 1, 2, 8].map(entry) }))
    await commitOne(store, on(steady, { availability: [entry(0)] }))
    // Of a change at the time itself, the one before it is over then.
    assert.equal(await store.prune(older({ history_before: T0 + DAY })), 0)
    for (let n = 0; n < 2; n++)
      assert.equal(await store.prune(older({ history_before: T0 + 5 * DAY, limit: 1 })), 1)
    assert.equal(await store.prune(older({ history_before: T0 + 5 * DAY })), 0)
    const times = async (monitor_id: number) =>
      (await store.availability.list(monitor_id, 0, T0 + 99 * DAY)).map(({ at }) => at)
    assert.deepEqual(await times(made.id), [T0 + 2 * DAY, T0 + 8 * DAY])
    assert.deepEqual(await times(steady.id), [T0])
    assert.equal(await store.prune(older({ history_before: T0 + 99 * DAY })), 1)
    assert.deepEqual(await times(made.id), [T0 + 8 * DAY])
  },
}

export const pruneIdempotencyCases: Readonly<Record<string, Case>> = {
  'expired answers go': async (store) => {
    const response = { request_hash: 'h', status: 200, body: '', expires_at: T0 }
    await store.idempotencyResponses.put(1, 'old', response)
    await store.idempotencyResponses.put(1, 'new', { ...response, expires_at: T0 + 9 })
    assert.equal(await store.prune(older({ idempotency_before: T0 + 9 })), 1)
    assert.equal(await store.idempotencyResponses.get(1, 'old', 0), undefined)
    assert.deepEqual(await store.idempotencyResponses.get(1, 'new', T0), {
      ...response,
      expires_at: T0 + 9,
    })
  },
}

export const pruneKeyCases: Readonly<Record<string, Case>> = {
  'keys go that were revoked long ago, no more than asked for at a time, and no key in use': async (
    store,
  ) => {
    const used = await store.keys.create(key({ hash: 'in use', last_used_at: T0 }))
    await store.keys.create(key({ hash: 'first', revoked_at: T0 }))
    await store.keys.create(key({ hash: 'second', revoked_at: T0 + 1 }))
    const recent = await store.keys.create(key({ hash: 'recent', revoked_at: T0 + 2 }))
    const options = older({ revoked_before: T0 + 2, limit: 1 })
    assert.equal(await store.prune(older({})), 0)
    assert.equal(await store.prune(options), 1)
    assert.equal(await store.prune(options), 1)
    assert.equal(await store.prune(options), 0)
    assert.deepEqual(await store.keys.list(1), [used, recent])
    assert.equal(await store.keys.byHash('first'), undefined)
    assert.equal(await store.meta.get('revoked_key:first'), String(T0))
    assert.equal(await store.meta.get('revoked_key:recent'), undefined)
    assert.equal(await store.meta.get('revoked_key:in use'), undefined)
  },

  'the key made last in an account stays, however long it has been revoked': async (store) => {
    const account_id = await anotherAccount(store)
    await store.keys.create(key({ hash: 'earlier', revoked_at: T0 }))
    const mine = await store.keys.create(key({ hash: 'mine', revoked_at: T0 }))
    const other = await store.keys.create(key({ hash: 'other', account_id, revoked_at: T0 }))
    assert.equal(await store.prune(older({ revoked_before: T0 + DAY })), 1)
    assert.deepEqual(await store.keys.list(1), [mine])
    assert.deepEqual(await store.keys.list(account_id), [other])
  },
}
