/**
 * Commits groups of rounds until it is killed, and prints the number of each group once it is acknowledged.
 * Usage: node commit-forever.js <file> <driver> <first group>, or with a postgres:// URL and any driver
 */

import { writeSync } from 'node:fs'
import type { Change, FullStore } from '../../../src/store/store.ts'
import { postgresStore } from '../../../src/store/postgres/index.ts'
import { sqliteStore } from '../../../src/store/sqlite/index.ts'
import type { SqliteDriverName } from '../../../src/store/sqlite/index.ts'
import {
  firstAccount,
  incident,
  machine,
  monitor,
  notice,
  on,
  result,
} from '../../../src/testing/store-suite/case.ts'

/** Rounds per group. */
const ROUNDS = 8
/** A lease that does not lapse by itself. */
const FAR = 2 ** 50

const [, , place = '', driver = '', first = '0'] = process.argv
const store = place.startsWith('postgres://')
  ? postgresStore({ url: place })
  : sqliteStore({ file: place, driver: driver as SqliteDriverName })
await store.open()
await firstAccount(store)
const monitors = (await monitorsOf(store)).map(({ id, revision }) => ({ id, revision }))
for (let group = Number(first); ; group++) {
  const done = await store.commit(monitors.map((one) => round(one, group)))
  if (done.some(({ ok }) => !ok)) throw new Error('a change was refused')
  for (const one of monitors) one.revision++
  await store.notifications.claim({ now: group, lease_until: FAR, limit: 4, per_contact: 4 })
  writeSync(1, `${group}\n`)
}

async function monitorsOf(store: FullStore) {
  const known = await store.monitors.list({ account_id: 'all', limit: ROUNDS })
  if (known.length === ROUNDS) return known
  for (let index = known.length; index < ROUNDS; index++) await store.monitors.create(monitor())
  return store.monitors.list({ account_id: 'all', limit: ROUNDS })
}

/** A round that opens an incident and tells of it: all or nothing of it may be found. */
function round(one: Parameters<typeof on>[0], group: number): Change {
  const details = { group, filler: 'x'.repeat(500) }
  return on(one, {
    machine: machine({ fails: group }),
    results: [result({ details, round: group, started_at: group })],
    open_incident: incident({ started_at: group }),
    notify: [notice({ incident: 'opened', contact_id: group % 50, due_at: group })],
  })
}
