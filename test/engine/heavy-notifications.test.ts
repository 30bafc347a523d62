/** A receiver that answers at each attempt with as much as is kept of it keeps nobody else from having a turn. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createRest } from '../../src/rest/fetch.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { Store } from '../../src/store/store.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50
const NOW = Date.UTC(2026, 0, 1)
const ATTEMPTS = 5
/** As much as is kept of an answer, and each character of it takes six in JSON. */
const HEAVY = '\u0001'.repeat(16_384)

function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-notifications-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return sqliteStore({ file: join(folder, 'data.db') })
}

/** Notifications that failed after five attempts, each with this answer; reads a page of them. */
async function stored(store: Store, count: number, answerOf: (n: number) => string) {
  const engine = createEngine({ store, checkers: [tcp()], logger: false })
  onTestFinished(() => engine.stop())
  const { key } = await engine.keys.create({ name: 'test' })
  const { notifications } = store
  for (let n = 0; n < count; n++) {
    const { id } = await notifications.create({
      ...{ account_id: 1, monitor_id: null, incident_id: null, contact_id: 1, event: 'test' },
      ...{ payload: '{"event":"test"}', repeat: 0, due_at: NOW, created_at: NOW },
    })
    for (let claim = 1; claim <= ATTEMPTS; claim++) {
      const lease = { lease_until: NOW + 1000, limit: 1, per_contact: 1 }
      const [row] = await notifications.claim({ now: NOW, ...lease })
      expect([row?.id, row?.claims]).toEqual([id, claim])
      const error = 'http_500'
      const attempt = { at: NOW, duration_ms: 1, http_status: 500, error, answer: answerOf(n) }
      const status = claim === ATTEMPTS ? 'failed' : 'queued'
      const end = { id, claim, status, attempts: claim, interruptions: 0, error, at: NOW } as const
      expect(await notifications.finish({ ...end, due_at: NOW, attempt })).toBe(true)
    }
  }
  const rest = createRest(engine, { rateLimit: false, logger: false })
  return async (query: string) => {
    const url = `http://localhost/api/v1/notifications?${query}`
    const headers = { authorization: `Bearer ${key}` }
    const text = await (await rest.fetch(new Request(url, { headers }))).text()
    const page = JSON.parse(text) as {
      readonly notifications: readonly { id: number; attempts: readonly unknown[] }[]
      readonly next_cursor: string | null
    }
    return { chars: text.length, items: page.notifications, next: page.next_cursor }
  }
}

it.each([
  ['memory', memoryStore],
  ['SQLite', sqlite],
])('a page of long answers ends early and takes short turns, in %s', async (_, make) => {
  // Light ones first, behind which more are read at once.
  const page = await stored(make(), 120, (n) => (n < 100 ? HEAVY : 'ok'))
  const first = await leastOf(3, () => measureTurns(() => page('limit=200')), TURN_MS)
  expect(first.value.chars).toBeLessThan(1_200_000)
  expect(first.value.items.length).toBeGreaterThan(20)
  expect(first.longest_ms).toBeLessThan(TURN_MS)

  const all = [...first.value.items]
  for (let { next } = first.value; next !== null;) {
    const more = await page(`limit=200&cursor=${next}`)
    expect(more.items).toHaveLength(2)
    all.push(...more.items)
    next = more.next
  }
  const ids = all.map(({ id }) => id)
  expect(ids).toEqual(Array.from({ length: 120 }, (_unused, index) => 120 - index))
  expect(all.every(({ attempts }) => attempts.length === ATTEMPTS)).toBe(true)
})

it('one whose answers alone are longer than a page is a page of its own', async () => {
  const page = await stored(memoryStore(), 2, () => HEAVY.repeat(4))
  const first = await page('limit=2')
  expect(first.items.map(({ id }) => id)).toEqual([2])
  const second = await page(`limit=2&cursor=${first.next}`)
  expect([second.items.map(({ id }) => id), second.next]).toEqual([[1], null])
})

it('a page of short answers is as long as was asked for', async () => {
  const page = await stored(memoryStore(), 120, () => 'ok')
  const first = await page('limit=100')
  expect(first.items).toHaveLength(100)
  const second = await page(`limit=20&cursor=${first.next}`)
  expect(second).toMatchObject({ next: null })
  expect(second.items).toHaveLength(20)
  expect((await page('limit=120')).next).toBeNull()
})
