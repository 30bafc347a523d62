/** What waits for a receiver is not read to claim what is sent next, or to tell what was sent last. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { FullStore } from '../../src/store/store.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50
const CONTACTS = 16
const AT = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

/** What waits in them for one contact takes longer than a turn to cancel. */
const LONG = 40_000

const folder = mkdtempSync(join(tmpdir(), 'watchpost-backlog-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** 20,000 rows of one monitor, shared by its contacts. */
async function backlogIn(store: FullStore) {
  const engine = createEngine({ store, checkers: [heartbeat()], logger: false })
  const contact_ids: number[] = []
  for (let n = 0; n < CONTACTS; n++) {
    const url = `https://example.com/${n}`
    contact_ids.push((await engine.contacts.create({ kind: 'webhook', name: `w${n}`, url })).id)
  }
  const { id: monitor_id } = await engine.monitors.create({ type: 'heartbeat', name: 'job' })
  let revision = (await store.monitors.get(monitor_id))?.revision ?? 0
  const payload = JSON.stringify({ event: 'down', monitor: { name: 'n'.repeat(500) } })
  for (let n = 0; n < 10; n++) {
    const notify = Array.from({ length: 2000 }, (_, row) => {
      const contact_id = contact_ids[row % CONTACTS] ?? 0
      return { contact_id, event: 'down', payload, repeat: 0, due_at: AT, incident: null }
    })
    const [committed] = await store.commit([{ monitor_id, revision, at: AT, notify }])
    if (committed?.ok !== true) throw new Error('The backlog could not be stored')
    revision = committed.revision
  }
  const cancel = async () => {
    const wanted = { scope: 'all', reason: 'recovered' } as const
    const [committed] = await store.commit([{ monitor_id, revision, at: AT, cancel: wanted }])
    if (committed?.ok === true) revision = committed.revision
    return committed
  }
  return { engine, cancel }
}

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ file: join(folder, 'data.db') })],
])('with 20,000 rows that wait in %s', (_, make) => {
  const store = make()
  let engine: Awaited<ReturnType<typeof backlogIn>>['engine']
  let cancel: Awaited<ReturnType<typeof backlogIn>>['cancel']

  beforeAll(async () => {
    ;({ engine, cancel } = await backlogIn(store))
    return () => engine.stop()
  })

  it('lists contacts in a short turn', async () => {
    const listing = await leastOf(3, () => measureTurns(() => engine.contacts.list()), TURN_MS)
    expect(listing.value).toHaveLength(CONTACTS)
    expect(listing.longest_ms).toBeLessThan(TURN_MS)
  })

  it('claims the first row of every lane in a short turn', async () => {
    let now = AT
    const claiming = await leastOf(
      3,
      () => {
        // Whatever was claimed before is abandoned.
        now += MINUTE
        const wanted = { now, lease_until: now + 1, limit: 50, per_contact: 5 }
        return measureTurns(() => store.notifications.claim(wanted))
      },
      TURN_MS / 5,
    )
    expect(claiming.value).toHaveLength(CONTACTS)
    expect(claiming.longest_ms).toBeLessThan(TURN_MS)
  })

  it('claims nothing where the first of every lane pauses, in a short turn', async () => {
    const now = AT + 60 * MINUTE
    const claim = () =>
      store.notifications.claim({ now, lease_until: now + 1, limit: 50, per_contact: 5 })
    for (const { id, claims } of await claim()) {
      const pause = { status: 'queued', due_at: now + MINUTE, error: 'timeout' } as const
      const end = { id, claim: claims, attempts: 1, interruptions: 0, at: now, ...pause }
      expect(await store.notifications.finish(end)).toBe(true)
    }
    const claiming = await leastOf(3, () => measureTurns(claim), TURN_MS / 5)
    expect(claiming.value).toEqual([])
    expect(claiming.longest_ms).toBeLessThan(TURN_MS)
  })

  it('cancels what waits without reading what is over', async () => {
    expect(await cancel()).toMatchObject({ ok: true })
    const cancelling = await leastOf(5, () => measureTurns(cancel), TURN_MS / 10)
    expect(cancelling.value).toMatchObject({ ok: true })
    expect(cancelling.longest_ms).toBeLessThan(TURN_MS / 2)
  })
})

