import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'

const directory = mkdtempSync(join(tmpdir(), 'watchpost-sqlite-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const builtin: unknown = process.getBuiltinModule('node:sqlite' as 'node:fs')
const native = builtin !== undefined
for (const driver of native ? (['native', 'wasm'] as const) : (['wasm'] as const)) {
  describe(`the store in an SQLite file, ${driver} driver`, () => {
    let files = 0
    const make = async () => {
      files++
      return sqliteStore({ file: join(directory, `${driver}-${files}.db`), driver })
    }
    const reopen = async () =>
      sqliteStore({ file: join(directory, `${driver}-${files}.db`), driver })
    for (const { name, run } of storeSuite(make, { reopen })) test(name, run)
  })
}
