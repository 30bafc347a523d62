import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { DailyStats } from '../../src/model.ts'
import { connect } from '../../src/store/sqlite/connection.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { FullStore } from '../../src/store/store.ts'
import { firstAccount, monitor } from '../../src/testing/store-suite/case.ts'

const directory = mkdtempSync(join(tmpdir(), 'watchpost-daily-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

type Counts = Omit<DailyStats, 'monitor_id'>

function good(day: string, ok_ms: number, bucket: string): Counts {
  return { day, ok: 1, fail: 0, unknown: 0, ok_ms, latency: { [bucket]: 1 } }
}

/** A monitor, and what commits a count of it. */
async function counted(store: FullStore) {
  const { id, revision: first } = await store.monitors.create(monitor({ account_id: 1 }))
  let revision = first
  return {
    id,
    async count(...daily: Counts[]): Promise<void> {
      const [done] = await store.commit([{ monitor_id: id, revision, at: 0, daily }])
      expect(done?.ok).toBe(true)
      revision++
    },
    days: () => store.daily.list(id, '2026-01-01', '2026-12-31'),
  }
}

async function open(name: string): Promise<FullStore> {
  const store = sqliteStore({ file: join(directory, name) })
  await store.open()
  await firstAccount(store)
  return store
}

describe('days in an SQLite file', () => {
  it('the day that goes on and those that are over are one list', async () => {
    const store = await open('turn.db')
    const { id, count, days } = await counted(store)
    await count(good('2026-03-01', 10, '5'))
    await count(good('2026-03-01', 20, '6'))
    await count(good('2026-03-02', 40, '5'))
    expect(await days()).toEqual([
      { ...good('2026-03-01', 30, '5'), monitor_id: id, ok: 2, latency: { '5': 1, '6': 1 } },
      { ...good('2026-03-02', 40, '5'), monitor_id: id },
    ])
    expect(await store.daily.list(id, '2026-03-01', '2026-03-01')).toHaveLength(1)
    expect(await store.daily.list(id, '2026-03-02', '2026-03-02')).toHaveLength(1)
    await store.close()
  })

  it('what comes in late is counted to its day, and the day that goes on stays', async () => {
    const store = await open('late.db')
    const { count, days } = await counted(store)
    await count(good('2026-03-01', 10, '5'))
    await count(good('2026-03-02', 10, '5'))
    await count(good('2026-03-01', 5, '5'), good('2026-03-02', 5, '7'))
    await count(good('2026-02-20', 1, '1'))
    const seen = (await days()).map(({ day, ok, ok_ms, latency }) => [day, ok, ok_ms, latency])
    expect(seen).toEqual([
      ['2026-02-20', 1, 1, { '1': 1 }],
      ['2026-03-01', 2, 15, { '5': 2 }],
      ['2026-03-02', 2, 15, { '5': 1, '7': 1 }],
    ])
    await store.close()
  })

  it('a day with a part among the past days is shown whole', async () => {
    const store = await open('parts.db')
    const { id, count, days } = await counted(store)
    await count(good('2026-03-02', 10, '5'))
    await store.close()
    const driver = await loadDriver()
    const db = connect(driver.open(join(directory, 'parts.db')))
    for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
    db.run('INSERT INTO daily VALUES (?, ?, 3, 1, 0, 30, ?)', [id, '2026-03-02', '{"5":3}'])
    db.close()

    await store.open()
    const [day, ...others] = await days()
    expect(others).toEqual([])
    expect(day).toMatchObject({ ok: 4, fail: 1, ok_ms: 40, latency: { '5': 4 } })
    await count(good('2026-03-03', 10, '5'))
    expect((await days()).map(({ ok }) => ok)).toEqual([4, 1])
    await store.close()
  })

  it.each(['{', 'x', '5', 'null', '[]', '{"5":"x"}'])(
    'totals of today in which %s stands',
    async (text) => {
      const name = `damaged-${Buffer.from(text).toString('hex')}.db`
      const store = await open(name)
      const { id, count, days } = await counted(store)
      await count(good('2026-03-01', 10, '5'), good('2026-03-02', 10, '5'))
      await store.close()
      const driver = await loadDriver()
      const db = connect(driver.open(join(directory, name)))
      for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
      for (const table of ['monitor_states', 'daily'])
        db.run(`UPDATE ${table} SET latency = ?`, [text])
      db.close()

      await store.open()
      // Also what is late for a day whose totals are damaged.
      await count(good('2026-03-02', 20, '5'))
      await count(good('2026-03-01', 20, '5'))
      await count(good('2026-03-03', 20, '5'))
      await count(good('2026-03-03', 20, '5'))
      expect((await days()).map(({ day, ok }) => [day, ok])).toContainEqual(['2026-03-03', 2])
      expect((await days())[0]).toEqual({ ...good('2026-03-01', 20, '5'), monitor_id: id })
      await store.close()
    },
  )

  it('the last day of a monitor that is long paused is pruned as well', async () => {
    const store = await open('prune.db')
    const { count, days } = await counted(store)
    await count(good('2026-03-01', 10, '5'), good('2026-03-02', 10, '5'))
    const before = Date.UTC(2026, 5, 1)
    const older = {
      results_before: 0,
      notifications_before: 0,
      revoked_before: 0,
      idempotency_before: 0,
      history_before: before,
      hours_before: 0,
      audit_before: 0,
    }
    expect(await store.prune({ ...older, limit: 1 })).toBe(1)
    expect(await store.prune({ ...older, limit: 5 })).toBe(1)
    expect(await days()).toEqual([])
    await store.close()
  })
})
