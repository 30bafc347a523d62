/** Export and import of an account, between the stores. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import type { ImportOptions } from '../../src/engine/api/transfer.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { FullStore } from '../../src/store/store.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import type { PostgresServer } from '../support/servers/postgres.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const KEY = Buffer.alloc(32, 7)
const OTHER_KEY = Buffer.alloc(32, 8)
const SECRET = 'hunter2-in-the-store'
/** More results than one transaction of an import takes: an interrupted one has stored some of them. */
const LONG_MS = 45_000_000

async function started(store: FullStore = memoryStore(), given?: Rig): Promise<Rig> {
  const made = await rig(
    { checkers: [heartbeat()] },
    { store, ...(given === undefined ? {} : { clock: given.clock }) },
  )
  onTestFinished(() => made.engine.stop())
  return made
}

function fileStore(): FullStore {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-transfer-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return sqliteStore({ file: join(folder, 'data.db') })
}

/** Contacts, parents, a pause, a maintenance window, a secret, a heartbeat; one of them fails. */
async function furnished(store?: FullStore, span_ms = 10_800_000): Promise<Rig> {
  const made = await started(store)
  const { engine, clock, say } = made
  const create = (input: object) => engine.monitors.create(input as never)
  const contact = (input: object) => engine.contacts.create({ kind: 'recorder', ...input } as never)
  await contact({ name: 'gone', to: 'gone' }).then(({ id }) => engine.contacts.remove(id))
  const ops = await contact({ name: 'ops', to: 'ops', all_monitors: true })
  const night = await contact({ name: 'night', to: 'night', group_window_sec: 0 })
  const plain = { type: 'scripted', interval_sec: 600, fail_threshold: 1 }
  await create({ ...plain, host: 'gone.test' }).then(({ id }) => engine.monitors.remove(id))
  const router = await create({ ...plain, host: 'router.test', tags: ['net', 'key:router'] })
  const web = await create({
    ...plain,
    host: 'web.test',
    secret: SECRET,
    contact_ids: [night.id, ops.id],
    contact_delay: { [night.id]: 5 },
    depends_on: [router.id],
    maintenance: [{ at: '03:00', duration_min: 10, time_zone: 'Europe/Berlin' }],
    metadata: { plan: 'gold' },
  })
  const plan = (input: object) => engine.maintenance.create(input as never)
  const nightly = { at: '23:00', duration_min: 30, time_zone: 'Europe/Berlin' }
  await plan({ name: 'Racks', window: nightly, monitor_ids: [web.id, router.id] })
  await plan({ name: 'Racks', window: nightly, monitor_ids: [router.id, web.id] })
  const sunday = { cron: '0 5 * * 0', duration_min: 60 }
  await plan({ name: 'Network', window: sunday, tags: ['net'] })
  const idle = await create({ ...plain, host: 'idle.test' })
  await engine.monitors.pause(idle.id)
  await create({ type: 'heartbeat', name: 'Nightly' })
  say('web.test', 'fail')
  await clock.advance(1_300_000)
  say('web.test', 'ok')
  await clock.advance(span_ms)
  await engine.monitors.check(web.id)
  return made
}

async function exported(engine: Engine, options?: Parameters<Engine['export']>[0]) {
  const lines: string[] = []
  for await (const line of engine.export(options)) lines.push(line)
  return lines
}

const importing = (engine: Engine, lines: readonly string[], options?: ImportOptions) =>
  engine.import(() => lines, options)

/** Whole when it is validated; while it is stored, its reading fails after so many lines. */
function failing(lines: readonly string[], after: number): () => Iterable<string> {
  let reads = 0
  return function* () {
    reads++
    for (const [index, line] of lines.entries()) {
      if (reads > 1 && index === after) throw new Error('the disk is gone')
      yield line
    }
  }
}

