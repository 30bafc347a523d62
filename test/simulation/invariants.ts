/** What must hold of every history, one sentence and one function each. */
import assert from 'node:assert/strict'
import { DAY_MS, secondsBetween } from '../../src/incident/uptime.ts'
import type { IncidentRecord, NotificationRecord } from '../../src/model.ts'
import type { History, Received } from './world.ts'

interface Ledger extends History {
  readonly incidents: readonly IncidentRecord[]
  readonly notifications: readonly NotificationRecord[]
}

const INVARIANTS: Readonly<Record<string, (ledger: Ledger) => void | Promise<void>>> = {
  'every incident has a notification row per contact, and every row its incident': ({
    incidents,
    notifications,
    contacts,
  }) => {
    for (const incident of incidents) {
      const rows = notifications.filter(
        ({ incident_id, event }) => incident_id === incident.id && event === 'down',
      )
      assert.equal(
        rows.length,
        contacts.length,
        `incident ${incident.id} has ${rows.length} rows of down`,
      )
    }
    const ids = new Set(incidents.map(({ id }) => id))
    for (const { id, incident_id } of notifications)
      assert.ok(incident_id === null || ids.has(incident_id), `row ${id} has no incident`)
  },

  'no monitor has two incidents at the same time': ({ incidents, monitor_ids }) => {
    for (const monitor of monitor_ids) {
      const own = incidents.filter(({ monitor_id }) => monitor_id === monitor)
      assert.ok(
        own.filter(({ ended_at }) => ended_at === null).length <= 1,
        `monitor ${monitor} has two open incidents`,
      )
    }
  },

  'every notification is final in the end, and none was given up without a reason': ({
    notifications,
  }) => {
    for (const { id, status, error } of notifications) {
      if (status === 'failed' || status === 'cancelled') assert.notEqual(error, null, `row ${id}`)
    }
    // A repetition is planned by the one before it and cancelled with its incident.
    const waiting = notifications.filter(
      ({ status }) => status === 'queued' || status === 'sending',
    )
    assert.deepEqual(waiting, [])
  },

  'what the log calls sent did arrive; what arrived is called sent, unless nobody saw the end of that attempt':
    async ({ notifications, received, store }) => {
      const accepted = new Set(
        received.filter(isAccepted).map(({ notification_id }) => notification_id),
      )
      const attempts = await store.notifications.attempts(notifications.map(({ id }) => id))
      const unseen = new Set(
        attempts
          .filter(({ error }) => error === 'interrupted')
          .map(({ notification_id }) => notification_id),
      )
      for (const { id, status } of notifications) {
        if (status === 'sent') assert.ok(accepted.has(id), `row ${id} is sent but never arrived`)
        else if (!unseen.has(id)) assert.ok(!accepted.has(id), `row ${id} arrived but is ${status}`)
      }
    },

  'a healthy receiver hears of every incident': ({ incidents, received }) => {
    const heard = new Set(
      received
        .filter(({ to, event }) => to === 'calm' && event === 'down')
        .map(({ incident_id }) => incident_id),
    )
    for (const { id } of incidents) assert.ok(heard.has(id), `incident ${id} was never told`)
  },

  'an incident begins while its target is bad, and never where nobody could see': ({
    incidents,
    badTimes,
  }) => {
    for (const { id, monitor_id, started_at } of incidents) {
      const times = badTimes.get(monitor_id) ?? []
      assert.ok(
        times.some(({ from, to }) => started_at >= from && started_at <= to),
        `incident ${id} began while its target was good`,
      )
    }
  },

  'up comes only after down was accepted by the same receiver, and not twice': ({
    received,
    kills,
  }) => {
    for (const recovery of received.filter(({ event }) => event === 'up')) {
      const before = received.filter(
        (r) => r.incident_id === recovery.incident_id && r.to === recovery.to && r.at < recovery.at,
      )
      assert.ok(
        before.some((r) => r.event !== 'up' && isAccepted(r)),
        `up of incident ${recovery.incident_id} reached ${recovery.to} before down`,
      )
    }
    const doubled = countBy(
      received.filter((r) => r.event === 'up' && isAccepted(r)),
      ({ notification_id }) => notification_id,
    )
    const extra = [...doubled.values()].reduce((sum, n) => sum + n - 1, 0)
    assert.ok(extra <= kills, `${extra} doubled recoveries with ${kills} kills`)
  },

  'a doubled delivery has an attempt behind it whose end nobody saw, and the same bytes': async ({
    notifications,
    received,
    store,
  }) => {
    const attempts = await store.notifications.attempts(notifications.map(({ id }) => id))
    const unseen = countBy(
      attempts.filter(({ error }) => error === 'interrupted'),
      ({ notification_id }) => notification_id,
    )
    const accepted = countBy(received.filter(isAccepted), ({ notification_id }) => notification_id)
    for (const [id, times] of accepted) {
      assert.ok(times - 1 <= (unseen.get(id) ?? 0), `row ${id} arrived ${times} times`)
    }
    const bytes = new Map<number, string>()
    for (const { notification_id, text } of received) {
      assert.equal(
        bytes.get(notification_id) ?? text,
        text,
        `the body of ${notification_id} changed`,
      )
      bytes.set(notification_id, text)
    }
  },

  'at most five attempts are counted, never closer than the pauses': ({
    notifications,
    received,
    kills,
    storeFailures,
  }) => {
    for (const { id, attempts } of notifications) {
      assert.ok(attempts <= 5, `row ${id} counts ${attempts} attempts`)
      if (kills + storeFailures > 0) continue
      const times = received
        .filter(({ notification_id }) => notification_id === id)
        .map(({ at }) => at)
      assert.ok(times.length <= 5, `row ${id} was sent ${times.length} times`)
      const pauses = [30, 60, 120, 240]
      times
        .slice(1)
        .forEach((at, i) =>
          assert.ok(
            at - times[i]! >= pauses[i]! * 1000,
            `row ${id} was sent again after ${at - times[i]!} ms`,
          ),
        )
    }
  },

  'ids are never used twice': ({ incidents, notifications }) => {
    assert.equal(new Set(incidents.map(({ id }) => id)).size, incidents.length)
    assert.equal(new Set(notifications.map(({ id }) => id)).size, notifications.length)
  },

  'the seconds of every day add up': async ({ store, monitor_ids, from, to }) => {
    for (const monitor of monitor_ids) {
      for (let day = Math.floor(from / DAY_MS) * DAY_MS; day < to; day += DAY_MS) {
        const changes = await store.availability.list(monitor, day, day + DAY_MS)
        const seconds = Object.values(secondsBetween(changes, day, day + DAY_MS)).reduce(
          (sum, n) => sum + n,
          0,
        )
        assert.equal(seconds, 86_400)
      }
    }
  },

  'once all is quiet, every monitor is up and no incident is open': async ({
    store,
    incidents,
    monitor_ids,
  }) => {
    for (const id of monitor_ids) assert.equal((await store.monitors.get(id))?.machine.state, 'up')
    assert.deepEqual(
      incidents.filter(({ ended_at }) => ended_at === null),
      [],
    )
  },
}

/** @throws AssertionError naming the seed, which replays exactly */
export async function holdAll(
  history: History,
): Promise<{ readonly incidents: number; readonly notifications: number }> {
  const incidents = await history.store.incidents.list({ limit: 1_000_000 })
  const notifications = await history.store.notifications.list({ limit: 1_000_000 })
  for (const [sentence, hold] of Object.entries(INVARIANTS)) {
    try {
      await hold({ ...history, incidents, notifications })
    } catch (cause) {
      throw new Error(
        `Seed ${history.plan.seed}: not so: ${sentence}: ${(cause as Error).message}`,
        { cause },
      )
    }
  }
  return { incidents: incidents.length, notifications: notifications.length }
}

function isAccepted({ status }: Received): boolean {
  return typeof status === 'number' && status < 300
}

function countBy<T>(items: readonly T[], key: (item: T) => number): Map<number, number> {
  const counts = new Map<number, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return counts
}
