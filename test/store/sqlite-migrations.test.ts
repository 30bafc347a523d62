import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/store/sqlite/connection.ts'
import type { Connection } from '../../src/store/sqlite/connection.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { checkMigrated, migrate, STEPS } from '../../src/store/sqlite/migrations.ts'
import {
  commitOne,
  contact,
  firstAccount,
  hour,
  monitor,
  on,
  result,
} from '../../src/testing/store-suite/case.ts'

const directory = mkdtempSync(join(tmpdir(), 'watchpost-migrations-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** As a later release could have them. */
const LATER = [
  ...STEPS,
  "ALTER TABLE monitors ADD COLUMN owner TEXT NOT NULL DEFAULT 'nobody'",
  'CREATE TABLE later (id INTEGER)',
]
const KNOWN = STEPS.length
const VERSION = LATER.length

async function fileWithMonitor(name: string): Promise<string> {
  const file = join(directory, name)
  const store = sqliteStore({ file })
  await store.open()
  await firstAccount(store)
  await store.monitors.create(monitor())
  await store.close()
  return file
}

async function opened(file: string): Promise<Connection> {
  const driver = await loadDriver()
  const connection = connect(driver.open(file))
  onTestFinished(() => connection.close())
  for (const pragma of driver.pragmas) connection.exec(`PRAGMA ${pragma}`)
  return connection
}

const versionOf = (db: Connection) => db.get('PRAGMA user_version')?.['user_version']

it('a file of an older version gets the steps that it lacks, and keeps its rows', async () => {
  const db = await opened(await fileWithMonitor('older.db'))
  expect(versionOf(db)).toBe(KNOWN)
  migrate(db, LATER)
  expect(versionOf(db)).toBe(VERSION)
  expect(db.all('SELECT id, owner FROM monitors')).toEqual([{ id: 1, owner: 'nobody' }])
  migrate(db, LATER)
  expect(versionOf(db)).toBe(VERSION)
})

it('a new file gets all steps', async () => {
  const db = await opened(join(directory, 'new.db'))
  migrate(db, LATER)
  expect(versionOf(db)).toBe(VERSION)
  expect(db.all('SELECT owner FROM monitors')).toEqual([])
})

it('a step that is interrupted leaves nothing, and is executed by the next start', async () => {
  const db = await opened(await fileWithMonitor('interrupted.db'))
  const later = LATER.slice(KNOWN).join(';')
  const interrupted = [...STEPS, `${later}; INSERT INTO nowhere VALUES (1)`]
  expect(() => migrate(db, interrupted)).toThrow(/nowhere/)
  expect(versionOf(db)).toBe(KNOWN)
  expect(db.get('SELECT * FROM monitors')).not.toHaveProperty('owner')
  migrate(db, LATER)
  expect(db.all('SELECT id, owner FROM monitors')).toEqual([{ id: 1, owner: 'nobody' }])
})

it('a step that another process executes meanwhile is not executed again', async () => {
  const db = await opened(await fileWithMonitor('beside.db'))
  let transactions = 0
  const late: Connection = {
    ...db,
    transaction(work) {
      if (++transactions === 1) migrate(db, LATER)
      return db.transaction(work)
    },
  }
  migrate(late, LATER)
  expect(transactions).toBe(2)
  expect(versionOf(db)).toBe(VERSION)
})

it('a guest refuses a file of an older version, and leaves it as it is', async () => {
  const db = await opened(await fileWithMonitor('guest.db'))
  expect(() => checkMigrated(db, LATER)).toThrow(/older version/)
  expect(versionOf(db)).toBe(KNOWN)
  migrate(db, LATER)
  checkMigrated(db, LATER)
})

const newerThan = (known: number) =>
  new RegExp(`newer version \\(tables ${VERSION}, known up to ${known}\\)`)

it('a file of a newer version is refused, also by a guest', async () => {
  const db = await opened(await fileWithMonitor('newer.db'))
  migrate(db, LATER)
  expect(() => migrate(db, LATER.slice(0, -1))).toThrow(newerThan(VERSION - 1))
  expect(() => checkMigrated(db)).toThrow(newerThan(KNOWN))
})

it('a file of the first version opens, and hours are counted in it from then on', async () => {
  const file = await fileWithMonitor('first.db')
  const driver = await loadDriver()
  const db = connect(driver.open(file))
  for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
  db.exec('DROP TABLE hourly; ALTER TABLE contacts DROP COLUMN version; PRAGMA user_version = 1')
  db.close()
  const store = sqliteStore({ file })
  await store.open()
  const [made] = await store.monitors.list({ account_id: 1, limit: 9 })
  expect(await store.hourly.list(made!.id, 0, hour().hour + 1)).toEqual([])
  await commitOne(store, on(made!, { results: [result()], hourly: [hour()] }))
  expect(await store.hourly.list(made!.id, 0, hour().hour + 1)).toHaveLength(1)
  await store.close()
})

it('a contact of a file of the second version has version 1, and is changed from there', async () => {
  const file = await fileWithMonitor('second.db')
  const driver = await loadDriver()
  const db = connect(driver.open(file))
  for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
  db.exec('ALTER TABLE contacts DROP COLUMN version; PRAGMA user_version = 2')
  const { account_id, kind, name } = contact()
  db.run(
    `INSERT INTO contacts (account_id, kind, name, all_monitors, group_window_sec, events, settings, created_at,
      updated_at) VALUES (?, ?, ?, 0, 0, '[]', '{}', 0, 0)`,
    [account_id, kind, name],
  )
  db.close()
  const store = sqliteStore({ file })
  await store.open()
  const [old] = await store.contacts.list(1)
  expect(old?.version).toBe(1)
  expect((await store.contacts.update(old!.id, 1, { name: 'Night' }))?.version).toBe(2)
  await store.close()
})
