/** Notifications of many incidents at once: how long a turn takes in which SQLite carries its log over to the file. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import {
  anotherAccount,
  commitOne,
  firstAccount,
  ids,
  monitor,
  notice,
  on,
  queue,
  T0,
} from '../../src/testing/store-suite/case.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50
/** In one transaction, as the engine groups them. */
const ROWS = 200
const TRANSACTIONS = 200

const folder = mkdtempSync(join(tmpdir(), 'watchpost-log-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('forty thousand notifications are stored by short turns', async () => {
  const store = sqliteStore({ file: join(folder, 'data.db') })
  await store.open()
  await firstAccount(store)
  const { id, revision: first } = await store.monitors.create(monitor())
  let revision = first
  const payload = JSON.stringify({ event: 'down', monitor: { name: 'n'.repeat(500) } })
  const notify = Array.from({ length: ROWS }, (_, row) => notice({ contact_id: 1 + row, payload }))
  const storing = async () => {
    for (let n = 0; n < TRANSACTIONS; n++) {
      revision = (await commitOne(store, on({ id, revision }, { notify }))).revision
      await setImmediate()
    }
  }
  const { longest_ms } = await leastOf(3, () => measureTurns(storing), TURN_MS)
  expect(longest_ms).toBeLessThan(TURN_MS)
  await store.close()
})

it('of eight thousand contacts are claimed by short turns, accounts in turn, each of them', async () => {
  const store = sqliteStore({ file: ':memory:' })
  await store.open()
  await firstAccount(store)
  const other = await anotherAccount(store)
  for (let contact_id = 1; contact_id <= 8000; contact_id++) await queue(store, { contact_id })
  const last = await queue(store, { account_id: other, contact_id: 8001 })
  const claimed: number[] = []
  const claimOnce = async (): Promise<void> => {
    const limits = { now: T0, lease_until: T0 + 600_000, per_contact: 5, per_account: 10_000 }
    claimed.push(...ids(await store.notifications.claim({ ...limits, limit: 50 })))
  }
  const first = await leastOf(3, () => measureTurns(claimOnce), TURN_MS)
  expect(claimed).toContain(last.id)
  expect(first.longest_ms).toBeLessThan(TURN_MS)
  while (claimed.length < 8001) {
    const before = claimed.length
    await claimOnce()
    expect(claimed.length).toBeGreaterThan(before)
  }
  expect(new Set(claimed).size).toBe(8001)
  await store.close()
})