/** What a user sees of an account, without ids. */
async function seen({ engine }: Rig) {
  const contacts = await engine.contacts.list()
  const { items } = await engine.monitors.list({ limit: 200 })
  const nameOf = new Map<number, string>([...items.map(({ id, name }) => [id, name] as const)])
  const contactName = new Map(contacts.map(({ id, name }) => [id, name]))
  const monitors = []
  for (const { id } of items) {
    const view = (await engine.monitors.get(id)) as unknown as Record<string, unknown>
    const { depends_on, contact_ids, contact_delay, ...rest } = view as never as {
      depends_on: number[]
      contact_ids: number[]
      contact_delay: Record<string, number>
    } & Record<string, unknown>
    const kept = [
      'type',
      'name',
      'target',
      'tags',
      'interval_sec',
      'maintenance',
      'metadata',
      'secret',
      'created_at',
    ]
    const { items: results } = await engine.results.list(id, { limit: 1000 })
    const { days } = await engine.monitors.uptime(id, { days: 5 })
    monitors.push({
      ...Object.fromEntries(kept.map((name) => [name, rest[name]])),
      paused: rest['state'] === 'paused',
      depends_on: depends_on.map((one) => nameOf.get(one)),
      contacts: contact_ids.map((one) => contactName.get(one)),
      delays: Object.entries(contact_delay).map(([one, minutes]) => [
        contactName.get(Number(one)),
        minutes,
      ]),
      results: results.map(({ id: _, monitor_id: _m, ...result }) => result),
      days: days.slice(0, -1),
    })
  }
  const { items: incidents } = await engine.incidents.list({ limit: 100 })
  const { items: windows } = await engine.maintenance.list()
  return {
    windows: windows.map(({ id: _, monitor_ids, updated_at: _u, ...window }) => ({
      ...window,
      monitors: monitor_ids.map((one) => nameOf.get(one)),
    })),
    contacts: contacts.map(({ name, all_monitors }) => ({ name, all_monitors })),
    monitors,
    incidents: incidents.map(({ started_at, ended_at, cause_code, monitor }) => ({
      started_at,
      ended_at,
      cause_code,
      name: monitor.name,
    })),
  }
}

const stores = [
  // Over the end of a day.
  ['memory', 'SQLite', () => memoryStore(), fileStore, 90_000_000],
  ['SQLite', 'memory', fileStore, () => memoryStore(), 10_800_000],
] as const

describe.each(stores)('an account from %s to %s', (_from, _to, from, to, span_ms) => {
  it('is the same afterwards, with its history, its secrets and its addresses', async () => {
    const source = await furnished(from(), span_ms)
    const lines = await exported(source.engine, { history: true, key: KEY, tokens: true })
    expect(lines.join('')).not.toContain(SECRET)
    const before = await seen(source)
    const [ping] = (await source.engine.monitors.list({ type: ['heartbeat'] })).items
    const { ping_url } = (await source.engine.monitors.get(ping!.id)) as { ping_url?: string }
    await source.engine.stop()

    const target = await started(to(), source)
    const dry = await importing(target.engine, lines, { key: KEY, dryRun: true })
    expect((await target.engine.monitors.list()).items).toEqual([])
    const done = await importing(target.engine, lines, { key: KEY })
    expect(done).toEqual(dry)
    expect(done).toMatchObject({
      monitors: 4,
      contacts: 2,
      maintenance: 3,
      incidents: 1,
      new_tokens: 0,
      without_secrets: 0,
    })
    expect(done.results).toBeGreaterThan(30)
    expect(await seen(target)).toEqual(before)
    const [here] = (await target.engine.monitors.list({ type: ['heartbeat'] })).items
    expect(await target.engine.monitors.get(here!.id)).toMatchObject({ ping_url })

    // It is watched, and the secret is the one that was stored.
    target.checks.length = 0
    await target.clock.advance(1_200_000)
    expect(new Set(target.checks)).toEqual(new Set(['router.test@local', 'web.test@local']))
    const again = await exported(target.engine, { key: KEY })
    expect(again.filter((line) => line.startsWith('{"monitor"')).join('')).toContain('sealed:1:')
    await expect(importing(target.engine, lines, { key: KEY })).rejects.toMatchObject({
      code: 'account_not_empty',
    })
  })
})

