/** A damaged row is left out of the lists of its account, which go on, and is reported once. */

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../src/engine/api/engine.ts'
import { silentLogger } from '../../src/logger.ts'
import { connect } from '../../src/store/sqlite/connection.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000
/** SQLite has it exactly, JavaScript does not. */
const HUGE = 9_007_199_254_740_995n

const folder = mkdtempSync(join(tmpdir(), 'watchpost-lists-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Two monitors with incidents, and two of everything else; the first monitor failed for longer. */
const whole = { file: join(folder, 'whole.db'), stopped_at: 0 }
beforeAll(async () => {
  const clock = simulatedClock()
  const { engine, say } = await rig({}, { clock, store: sqliteStore({ file: whole.file }) })
  for (const host of ['a', 'b']) {
    say(host, 'fail')
    await engine.monitors.create({ type: 'scripted', name: host, host, interval_sec: 60 })
    await engine.contacts.create({ kind: 'recorder', name: host, to: host, all_monitors: true })
    await engine.keys.create({ name: host })
    const at = (minutes: number) => new Date(clock.now() + minutes * MINUTE).toISOString()
    const window = { start: at(600), end: at(700) }
    await engine.maintenance.create({ name: host, all_monitors: true, window })
    await engine.publicPages.create({ title: host, slug: `page-${host}`, groups: [] })
    await engine.statusReports.create({ title: host, page_ids: [1], text: host })
  }
  await clock.advance(130 * MINUTE)
  await engine.stop()
  whole.stopped_at = clock.now()
})

/** A copy of it. */
async function stored() {
  const file = join(mkdtempSync(join(folder, 'copy-')), 'data.db')
  copyFileSync(whole.file, file)
  const clock = simulatedClock({ now: whole.stopped_at })
  const driver = await loadDriver()
  return {
    async damage(...statements: readonly string[]) {
      const db = connect(driver.open(file))
      for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
      db.exec('PRAGMA foreign_keys = OFF')
      for (const sql of statements) db.exec(sql)
      db.close()
      const said: string[] = []
      const error = (about: object, text: string) =>
        void said.push(`${text}: ${(about as { err?: Error }).err?.message}`)
      const after = await rig(
        { logger: { ...silentLogger, error } },
        { clock, store: sqliteStore({ file }) },
      )
      onTestFinished(() => after.engine.stop())
      return { ...after, said }
    },
  }
}

const idsOf = ({ items }: { readonly items: readonly { readonly id: number }[] }) =>
  items.map(({ id }) => id)

type List = (
  engine: Engine,
  limit: number,
) => Promise<{ readonly items: readonly { id: number }[] }>
const unpaged = (items: readonly { readonly id: number }[]) => ({ items: [...items] })

it.each<[string, string, string, List]>([
  ['a key', 'api_keys', "scopes = '{'", async (e) => unpaged(await e.keys.list())],
  ['a key', 'api_keys', "created_at = 'x'", async (e) => unpaged(await e.keys.list())],
  ['a contact', 'contacts', "created_at = 'x'", async (e) => unpaged(await e.contacts.list())],
  [
    'a maintenance window',
    'maintenance',
    "updated_at = 'x'",
    (e, limit) => e.maintenance.list({ limit }),
  ],
  ['a public page', 'public_pages', "settings = '['", (e, limit) => e.publicPages.list({ limit })],
  [
    'a status report',
    'status_reports',
    "created_at = 'x'",
    (e, limit) => e.statusReports.list({ limit }),
  ],
  ['an incident', 'incidents', "causes = '5'", (e, limit) => e.incidents.list({ limit })],
  ['an incident', 'incidents', "started_at = 'x'", (e, limit) => e.incidents.list({ limit })],
  [
    'a notification',
    'notifications',
    "created_at = 'x'",
    (e, limit) => e.notifications.list({ limit }),
  ],
  ['a result', 'results', "details = '{'", (e, limit) => e.results.list(1, { limit })],
  ['a result', 'results', `started_at = ${HUGE}`, (e, limit) => e.results.list(1, { limit })],
])('%s in %s with %s', async (noun, table, wrong, list) => {
  const { damage } = await stored()
  const { engine, said } = await damage()
  const all = idsOf(await list(engine, 50))
  await engine.stop()
  // In the middle where there are enough, and otherwise the first: a page goes on behind it.
  const bad = all.length > 2 ? all[1] : all[0]
  expect(said).toEqual([])

  const made = await damage(`UPDATE ${table} SET ${wrong} WHERE id = ${bad}`)
  const left = all.filter((id) => id !== bad)
  for (let times = 0; times < 2; times++)
    expect(idsOf(await list(made.engine, 50)).slice(0, left.length)).toEqual(left)
  expect(idsOf(await list(made.engine, 1))).toEqual(
    table === 'api_keys' || table === 'contacts' ? left : left.slice(0, 1),
  )
  const column = wrong.split(' ', 1)[0]
  const about = made.said.filter((text) => text.includes(`Unreadable "${column}" in row ${bad}`))
  expect(about).toHaveLength(1)
  expect(about[0]).toMatch(new RegExp(`^${noun} cannot be read`))
})

it.each([
  ['availability', "'dxwn'"],
  ['at', `-${HUGE}`],
])('shows the time behind a change of availability as unknown: %s = %s', async (column, value) => {
  const { damage } = await stored()
  const { engine, said } = await damage(
    `UPDATE availability SET ${column} = ${value} WHERE monitor_id = 2`,
  )
  for (let times = 0; times < 2; times++)
    expect(await engine.monitors.uptime(2, { days: 1 })).toMatchObject({
      overall: null,
      down_sec: 0,
      unknown_sec: 130 * 60,
    })
  expect((await engine.monitors.uptime(1, { days: 1 })).down_sec).toBeGreaterThan(120 * 60)
  expect(said).toEqual([
    expect.stringMatching(
      `^a change of availability cannot be read; the time behind it is unknown: Unreadable "${column}"`,
    ),
  ])
})

it('lists the incidents of a damaged monitor without its name', async () => {
  const { damage } = await stored()
  const { engine, said } = await damage("UPDATE monitors SET common = '{' WHERE id = 1")
  const { items } = await engine.incidents.list()
  expect(items.map(({ monitor }) => [monitor.id, monitor.name])).toEqual([
    [2, 'b'],
    [1, ''],
  ])
  expect(idsOf(await engine.monitors.list())).toEqual([2])
  expect(said).toHaveLength(1)
})

it('a monitor whose state is missing is said to be damaged', async () => {
  const { damage } = await stored()
  const { engine, said } = await damage('DELETE FROM monitor_states WHERE monitor_id = 1')
  expect(idsOf(await engine.monitors.list())).toEqual([2])
  expect(said).toEqual(['a monitor cannot be read; it is set aside: Unreadable "machine" in row 1'])
})

it.each([
  ['monitors', 'UPDATE monitor_states SET monitor_id = ? WHERE monitor_id = 1'],
  ['contacts', ''],
  ['maintenance', ''],
  ['api_keys', ''],
  ['notifications', ''],
  [
    'incidents',
    "UPDATE monitor_states SET machine = json_set(machine, '$.incident.id', ?) WHERE monitor_id = 1",
  ],
  ['results', ''],
  ['public_pages', ''],
])('an id beyond 2^53 in %s stops nobody else', async (table, also) => {
  const { damage } = await stored()
  const { engine, clock, checks, said, say, told } = await damage(
    `UPDATE ${table} SET id = ${HUGE} WHERE id = (SELECT min(id) FROM ${table})`,
    ...(also === '' ? [] : [also.replace('?', String(HUGE))]),
  )
  say('b', 'ok')
  await clock.advance(10 * MINUTE)
  expect(checks).toContain('b@local')
  expect((await engine.monitors.get(2)).state).toBe('up')
  // New notifications get ids behind the damaged one.
  if (table !== 'notifications')
    expect(told.map(({ to, event }) => [to, event])).toContainEqual(['b', 'up'])
  for (const list of [
    engine.monitors.list,
    engine.maintenance.list,
    engine.incidents.list,
    engine.notifications.list,
    engine.publicPages.list,
    engine.statusReports.list,
  ])
    for (const id of idsOf(await list())) expect(Number.isSafeInteger(id)).toBe(true)
  for (const { id } of [...(await engine.contacts.list()), ...(await engine.keys.list())])
    expect(Number.isSafeInteger(id)).toBe(true)
  expect(said.join('\n')).toMatch(/Unreadable "(id|machine\.incident)" in row/)
})
