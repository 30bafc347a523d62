/** The note beside an SQLite file that names its process, where something else stands in it. */
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { build } from 'tsup'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { restoreBackup } from '../../src/store/sqlite/restore.ts'

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

/** Threads stand for processes: they have one process id, which is alive. */
async function ownAtOnce(files: readonly string[], threads: number): Promise<readonly number[]> {
  const directory = mkdtempSync(join(tmpdir(), 'watchpost-owner-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  await build({
    entry: [join(import.meta.dirname, 'children/own-at-once.ts')],
    outDir: directory,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'es2023',
    config: false,
    silent: true,
  })
  const counts = new SharedArrayBuffer(files.length * 8)
  const workerData = { files, threads, counts }
  const workers = Array.from(
    { length: threads },
    () => new Worker(join(directory, 'own-at-once.mjs'), { workerData }),
  )
  await Promise.all(workers.map((worker) => once(worker, 'exit')))
  return [...new Int32Array(counts, files.length * 4)]
}

it.each([
  ['new', undefined],
  ['left by a process that ended', JSON.stringify({ ...note, pid: 2 ** 30 })],
])('of those who open a file at the same moment that is %s one owns it', async (_, left) => {
  const first = newFile()
  const files = Array.from({ length: 200 }, (_, index) => `${first}.${index}`)
  if (left !== undefined) for (const file of files) writeFileSync(`${file}.owner`, left)
  expect(new Set(await ownAtOnce(files, 2))).toEqual(new Set([1]))
})

describe('a data file behind a link', () => {
  function linked(): { readonly file: string; readonly link: string } {
    const [file, link] = [newFile(), newFile()]
    symlinkSync(file, link)
    return { file, link }
  }

  it('has one owner, whichever way it is opened', async () => {
    const { file, link } = linked()
    const store = sqliteStore({ file: link })
    await store.open()
    await expect(sqliteStore({ file }).open()).rejects.toThrow('is in use by process')
    await store.close()
    expect(readdirSync(dirname(link))).toEqual([basename(link)])
  })

  it('keeps its log beside the file, where every driver finds it, and restore', async () => {
    const { file, link } = linked()
    const store = sqliteStore({ file: link })
    await store.open()
    await store.meta.set('alive_at', '1')
    expect(readFileSync(`${file}-wal`).length).toBeGreaterThan(0)
    await expect(restoreBackup(link, newFile())).rejects.toThrow('a data file with a log')
    await store.close()
  })
})

const foreignNote = JSON.stringify(elsewhere)

it.each([
  ['owns the file', (note: string) => writeFileSync(note, foreignNote)],
  ['owned the file, and released it', rmSync],
])('writes are refused once another process %s', async (_, change) => {
  const file = newFile()
  const store = sqliteStore({ file })
  await store.open()
  await store.meta.set('alive_at', '1')
  change(`${file}.owner`)
  const changed = existsSync(`${file}.owner`)
  for (let twice = 0; twice < 2; twice++)
    await expect(store.meta.set('alive_at', '2')).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('was taken over by another process') as string,
    })
  await store.close()
  expect(existsSync(`${file}.owner`)).toBe(changed)
})

it('closing a store writes nothing to a file that another process took over', async () => {
  const file = newFile()
  const store = sqliteStore({ file })
  await store.open()
  await store.meta.set('alive_at', '1')
  writeFileSync(`${file}.owner`, foreignNote)
  const parts = () => [file, `${file}-wal`].map((part) => readFileSync(part))
  const before = parts()
  await store.close()
  expect(parts()).toEqual(before)
  await expect(store.meta.get('alive_at')).rejects.toMatchObject({ code: 'storage' })
  expect(readFileSync(`${file}.owner`, 'utf8')).toBe(foreignNote)
})

const hasNative = process.getBuiltinModule('node:sqlite') !== undefined

it.skipIf(!hasNative)('a guest waits for the tables of an engine that starts', async () => {
  const [file, other] = [newFile(), newFile()]
  const engine = sqliteStore({ file: other })
  await engine.open()
  writeFileSync(`${file}.owner`, readFileSync(`${other}.owner`))
  await engine.close()
  const guest = sqliteStore({ file, guest: true })
  const opened = guest.open()
  await new Promise((resolve) => setImmediate(resolve))
  rmSync(`${file}.owner`)
  const starting = sqliteStore({ file })
  await starting.open()
  await opened
  expect(await guest.accounts.list()).toEqual([])
  await guest.close()
  await starting.close()
})
