import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'tsup'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WASM_AS_IT_COMES } from '../../scripts/steps.mjs'
import { UnreadableError } from '../../src/errors.ts'
import type { FullStore } from '../../src/store/store.ts'
import { connect } from '../../src/store/sqlite/connection.ts'
import type { Connection } from '../../src/store/sqlite/connection.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import type { SqliteDriverName } from '../../src/store/sqlite/drivers.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import {
  claim,
  firstAccount,
  monitor,
  queue,
  result,
  stored,
} from '../../src/testing/store-suite/case.ts'

const builtin: unknown = process.getBuiltinModule('node:sqlite' as 'node:fs')
const hasNative = builtin !== undefined
const DRIVERS: readonly SqliteDriverName[] = hasNative ? ['native', 'wasm'] : ['wasm']

const directory = mkdtempSync(join(tmpdir(), 'watchpost-faults-'))
// Beside the packages that the programs load.
const programs = join(
  import.meta.dirname,
  '../../node_modules/.cache/watchpost-store',
  `${process.pid}`,
)
const children: ChildProcess[] = []
let files = 0

beforeAll(async () => {
  const entry = ['commit-forever', 'full-disk'].map((name) =>
    join(import.meta.dirname, 'children', `${name}.ts`),
  )
  await build({
    entry,
    outDir: programs,
    format: 'esm',
    target: 'es2023',
    config: false,
    silent: true,
  })
})

afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
  rmSync(programs, { recursive: true, force: true })
})

/** A process that is killed on a busy machine commits for a while longer. */
const MANY = 100_000

function newFile(): string {
  return join(directory, `${++files}.db`)
}

function program(name: string): string {
  const path = join(programs, `${name}.js`)
  return existsSync(path) ? path : join(programs, `${name}.mjs`)
}

