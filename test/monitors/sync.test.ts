import { describe, expect, expectTypeOf, it } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import {
  defineMonitors,
  describePlan,
  isEmptyPlan,
  syncMonitors,
} from '../../src/monitors/index.ts'
import type { MonitorEntry, SyncOptions } from '../../src/monitors/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'

const SHOP = { key: 'shop', type: 'http', name: 'Shop', url: 'https://shop.example/' } as const
const DB = { key: 'db', type: 'tcp', host: 'db.example', port: 5432 } as const

/** An engine that is open and not running, with two contacts. */
async function account() {
  const engine = createEngine({
    store: memoryStore(),
    checkers: builtinCheckers(),
    contacts: [webhookContact({ guard: { allowCidrs: ['0.0.0.0/0'] } })],
    locations: ['fra', 'nyc'],
    clock: simulatedClock(),
  })
  for (const name of ['ops', 'boss']) {
    await engine.contacts.create({ kind: 'webhook', name, url: 'https://192.0.2.1/' })
  }
  const sync = (list: unknown, options?: SyncOptions) =>
    syncMonitors(engine, list as readonly MonitorEntry[], options)
  const names = async () => (await engine.monitors.list()).items.map(({ name }) => name)
  return { engine, sync, names }
}

/** The problems of a list, by their places. */
async function problemsOf(sync: (list: unknown) => Promise<unknown>, list: unknown) {
  const error = await sync(list).then(
    () => expect.fail('it was taken'),
    (thrown: unknown) => thrown as { readonly fields: Readonly<Record<string, string>> },
  )
  return error.fields
}

describe('a list of monitors', () => {
  it('is made once, and changes nothing when it is synced again', async () => {
    const { engine, sync } = await account()
    const list = defineMonitors([
      {
        ...SHOP,
        interval_sec: 30,
        tags: ['web'],
        contacts: ['ops'],
        contact_delay: { boss: 15 },
        locations: ['nyc'],
        auth: { user: 'u', pass: 'hidden' },
      },
      { ...DB, depends_on: [] },
    ])
    const plan = await sync(list)
    expect(plan.create).toEqual([
      { key: 'shop', id: 1, type: 'http', name: 'Shop' },
      { key: 'db', id: 2, type: 'tcp', name: 'db.example:5432' },
    ])
    expect(await engine.monitors.get(1)).toMatchObject({
      name: 'Shop',
      interval_sec: 30,
      tags: ['web', 'key:shop'],
      contact_ids: [1],
      contact_delay: { 2: 15 },
      location_ids: [2],
      version: 1,
    })
    const again = await sync(list)
    expect(isEmptyPlan(again)).toBe(true)
    expect(again.unchanged.map(({ key }) => key)).toEqual(['shop', 'db'])
    expect((await engine.monitors.get(1)).version).toBe(1)
  })

  it('updates what differs and nothing else, also where only a secret does', async () => {
    const { engine, sync } = await account()
    const auth = { user: 'u', pass: 'first' }
    await sync([{ ...SHOP, interval_sec: 30, auth, keyword_present: 'Welcome' }, DB])
    const plan = await sync([{ ...SHOP, name: 'Store', auth: { ...auth, pass: 'second' } }, DB])
    expect(plan.update).toEqual([
      {
        key: 'shop',
        id: 1,
        name: 'Store',
        changes: [
          { field: 'name', from: 'Shop', to: 'Store' },
          { field: 'interval_sec', from: 30, to: 60 },
          { field: 'keyword_present', from: 'Welcome', to: null },
          {
            field: 'auth',
            from: { user: 'u', pass: '***' },
            to: { user: 'u', pass: '***' },
          },
        ],
      },
    ])
    expect(JSON.stringify(plan) + describePlan(plan).join()).not.toMatch(/first|second/)
    // What the list does not say any more is as if it had never been said.
    expect(await engine.monitors.get(1)).not.toHaveProperty('keyword_present')
    expect(
      isEmptyPlan(
        await sync([{ ...SHOP, name: 'Store', auth: { user: 'u', pass: 'second' } }, DB]),
      ),
    ).toBe(true)
    const bare = await sync([{ ...SHOP, name: 'Store' }, DB])
    expect(bare.update[0]?.changes.map(({ field }) => field)).toEqual(['auth'])
    expect(await engine.monitors.get(1)).not.toHaveProperty('auth')
  })

  it('undoes what somebody changed by hand', async () => {
    const { engine, sync } = await account()
    await sync([SHOP])
    await engine.monitors.update(1, { interval_sec: 300, contact_ids: [2] })
    const plan = await sync([SHOP])
    expect(plan.update[0]?.changes).toEqual([
      { field: 'interval_sec', from: 300, to: 60 },
      { field: 'contacts', from: ['boss'], to: [] },
    ])
    expect((await engine.monitors.get(1)).contact_ids).toEqual([])
  })

  it('is planned without a change with dryRun, and the plan is the same', async () => {
    const { sync, names } = await account()
    await sync([SHOP])
    const list = [{ ...SHOP, name: 'Store' }, DB]
    const dry = await sync(list, { dryRun: true })
    expect(await names()).toEqual(['Shop'])
    const real = await sync(list)
    expect(real.update).toEqual(dry.update)
    expect(dry.create).toEqual([{ ...real.create[0], id: null }])
    expect(describePlan(real)).toEqual([
      '+ db  "db.example:5432"  tcp',
      '~ shop  "Store"',
      '    name: "Shop" → "Store"',
      '1 to create, 1 to update, 0 to remove, 0 unchanged',
    ])
  })

  it('belongs to one account', async () => {
    const { engine, sync, names } = await account()
    const { id } = await engine.accounts.create({ name: 'other' })
    await sync([SHOP], { account_id: id })
    expect(await names()).toEqual([])
    expect((await engine.account(id).monitors.list()).items).toHaveLength(1)
    await sync([], { unlisted: 'remove' })
    expect((await engine.account(id).monitors.list()).items).toHaveLength(1)
  })
})

