import { strict as assert } from 'node:assert'
import type { FinishedAttempt, FullStore } from '../../store/store.ts'
import {
  anotherAccount,
  claim,
  commitOne,
  incident,
  MINUTE,
  monitor,
  notice,
  on,
  queue,
  stored,
  T0,
} from './case.ts'
import type { Case } from './case.ts'

function end(id: number, change: Partial<FinishedAttempt> = {}): FinishedAttempt {
  return {
    id,
    claim: 1,
    status: 'sent',
    attempts: 1,
    interruptions: 0,
    error: null,
    at: T0 + 100,
    attempt: { at: T0, duration_ms: 99.5, http_status: 200, error: null, answer: 'ok' },
    ...change,
  }
}

const repeat = {
  event: 'repeat',
  due_at: T0 + 30 * MINUTE,
  payload: '{"event":"repeat"}',
  repeat: 1,
} as const

/** A row of an open incident, claimed. */
async function claimedDown(store: FullStore) {
  const made = await store.monitors.create(monitor({ account_id: await anotherAccount(store) }))
  const done = await commitOne(
    store,
    on(made, {
      open_incident: incident(),
      notify: [notice({ contact_id: 3, incident: 'opened' })],
    }),
  )
  await claim(store)
  return { made, incident_id: done.incident_id ?? 0, id: done.notification_ids[0] ?? 0 }
}

