/** Online backup of the SQLite file, and its restore. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { memoryStore } from '../../src/store/memory.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { examineBackup, restoreBackup } from '../../src/store/sqlite/restore.ts'
import { rig } from '../engine/rig.ts'
import type { Rig } from '../engine/rig.ts'

const directory = mkdtempSync(join(tmpdir(), 'watchpost-backup-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
let folders = 0

const builtin: unknown = process.getBuiltinModule('node:sqlite' as 'node:fs')
const drivers = builtin !== undefined ? (['native', 'wasm'] as const) : (['wasm'] as const)

function place(driver: (typeof drivers)[number]) {
  const folder = mkdtempSync(join(directory, `${++folders}-`))
  const file = join(folder, 'data.db')
  return {
    folder,
    file,
    copy: join(folder, 'copy.db'),
    back: join(folder, 'back.db'),
    store: (at = file) => sqliteStore({ file: at, driver }),
  }
}

async function running(store: ReturnType<typeof sqliteStore>): Promise<Rig> {
  const made = await rig({}, { store })
  onTestFinished(() => made.engine.stop())
  return made
}

describe.each(drivers)('a backup with the %s driver', (driver) => {
  it('under load has all that was committed before it began, and an engine starts from it', async () => {
    const { file, copy, back, store } = place(driver)
    const { engine, clock, say } = await running(store())
    await engine.contacts.create({
      kind: 'recorder',
      name: 'ops',
      to: 'ops',
      all_monitors: true,
    })
    for (let n = 0; n < 30; n++)
      await engine.monitors.create({
        type: 'scripted',
        host: `h${n}.test`,
        interval_sec: 10,
      })
    for (let n = 0; n < 10; n++) say(`h${n}.test`, 'fail')
    await clock.advance(60_000)
    const before = await look(engine)
    const progress = { over: false }
    const backup = engine.backup(copy).finally(() => void (progress.over = true))
    // Checks go on, incidents end and begin, monitors come.
    for (let n = 0; !progress.over; n++) {
      say(`h${n % 30}.test`, n % 2 === 0 ? 'ok' : 'fail')
      await clock.advance(10_000)
    }
    const { bytes } = await backup
    expect(bytes).toBe(statSync(copy).size)
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    // The engine that was copied is well.
    const later = await look(engine)
    expect(later.results).toBeGreaterThan(before.results)
    await engine.stop()
    expect((await examineBackup(file, driver)).monitors).toBe(30)

    expect(await restoreBackup(copy, back, driver)).toMatchObject({ monitors: 30, sealed: false })
    const restored = await running(store(back))
    const after = await look(restored.engine)
    expect(after.results).toBeGreaterThanOrEqual(before.results)
    expect(after.incidents.slice(-before.incidents.length)).toEqual(before.incidents)
    await restored.clock.advance(60_000)
    expect((await look(restored.engine)).results).toBeGreaterThan(after.results)
  })

  it('replaces nothing, leaves nothing behind, and is made once at a time', async () => {
    const { folder, copy, store } = place(driver)
    const { engine } = await running(store())
    writeFileSync(copy, 'precious')
    await expect(engine.backup(copy)).rejects.toThrow('exists, and is not replaced')
    expect(readFileSync(copy, 'utf8')).toBe('precious')
    await expect(engine.backup(join(folder, 'none', 'x.db'))).rejects.toThrow('no such folder')
    const ended = new AbortController()
    const aborted = engine.backup(join(folder, 'a.db'), {
      signal: ended.signal,
      onProgress: () => ended.abort(new Error('enough')),
    })
    await expect(engine.backup(join(folder, 'b.db'))).rejects.toMatchObject({
      code: 'backup_running',
    })
    await expect(aborted).rejects.toThrow('enough')
    await engine.backup(join(folder, 'c.db'))
    const stopped = engine.backup(join(folder, 'd.db'))
    await Promise.all([expect(stopped).rejects.toThrow('closing'), engine.stop()])
    expect(readdirSync(folder).toSorted()).toEqual(['c.db', 'copy.db', 'data.db'])
  })

  it('is refused by restore where it is damaged, unfinished, foreign or has no room', async () => {
    const { file, folder, copy, back, store } = place(driver)
    const { engine } = await running(store())
    await engine.backup(copy)
    await expect(restoreBackup(copy, file, driver)).rejects.toThrow('in use by process')
    await engine.stop()
    writeFileSync(`${back}-wal`, 'old log')
    await expect(restoreBackup(copy, back, driver)).rejects.toThrow('back.db-wal: exists')
    rmSync(`${back}-wal`)
    const bytes = readFileSync(copy)
    const bad = join(folder, 'bad.db')
    for (const content of [
      Buffer.from('no database'),
      bytes.subarray(0, bytes.length >> 1),
      Buffer.alloc(0),
    ]) {
      writeFileSync(bad, content)
      await expect(restoreBackup(bad, back, driver)).rejects.toThrow(
        /bad\.db|another program|older version/,
      )
    }
    writeFileSync(bad, bytes)
    writeFileSync(`${bad}-wal`, 'log')
    await expect(restoreBackup(bad, back, driver)).rejects.toThrow('a log beside it')
    rmSync(`${bad}-wal`)
    expect(readdirSync(folder).filter((name) => name.startsWith('back'))).toEqual([])
    expect(await restoreBackup(copy, back, driver)).toMatchObject({ bytes: bytes.length })
  })

  it.each([
    ['trigger t', 'CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM incidents; END'],
    ['view v', 'CREATE VIEW v AS SELECT 1'],
    ['table other', 'CREATE TABLE other (x)'],
    ['index slow', 'CREATE INDEX slow ON audit_log (hex(zeroblob(50000000)))'],
    // Another account that makes a key of this name would take the key away.
    [
      'table api_keys',
      `CREATE TABLE kept AS SELECT * FROM api_keys; DROP TABLE api_keys;
       CREATE TABLE api_keys (id INTEGER PRIMARY KEY, account_id, name, prefix, hash, scopes, created_at,
       last_used_at, revoked_at, UNIQUE (name) ON CONFLICT REPLACE);
       INSERT INTO api_keys SELECT * FROM kept; DROP TABLE kept`,
    ],
  ])('is refused by restore with a %s of somebody else', async (name, sql) => {
    const { copy, back, store } = place(driver)
    const { engine } = await running(store())
    await engine.backup(copy)
    await engine.stop()
    const handle = (await loadDriver(driver)).open(copy)
    handle.exec(`PRAGMA locking_mode = EXCLUSIVE; ${sql}`)
    handle.close()
    await expect(restoreBackup(copy, back, driver)).rejects.toThrow(
      `has "${name}", which watchpost never makes`,
    )
  })

  it.each([
    // A list of monitors with such a name was a turn of half a second.
    [
      'common" of a row in "monitors" is longer than 131072 bytes',
      `UPDATE monitors SET common = json_set(common, '$.name', hex(zeroblob(500000)))`,
    ],
    [
      'name" of a row in "contacts" is longer than 1024 bytes',
      'UPDATE contacts SET name = hex(zeroblob(600))',
    ],
    [
      'settings" of a row in "monitors" is no JSON of at most 100000 values',
      `UPDATE monitors SET settings = '[' || replace(hex(zeroblob(60000)), '0', '0,') || '0]'`,
    ],
    [
      'machine" of a row in "monitor_states" is no JSON of at most 1000 levels',
      `UPDATE monitor_states SET machine = replace(hex(zeroblob(60000)), '0', '[')`,
    ],
    // Shorter than what is counted; `JSON.stringify` ends with a RangeError at some thousand levels.
    [
      'settings" of a row in "monitors" is no JSON of at most 1000 levels',
      `UPDATE monitors SET settings = '{"host":' || replace(hex(zeroblob(5000)), '0', '[')
       || replace(hex(zeroblob(5000)), '0', ']') || '}'`,
    ],
    [
      'details" of a row in "results" is no JSON of at most 1000 levels',
      `INSERT INTO results (monitor_id, location_id, round, started_at, lag_ms, duration_ms, verdict, details)
       VALUES (1, 1, 0, 0, 0, 0, 'ok', '{"a":' || replace(hex(zeroblob(600)), '0', '[')
       || replace(hex(zeroblob(600)), '0', ']') || '}')`,
    ],
    [
      'ok" of a row in "daily" is no number',
      `INSERT INTO daily VALUES (1, '2026-11-01', 'x' || hex(zeroblob(50)), 0, 0, 0, '{}')`,
    ],
    [
      'updated_at" of a row in "monitors" is no integer of JavaScript',
      'UPDATE monitors SET updated_at = 9007199254740992',
    ],
    ['name" of a row in "contacts" is no text', `UPDATE contacts SET name = x'00'`],
  ])('is refused by restore where a value is none of watchpost: %s', async (problem, sql) => {
    const { folder, copy, back, store } = place(driver)
    const { engine } = await running(store())
    await engine.monitors.create({ type: 'scripted', host: 'h.test', interval_sec: 10 })
    await engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops' })
    await engine.backup(copy)
    await engine.stop()
    const handle = (await loadDriver(driver)).open(copy)
    handle.exec(`PRAGMA locking_mode = EXCLUSIVE; ${sql}`)
    handle.close()
    await expect(restoreBackup(copy, back, driver)).rejects.toThrow(
      `copy.db: "${problem}, which watchpost never writes`,
    )
    expect(readdirSync(folder).toSorted()).toEqual(['copy.db', 'data.db'])
  })

  it('is restored with the longest values of every field', async () => {
    const { copy, back, store } = place(driver)
    const { engine } = await running(store())
    const long = '\u0800'.repeat(200)
    const { id } = await engine.contacts.create({ kind: 'recorder', name: long, to: long })
    const tags = Array.from({ length: 50 }, (_, n) => `${n}${'\u0800'.repeat(62)}`)
    const metadata = { a: '"'.repeat(2000) }
    const contact_delay = { [id]: 10 }
    const monitor = { type: 'scripted', host: 'h.test', name: long, tags, metadata, contact_delay }
    await engine.monitors.create(monitor)
    await engine.backup(copy)
    await engine.stop()
    expect(await restoreBackup(copy, back, driver)).toMatchObject({ monitors: 1 })
  })

  it.each(['sqlite_stat1', 'sqlite_sequence'])(
    'is refused by restore with a trigger that has the name of a table of SQLite: %s',
    async (name) => {
      const { copy, back, store } = place(driver)
      const { engine } = await running(store())
      await engine.backup(copy)
      await engine.stop()
      // SQLite creates no such trigger, but runs one that is in the file.
      const written = name.replace('sqlite', 'xxxxxx')
      const handle = (await loadDriver(driver)).open(copy)
      handle.exec(
        `PRAGMA locking_mode = EXCLUSIVE;
         CREATE TRIGGER ${written} AFTER INSERT ON meta BEGIN DELETE FROM incidents; END`,
      )
      handle.close()
      const bytes = readFileSync(copy, 'latin1')
      writeFileSync(copy, bytes.replaceAll(written, name), 'latin1')
      await expect(restoreBackup(copy, back, driver)).rejects.toThrow(`has "trigger ${name}"`)
    },
  )
})

it('a store without a file says what to do instead', async () => {
  const { engine } = await rig({}, { store: memoryStore() })
  onTestFinished(() => engine.stop())
  await expect(engine.backup('x.db')).rejects.toThrow('no file to back up')
  await expect(engine.backup('')).rejects.toThrow('the path of a new file')
  const other = await rig({}, { store: sqliteStore({ file: ':memory:' }) })
  onTestFinished(() => other.engine.stop())
  await expect(other.engine.backup('x.db')).rejects.toThrow('no file to back up')
})

async function look({ monitors, results, incidents }: Rig['engine']) {
  const { items } = await monitors.list({ limit: 200 })
  let count = 0
  for (const { id } of items)
    for (let after: number | null | undefined; after !== null;) {
      const page: { items: readonly unknown[]; next: number | null } = await results.list(id, {
        limit: 200,
        ...(after === undefined ? {} : { after }),
      })
      count += page.items.length
      after = page.next
    }
  const all = (await incidents.list({ limit: 200 })).items
  return { results: count, incidents: all.map(({ id, started_at }) => ({ id, started_at })) }
}