describe('syncs at the same time, as of servers that start together on one database', () => {
  const maintenance = [
    { key: 'night', name: 'Night', window: { at: '02:00', duration_min: 60 }, all_monitors: true },
  ] as const

  it('leave each monitor and each window once', async () => {
    const { engine, sync } = await account()
    const list = [SHOP, { ...DB, depends_on: ['shop'] }, { ...DB, key: 'paused', paused: true }]
    await Promise.all([1, 2, 3].map(() => sync(list, { maintenance })))
    const { items } = await engine.monitors.list()
    expect(items.map(({ tags }) => tags)).toEqual([['key:shop'], ['key:db'], ['key:paused']])
    expect((await engine.maintenance.list()).items).toHaveLength(1)
    const [shop, db, paused] = items
    expect((await engine.monitors.get(db?.id ?? 0)).depends_on).toEqual([shop?.id])
    expect(paused?.state).toBe('paused')
    expect(isEmptyPlan(await sync(list, { maintenance }))).toBe(true)
  })
})

describe('a sync that takes longer than another one at the same time', () => {
  it('goes on with the monitors that stay', async () => {
    const { engine, sync } = await account()
    const child = { ...DB, depends_on: ['shop'] }
    const more = Array.from({ length: 60 }, (_, n) => ({ ...DB, key: `more-${n}` }))
    const paused = { ...SHOP, paused: true }
    // The second one makes its `db` long after the first one has removed its `shop`.
    await Promise.all([sync([paused, child, ...more.slice(0, 30)]), sync([paused, ...more, child])])
    const { items } = await engine.monitors.list({ q: 'shop' })
    expect(items.map(({ state }) => state)).toEqual(['paused'])
    const { items: children } = await engine.monitors.list({ tag: [['key:db']] })
    expect(children).toHaveLength(1)
    const { depends_on } = await engine.monitors.get(children[0]?.id ?? 0)
    expect(depends_on).toEqual(items.map(({ id }) => id))
  })
})

