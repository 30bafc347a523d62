/** Old rows that have to stay, however many, keep nobody from having a turn while others are removed. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { Change, FullStore } from '../../src/store/store.ts'
import {
  commitOne,
  firstAccount,
  incident,
  monitor,
  notice,
  on,
  T0,
} from '../../src/testing/store-suite/case.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50
const NOTIFICATIONS = 100_000
const CHANGES = 1_000_000
const LATER = T0 + 9

const folder = mkdtempSync(join(tmpdir(), 'watchpost-kept-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A store with one monitor, and the changes of it one after the other. */
async function opened(store: FullStore) {
  await store.open()
  await firstAccount(store)
  const { id, revision: first } = await store.monitors.create(monitor())
  let revision = first
  const change = async (parts: Partial<Change>) => {
    const done = await commitOne(store, on({ id, revision }, parts))
    revision = done.revision
    return done
  }
  const none = { results_before: 0, hours_before: 0, audit_before: 0, revoked_before: 0 }
  const old = { notifications_before: LATER, history_before: LATER, idempotency_before: 0 }
  const prune = () => measureTurns(() => store.prune({ ...none, ...old, limit: 200 }))
  return { id, change, prune }
}

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ file: join(folder, 'data.db') })],
])('in %s', (_, make) => {
  it('a hundred thousand old notifications of one incident stay, and then go, in short turns', async () => {
    const store = make()
    const { change, prune } = await opened(store)
    const { incident_id } = await change({ open_incident: incident() })
    const notify = Array.from({ length: 2000 }, (_, row) =>
      notice({ contact_id: 1 + (row % 16), incident: incident_id }),
    )
    for (let n = 0; n < NOTIFICATIONS; n += notify.length) await change({ notify })
    await change({ cancel: { scope: 'all', reason: 'paused' } })

    const keeping = await leastOf(3, prune, TURN_MS)
    expect(keeping.value).toBe(0)
    expect(keeping.longest_ms).toBeLessThan(TURN_MS)

    const over = { ended_at: T0, closed_reason: 'recovered' } as const
    await change({ update_incident: { id: incident_id ?? 0, ...over } })
    const removing = await leastOf(3, prune, TURN_MS)
    expect(removing.value).toBe(200)
    expect(removing.longest_ms).toBeLessThan(TURN_MS)
    await store.close()
  })
})

it('in memory, a million changes of availability that are not old are not read', async () => {
  const { change, prune } = await opened(memoryStore())
  const availability = Array.from({ length: 100_000 }, () => ({
    ...{ at: LATER, availability: 'up' as const },
  }))
  for (let n = 0; n < CHANGES; n += availability.length) await change({ availability })
  const pruning = await leastOf(3, prune, TURN_MS / 10)
  expect(pruning.value).toBe(0)
  expect(pruning.longest_ms).toBeLessThan(TURN_MS / 10)
})
