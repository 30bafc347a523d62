/** One damaged row, or one that somebody else wrote, keeps nobody else from being watched, and is said. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { silentLogger } from '../../src/logger.ts'
import type { Logger } from '../../src/logger.ts'
import { connect } from '../../src/store/sqlite/connection.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000
const KEY = Buffer.alloc(32, 7)

const common = (name: string, json: string) =>
  `UPDATE monitors SET common = json_set(common, '$.${name}', json('${json}')) WHERE id = ?`
const machine = (name: string, json: string) =>
  `UPDATE monitor_states SET machine = json_set(machine, '$.${name}', json('${json}')) WHERE monitor_id = ?`

/** Each is done to a monitor of its own. */
const DAMAGE = [
  ...['null', '"x"', '-1e300', '1e300', '0', '1e-6', '{}'].map((json) =>
    common('interval_sec', json),
  ),
  ...['null', '"x"', '{}', '[null]', '[{}]', '[{"at":5}]'].map((json) =>
    common('maintenance', json),
  ),
  common(
    'maintenance',
    '[{"cron":"x","duration_min":5,"time_zone":"No/Where","skip_checks":true}]',
  ),
  common('tags', '[5]'),
  common('contact_ids', '"x"'),
  common('location_ids', 'null'),
  ...['null', '1e300', '"x"', '[]'].map((json) => machine('since', json)),
  machine('incident', '{"id":1}'),
  machine('last_round_at', '{}'),
  "UPDATE monitors SET created_at = 'x' WHERE id = ?",
  "UPDATE monitors SET common = '{' WHERE id = ?",
  "UPDATE monitors SET common = '{}' WHERE id = ?",
  "UPDATE monitors SET settings = '5' WHERE id = ?",
  `UPDATE monitors SET settings = json_set(settings, '$.secret',
    substr(json_extract(settings, '$.secret'), 1, 30)) WHERE id = ?`,
]
const WINDOWS = [
  '{',
  '{}',
  '{"all_monitors":true,"tags":5,"monitor_ids":null,"window":{"cron":"x"}}',
]

async function file(): Promise<{
  open(logger?: Logger): Promise<Rig>
  run(sql: readonly string[]): Promise<void>
}> {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-damaged-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'data.db')
  const clock = simulatedClock()
  const driver = await loadDriver()
  return {
    open: (logger = silentLogger) =>
      rig(
        { secretKey: KEY, checkers: [heartbeat()], logger },
        { clock, store: sqliteStore({ file: path }) },
      ),
    run(statements) {
      const db = connect(driver.open(path))
      for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
      for (const sql of statements) db.exec(sql)
      db.close()
      return Promise.resolve()
    },
  }
}

it('in an account of its own, the monitors and the planned work of another go on', async () => {
  const { open, run } = await file()
  const before = await open()
  const { id: other } = await before.engine.accounts.create({ name: 'other' })
  const settings = { type: 'scripted', name: 'm', secret: 'a secret', interval_sec: 60 } as const
  const damaged: number[] = []
  for (const index of DAMAGE.keys())
    damaged.push(
      (await before.engine.account(other).monitors.create({ ...settings, host: `bad${index}` })).id,
    )
  const { id } = await before.engine.monitors.create({ ...settings, host: 'good' })
  await before.engine.stop()
  const window = (json: string) =>
    `INSERT INTO maintenance (account_id, version, settings, created_at, updated_at)
     VALUES (${other}, 1, '${json}', 1, 1)`
  await run([
    ...DAMAGE.map((sql, index) => sql.replace('?', String(damaged[index]))),
    ...WINDOWS.map(window),
  ])

  const said: string[] = []
  const logger = {
    ...silentLogger,
    error: (about: object, text: string) =>
      void said.push(text + String((about as { err?: unknown }).err)),
  }
  const { engine, clock, checks } = await open(logger)
  for (const bad of damaged)
    expect(
      said.filter((text) => new RegExp(`^a monitor cannot.* ${bad}\\b`).test(text)),
    ).toHaveLength(1)
  expect(
    said.filter((text) => text.startsWith('a maintenance window cannot be read')),
  ).toHaveLength(WINDOWS.length)
  said.length = 0
  const at = {
    start: new Date(clock.now() + 5 * MINUTE).toISOString(),
    end: new Date(clock.now() + 20 * MINUTE).toISOString(),
  }
  const window_of_all = { ...at, skip_checks: true }
  await engine.maintenance.create({ name: 'work', all_monitors: true, window: window_of_all })
  await clock.advance(4 * MINUTE)
  expect(checks.length).toBeGreaterThan(3)
  expect(new Set(checks)).toEqual(new Set(['good@local']))
  await clock.advance(6 * MINUTE)
  expect((await engine.monitors.get(id)).state).toBe('maintenance')
  await clock.advance(60 * MINUTE)
  expect((await engine.monitors.get(id)).state).toBe('up')
  expect((await engine.monitors.list()).items.map((each) => each.id)).toEqual([id])
  expect([...engine.readings()].map((each) => each.id)).toEqual([id])
  expect((await engine.account(other).monitors.list()).items.length).toBeLessThan(DAMAGE.length)
  expect(said).toEqual([])
  await engine.stop()
})