describe('a monitor that is not in the list any more', () => {
  it.each([
    ['leave', undefined, ['up', 'up']],
    ['pause', 'pause', ['up', 'paused']],
    ['remove', 'remove', ['up']],
  ] as const)('is left, paused or removed: %s', async (_, unlisted, statuses) => {
    const { engine, sync } = await account()
    await sync([SHOP, DB])
    const plan = await sync([SHOP], unlisted === undefined ? {} : { unlisted })
    const { items } = await engine.monitors.list()
    expect(items.map(({ state }) => (state === 'paused' ? 'paused' : 'up'))).toEqual(statuses)
    expect(plan[unlisted ?? 'leave']).toEqual([{ key: 'db', id: 2, name: 'db.example:5432' }])
    const again = await sync([SHOP], unlisted === undefined ? {} : { unlisted })
    expect(isEmptyPlan(again)).toBe(true)
  })

  it('is not paused, and nothing else is changed, where its tags leave no place for the mark', async () => {
    const { engine, sync, names } = await account()
    await sync([DB])
    const tags = Array.from({ length: 49 }, (_, at) => `tag-${at}`)
    await engine.monitors.update(1, { tags: [...tags, 'key:db'] })
    await expect(sync([SHOP], { unlisted: 'pause' })).rejects.toMatchObject({
      code: 'validation',
      fields: { 'db.tags': expect.stringMatching(/^out_of_range/) as string },
    })
    expect(await names()).toHaveLength(1)
    await engine.monitors.update(1, { tags: [...tags.slice(1), 'key:db'] })
    expect((await sync([SHOP], { unlisted: 'pause' })).pause).toHaveLength(1)
    expect(await engine.monitors.get(1)).toMatchObject({ state: 'paused' })
  })

  it('goes on when it is in the list again', async () => {
    const { engine, sync } = await account()
    await sync([DB])
    await sync([], { unlisted: 'pause' })
    const plan = await sync([DB])
    expect(plan.resume.map(({ key }) => key)).toEqual(['db'])
    expect(await engine.monitors.get(1)).toMatchObject({ state: 'pending', tags: ['key:db'] })
    expect(isEmptyPlan(await sync([DB]))).toBe(true)
  })

  it('goes on when it is in the list again, also after a sync that failed halfway', async () => {
    const { engine, sync } = await account()
    await sync([DB])
    await sync([], { unlisted: 'pause' })
    await engine.accounts.update(1, { quotas: { monitors: 1 } })
    const list = [{ ...DB, port: 5433, tags: ['store'] }, SHOP]
    await expect(sync(list)).rejects.toMatchObject({ code: 'quota' })
    await engine.accounts.update(1, { quotas: {} })
    await sync(list)
    expect(await engine.monitors.get(1)).toMatchObject({
      state: 'pending',
      port: 5433,
      tags: ['store', 'key:db'],
    })
    expect(isEmptyPlan(await sync(list))).toBe(true)
  })

  it('is never one that was made by hand', async () => {
    const { engine, sync, names } = await account()
    await engine.monitors.create({ type: 'tcp', name: 'By hand', host: 'x.example', port: 1 })
    await sync([SHOP])
    await sync([], { unlisted: 'remove' })
    expect(await names()).toEqual(['By hand'])
  })
})

describe('a pause', () => {
  it('by hand stays, and one that the list asks for comes', async () => {
    const { engine, sync } = await account()
    await sync([SHOP, { ...DB, paused: true }])
    expect((await engine.monitors.get(2)).state).toBe('paused')
    await engine.monitors.pause(1)
    expect(isEmptyPlan(await sync([SHOP, { ...DB, paused: true }]))).toBe(true)
    const plan = await sync([
      { ...SHOP, paused: false },
      { ...DB, paused: false },
    ])
    expect(plan.resume.map(({ key }) => key)).toEqual(['shop', 'db'])
    expect((await sync([SHOP, { ...DB, paused: true }])).pause.map(({ key }) => key)).toEqual([
      'db',
    ])
  })
})

describe('dependencies', () => {
  it('are keys, in any order, of monitors that may not be there yet', async () => {
    const { engine, sync } = await account()
    const list = [{ ...SHOP, depends_on: ['db'] }, DB]
    const plan = await sync(list)
    expect(plan.create.map(({ key }) => key)).toEqual(['db', 'shop'])
    expect((await engine.monitors.get(2)).depends_on).toEqual([1])
    expect(isEmptyPlan(await sync(list))).toBe(true)
    const router = { key: 'router', type: 'ping', host: 'router.example' }
    const more = await sync([{ ...SHOP, depends_on: ['db', 'router'] }, DB, router])
    expect(more.update[0]?.changes).toEqual([
      { field: 'depends_on', from: ['db'], to: ['db', 'router'] },
    ])
    expect((await engine.monitors.get(2)).depends_on).toEqual([1, 3])
    const less = await sync([SHOP, DB, router])
    expect(less.update[0]?.changes).toEqual([
      { field: 'depends_on', from: ['db', 'router'], to: [] },
    ])
  })

  it('that are unknown, or go in a circle, are refused', async () => {
    const { sync } = await account()
    expect(
      await problemsOf(sync, [
        { ...SHOP, depends_on: ['db', 'nobody'] },
        { ...DB, depends_on: ['shop'] },
      ]),
    ).toEqual({
      'shop.depends_on': 'invalid: entry 2: the list has no "nobody"',
      'db.depends_on': 'invalid: entry 1: shop depends on this one',
    })
  })
})