/** Starts to commit in another process; the lines are the groups acknowledged. */
function startCommitting(file: string, driver: SqliteDriverName, first = 0) {
  const args = [WASM_AS_IT_COMES, program('commit-forever'), file, driver, String(first)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return { child, lines: createInterface({ input: child.stdout }) }
}

/** Reads acknowledgements until there are `count`, kills, and reads what was still on its way. */
async function killAfter(count: number, { child, lines }: ReturnType<typeof startCommitting>) {
  const groups: number[] = []
  const exit = once(child, 'exit')
  for await (const line of lines) {
    groups.push(Number(line))
    if (groups.length === count) child.kill('SIGKILL')
  }
  await exit
  return groups
}

/** Work on a file that is new. */
async function begun<T>(store: FullStore, use: (store: FullStore) => Promise<T>): Promise<T> {
  return opened(store, async () => {
    await firstAccount(store)
    return use(store)
  })
}

async function opened<T>(store: FullStore, use: (store: FullStore) => Promise<T>): Promise<T> {
  await store.open()
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

/** Works on the file below the store. */
async function raw<T>(file: string, use: (connection: Connection) => T): Promise<T> {
  const driver = await loadDriver()
  const connection = connect(driver.open(file))
  try {
    for (const pragma of driver.pragmas) connection.exec(`PRAGMA ${pragma}`)
    return use(connection)
  } finally {
    connection.close()
  }
}

/** Every group from `first` on is there for all monitors or for none, with its incident and its notification. */
async function checkGroups(store: FullStore, first: number, acknowledged: readonly number[]) {
  const monitors = await store.monitors.list({ account_id: 'all', limit: 99 })
  expect(monitors).toHaveLength(8)
  const found = new Set<string>()
  for (const { id } of monitors) {
    const since = { monitor_id: id, from: first, limit: 1e6 }
    const groups = (await store.results.list(since)).map(({ round }) => round)
    const incidents = await store.incidents.list({ account_id: 'all', ...since })
    const limit = incidents.length
    const told = await store.notifications.list({ account_id: 'all', monitor_id: id, limit })
    expect(groups).toEqual(expect.arrayContaining([...acknowledged]))
    expect(incidents.map(({ started_at }) => started_at)).toEqual(groups)
    expect(told.map(({ incident_id }) => incident_id)).toEqual(incidents.map(({ id }) => id))
    found.add(groups.join())
  }
  expect(found.size).toBe(1)
}

function integrity(file: string) {
  return raw(file, (db) => db.get('PRAGMA integrity_check')?.['integrity_check'])
}

describe.each(DRIVERS)('an SQLite file under kill -9, %s driver', (driver) => {
  test('keeps every acknowledged group whole and drops no part of one', async () => {
    const file = newFile()
    let kept = 0
    for (let kill = 0; kill < 20; kill++) {
      const first = kill * 100_000
      const acknowledged = await killAfter(
        1 + ((kill * 7) % 12),
        startCommitting(file, driver, first),
      )
      await opened(sqliteStore({ file, driver }), (store) =>
        checkGroups(store, first, acknowledged),
      )
      expect(await integrity(file)).toBe('ok')
      kept += acknowledged.length
    }
    expect(kept).toBeGreaterThanOrEqual(20)
  })

  test('lets what was under way be taken over at once', async () => {
    const file = newFile()
    await killAfter(60, startCommitting(file, driver))
    await opened(sqliteStore({ file, driver }), async (store) => {
      const sending = await store.notifications.list({
        account_id: 'all',
        statuses: ['sending'],
        limit: MANY,
      })
      expect(sending.length).toBeGreaterThan(0)
      // The leases ran further than this; the process that held them is dead.
      const claimed = await claim(store, { now: 1, limit: MANY, per_contact: MANY })
      const taken = claimed.filter(({ interruptions }) => interruptions === 1).map(({ id }) => id)
      expect(taken.toSorted()).toEqual(sending.map(({ id }) => id).toSorted())
    })
  })

  test('is refused to a second engine while the first lives, with a word on what to do', async () => {
    const file = newFile()
    const committing = startCommitting(file, driver)
    await once(committing.lines, 'line')
    await expect(sqliteStore({ file, driver }).open()).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining(`in use by process ${committing.child.pid}`) as string,
    })
    committing.child.kill('SIGKILL')
    await once(committing.child, 'exit')
    await opened(sqliteStore({ file, driver }), async (store) => {
      await expect(sqliteStore({ file, driver }).open()).rejects.toMatchObject({ code: 'storage' })
      expect(await store.monitors.list({ account_id: 'all', limit: 99 })).toHaveLength(8)
    })
  })

  // What a guest is told depends on the driver; each has the one of these two that is its own.
  const itsOwn = {
    native: driver === 'native' ? test : undefined,
    wasm: driver === 'wasm' ? test : undefined,
  }

  itsOwn.native?.('lets a guest in beside a running engine', async () => {
    const file = newFile()
    const committing = startCommitting(file, driver)
    await once(committing.lines, 'line')
    await opened(sqliteStore({ file, driver, guest: true }), async (guest) => {
      expect(guest.shared).toBe(true)
      const account = await guest.accounts.create({ name: 'new', created_at: 1 })
      expect(await guest.accounts.list()).toContainEqual(account)
    })
    const [line] = (await once(committing.lines, 'line')) as [string]
    expect(Number(line)).toBeGreaterThan(0)
    committing.child.kill('SIGKILL')
    await once(committing.child, 'exit')
  })

  itsOwn.wasm?.('tells a guest to stop the running engine first', async () => {
    const file = newFile()
    const committing = startCommitting(file, driver)
    await once(committing.lines, 'line')
    await expect(sqliteStore({ file, driver, guest: true }).open()).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringMatching(/Node >= 22\.13.*Stop that process first/) as string,
    })
    committing.child.kill('SIGKILL')
    await once(committing.child, 'exit')
  })

  test('lets a guest in where no engine runs', async () => {
    const file = newFile()
    await opened(sqliteStore({ file, driver, guest: true }), (guest) =>
      guest.accounts.create({ name: 'first', created_at: 1 }),
    )
    const accounts = await opened(sqliteStore({ file, driver }), (store) => store.accounts.list())
    expect(accounts.map(({ name }) => name)).toEqual(['first'])
  })
})

test('a file passes from driver to driver, also after a kill', async (context) => {
  if (!hasNative) context.skip('node:sqlite came with Node 22.13')
  const file = newFile()
  const acknowledged: number[] = []
  for (const [index, driver] of (['native', 'wasm', 'native'] as const).entries()) {
    const committing = startCommitting(file, driver, index * 1000)
    acknowledged.push(...(await killAfter(5, committing)))
  }
  const rounds = await opened(sqliteStore({ file, driver: 'wasm' }), async (store) => {
    const [first] = await store.monitors.list({ account_id: 'all', limit: 1 })
    return store.results.list({ monitor_id: first?.id ?? 0, limit: 1e6 })
  })
  expect(rounds.map(({ round }) => round)).toEqual(expect.arrayContaining(acknowledged))
  expect(await integrity(file)).toBe('ok')
})

