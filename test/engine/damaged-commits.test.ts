/** Changes are stored in groups, across accounts: one that the store cannot take costs no other account a round. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { silentLogger } from '../../src/logger.ts'
import { connect } from '../../src/store/sqlite/connection.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000
/** Enough that rounds of both accounts are stored together. */
const MONITORS = 30

/** An account with monitors that are damaged, and the first account, whose monitors are sound. */
async function besideDamage(sql: string, target: 'ok' | 'fail') {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-commits-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'data.db')
  const clock = simulatedClock()
  const before = await rig({}, { clock, store: sqliteStore({ file }) })
  const { engine } = before
  const { id: other } = await engine.accounts.create({ name: 'other' })
  const settings = { type: 'scripted', interval_sec: 10 } as const
  const bad: number[] = []
  const good: number[] = []
  for (let n = 0; n < MONITORS; n++) {
    bad.push((await engine.account(other).monitors.create({ ...settings, host: 'bad' })).id)
    good.push((await engine.monitors.create({ ...settings, host: `good${n}` })).id)
  }
  await engine.contacts.create({ kind: 'recorder', name: 'c', to: 'c', all_monitors: true })
  await clock.advance(MINUTE)
  await engine.stop()
  const driver = await loadDriver()
  const db = connect(driver.open(file))
  for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
  db.exec('PRAGMA foreign_keys = OFF')
  db.exec(sql.replace('?', String(other)))
  db.close()

  const said: string[] = []
  const error = (about: object, text: string) =>
    void said.push(`${text}: ${(about as { err?: Error }).err?.message}`)
  const store = sqliteStore({ file })
  const after = await rig({ logger: { ...silentLogger, error } }, { clock, store })
  onTestFinished(() => after.engine.stop())
  after.say('bad', target)
  const begun = clock.now()
  const storedOf = async (account_id: number, id: number): Promise<number> => {
    const { items } = await after.engine.account(account_id).results.list(id, { limit: 100 })
    return items.filter(({ started_at }) => Date.parse(started_at) >= begun).length
  }
  return { ...after, said, bad, good, other, storedOf }
}

const CUT = "UPDATE monitor_states SET latency = '{' WHERE monitor_id = 1"

it.each([
  // Its incidents belong to no account, which the store refuses.
  ['an account that is gone', 'DELETE FROM accounts WHERE id = ?', 'fail'],
  ['totals of today that are cut', CUT, 'ok'],
] as const)('%s', async (_, sql, target) => {
  const { clock, said, told, say, good, storedOf } = await besideDamage(sql, target)
  await clock.advance(5 * MINUTE)
  for (const id of good) expect(await storedOf(1, id)).toBeGreaterThanOrEqual(29)
  say('good0', 'fail')
  await clock.advance(MINUTE)
  expect(told.map(({ event }) => event)).toEqual(['down'])
  expect(said).toEqual([])
})

it('totals of today that are cut keep their monitor from no round', async () => {
  const { clock, bad, other, storedOf } = await besideDamage(CUT, 'ok')
  await clock.advance(5 * MINUTE)
  expect(bad[0]).toBe(1)
  expect(await storedOf(other, 1)).toBeGreaterThanOrEqual(29)
})
