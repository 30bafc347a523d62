/** A damaged result, or totals that are, end neither the removal of old rows of all accounts nor the rounds. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/store/sqlite/connection.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

const HOUR = 3_600_000
const NEWEST = 'id = (SELECT max(id) FROM results WHERE monitor_id = 1)'

it.each([["details = '{'"], ['lag_ms = 9e18'], ['started_at = -8640000000000001']])(
  'with %s in the newest result of a monitor',
  async (damage) => {
    const folder = mkdtempSync(join(tmpdir(), 'watchpost-retention-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'data.db')
    const clock = simulatedClock()
    const before = await rig({}, { clock, store: sqliteStore({ file }) })
    const scripted = { type: 'scripted', interval_sec: 60 } as const
    const { id: other } = await before.engine.accounts.create({ name: 'other' })
    const damaged = await before.engine
      .account(other)
      .monitors.create({ ...scripted, name: 'a', host: 'a' })
    const { id } = await before.engine.monitors.create({ ...scripted, name: 'b', host: 'b' })
    await clock.advance(HOUR / 6)
    await before.engine.monitors.pause(id)
    await before.engine.account(other).monitors.pause(damaged.id)
    await before.engine.stop()
    const driver = await loadDriver()
    const db = connect(driver.open(file))
    for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
    expect(db.run(`UPDATE results SET ${damage} WHERE ${NEWEST}`, [])).toBe(1)
    db.close()

    const { engine, store } = await rig(
      { retention: { resultsDays: 1, auditDays: 1 } },
      { clock, store: sqliteStore({ file }) },
    )
    const errors: unknown[] = []
    engine.on('error', (error) => errors.push(error))
    await clock.advance(26 * HOUR)
    expect(await store.results.list({ monitor_id: id, limit: 9 })).toEqual([])
    expect(await store.results.list({ monitor_id: damaged.id, limit: 9 })).toEqual([])
    expect((await engine.auditLog.list()).items).toEqual([])
    expect(errors).toEqual([])
    // The last outcome of a sound result outlives it.
    expect((await engine.monitors.get(id)).last_check_at).not.toBeNull()
    await engine.account(other).monitors.resume(damaged.id)
    await clock.advance(HOUR / 6)
    expect((await engine.account(other).monitors.get(damaged.id)).state).toBe('up')
    await engine.stop()
  },
)

it.each(['{}', '{"latency":{"1":2}}', '{"latency":["x"],"phases":5,"figures":null}'])(
  'with %s as totals of the hour that ends, rounds are stored',
  async (totals) => {
    const folder = mkdtempSync(join(tmpdir(), 'watchpost-hour-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'data.db')
    const clock = simulatedClock()
    const before = await rig({}, { clock, store: sqliteStore({ file }) })
    const scripted = { type: 'scripted', name: 'a', host: 'a', interval_sec: 60 } as const
    const { id } = await before.engine.monitors.create(scripted)
    await clock.advance(HOUR / 3)
    await before.engine.stop()
    const hour = Math.floor(clock.now() / HOUR) * HOUR
    const driver = await loadDriver()
    const db = connect(driver.open(file))
    for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
    db.run('INSERT OR REPLACE INTO hourly VALUES (?, ?, 1, ?)', [id, hour, totals])
    db.close()

    const { engine, say } = await rig({}, { clock, store: sqliteStore({ file }) })
    const errors: unknown[] = []
    engine.on('error', (error) => errors.push(error))
    await clock.advance(HOUR)
    say('a', 'fail')
    await clock.advance(HOUR / 6)
    expect(errors).toEqual([])
    expect((await engine.monitors.get(id)).state).toBe('down')
    expect((await engine.monitors.hours(id)).steps.length).toBeGreaterThan(0)
    await engine.stop()
  },
)
