/** The note beside an SQLite file that names its process, where something else stands in it. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite/index.ts'

function newFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'watchpost-owner-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'watchpost.db')
}

const note = { pid: process.pid, started: '1', host: hostname(), driver: 'native' }
const elsewhere = { ...note, host: 'another-host' }

const UNREADABLE: readonly (readonly [what: string, text: string])[] = [
  ['is empty', ''],
  ['is not JSON', '{"pid": 1'],
  ['is null', 'null'],
  ['is a number', '5'],
  ['is a list', '[]'],
  ['is an empty object', '{}'],
  ['has no process', JSON.stringify({ ...elsewhere, pid: undefined })],
  ['has a text for the process', JSON.stringify({ ...elsewhere, pid: '1' })],
  ['has no such process id', JSON.stringify({ ...note, pid: -1 })],
  ['has a host that is no text', JSON.stringify({ ...elsewhere, host: { name: 'another-host' } })],
  ['has no start', JSON.stringify({ ...elsewhere, started: null })],
  ['has no driver', JSON.stringify({ ...elsewhere, driver: undefined })],
  ['is longer than a note', JSON.stringify({ ...elsewhere, more: 'x'.repeat(10_000) })],
]

describe('the note of an SQLite file', () => {
  it.each(UNREADABLE)('that %s owns nothing and is replaced', async (_, text) => {
    const file = newFile()
    writeFileSync(`${file}.owner`, text)
    const store = sqliteStore({ file })
    await store.open()
    const own = JSON.parse(readFileSync(`${file}.owner`, 'utf8')) as object
    expect(own).toMatchObject({ pid: process.pid, host: hostname() })
    await store.close()
    expect(existsSync(`${file}.owner`)).toBe(false)
  })

  it('that a process on another host has written keeps others out, guests too', async () => {
    const file = newFile()
    writeFileSync(`${file}.owner`, JSON.stringify({ ...elsewhere, driver: 'wasm' }))
    for (const guest of [false, true]) {
      await expect(sqliteStore({ file, guest }).open()).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringContaining(`process ${process.pid} on another-host`) as string,
      })
    }
    expect(existsSync(`${file}.owner`)).toBe(true)
  })

  it('that is null does not keep a guest out', async () => {
    const file = newFile()
    writeFileSync(`${file}.owner`, 'null')
    const guest = sqliteStore({ file, guest: true })
    await guest.open()
    expect(await guest.accounts.list()).toEqual([])
    await guest.close()
  })
})
