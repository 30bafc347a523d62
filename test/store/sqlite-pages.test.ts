import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { connect } from '../../src/store/sqlite/connection.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { firstAccount, monitor, result } from '../../src/testing/store-suite/case.ts'

const directory = mkdtempSync(join(tmpdir(), 'watchpost-pages-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function pageBytes(file: string): Promise<unknown> {
  const driver = await loadDriver()
  const db = connect(driver.open(file))
  for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
  const row = db.get('PRAGMA page_size')
  db.close()
  return row?.['page_size']
}

/** Stores one result and reads it in a second life of the store. */
async function livedIn(file: string): Promise<number> {
  const store = sqliteStore({ file })
  await store.open()
  await firstAccount(store)
  const { id, revision } = await store.monitors.create(monitor({ account_id: 1 }))
  const [done] = await store.commit([{ monitor_id: id, revision, at: 0, results: [result()] }])
  expect(done?.ok).toBe(true)
  await store.close()
  const again = sqliteStore({ file })
  await again.open()
  const { length } = await again.results.list({ monitor_id: id, limit: 10 })
  await again.close()
  return length
}

describe('the pages of an SQLite file', () => {
  it('are small where it is new, since each that a round touches is written whole', async () => {
    const file = join(directory, 'new.db')
    expect(await livedIn(file)).toBe(1)
    expect(await pageBytes(file)).toBe(1024)
  })

  it('stay as they are in a file of an older version', async () => {
    const file = join(directory, 'old.db')
    const db = connect((await loadDriver()).open(file))
    for (const text of ['PRAGMA page_size = 4096', 'CREATE TABLE t (a)', 'DROP TABLE t'])
      db.exec(text)
    db.close()
    expect(await livedIn(file)).toBe(1)
    expect(await pageBytes(file)).toBe(4096)
  })
})