describe('a damaged SQLite file', () => {
  test('with an unreadable outbox row still sends the others', async () => {
    const file = newFile()
    const [broken, good] = await begun(sqliteStore({ file }), async (store) => [
      await queue(store),
      await queue(store),
    ])
    await raw(file, (db) =>
      db.run("UPDATE notifications SET payload = '{\"event' WHERE id = ?", [broken.id]),
    )
    await opened(sqliteStore({ file }), async (store) => {
      expect((await claim(store)).map(({ id }) => id)).toEqual([good.id])
      expect(await stored(store, broken.id)).toMatchObject({
        status: 'failed',
        error: 'unreadable',
      })
    })
  })

  test('names the row that cannot be read', async () => {
    const file = newFile()
    const [broken, good] = await begun(sqliteStore({ file }), async (store) => [
      await store.monitors.create(monitor()),
      await store.monitors.create(monitor()),
    ])
    await raw(file, (db) => db.run("UPDATE monitors SET common = '{' WHERE id = ?", [broken.id]))
    await opened(sqliteStore({ file }), async (store) => {
      await expect(store.monitors.get(broken.id)).rejects.toMatchObject({
        code: 'storage',
        message: `Unreadable "common" in row ${broken.id}`,
      })
      expect(await store.monitors.get(good.id)).toEqual(good)
    })
  })

  test('says of a value that no row takes that other rows can be written', async () => {
    await begun(sqliteStore({ file: newFile() }), async (store) => {
      const { id: monitor_id, revision } = await store.monitors.create(monitor())
      const change = { monitor_id, revision, at: 0 }
      const results = [{ ...result(), round: null as never }]
      const refused = store.commit([{ ...change, results }])
      await expect(refused).rejects.toThrow(UnreadableError)
      await expect(refused).rejects.toThrow(/NOT NULL/)
      expect(await store.commit([change])).toMatchObject([{ ok: true }])
    })
  })

  test('that is no database is refused and left as it is', async () => {
    const file = newFile()
    writeFileSync(file, 'not a database, '.repeat(100))
    await expect(sqliteStore({ file }).open()).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('no SQLite database') as string,
    })
    expect(existsSync(`${file}.owner`)).toBe(false)
  })

  test('of another program, or of a newer version, is refused', async () => {
    const foreign = newFile()
    await raw(foreign, (db) => db.exec('CREATE TABLE notes (text)'))
    await expect(sqliteStore({ file: foreign }).open()).rejects.toThrow(/another program/)

    const newer = newFile()
    await opened(sqliteStore({ file: newer }), async () => undefined)
    await raw(newer, (db) => db.exec('PRAGMA user_version = 999'))
    await expect(sqliteStore({ file: newer }).open()).rejects.toThrow(/newer version/)
  })

  test('in a place that cannot be written is refused with the reason', async () => {
    const file = join(directory, 'file-in-the-way')
    writeFileSync(file, '')
    await expect(sqliteStore({ file: join(file, 'x.db') }).open()).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('x.db') as string,
    })
  })
})

describe.each(DRIVERS)('a full disk, %s driver', (driver) => {
  test('refuses commits, keeps what was acknowledged, and takes new ones once there is room', (context) => {
    const disk = join(directory, `disk-${driver}`)
    mkdirSync(disk)
    const mount = `mount -t tmpfs -o size=8m tmpfs '${disk}'`
    const rehearsal = spawnSync('unshare', ['-m', 'sh', '-c', mount], { encoding: 'utf8' })
    if (rehearsal.status !== 0) {
      context.skip(`a disk of our own needs root: ${rehearsal.error?.message ?? rehearsal.stderr}`)
    }
    const run = `${mount} && exec '${process.execPath}' ${WASM_AS_IT_COMES} '${program('full-disk')}' '${disk}' ${driver}`
    const ran = spawnSync('unshare', ['-m', 'sh', '-c', run], {
      encoding: 'utf8',
      timeout: 500_000,
    })
    expect(ran.stderr).toBe('')
    const report = JSON.parse(ran.stdout) as Record<string, number> & { message: string }
    expect(report).toMatchObject({ codes: Array.from({ length: 5 }, () => 'storage'), after: 20 })
    expect(report.message).toMatch(/the disk is full/)
    const { acknowledged = 0 } = report
    expect(acknowledged).toBeGreaterThan(0)
    expect(report).toMatchObject({
      readable_while_full: acknowledged,
      found: acknowledged + 20,
      found_after_restart: acknowledged + 20,
    })
  })
})
