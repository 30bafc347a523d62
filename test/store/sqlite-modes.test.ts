/** Who else may read what is stored: nobody. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { SqliteDriverName } from '../../src/store/sqlite/index.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

const builtin: unknown = process.getBuiltinModule('node:sqlite' as 'node:fs')
const drivers: readonly SqliteDriverName[] = builtin === undefined ? ['wasm'] : ['native', 'wasm']

const usual = process.umask(0o022)
afterEach(() => void process.umask(usual))

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'watchpost-modes-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

describe.each(drivers)('the %s driver', (driver) => {
  it.each([0o000, 0o022, 0o077])('with the umask %o', async (umask) => {
    const top = folder()
    process.umask(umask)
    const file = join(top, 'new', 'data', 'watchpost.db')
    const store = sqliteStore({ file, driver })
    await store.open()
    await store.meta.set('a', 'b')
    expect([modeOf(join(top, 'new')), modeOf(join(top, 'new', 'data'))]).toEqual(['700', '700'])
    const files = readdirSync(join(top, 'new', 'data'), { withFileTypes: true })
    expect(files.map(({ name }) => name)).toContain('watchpost.db-wal')
    for (const entry of files.filter((each) => each.isFile())) {
      expect([entry.name, modeOf(join(top, 'new', 'data', entry.name))]).toEqual([
        entry.name,
        '600',
      ])
    }
    await store.close()
  })
})

it('a folder that is there keeps its mode', async () => {
  const there = join(folder(), 'there')
  mkdirSync(there)
  chmodSync(there, 0o755)
  const store = sqliteStore({ file: join(there, 'watchpost.db') })
  await store.open()
  await store.close()
  expect(modeOf(there)).toBe('755')
})
