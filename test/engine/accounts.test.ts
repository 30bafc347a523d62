/** Accounts: an id that is no existing account opens no door, on every store. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { defineChecker } from '../../src/checkers/checker.ts'
import { requestServicesOf } from '../../src/engine/services/request-services.ts'
import { NotFoundError, ValidationError } from '../../src/errors.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { syncMonitors } from '../../src/monitors/sync.ts'
import { createPage } from '../../src/page/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { FullStore } from '../../src/store/store.ts'
import { rig } from './rig.ts'

const directory = mkdtempSync(join(tmpdir(), 'watchpost-accounts-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let files = 0
const STORES: Readonly<Record<string, () => FullStore>> = {
  memory: () => memoryStore(),
  SQLite: () => sqliteStore({ file: join(directory, `${++files}.db`) }),
}

const MONITOR = { type: 'scripted', name: 'Shop', host: 'shop.test' } as const
const NO_IDS: readonly unknown[] = [
  ...[undefined, null, 0, -1, 1.5, NaN, Infinity, 2 ** 53],
  ...['abc', '1', '', true, [1], {}],
]

describe.each(Object.entries(STORES))('an account id, on %s', (_name, make) => {
  it.each(NO_IDS.map((id) => [id]))('that is no id is refused at once: %j', async (id) => {
    const r = await rig({}, { store: make() })
    await r.engine.monitors.create(MONITOR)
    expect(() => r.engine.account(id as number)).toThrow(NotFoundError)
    await r.engine.stop()
  })

  it('of no account yields nothing and takes nothing, and whoever gets it inherits nothing', async () => {
    const r = await rig({}, { store: make() })
    await r.engine.monitors.create(MONITOR)
    const nobody = r.engine.account(3)
    const calls = [
      nobody.monitors.create(MONITOR),
      nobody.monitors.preview(MONITOR),
      nobody.monitors.test(MONITOR),
      nobody.monitors.list(),
      nobody.monitors.get(1),
      nobody.monitors.update(1, { name: 'x' }),
      nobody.monitors.remove(1),
      nobody.monitors.pause(1),
      nobody.monitors.resume(1),
      nobody.monitors.check(1),
      nobody.monitors.queueCheck(1),
      nobody.monitors.status(1),
      nobody.monitors.uptime(1),
      nobody.results.list(1),
      nobody.incidents.list(),
      nobody.incidents.get(1),
      nobody.incidents.acknowledge(1),
      nobody.contacts.create({ kind: 'recorder', name: 'Duty', to: 'duty' }),
      nobody.contacts.list(),
      nobody.contacts.get(1),
      nobody.contacts.update(1, {}),
      nobody.contacts.remove(1),
      nobody.contacts.test(1),
      nobody.notifications.list(),
      nobody.notifications.get(1),
      nobody.notifications.resend(1),
      nobody.keys.create(),
      nobody.keys.list(),
      nobody.keys.revoke(1),
      requestServicesOf(r.engine).idempotencyResponses.get(3, 'key'),
      requestServicesOf(r.engine).idempotencyResponses.put(3, 'key', {
        request_hash: 'h',
        status: 201,
        body: '{}',
      }),
    ]
    for (const [index, call] of (await Promise.allSettled(calls)).entries())
      expect(call, String(index)).toMatchObject({
        status: 'rejected',
        reason: { code: 'not_found', message: 'There is no such account' },
      })
    await r.engine.accounts.create({ name: 'two' })
    const { id } = await r.engine.accounts.create({ name: 'three' })
    expect(id).toBe(3)
    const heir = r.engine.account(3)
    expect((await heir.monitors.list()).items).toEqual([])
    expect(await heir.contacts.list()).toEqual([])
    expect(await heir.keys.list()).toEqual([])
    await r.engine.stop()
  })
})

describe('a public page or a list of monitors', () => {
  it('whose account got lost on the way is not that of the first account', async () => {
    const r = await rig()
    const lost = { account_id: undefined } as never as { account_id: number }
    const page = { slug: 'p', title: 'P', monitors: [], ...lost }
    expect(() => createPage(r.engine, { public: [page] })).toThrow(/account_id/)
    const known = { slug: 'p', title: 'P', monitors: [], account_id: 1 }
    expect(() => createPage(r.engine, { public: [known] })).not.toThrow()
    await expect(syncMonitors(r.engine, [], lost)).rejects.toThrow(NotFoundError)
    await expect(syncMonitors(r.engine, [], { account_id: 3 })).rejects.toThrow(NotFoundError)
    await expect(createMetrics(r.engine).text(lost)).rejects.toThrow(NotFoundError)
    await expect(createMetrics(r.engine).text({ account_id: 3 })).rejects.toThrow(NotFoundError)
    await r.engine.stop()
  })
})

const REFUSED = { code: 'quota' }
const contactOf = (name: string) => ({ kind: 'recorder', name, to: name })

describe.each(Object.entries(STORES))('an account as a host needs it, on %s', (_name, make) => {
  it('is made once by its external id, found by it, and changed', async () => {
    const r = await rig({}, { store: make() })
    const { accounts } = r.engine
    const wanted = { name: ' Ann ', external_id: 'crm-7', quotas: { monitors: 2 } }
    const [ann, again] = await Promise.all([accounts.create(wanted), accounts.create(wanted)])
    expect(again).toEqual(ann)
    expect(ann).toMatchObject({ name: 'Ann', external_id: 'crm-7', quotas: { monitors: 2 } })
    expect(await accounts.find({ external_id: 'crm-7' })).toEqual(ann)
    expect(await accounts.find({ external_id: 'crm-8' })).toBeUndefined()
    expect(await accounts.find({ external_id: undefined as never })).toBeUndefined()
    const other = await accounts.create({ name: 'Bob' })
    await expect(accounts.update(other.id, { external_id: 'crm-7' })).rejects.toMatchObject({
      code: 'external_id_taken',
    })
    const changed = await accounts.update(ann.id, { name: 'Anna', quotas: {} })
    expect(changed).toEqual({ ...ann, name: 'Anna', quotas: {} })
    expect(await accounts.get(ann.id)).toEqual(changed)
    await expect(accounts.update(99, { name: 'x' })).rejects.toThrow(NotFoundError)
    await expect(accounts.get(0)).rejects.toThrow(NotFoundError)
    await r.engine.stop()
  })

  it.each([
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: 'a', external_id: '' }, 'external_id'],
    [{ name: 'a', external_id: 7 }, 'external_id'],
    [{ name: 'a', external_id: 'x'.repeat(201) }, 'external_id'],
    [{ name: 'a', external_id: 'crm-7\0' }, 'external_id'],
    [{ name: 'a', external_id: 'crm\n7' }, 'external_id'],
    [{ name: 'a', external_id: '\ud800' }, 'external_id'],
    [{ name: 'a\u001b[2J' }, 'name'],
    [{ name: 'a', nmae: 'b' }, 'nmae'],
    [{ name: 'a', quotas: 7 }, 'quotas'],
    [{ name: 'a', quotas: { monitors: -1 } }, 'quotas.monitors'],
    [{ name: 'a', quotas: { monitors: 1.5 } }, 'quotas.monitors'],
    [{ name: 'a', quotas: { min_interval_sec: 0 } }, 'quotas.min_interval_sec'],
    [{ name: 'a', quotas: { checks_per_min: NaN } }, 'quotas.checks_per_min'],
    [{ name: 'a', quotas: { checks: 1 } }, 'quotas.checks'],
  ])('is refused by the name of the field: %j', async (input, field) => {
    const r = await rig({}, { store: make() })
    const refused = await r.engine.accounts.create(input as never).catch((error: unknown) => error)
    expect(Object.keys((refused as { fields: object }).fields)).toEqual([field])
    expect(await r.engine.accounts.list()).toHaveLength(1)
    await r.engine.stop()
  })

  it('of another one is found by no external id that a store would shorten or change to its own', async () => {
    const r = await rig({}, { store: make() })
    const { accounts } = r.engine
    for (const external_id of ['crm-7', '\ufffd']) await accounts.create({ name: 'A', external_id })
    for (const external_id of ['crm-7\0', 'crm-7\0of another', '\ud800', '\udfff']) {
      expect(await accounts.find({ external_id })).toBeUndefined()
      await expect(accounts.create({ name: 'B', external_id })).rejects.toThrow(ValidationError)
    }
    // Names of JavaScript, another case, another form of the same letter, a space: each is another one.
    const others = ['__proto__', 'constructor', 'CRM-7', ' crm-7', 'é', 'e\u0301']
    const made = await Promise.all(
      others.map((external_id) => accounts.create({ name: 'C', external_id })),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(others.length)
    for (const { id, external_id } of made)
      expect(await accounts.find({ external_id: external_id ?? '' })).toMatchObject({ id })
    await r.engine.stop()
  })

  it('takes the longest name and external id', async () => {
    const r = await rig({}, { store: make() })
    const longest = { name: 'x'.repeat(200), external_id: 'y'.repeat(200) }
    expect(await r.engine.accounts.create(longest)).toMatchObject(longest)
    await r.engine.stop()
  })

  it('goes with all that is its own; nothing of it is checked or sent any more', async () => {
    const r = await rig({}, { store: make() })
    const { id } = await r.engine.accounts.create({ name: 'gone', external_id: 'x' })
    const gone = r.engine.account(id)
    const { key } = await gone.keys.create()
    await gone.contacts.create({ ...contactOf('duty'), all_monitors: true })
    r.say('gone.test', 'fail')
    const common = { type: 'scripted', interval_sec: 30, fail_threshold: 1 } as const
    const { id: monitor_id } = await gone.monitors.create({
      ...common,
      name: 'A',
      host: 'gone.test',
    })
    await r.engine.monitors.create({ ...common, name: 'B', host: 'stays.test' })
    r.answer('duty', 503)
    await r.clock.advance(10_000)
    expect(r.told.map(({ event }) => event)).toContain('down')
    expect((await gone.notifications.list()).items[0]?.status).toBe('queued')
    const [told, checked] = [r.told.length, r.checks.filter((one) => one.startsWith('gone')).length]

    await r.engine.accounts.remove(id)
    await r.clock.advance(600_000)
    expect(r.told).toHaveLength(told)
    expect(r.checks.filter((one) => one.startsWith('gone'))).toHaveLength(checked)
    expect(r.checks.filter((one) => one.startsWith('stays')).length).toBeGreaterThan(10)
    expect((await r.engine.health()).outbox_depth).toBe(0)
    expect((await r.engine.health()).monitors).toBe(1)
    expect(await r.engine.authenticate(key)).toBeUndefined()
    expect(await r.engine.accounts.exists(id)).toBe(false)
    await expect(gone.monitors.list()).rejects.toThrow(NotFoundError)
    await expect(gone.monitors.get(monitor_id)).rejects.toThrow(NotFoundError)
    await expect(r.engine.accounts.remove(id)).rejects.toThrow(NotFoundError)
    expect((await r.engine.accounts.create({ name: 'new', external_id: 'x' })).id).toBeGreaterThan(
      id,
    )
    await expect(r.engine.accounts.remove(1)).rejects.toMatchObject({ code: 'first_account' })
    await r.engine.stop()
  })

  it('goes while one of its checks runs, which is dropped; nobody is told of an error', async () => {
    const ends: string[] = []
    const endless = defineChecker({
      type: 'endless',
      title: 'Endless',
      description: 'Runs until it is dropped',
      fields: {},
      causes: {},
      target: () => 'endless',
      run: (ctx) =>
        new Promise((_, reject) => {
          const drop = (): void => {
            ends.push('dropped')
            reject(ctx.signal.reason as Error)
          }
          ctx.signal.addEventListener('abort', drop)
        }),
    })
    const r = await rig({ checkers: [endless] }, { store: make() })
    const errors: unknown[] = []
    r.engine.on('error', (error) => errors.push(error))
    const { id } = await r.engine.accounts.create({ name: 'gone' })
    await r.engine.account(id).monitors.create({ type: 'endless', name: 'E', timeout_ms: 30_000 })
    await r.clock.advance(1000)
    expect((await r.engine.health()).checks_running).toBe(1)
    await r.engine.accounts.remove(id)
    await r.clock.settle()
    expect(ends).toEqual(['dropped'])
    expect((await r.engine.health()).checks_running).toBe(0)
    await r.clock.advance(300_000)
    expect(errors).toEqual([])
    await r.engine.stop()
  })

  it('has no more than its quotas, also of twenty that arrive at once', async () => {
    const r = await rig({ quotas: { monitors: 5, contacts: 2 } }, { store: make() })
    const { id } = await r.engine.accounts.create({ name: 'a', quotas: { monitors: 7 } })
    const free = await r.engine.accounts.create({ name: 'b', quotas: { monitors: null } })
    const many = async (account_id: number) => {
      const scope = r.engine.account(account_id)
      const twenty = Array.from({ length: 20 }, (_, index) => index)
      const made = twenty.map((index) => scope.monitors.create({ ...MONITOR, name: `${index}` }))
      const settled = await Promise.allSettled(made)
      for (const one of settled)
        if (one.status === 'rejected') expect(one.reason).toMatchObject(REFUSED)
      return (await scope.monitors.list()).items.length
    }
    expect(await Promise.all([many(1), many(id), many(free.id)])).toEqual([5, 7, 20])
    const contacts = Array.from({ length: 20 }, (_, index) =>
      r.engine.contacts.create(contactOf(`${index}`)),
    )
    await Promise.allSettled(contacts)
    expect(await r.engine.contacts.list()).toHaveLength(2)
    expect(await r.engine.accounts.use(1)).toEqual({
      quotas: {
        ...{ monitors: 5, contacts: 2, min_interval_sec: null, checks_per_min: null },
        maintenance_windows: 1000,
        public_pages: 20,
        status_reports: 500,
      },
      use: { monitors: 5, contacts: 2, checks_per_min: 5 },
      monitor_defaults: {},
    })
    const [first] = (await r.engine.monitors.list()).items
    await expect(r.engine.monitors.create(MONITOR)).rejects.toMatchObject(REFUSED)
    await r.engine.monitors.remove(first?.id ?? 0)
    await r.engine.monitors.create(MONITOR)
    await r.engine.stop()
  })

  it('is not checked more often than it may: at creation, change and resumption', async () => {
    const quotas = { min_interval_sec: 30, checks_per_min: 4 }
    const r = await rig({ quotas, locations: ['a', 'b'] }, { store: make() })
    const { monitors, accounts } = r.engine
    const every = (interval_sec: number) => ({ ...MONITOR, interval_sec })
    const short = { fields: { interval_sec: expect.stringContaining('30') as string } }
    await expect(monitors.create(every(29))).rejects.toMatchObject(short)
    await expect(monitors.preview(every(29))).rejects.toMatchObject(short)
    const { id } = await monitors.create(every(60))
    await expect(monitors.create(every(30))).rejects.toMatchObject(REFUSED)
    const { id: second } = await monitors.create(every(60))
    await expect(monitors.update(id, { interval_sec: 29 })).rejects.toMatchObject(short)
    await expect(monitors.update(id, { interval_sec: 59 })).rejects.toMatchObject(REFUSED)
    await monitors.pause(second)
    await monitors.update(id, { interval_sec: 30 })
    await expect(monitors.resume(second)).rejects.toMatchObject(REFUSED)
    expect((await monitors.get(second)).state).toBe('paused')
    await monitors.update(id, { location_ids: [1], confirm_locations: 1 })
    await monitors.resume(second)

    // What was allowed before stays as it is, until somebody wants more of it.
    await accounts.update(1, { quotas: { min_interval_sec: 40, checks_per_min: 1 } })
    expect((await monitors.update(id, { name: 'Other' })).name).toBe('Other')
    await monitors.pause(id)
    await expect(monitors.resume(id)).rejects.toMatchObject(REFUSED)
    await monitors.update(id, { interval_sec: 60 })
    await monitors.pause(second)
    expect((await monitors.resume(id)).state).toBe('pending')
    await r.engine.stop()
  })
})

it('quotas of the engine that cannot be are refused at once', async () => {
  await expect(rig({ quotas: { monitors: -1 } })).rejects.toThrow('quotas.monitors')
  await expect(rig({ quotas: { monitor: 1 } as never })).rejects.toThrow('quotas.monitor')
})