describe('a list with mistakes', () => {
  it('changes nothing, and names all of them at once', async () => {
    const { engine, sync, names } = await account()
    await sync([DB])
    const list = [
      { ...SHOP, url: 'ftp://x', contacts: ['nobody', 'ops'], locations: ['mars'] },
      { ...DB, type: 'ping' },
      { key: 'UPPER', type: 'http' },
      { type: 'http', url: 'https://x.example' },
      { key: 'mail', type: 'smtp', host: 'mx.example', user: 'u' },
      { ...SHOP, key: 'ids', contact_ids: [1], tags: ['key:other'] },
      { ...SHOP },
      { key: 'odd', type: 'oracle', depends_on: 'db', paused: 'yes', contact_delay: 5 },
      'nothing',
      {
        ...{ key: 'slips', type: 'http', urll: 'https://x.example', contacs: [] },
        ...{ contact_delay: { nobody: 5 }, auth: { usr: 'u', pass: 'p' } },
      },
    ]
    expect(await problemsOf(sync, list)).toEqual({
      'shop.url': 'invalid: an http:// or https:// address is expected',
      'shop.contacts': 'invalid: entry 1: there is no contact "nobody"',
      'shop.locations': 'invalid: entry 1: there is no location "mars"',
      'shop.key': 'invalid: the same as in entry 1',
      'db.type': 'immutable: it is of another type; take another key',
      'entry 3.key': 'invalid: 1 to 60 lower-case letters, digits, . _ - and / are expected',
      'entry 4.key': 'required',
      'mail.pass': 'invalid: a user needs a password',
      'ids.contact_ids': 'invalid: a list has names in "contacts"',
      'ids.tags': 'invalid: key:… and unlisted are set by the sync',
      'odd.type': expect.stringMatching(
        /^invalid: there is no type "[^"]+"; one of http, /,
      ) as unknown,
      'odd.depends_on': 'invalid: a list of names is expected',
      'odd.paused': 'invalid: true or false is expected',
      'odd.contact_delay': 'invalid: an object of names and minutes is expected',
      'entry 9': 'invalid: an object is expected',
      'slips.urll': 'unknown_field: did you mean "url"?',
      'slips.url': 'required',
      'slips.contacs': 'unknown_field: did you mean "contacts"?',
      'slips.contact_delay': 'invalid: "nobody": there is no contact "nobody"',
      'slips.auth.usr': 'unknown_field: did you mean "auth.user"?',
    })
    expect(await names()).toEqual(['db.example:5432'])
    expect((await engine.monitors.get(1)).version).toBe(1)
    expect(await problemsOf(sync, { monitors: [] })).toEqual({
      monitors: 'invalid: a list is expected',
    })
  })

  it('does not guess between two contacts of one name, or two monitors of one key', async () => {
    const { engine, sync } = await account()
    await engine.contacts.create({ kind: 'webhook', name: 'ops', url: 'https://192.0.2.2/' })
    await engine.monitors.create({ ...entryOf(DB), tags: ['key:db'] })
    await engine.monitors.create({ ...entryOf(DB), tags: ['key:db'] })
    expect(await problemsOf(sync, [{ ...DB, contacts: ['ops'] }])).toEqual({
      'db.key': 'invalid: the monitors 1 and 2 both have it',
      'db.contacts': 'invalid: entry 1: several contacts are called "ops"',
    })
  })
})

describe('a preview', () => {
  it('says what create would store, without storing it, and shows no secret', async () => {
    const { engine, names } = await account()
    const input = { ...entryOf(DB), name: 'Database' }
    const { settings, changes } = await engine.monitors.preview(input)
    expect(settings).toMatchObject({ name: 'Database', host: 'db.example', fail_threshold: 2 })
    expect(changes).toEqual([])
    expect(await names()).toEqual([])
    const { id } = await engine.monitors.create(input)
    expect(await engine.monitors.preview(input, { against: id })).toMatchObject({ changes: [] })
    await expect(engine.monitors.preview(input, { against: 99 })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

it('the types know each checker', () => {
  expectTypeOf(defineMonitors([SHOP])).toExtend<readonly MonitorEntry[]>()
  // @ts-expect-error a tcp monitor has a host
  defineMonitors([{ key: 'a', type: 'tcp', port: 1 }])
  // @ts-expect-error of no checker
  defineMonitors([{ key: 'a', type: 'tcp', host: 'x', port: 1, url: 'https://x.example' }])
  // @ts-expect-error names, not ids
  defineMonitors([{ ...SHOP, contact_ids: [1] }])
})

function entryOf({ key: _key, ...rest }: typeof DB) {
  return { ...rest, name: 'Database' }
}