describeWithServer(postgresServer, 'an account from SQLite to PostgreSQL to memory', () => {
  let server: PostgresServer
  beforeAll(async () => void (server = await startPostgres()))
  afterAll(() => server.stop())

  it('is the same at each place, also where the import was interrupted', async () => {
    const everything = { history: true, key: KEY, tokens: true } as const
    const source = await furnished(fileStore(), LONG_MS)
    const lines = await exported(source.engine, everything)
    const before = await seen(source)
    const url = `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`
    const opened = () => started(postgresStore({ url, schema: 'transfer' }), source)
    let middle = await opened()
    for (const after of [6, 0.5 * lines.length, 0.9 * lines.length]) {
      const broken = middle.engine.import(failing(lines, Math.ceil(after)), { key: KEY })
      await expect(broken).rejects.toThrow('the disk is gone')
      await middle.engine.stop()
      middle = await opened()
    }
    const done = await importing(middle.engine, lines, { key: KEY })
    expect(done).toMatchObject({
      monitors: 4,
      contacts: 0,
      maintenance: 0,
      incidents: 1,
      new_tokens: 0,
    })
    expect(await seen(middle)).toEqual(before)

    const again = await exported(middle.engine, everything)
    const target = await started(memoryStore(), source)
    await importing(target.engine, again, { key: KEY })
    expect(await seen(target)).toEqual(before)
  })
})

describe('an export without a key', () => {
  it('leaves secrets out: their monitors stay paused, and their contacts must be there', async () => {
    const source = await furnished()
    const lines = await exported(source.engine)
    expect(lines.join('')).not.toContain(SECRET)
    expect(JSON.parse(lines[0]!)).toMatchObject({ export: { secrets: 'left_out', history: false } })
    const target = await started()
    const done = await importing(target.engine, lines)
    expect(done).toMatchObject({
      results: 0,
      new_tokens: 1,
      without_secrets: 1,
      missing_secrets: [{ name: 'web.test', fields: ['secret'] }],
    })
    const [web] = (await target.engine.monitors.list({ q: 'web' })).items
    expect(web).toMatchObject({ state: 'paused', tags: [] })
    await expect(target.engine.monitors.update(web!.id, { name: 'x' })).rejects.toThrow(
      'secret: required',
    )
    await target.engine.monitors.update(web!.id, { secret: 'new' })

    await source.engine.contacts.create({
      kind: 'recorder',
      name: 'sealed',
      to: 'x',
      secret: SECRET,
    })
    const withContact = await exported(source.engine)
    const other = await started()
    await expect(importing(other.engine, withContact)).rejects.toThrow('create it first')
    await other.engine.contacts.create({
      kind: 'recorder',
      name: 'sealed',
      to: 'kept',
      secret: 'own',
    })
    expect(await importing(other.engine, withContact)).toMatchObject({ contacts: 2 })
    expect((await other.engine.contacts.list()).map(({ name }) => name)).toEqual([
      'sealed',
      'ops',
      'night',
    ])
  })
})

