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
import { standings } from '../../src/store/sqlite/schema/0004-standings.ts'
import { contact, monitor, T0 } from '../../src/testing/store-suite/case.ts'

const directory = mkdtempSync(join(tmpdir(), 'watchpost-migrations-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** As the version before it left a file: a monitor amid its day, and one that has never been checked. */
async function olderFile(file: string): Promise<void> {
  const driver = await loadDriver()
  const db = connect(driver.open(file))
  for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
  for (const step of [first, revisions, today]) db.exec(step)
  const { sent_notice_keys: _, ...state } = initialState(T0)
  const incident = { id: 1, started_at: 1, cause_code: 'connect_refused' }
  const held = { reason: 'dependency', by: 2, rounds: 3 }
  const machine = JSON.stringify({
    ...{ ...state, state: 'down', told: ['ssl_expiring:14'], incident: { ...incident, held } },
  })
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
      machine: {
        state: 'down',
        sent_notice_keys: ['ssl_expiring:14'],
        incident: { suppression: { reason: 'dependency', by: 2, rounds: 3 } },
      },
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

/** As the version before it left a file: rows of accounts that there never were, and the newest rows removed. */
async function fileWithStrays(file: string): Promise<void> {
  const driver = await loadDriver()
  const db = connect(driver.open(file))
  for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
  for (const step of [first, revisions, today, standings]) db.exec(step)
  db.run("INSERT INTO accounts (name, created_at) VALUES ('default', 7)")
  const machine = JSON.stringify(initialState(T0))
  for (const account of [1, 3, 0, -1, 1.5, 'abc', 1]) {
    const id = db.insert(
      `INSERT INTO monitors (account_id, type, common, settings, target, search, tags, token_hash,
         created_at, updated_at) VALUES (?, 'http', '{"tags":[]}', '{}', ?, 't', '[]', ?, 1, 2)`,
      [account, `of ${account}`, `token of ${account}`],
    )
    db.run(
      "INSERT INTO standings (monitor_id, version, revision, state, machine) VALUES (?, 4, 5, 'pending', ?)",
      [id, machine],
    )
    db.run(
      `INSERT INTO contacts (account_id, kind, name, all_monitors, settings, created_at, updated_at)
       VALUES (?, 'webhook', ?, 1, '{}', 1, 2)`,
      [account, `of ${account}`],
    )
    db.run(
      "INSERT INTO api_keys (account_id, name, prefix, hash, created_at) VALUES (?, 'k', 'p', ?, 1)",
      [account, `hash ${id}`],
    )
    db.run(
      `INSERT INTO incidents (account_id, monitor_id, started_at, detected_at, cause_code, cause_text, causes,
         locations_failed, suppressed_by, acknowledged_at) VALUES (?, ?, 1, 2, 'c', 't', '[]', '[]', NULL, 9)`,
      [account, id],
    )
    db.run(
      `INSERT INTO notifications (account_id, monitor_id, incident_id, contact_id, event, status, due_at,
         attempts, claims, interruptions, payload, repeat, created_at)
       VALUES (?, ?, 1, 1, 'down', 'queued', 1, 0, 0, 0, '{}', 0, 1)`,
      [account, id],
    )
  }
  for (const table of ['monitors', 'contacts', 'api_keys', 'incidents', 'notifications'])
    db.run(`DELETE FROM ${table} WHERE id = 7`)
  db.exec('PRAGMA user_version = 4')
  db.close()
}

describe('a file of before accounts were referred to', () => {
  it('keeps every row, each with an account that is there and that nobody else gets', async () => {
    const file = join(directory, 'strays.db')
    await fileWithStrays(file)
    const store = sqliteStore({ file })
    await store.open()
    const accounts = await store.accounts.list()
    const named = new Map(accounts.map(({ name, id }) => [name, id]))
    expect(accounts).toContainEqual({
      ...{ id: 1, name: 'default', external_id: null, quotas: {}, created_at: 7 },
    })
    expect(named.get('account 3')).toBe(3)
    expect(accounts).toHaveLength(6)
    for (const was of ['0', '-1', '1.5', 'abc'])
      expect(named.get(`was account ${was}`)).toBeGreaterThan(3)
    for (const { id, name } of accounts) {
      const was = name === 'default' ? '1' : name.replace(/^.*account /, '')
      const of = { account_id: id, limit: 9 }
      expect(await store.monitors.list(of)).toMatchObject([
        { target: `of ${was}`, version: 4, revision: 5 },
      ])
      expect(await store.contacts.list(id)).toMatchObject([{ name: `of ${was}` }])
      expect(await store.keys.list(id)).toHaveLength(1)
      expect(await store.incidents.list(of)).toMatchObject([{ acknowledged_at: 9 }])
      expect(await store.notifications.list(of)).toHaveLength(1)
      expect(await store.monitors.byTokenHash(`token of ${was}`)).toMatchObject({ account_id: id })
    }
    const next = await store.accounts.create({ name: 'next', created_at: T0 })
    expect(next.id).toBe(Math.max(...named.values()) + 1)
    const made = await store.contacts.create(contact({ account_id: next.id }))
    expect(made.id).toBe(8)
    expect((await store.monitors.create(monitor({ account_id: next.id }))).id).toBe(8)
    await store.close()
  })
})
