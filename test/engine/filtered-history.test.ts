/** A filter that fits nothing reads the whole history of a monitor, or of an account: others have turns meanwhile. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { http } from '../../src/checkers/http/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { connect } from '../../src/store/sqlite/connection.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50

/** Half of what a check every ten seconds leaves by default, and 200 calls that pause or resume a thousand monitors. */
const RESULTS = 150_000
const ENTRIES = 200_000

let folder: string
let engine: Engine

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'watchpost-filtered-'))
  const file = join(folder, 'data.db')
  const first = createEngine({ store: sqliteStore({ file }), checkers: [http()], logger: false })
  await first.monitors.create({ type: 'http', url: 'http://a.test/' })
  await first.stop()
  fill(connect((await loadDriver()).open(file)))
  engine = createEngine({ store: sqliteStore({ file }), checkers: [http()], logger: false })
})

afterAll(async () => {
  await engine.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The first result is the only one that failed, the first entry the only one of a contact. */
function fill(db: ReturnType<typeof connect>): void {
  const numbers = (count: number): string =>
    `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})`
  db.exec('PRAGMA locking_mode = EXCLUSIVE')
  db.transaction(() => {
    db.exec(`${numbers(RESULTS)} INSERT INTO results
      (monitor_id, location_id, round, started_at, lag_ms, duration_ms, verdict, details)
      SELECT 1, 1, n, n, 0, 0, iif(n = 0, 'fail', 'ok'), '{"text":"${'x'.repeat(200)}"}' FROM numbers`)
    db.exec(`${numbers(ENTRIES)} INSERT INTO audit_log
      (account_id, at, resource, resource_id, resource_name, action, actor, changes)
      SELECT 1, n, iif(n = 0, 'contact', 'monitor'), 1 + n % 500, 'a', 'paused', 'key:1', '[]' FROM numbers`)
  })
  db.close()
}

describe('with a store in SQLite', () => {
  it.each<[string, number, () => Promise<{ readonly items: readonly unknown[] }>]>([
    ['results that failed', 1, () => engine.results.list(1, { verdict: 'fail' })],
    ['results of another location', 0, () => engine.results.list(1, { location_id: 2 })],
    ['results of another time', 0, () => engine.results.list(1, { from: '2026-01-01T00:00:00Z' })],
    [
      'the oldest results first',
      1,
      () => engine.results.list(1, { verdict: 'fail', order: 'asc' }),
    ],
    ['entries of contacts', 1, () => engine.auditLog.list({ resource: 'contact' })],
    ['entries of another action', 0, () => engine.auditLog.list({ action: 'revoked' })],
    [
      'other entries of one actor',
      0,
      () => engine.auditLog.list({ actor: 'key:1', action: 'revoked' }),
    ],
    [
      'entries of one actor about one resource',
      200,
      () =>
        engine.auditLog.list({ actor: 'key:1', resource: 'monitor', resource_id: 7, limit: 200 }),
    ],
    ['entries of this year', 1, () => engine.auditLog.list({ from: '2026-01-01T00:00:00Z' })],
  ])('finds %s in short turns', async (_, count, list) => {
    const { value, longest_ms } = await leastOf(3, () => measureTurns(list), TURN_MS)
    expect(longest_ms).toBeLessThan(TURN_MS)
    expect(value.items).toHaveLength(count)
  })

  it('finds nothing for twelve who ask at once in short turns', async () => {
    const lists = () =>
      Promise.all(Array.from({ length: 12 }, () => engine.auditLog.list({ action: 'revoked' })))
    const { value, longest_ms } = await leastOf(3, () => measureTurns(lists), TURN_MS)
    expect(value.flatMap(({ items }) => items)).toEqual([])
    expect(longest_ms).toBeLessThan(TURN_MS)
  })

  it('goes on behind the last one that it found', async () => {
    const filter = { actor: 'key:1', resource: 'monitor', resource_id: 7 } as const
    const first = await engine.auditLog.list({ ...filter, limit: 200 })
    const second = await engine.auditLog.list({ ...filter, limit: 199, after: first.next ?? 0 })
    const third = await engine.auditLog.list({ ...filter, limit: 199, after: second.next ?? 0 })
    expect([first, second, third].map(({ items }) => items.length)).toEqual([200, 199, 1])
    expect(third.next).toBeNull()
  })
})