describe('an import', () => {
  it('tells each mistake with the number of its line, never a secret, and stores nothing', async () => {
    const source = await furnished()
    const lines = await exported(source.engine, { history: true, key: KEY })
    const target = await started()
    const at = (start: string) => lines.findIndex((line) => line.startsWith(start))
    const changed = (start: string, from: RegExp | string, into: string) =>
      lines.with(at(start), lines[at(start)]!.replace(from, into))
    const cases: [readonly string[], string, ImportOptions?][] = [
      [[], 'line 1: required'],
      [lines.slice(1), 'line 1: invalid: an export begins'],
      [lines.slice(0, -1), 'was cut off'],
      [lines.toSpliced(-3, 1), `the export had ${lines.length} lines`],
      [lines.toSpliced(3, 0, '{"pass":"hidden\n'), 'line 4: invalid: it is no JSON'],
      [lines.toSpliced(3, 0, `{"x":"${'y'.repeat(2 ** 20)}"}\n`), 'line 4: out_of_range'],
      [
        changed('{"export"', '"format":1', '"format":2'),
        'line 1: invalid: it was written in another format',
      ],
      [
        changed('{"monitor"', '"interval_sec":600', '"interval_sec":1'),
        'interval_sec: out_of_range',
      ],
      [changed('{"monitor"', /"type":"\w+"/, '"type":"strange"'), 'no checks of this type'],
      [changed('{"result"', /"monitor":\d+/, '"monitor":99'), 'there is no monitor 99'],
      [changed('{"location"', '"local"', '"mars"'), 'no location "mars" here'],
      [lines.toSpliced(at('{"contact"'), 0, lines[at('{"monitor"')]!), 'stands earlier'],
      [lines, 'give the key of the export', {}],
      [lines, 'opens with another key', { key: OTHER_KEY }],
      // Whoever cannot read the secret may not decide where it is sent.
      [lines.map((line) => line.replace('web.test', 'evil.test')), 'changed since the export'],
      [lines.map((line) => line.replace(/,"proof":"[^"]+"/, '')), 'changed since the export'],
      [changed('{"monitor"', '"depends_on":[]', '"depends_on":[3]'), 'depends on itself'],
      [changed('{"maintenance"', /"monitor_ids":\[\d+/, '"monitor_ids":[99'), 'no monitor 99'],
      [changed('{"maintenance"', '"duration_min":30', '"duration_min":0'), 'window: out_of_range'],
    ]
    for (const [file, problem, options] of cases) {
      const refused = importing(target.engine, file, options ?? { key: KEY })
      await expect(refused, problem).rejects.toThrow(problem)
      await expect(importing(target.engine, file, options ?? { key: KEY })).rejects.not.toThrow(
        'hidden',
      )
    }
    expect((await target.engine.monitors.list()).items).toEqual([])
    expect(await target.engine.contacts.list()).toEqual([])
  })

  it('goes on where it was interrupted, wherever that was, and stores nothing twice', async () => {
    const source = await furnished(undefined, LONG_MS)
    const lines = await exported(source.engine, { history: true, key: KEY })
    const before = await seen(source)
    const whole = fileStore()
    let target = await started(whole, source)
    for (let after = 4; after < lines.length; after += Math.ceil(lines.length / 6)) {
      await expect(target.engine.import(failing(lines, after), { key: KEY })).rejects.toThrow(
        'gone',
      )
      // Nothing is checked before all of it is there.
      const { items } = await target.engine.monitors.list()
      expect(items.every(({ state }) => state === 'paused')).toBe(true)
      await target.engine.stop()
      target = await started(whole, target)
    }
    await expect(importing(target.engine, await exported(source.engine))).rejects.toMatchObject({
      code: 'account_not_empty',
    })
    await importing(target.engine, lines, { key: KEY })
    expect(await seen(target)).toEqual(before)
  })

  it('keeps to the quotas of the account, and to one at a time', async () => {
    const source = await furnished()
    const lines = await exported(source.engine)
    const target = await started()
    const { id } = await target.engine.accounts.create({ name: 'small', quotas: { monitors: 3 } })
    const account = target.engine.account(id)
    await expect(account.import(() => lines)).rejects.toMatchObject({ code: 'quota' })
    await target.engine.accounts.update(id, { quotas: { checks_per_min: 0.05 } })
    await expect(account.import(() => lines)).rejects.toMatchObject({ code: 'quota' })
    await target.engine.accounts.update(id, { quotas: { maintenance_windows: 2 } })
    await expect(account.import(() => lines)).rejects.toThrow('2 maintenance windows')
    await target.engine.accounts.update(id, { quotas: {} })
    // A window that the account has already stays alone.
    const [network] = (await source.engine.maintenance.list()).items.slice(-1)
    await account.maintenance.create(network!)
    const first = account.import(() => lines)
    await expect(account.import(() => lines)).rejects.toMatchObject({ code: 'import_running' })
    await first
    expect((await account.monitors.list()).items).toHaveLength(4)
    const { items } = await account.maintenance.list()
    expect(items.map(({ name }) => name)).toEqual(['Network', 'Racks', 'Racks'])
    expect((await target.engine.monitors.list()).items).toHaveLength(0)
  })
})
