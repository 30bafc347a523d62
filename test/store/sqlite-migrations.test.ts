import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { initialState } from '../../src/incident/state.ts'
import { connect } from '../../src/store/sqlite/connection.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { first } from '../../src/store/sqlite/schema/0001-first.ts'
import { revisions } from '../../src/store/sqlite/schema/0002-revisions.ts'
import { today } from '../../src/store/sqlite/schema/0003-today.ts'
import { T0 } from '../../src/testing/store-suite/case.ts'

const directory = mkdtempSync(join(tmpdir(), 'watchpost-migrations-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** As the version before it left a file: a monitor amid its day, and one that has never been checked. */
async function olderFile(file: string): Promise<void> {
  const driver = await loadDriver()
  const db = connect(driver.open(file))
  for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
  for (const step of [first, revisions, today]) db.exec(step)
  const machine = JSON.stringify({ ...initialState(T0), state: 'down' })
  const insert = `INSERT INTO monitors (account_id, type, version, state, machine, common, settings, target,
    search, tags, created_at, updated_at, revision) VALUES (1, 'http', 3, ?, ?, '{}', '{}', 't', 't', '[]', 1, 2, ?)`
  db.run(insert, ['down', machine, 41])
  db.run(insert, ['pending', JSON.stringify(initialState(T0)), 1])
  db.run(`INSERT INTO today VALUES (1, '2026-03-02', 5, 1, 0, 60, '{"12":5}')`)
  db.run(`INSERT INTO daily VALUES (1, '2026-03-01', 7, 0, 0, 70, '{"12":7}')`)
  db.run(`INSERT INTO location_states VALUES (1, 1, 2, '{"verdict":"fail"}', '{"seen":1}')`)
  db.run(`INSERT INTO results (monitor_id, location_id, round, started_at, lag_ms, duration_ms, verdict)
    VALUES (1, 1, 1, 1, 0, 9, 'ok')`)
  db.exec('PRAGMA user_version = 3')
  db.close()
}

describe('a file of an older version', () => {
  it('keeps its monitors, their days and what was known per location', async () => {
    const file = join(directory, 'older.db')
    await olderFile(file)
    const store = sqliteStore({ file })
    await store.open()
    expect(await store.monitors.get(1)).toMatchObject({
      version: 3,
      revision: 41,
      machine: { state: 'down' },
      updated_at: 2,
    })
    const pending = await store.monitors.list({ account_id: 1, states: ['pending'], limit: 9 })
    expect(pending.map(({ id, revision }) => [id, revision])).toEqual([[2, 1]])
    expect(await store.monitors.locations([1])).toEqual([
      {
        monitor_id: 1,
        location_id: 1,
        consecutive_fails: 2,
        last: { verdict: 'fail' },
        memo: { seen: 1 },
      },
    ])

    const day = { ok: 1, fail: 0, unknown: 0, ok_ms: 12, latency: { '12': 1 } }
    const changes = [
      { monitor_id: 1, revision: 41, at: T0, daily: [{ day: '2026-03-02', ...day }] },
      { monitor_id: 2, revision: 1, at: T0, daily: [{ day: '2026-03-02', ...day }] },
    ]
    expect((await store.commit(changes)).map(({ ok }) => ok)).toEqual([true, true])
    const counts = async (id: number) =>
      (await store.daily.list(id, '2026-01-01', '2026-12-31')).map((stats) => [
        stats.day,
        stats.ok,
        stats.latency,
      ])
    expect(await counts(1)).toEqual([
      ['2026-03-01', 7, { '12': 7 }],
      ['2026-03-02', 6, { '12': 6 }],
    ])
    expect(await counts(2)).toEqual([['2026-03-02', 1, { '12': 1 }]])
    await store.close()
  })
})
