/** A year of ups and downs, and what an account has by the thousand, keep nobody else from having a turn. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { http } from '../../src/checkers/http/index.ts'
import { usualHoursOf } from '../../src/engine/rounds/baseline-history.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { coreOf } from '../../src/engine/options.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50
const DAY_MS = 86_400_000

function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-long-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return sqliteStore({ file: join(folder, 'data.db') })
}

function engineOn(store: ReturnType<typeof memoryStore>) {
  const engine = createEngine({ store, checkers: [http()], logger: false })
  onTestFinished(() => engine.stop())
  return engine
}

describe.each([
  ['memory', memoryStore],
  ['SQLite', sqlite],
])('with a store in %s', (_, make) => {
  it('reports the uptime of a monitor that went down thousands of times', async () => {
    const store = make()
    const { monitors } = engineOn(store)
    const { id } = await monitors.create({ type: 'http', url: 'http://a.test/' })
    const count = 50_000
    const from = Date.now() - 360 * DAY_MS
    const availability = Array.from({ length: count }, (_, n) => ({
      at: from + Math.floor((n * 360 * DAY_MS) / count),
      availability: n % 2 === 0 ? ('up' as const) : ('down' as const),
    }))
    const { revision } = (await store.monitors.get(id))!
    await store.commit([{ monitor_id: id, revision, at: from, availability }])
    const reporting = await leastOf(
      3,
      () => measureTurns(() => monitors.uptime(id, { days: 365 })),
      TURN_MS,
    )
    expect(reporting.value.overall).toBeCloseTo(50, 1)
    expect(reporting.longest_ms).toBeLessThan(TURN_MS)
  })

  it('learns a baseline from weeks in which a monitor went up and down with each check', async () => {
    const store = make()
    const { monitors } = engineOn(store)
    const { id } = await monitors.create({ type: 'http', url: 'http://a.test/' })
    const now = Math.floor(Date.now() / DAY_MS) * DAY_MS
    const from = now - 14 * DAY_MS
    const count = (14 * DAY_MS) / 10_000
    const availability = Array.from({ length: count }, (_, n) => ({
      at: from + n * 10_000,
      availability: n % 2 === 0 ? ('up' as const) : ('down' as const),
    }))
    const { revision } = (await store.monitors.get(id))!
    await store.commit([{ monitor_id: id, revision, at: from, availability }])
    const record = (await store.monitors.get(id))!
    const cached = { record: { ...record, machine: { ...record.machine, checked_since: from } } }
    const learning = await leastOf(
      3,
      () => measureTurns(() => usualHoursOf(coreOf({ store, checkers: [] }), cached as never, now)),
      TURN_MS,
    )
    expect(learning.value.size).toBe(0)
    expect(learning.longest_ms).toBeLessThan(TURN_MS)
  })

  it('lists two thousand contacts', async () => {
    const store = make()
    const { contacts } = engineOn(store)
    await contacts.list()
    for (let n = 0; n < 2000; n++) {
      const settings = { url: `https://hooks.test/${n}` }
      const times = { created_at: 1, updated_at: 1 }
      const contact = {
        account_id: 1,
        kind: 'webhook',
        name: `w${n}`,
        quiet: null,
        group_window_sec: 0,
        events: [],
        all_monitors: false,
      }
      await store.contacts.create({ ...contact, settings, ...times })
    }
    const listing = await leastOf(3, () => measureTurns(() => contacts.list()), TURN_MS)
    expect(listing.value).toHaveLength(2000)
    expect(listing.longest_ms).toBeLessThan(TURN_MS)
  })

  it('lists incidents of heavy monitors that are not in memory', async () => {
    const store = make()
    const { monitors, incidents } = engineOn(store)
    const body = 'b'.repeat(65_000)
    const headers = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`x-${n}`, 'v'.repeat(800)]),
    )
    for (let n = 0; n < 200; n++) {
      const url = `http://127.0.0.1/${n}`
      const { id } = await monitors.create({ type: 'http', url, method: 'POST', body, headers })
      const { revision } = (await store.monitors.get(id))!
      const cause = { cause_code: 'timeout', cause_text: 'No answer' }
      const seen = { ...cause, causes: [], locations_failed: [1], suppressed_by: null }
      const open_incident = { started_at: n, detected_at: n, ...seen }
      await store.commit([{ monitor_id: id, revision, at: n, open_incident }])
    }
    const listing = await leastOf(
      3,
      () => measureTurns(() => incidents.list({ limit: 200 })),
      TURN_MS / 2,
    )
    expect(listing.value.items).toHaveLength(200)
    expect(listing.longest_ms).toBeLessThan(TURN_MS / 2)
  })
})