it.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ file: join(folder, 'removal.db') })],
])(
  'in %s, what waits for a contact that is removed is cancelled in short turns',
  async (_, make) => {
    const store = make()
    const engine = createEngine({ store, checkers: [heartbeat()], logger: false })
    const contact = { kind: 'webhook', name: 'w', url: 'https://example.com/' } as const
    const { id: monitor_id } = await engine.monitors.create({ type: 'heartbeat', name: 'job' })
    let revision = (await store.monitors.get(monitor_id))?.revision ?? 0
    const removing = await leastOf(
      3,
      async () => {
        const { id: contact_id } = await engine.contacts.create(contact)
        const row = { contact_id, event: 'down', payload: '{}', repeat: 0, incident: null } as const
        const notify = Array.from({ length: 1000 }, () => ({ ...row, due_at: AT }))
        for (let stored = 0; stored < LONG; stored += notify.length) {
          const [committed] = await store.commit([{ monitor_id, revision, at: AT, notify }])
          revision = committed?.ok === true ? committed.revision : 0
        }
        expect(await store.notifications.depth()).toBe(LONG)
        return measureTurns(() => engine.contacts.remove(contact_id))
      },
      TURN_MS,
    )
    expect(await store.notifications.depth()).toBe(0)
    expect(removing.longest_ms).toBeLessThan(TURN_MS)
    await engine.stop()
  },
)

it('in memory, what waits for later is not read for each claim, nor for what another monitor cancels', async () => {
  const store = memoryStore()
  const engine = createEngine({ store, checkers: [heartbeat()], logger: false })
  const contact = { kind: 'webhook', name: 'w', url: 'https://example.com/' } as const
  const { id: contact_id } = await engine.contacts.create(contact)
  const { id: monitor_id } = await engine.monitors.create({ type: 'heartbeat', name: 'job' })
  const row = { account_id: 1, contact_id, event: 'down', payload: '{}', repeat: 0 } as const
  const ofNone = { ...row, monitor_id: null, incident_id: null, created_at: AT }
  for (let n = 0; n < 20_000; n++)
    await store.notifications.create({ ...ofNone, due_at: AT + MINUTE + n })
  const claims = async () => {
    let claimed = 0
    for (let n = 0; n < 50; n++) {
      const wanted = { now: AT + n, lease_until: AT + MINUTE, limit: 50, per_contact: 5 }
      claimed += (await store.notifications.claim(wanted)).length
    }
    return claimed
  }
  const claiming = await leastOf(3, () => measureTurns(claims), TURN_MS)
  expect(claiming.value).toBe(0)
  expect(claiming.longest_ms).toBeLessThan(TURN_MS)
  const cancels = async () => {
    for (let n = 0; n < 200; n++) {
      const revision = (await store.monitors.get(monitor_id))?.revision ?? 0
      const cancel = { scope: 'all', reason: 'recovered' } as const
      await store.commit([{ monitor_id, revision, at: AT, cancel }])
    }
  }
  const cancelling = await leastOf(3, () => measureTurns(cancels), TURN_MS)
  expect(cancelling.longest_ms).toBeLessThan(TURN_MS)
  expect(await store.notifications.depth()).toBe(20_000)
  const wanted = { now: AT + 2 * MINUTE, lease_until: AT + 3 * MINUTE, limit: 50, per_contact: 5 }
  const due = await store.notifications.claim(wanted)
  expect(due.map(({ due_at }) => due_at - AT - MINUTE)).toEqual([0, 1, 2, 3, 4])
  await engine.stop()
})