export const finishCases: Readonly<Record<string, Case>> = {
  'the end of an attempt is recorded with the attempt': async (store) => {
    const row = await queue(store)
    const [claimed] = await claim(store)
    assert.equal(await store.notifications.finish(end(row.id)), true)
    assert.deepEqual(await stored(store, row.id), {
      ...claimed,
      status: 'sent',
      attempts: 1,
      lease_until: null,
      finished_at: T0 + 100,
    })
    assert.deepEqual(await store.notifications.attempts([row.id]), [
      { ...end(row.id).attempt, notification_id: row.id, claim: 1 },
    ])
  },

  'a failure keeps its reason': async (store) => {
    const row = await queue(store)
    await claim(store)
    await store.notifications.finish(end(row.id, { status: 'failed', error: 'http_404' }))
    const failed = await stored(store, row.id)
    assert.equal(failed.status, 'failed')
    assert.equal(failed.error, 'http_404')
  },

  'a further attempt is queued for its new time': async (store) => {
    const row = await queue(store)
    await claim(store)
    const again = {
      status: 'queued',
      due_at: T0 + MINUTE,
      interruptions: 2,
      error: 'timeout',
    } as const
    await store.notifications.finish(end(row.id, again))
    const queued = await stored(store, row.id)
    assert.equal(queued.status, 'queued')
    assert.equal(queued.due_at, T0 + MINUTE)
    assert.equal(queued.interruptions, 2)
    assert.equal(queued.lease_until, null)
    assert.equal(queued.finished_at, null)
    assert.equal(queued.error, 'timeout')
  },

  'a row cancelled without an attempt has none in its log': async (store) => {
    const row = await queue(store)
    await claim(store)
    const { attempt: _none, ...cancelled } = end(row.id, { status: 'cancelled', attempts: 0 })
    assert.equal(await store.notifications.finish(cancelled), true)
    assert.deepEqual(await store.notifications.attempts([row.id]), [])
    assert.equal((await stored(store, row.id)).finished_at, T0 + 100)
  },

  'ends that are reported in the same moment are recorded each for itself': async (store) => {
    const rows = [await queue(store), await queue(store), await queue(store), await queue(store)]
    const [good, lost, broken, other] = rows.map(({ id }) => id)
    assert.equal((await claim(store)).length, 4)
    const ends = await Promise.allSettled([
      store.notifications.finish(end(good ?? 0)),
      store.notifications.finish(end(lost ?? 0, { claim: 7 })),
      // A symbol cannot be stored.
      store.notifications.finish(end(broken ?? 0, { attempts: Symbol('broken') as never })),
      store.notifications.finish(end(other ?? 0, { status: 'failed', error: 'http_404' })),
    ])
    const told = ends.map((one) => (one.status === 'fulfilled' ? one.value : 'refused'))
    assert.deepEqual([told[0], told[1], told[3]], [true, false, true])
    const statuses = await Promise.all(rows.map(async ({ id }) => (await stored(store, id)).status))
    assert.deepEqual([statuses[0], statuses[1], statuses[3]], ['sent', 'sending', 'failed'])
  },

  'an attempt that lost its lease writes nothing': async (store) => {
    const row = await queue(store)
    await claim(store, { now: T0, lease_until: T0 + 10 })
    const [taken_over] = await claim(store, { now: T0 + 10 })
    const noted = await store.notifications.attempts([row.id])
    assert.equal(await store.notifications.finish(end(row.id, { then: repeat })), false)
    assert.deepEqual(await stored(store, row.id), taken_over)
    assert.deepEqual(await store.notifications.attempts([row.id]), noted)
    assert.equal(await store.notifications.depth(), 1)
    assert.equal(await store.notifications.finish(end(row.id, { claim: 2 })), true)
  },

  'an attempt is finished once': async (store) => {
    const row = await queue(store)
    await claim(store)
    assert.equal(await store.notifications.finish(end(row.id)), true)
    assert.equal(await store.notifications.finish(end(row.id, { status: 'failed' })), false)
    assert.equal((await stored(store, row.id)).status, 'sent')
    assert.equal((await store.notifications.attempts([row.id])).length, 1)
    assert.equal(await store.notifications.finish(end(row.id + 1)), false)
  },

  'a row that waits cannot be finished': async (store) => {
    const row = await queue(store)
    assert.equal(await store.notifications.finish(end(row.id, { claim: 0 })), false)
    assert.deepEqual(await stored(store, row.id), row)
  },

  'the attempts of several rows are listed by row and claim': async (store) => {
    const a = await queue(store)
    const b = await queue(store)
    await claim(store)
    await store.notifications.finish(end(b.id))
    const pause = { status: 'queued', due_at: T0 } as const
    await store.notifications.finish(end(a.id, pause))
    await claim(store)
    await store.notifications.finish(end(a.id, { claim: 2, attempts: 2 }))
    const attempts = await store.notifications.attempts([b.id, a.id, b.id])
    assert.deepEqual(
      attempts.map((one) => [one.notification_id, one.claim]),
      [
        [a.id, 1],
        [a.id, 2],
        [b.id, 1],
      ],
    )
    assert.deepEqual(await store.notifications.attempts([]), [])
  },

  'what follows is made while the incident is open': async (store) => {
    const { made, incident_id, id } = await claimedDown(store)
    await store.notifications.finish(end(id, { then: repeat }))
    const [next] = await store.notifications.list({ account_id: 'all', incident_id, limit: 1 })
    assert.ok(next !== undefined && next.id > id)
    assert.deepEqual(next, {
      ...next,
      ...repeat,
      account_id: made.account_id,
      monitor_id: made.id,
      incident_id,
      contact_id: 3,
      status: 'queued',
      attempts: 0,
      claims: 0,
      interruptions: 0,
      sent_at: null,
      error: null,
      lease_until: null,
      created_at: T0 + 100,
      finished_at: null,
    })
  },

  'what would follow is dropped once the incident is closed': async (store) => {
    const { made, incident_id, id } = await claimedDown(store)
    await commitOne(store, on(made, { update_incident: { id: incident_id, ended_at: T0 } }))
    assert.equal(await store.notifications.finish(end(id, { then: repeat })), true)
    assert.equal(
      (await store.notifications.list({ account_id: 'all', incident_id, limit: 9 })).length,
      1,
    )
  },

  'what would follow is dropped once somebody has acknowledged the incident': async (store) => {
    const { made, incident_id, id } = await claimedDown(store)
    const update_incident = { id: incident_id, acknowledged_at: T0 }
    await commitOne(store, on(made, { update_incident }))
    assert.equal(await store.notifications.finish(end(id, { then: repeat })), true)
    assert.equal(
      (await store.notifications.list({ account_id: 'all', incident_id, limit: 9 })).length,
      1,
    )
    assert.equal((await store.incidents.get(incident_id))?.acknowledged_at, T0)
  },

  'a row without an incident is followed by nothing': async (store) => {
    const row = await queue(store)
    await claim(store)
    await store.notifications.finish(end(row.id, { then: repeat }))
    assert.equal(await store.notifications.depth(), 0)
  },
}