it.each(['{', '5', 'null'])('in the accounts: %s as quotas stops nobody', async (quotas) => {
  const { open, run } = await file()
  const before = await open()
  const { id: other } = await before.engine.accounts.create({ name: 'other', external_id: 'o' })
  const { id: sound } = await before.engine.accounts.create({ name: 'sound' })
  const settings = { type: 'scripted', name: 'm', interval_sec: 60 } as const
  const kept = await before.engine.monitors.create({ ...settings, host: 'first' })
  await before.engine.account(sound).monitors.create({ ...settings, host: 'sound' })
  await before.engine.account(other).monitors.create({ ...settings, host: 'other' })
  const { key } = await before.engine.keys.create({ name: 'k' })
  await before.engine.stop()
  await run([`UPDATE accounts SET quotas = '${quotas}' WHERE id IN (1, ${other})`])

  const said: string[] = []
  const logger = {
    ...silentLogger,
    error: (about: object, text: string) =>
      void said.push(text + String((about as { err?: unknown }).err)),
  }
  const { engine, clock, checks } = await open(logger)
  for (const id of [1, other])
    expect(
      said.filter(
        (text) =>
          text.includes(`an account cannot be read`) && text.includes(`"quotas" in row ${id}`),
      ),
    ).not.toEqual([])
  await clock.advance(3 * MINUTE)
  expect(new Set(checks)).toEqual(new Set(['first@local', 'sound@local', 'other@local']))
  expect((await engine.accounts.list()).map(({ id }) => id)).toEqual([sound])
  // What needs no quotas goes on in the account itself; what needs them is refused by name.
  expect((await engine.authenticate(key))?.account_id).toBe(1)
  expect((await engine.monitors.get(kept.id)).state).toBe('up')
  await expect(engine.monitors.create({ ...settings, host: 'new' })).rejects.toThrow(
    'Unreadable "quotas" in row 1',
  )
  await engine.account(sound).monitors.create({ ...settings, host: 'new' })
  await engine.accounts.remove(other)
  expect(await engine.accounts.exists(other)).toBe(false)
  expect([...engine.readings()].map(({ account_id }) => account_id)).not.toContain(other)
  await engine.stop()
})

it.each(['1', '2', "'x'"])(
  'in the accounts: %s as removing ends no first account',
  async (value) => {
    const { open, run } = await file()
    const before = await open()
    const settings = { type: 'scripted', name: 'm', host: 'm', interval_sec: 60 } as const
    const { id } = await before.engine.monitors.create(settings)
    await before.engine.stop()
    await run([`UPDATE accounts SET removing = ${value}`])
    const { engine, clock, checks } = await open()
    await clock.advance(30 * MINUTE)
    expect(checks.length).toBeGreaterThan(20)
    expect((await engine.monitors.get(id)).state).toBe('up')
    expect(await engine.accounts.exists(1)).toBe(true)
    await engine.stop()
  },
)
