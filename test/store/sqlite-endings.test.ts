import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { FinishedAttempt } from '../../src/store/store.ts'
import type { FullStore } from '../../src/store/store.ts'
import { firstAccount } from '../../src/testing/store-suite/case.ts'

const directory = mkdtempSync(join(tmpdir(), 'watchpost-endings-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const T0 = Date.UTC(2026, 0, 1)
const end = (id: number): FinishedAttempt => ({
  id,
  claim: 1,
  status: 'sent',
  attempts: 1,
  interruptions: 0,
  error: null,
  at: T0,
})

async function claimed(store: FullStore, count: number): Promise<number[]> {
  for (let contact_id = 1; contact_id <= count; contact_id++) {
    await store.notifications.create({
      ...{ account_id: 1, monitor_id: null, incident_id: null, contact_id, event: 'down' },
      ...{ due_at: T0, payload: '{}', repeat: 0, created_at: T0 },
    })
  }
  const claim = { now: T0, lease_until: T0 + 60_000, limit: count, per_contact: 1 }
  return (await store.notifications.claim(claim)).map(({ id }) => id)
}

describe('ends of deliveries in an SQLite file', () => {
  it('what is asked right after an end finds it recorded', async () => {
    const store = sqliteStore({ file: join(directory, 'order.db') })
    await store.open()
    await firstAccount(store)
    const [id = 0] = await claimed(store, 1)
    const recorded = store.notifications.finish(end(id))
    expect(await store.notifications.depth()).toBe(0)
    expect(await recorded).toBe(true)
    await store.close()
  })

  it('an end that was reported before the store closes is in the file', async () => {
    const file = join(directory, 'closing.db')
    const store = sqliteStore({ file })
    await store.open()
    await firstAccount(store)
    const ids = await claimed(store, 3)
    const recorded = Promise.all(ids.map((id) => store.notifications.finish(end(id))))
    await store.close()
    expect(await recorded).toEqual([true, true, true])
    await expect(store.notifications.finish(end(1))).rejects.toThrow('is not open')

    const again = sqliteStore({ file })
    await again.open()
    expect(await again.notifications.depth()).toBe(0)
    await again.close()
  })
})
