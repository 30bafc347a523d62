/** Export and import of an account, between the stores. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ImportOptions } from '../../src/engine/api/transfer.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import type { PostgresServer } from '../support/servers/postgres.ts'
import {
  exported,
  failing,
  fileStore,
  furnished,
  importing,
  KEY,
  opens,
  PASSWORD,
  published,
  SECRET,
  seen,
  started,
} from './transfer-rig.ts'

const OTHER_KEY = Buffer.alloc(32, 8)
/** More results than one transaction of an import takes: an interrupted one has stored some of them. */
const LONG_MS = 45_000_000

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
      public_pages: 2,
      locked_pages: [],
      status_reports: 2,
      incidents: 1,
      new_tokens: 0,
      without_secrets: 0,
    })
    expect(done.results).toBeGreaterThan(30)
    expect(await seen(target)).toEqual(before)
    const [here] = (await target.engine.monitors.list({ type: ['heartbeat'] })).items
    expect(await target.engine.monitors.get(here!.id)).toMatchObject({ ping_url })
    expect(await opens(target, 'shop', PASSWORD)).toBe(true)
    expect(await opens(target, 'shop', 'wrong password')).toBe(false)
    const { items: audit } = await target.engine.auditLog.list({ limit: 200 })
    const made = audit.flatMap(({ resource, resource_name }) =>
      resource === 'public_page' || resource === 'status_report' ? [resource_name] : [],
    )
    expect(made.toSorted()).toEqual(['First', 'Open', 'Second', 'Shop'])

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
      public_pages: 0,
      status_reports: 0,
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
      [changed('{"monitor"', /"type":"\w+"/, '"type":"strange"'), 'there is no type "strange"'],
      [changed('{"result"', /"monitor":\d+/, '"monitor":99'), 'there is no monitor 99'],
      [changed('{"location"', '"local"', '"mars"'), 'no location "mars" here'],
      [lines.toSpliced(at('{"contact"'), 0, lines[at('{"monitor"')]!), 'appears earlier'],
      [lines, 'give the key of the export', {}],
      [lines, 'opens with another key', { key: OTHER_KEY }],
      // Whoever cannot read the secret may not decide where it is sent.
      [lines.map((line) => line.replace('web.test', 'evil.test')), 'changed since the export'],
      [lines.map((line) => line.replace(/,"proof":"[^"]+"/, '')), 'changed since the export'],
      [changed('{"monitor"', '"depends_on":[]', '"depends_on":[3]'), 'depends on itself'],
      [changed('{"maintenance"', /"monitor_ids":\[\d+/, '"monitor_ids":[99'), 'no monitor 99'],
      [
        changed('{"public_page"', /"id":\d+,"name":"Site"/, '"id":99,"name":"Site"'),
        'no monitor 99',
      ],
      [changed('{"public_page"', '"slug":"shop"', '"slug":"open"'), 'two pages would have this'],
      [changed('{"public_page"', '"slug":"shop"', '"slug":"a b"'), 'slug: invalid: letters'],
      [changed('{"public_page"', '"css":"', '"css":"@import x;'), 'css: invalid'],
      [changed('{"public_page"', '"settings":{', '"settings":{"password":"x",'), 'unknown_field'],
      [changed('{"public_page"', /"sealed[^"]+"/, '"scrypt$a$b"'), 'what an export wrote'],
      [changed('{"status_report"', /"page_ids":\[\d+/, '"page_ids":[99'), 'no public page 99'],
      [changed('{"status_report"', /"monitor_ids":\[\d+/, '"monitor_ids":[99'), 'no monitor 99'],
      [changed('{"status_report"', '"investigating"', '"over"'), 'status: invalid'],
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
    expect((await target.engine.publicPages.list()).items).toEqual([])
  })

  it('opens no page whose password is left out, and takes no address from another account', async () => {
    const source = await furnished()
    const lines = await exported(source.engine)
    const target = await started()
    const { id } = await target.engine.accounts.create({ name: 'other' })
    const other = target.engine.account(id)
    await other.publicPages.create({ title: 'Theirs', slug: 'shop' })
    await expect(importing(target.engine, lines)).rejects.toThrow('another account has a page')
    await target.engine.publicPages.create({ title: 'Mine', slug: 'open' })
    const slugs = { shop: 'store' }
    expect(await importing(target.engine, lines, { slugs })).toMatchObject({
      public_pages: 1,
      locked_pages: ['store'],
      status_reports: 2,
    })
    const { pages, reports } = await published(target.engine)
    expect(pages.map(({ slug, title, password }) => [slug, title, password])).toEqual([
      ['open', 'Mine', null],
      ['store', 'Shop', '***'],
    ])
    expect(reports.map((report) => report.pages)).toEqual([
      ['store', 'open'],
      ['store', 'open'],
    ])
    for (const password of [PASSWORD, 'none', ''])
      expect(await opens(target, 'store', password)).toBe(false)
    const store = (await target.engine.publicPages.list()).items.at(-1)!
    await target.engine.publicPages.update(store.id, { password: 'a new password' })
    expect(await opens(target, 'store', 'a new password')).toBe(true)
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
    for (const [quota, most] of [
      ['public_pages', 1],
      ['status_reports', 1],
    ] as const) {
      await target.engine.accounts.update(id, { quotas: { [quota]: most } })
      await expect(account.import(() => lines)).rejects.toMatchObject({ code: 'quota' })
    }
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
