import { describe, expect, it } from 'vitest'
import type { AuditEntryView } from '../../src/engine/api/views.ts'
import { rig } from './rig.ts'

const shop = { type: 'scripted', name: 'Shop', host: 'shop.test', secret: 'hunter2-shop' }
const ops = { kind: 'recorder', name: 'Ops', to: 'ops', secret: 'hunter2-ops' }
const anna = { actor: 'user:anna' }

const told = ({ resource, action, resource_name, actor }: AuditEntryView): string =>
  `${actor} ${resource}.${action} ${resource_name}`

describe('the audit log', () => {
  it('says who made each change of a monitor, and what changed', async () => {
    const { engine } = await rig()
    const { monitors, auditLog } = engine.account(1, anna)
    const { id } = await monitors.create(shop)
    await monitors.update(id, { interval_sec: 300, tags: ['eu'], name: 'Store', level: 3 })
    await monitors.pause(id)
    await monitors.resume(id)
    await engine.monitors.bulk({
      action: 'tag',
      add_tags: ['x'],
      filter: { ids: [id] },
    })
    await monitors.remove(id)
    const { items } = await auditLog.list()
    expect(items.map(told).toReversed()).toEqual([
      'user:anna monitor.created Shop',
      'user:anna monitor.updated Store',
      'user:anna monitor.paused Store',
      'user:anna monitor.resumed Store',
      'null monitor.updated Store',
      'user:anna monitor.deleted Store',
    ])
    expect(new Set(items.map(({ resource_id }) => resource_id))).toEqual(new Set([id]))
    expect(items.at(-2)?.changes).toEqual([
      { field: 'name', from: 'Shop', to: 'Store' },
      { field: 'interval_sec', from: 60, to: 300 },
      { field: 'tags', from: [], to: ['eu'] },
      { field: 'level', from: 1, to: 3 },
    ])
    expect(items[1]?.changes).toEqual([{ field: 'tags', from: ['eu'], to: ['eu', 'x'] }])
    await engine.stop()
  })

  it('never shows a secret, an address or the metadata', async () => {
    const { engine } = await rig()
    const { monitors, contacts, keys, auditLog } = engine.account(1, anna)
    const { id } = await monitors.create(shop)
    await monitors.update(id, {
      host: 'other.test',
      secret: 'hunter2-next',
      metadata: { token: 'hunter2-metadata' },
    })
    const contact = await contacts.create(ops)
    await contacts.update(contact.id, { secret: 'hunter2-more', to: 'hunter2-address' })
    await keys.create({ name: 'ci', key: 'hunter2-hunter2-hunter2' })
    const { items } = await auditLog.list()
    expect(JSON.stringify(items)).not.toContain('hunter2')
    expect(items[3]?.changes).toEqual([
      { field: 'metadata' },
      { field: 'host' },
      { field: 'secret' },
      { field: 'target', from: 'shop.test', to: 'other.test' },
    ])
    expect(items[1]?.changes).toEqual([{ field: 'to' }, { field: 'secret' }])
    await engine.stop()
  })

  it('has contacts, keys and the account itself', async () => {
    const { engine } = await rig()
    const { accounts } = engine
    const { id } = await accounts.create({ name: 'Shop AG', external_id: 'c-7' }, anna)
    await accounts.create({ name: 'ignored', external_id: 'c-7' }, anna)
    await accounts.update(id, { name: 'Shop', quotas: { monitors: 5 } }, anna)
    const { contacts, keys, auditLog } = engine.account(id, anna)
    const contact = await contacts.create(ops)
    await contacts.update(contact.id, { name: 'Night', all_monitors: true })
    await contacts.remove(contact.id)
    const { view } = await keys.create({ name: 'ci', scopes: ['read'] })
    await keys.revoke(view.id)
    await keys.revoke(view.id)
    const { items } = await auditLog.list()
    expect(items.map(told).toReversed()).toEqual([
      'user:anna account.created Shop AG',
      'user:anna account.updated Shop',
      'user:anna contact.created Ops',
      'user:anna contact.updated Night',
      'user:anna contact.deleted Night',
      'user:anna key.created ci',
      'user:anna key.revoked ci',
    ])
    expect(items[5]?.changes).toEqual([
      { field: 'name', from: 'Shop AG', to: 'Shop' },
      { field: 'quotas.monitors', from: null, to: 5 },
    ])
    expect(items[1]?.changes).toEqual([{ field: 'scopes', from: null, to: ['read'] }])
    expect((await engine.auditLog.list()).items).toEqual([])
    await engine.stop()
  })

  it('has planned work: when it is done, and for what', async () => {
    const { engine } = await rig()
    const { maintenance, auditLog } = engine.account(1, anna)
    const night = { at: '22:00', duration_min: 60 }
    const events = engine.events('audit')
    const { id, window } = await maintenance.create({ name: 'Disks', window: night, tags: ['a'] })
    await maintenance.update(id, { name: 'Disks ' })
    const later = await maintenance.update(id, {
      ...{ name: 'Racks', window: { ...night, at: '23:00' }, tags: [], all_monitors: true },
    })
    await expect(maintenance.remove(id, { version: 1 })).rejects.toThrow()
    await maintenance.remove(id)
    const { items } = await auditLog.list({ resource: 'maintenance', resource_id: id })
    expect(items.map(told)).toEqual([
      'user:anna maintenance.deleted Racks',
      'user:anna maintenance.updated Racks',
      'user:anna maintenance.created Disks',
    ])
    expect(items[1]?.changes).toEqual([
      { field: 'name', from: 'Disks', to: 'Racks' },
      { field: 'window', from: window, to: later.window },
      { field: 'tags', from: ['a'], to: [] },
      { field: 'all_monitors', from: false, to: true },
    ])
    const heard = [await events.next(), await events.next(), await events.next()]
    expect(heard).toMatchObject(
      ['created', 'updated', 'deleted'].map((action) => ({ value: { payload: { action } } })),
    )
    await events.return?.()
    await engine.stop()
  })

  it('has what an import made: once, also where it goes on after a failure', async () => {
    const source = await rig()
    await source.engine.contacts.create({ kind: 'recorder', name: 'Ops', to: 'ops' })
    await source.engine.monitors.create({ type: 'scripted', name: 'Shop', host: 'shop.test' })
    const lines: string[] = []
    for await (const line of source.engine.export()) lines.push(line)
    const { engine } = await rig()
    const events = engine.events('audit')
    const account = engine.account(1, anna)
    let reads = 0
    function* failing() {
      reads++
      yield* reads > 1 ? lines.slice(0, -1) : lines
      if (reads > 1) throw new Error('the disk is gone')
    }
    await expect(account.import(failing)).rejects.toThrow('the disk is gone')
    await account.import(() => lines)
    const expected = ['user:anna contact.created Ops', 'user:anna monitor.created Shop']
    const { items } = await account.auditLog.list()
    expect(items.map(told).toReversed()).toEqual(expected)
    const heard = [await events.next(), await events.next()]
    expect(heard.map(({ value }) => told(value?.payload as never))).toEqual(expected)
    await events.return?.()
    await engine.stop()
    await source.engine.stop()
  })

  it('goes with its account; the first account is told of the removal', async () => {
    const { engine } = await rig()
    const { id } = await engine.accounts.create({ name: 'Shop AG', external_id: 'c-7' })
    const removed = engine.account(id)
    await engine.accounts.remove(id, anna)
    await expect(removed.auditLog.list()).rejects.toMatchObject({ code: 'not_found' })
    const { items } = await engine.auditLog.list()
    expect(items).toMatchObject([
      {
        ...{ actor: 'user:anna', resource: 'account', action: 'deleted', resource_id: id },
        resource_name: null,
        changes: [{ field: 'external_id', from: 'c-7', to: null }],
      },
    ])
    await engine.stop()
  })

  it('has nothing for what changes nothing, is refused, or is only a check', async () => {
    const { engine } = await rig()
    const { monitors, contacts, auditLog } = engine
    const { id } = await monitors.create(shop)
    const contact = await contacts.create(ops)
    const before = (await auditLog.list()).items.length
    await monitors.update(id, { interval_sec: 60 })
    await contacts.update(contact.id, { name: 'Ops' })
    await monitors.resume(id)
    await monitors.check(id)
    await expect(monitors.update(id, { interval_sec: 1 })).rejects.toThrow()
    await expect(monitors.update(id, { interval_sec: 90 }, { version: 99 })).rejects.toThrow()
    expect((await auditLog.list()).items).toHaveLength(before)
    await engine.stop()
  })

  it('is read in pages, filtered, and refuses what it does not know', async () => {
    const { engine } = await rig()
    const { monitors } = engine.account(1, anna)
    const { id } = await monitors.create(shop)
    await engine.monitors.create({ ...shop, name: 'Other' })
    await monitors.pause(id)
    const { auditLog } = engine
    const names = async (filter: object) =>
      (await auditLog.list(filter)).items.map(({ action }) => action)
    expect(await names({ resource: 'monitor', resource_id: id })).toEqual(['paused', 'created'])
    expect(await names({ actor: 'user:anna', action: 'created' })).toEqual(['created'])
    expect(await names({ from: '2030-01-01' })).toEqual([])
    const page = await auditLog.list({ limit: 2 })
    expect(page.items).toHaveLength(2)
    const rest = await auditLog.list({ limit: 2, after: page.next ?? 0 })
    expect([rest.items.length, rest.next]).toEqual([1, null])
    await expect(auditLog.list({ resource: 'user', since: 1 } as never)).rejects.toMatchObject({
      fields: { resource: expect.stringMatching(/^invalid/), since: expect.any(String) },
    })
    await engine.stop()
  })

  it.each([[''], ['x'.repeat(201)], ['a\nb'], [7]])('takes no actor such as %j', async (actor) => {
    const { engine } = await rig()
    expect(() => engine.account(1, { actor } as never)).toThrow('actor')
    await expect(engine.accounts.create({ name: 'x' }, { actor } as never)).rejects.toMatchObject({
      code: 'validation',
    })
    expect(() => engine.account(1, { user: 'x' } as never)).toThrow('user')
    await engine.stop()
  })

  it('emits each entry once it is stored', async () => {
    const { engine } = await rig()
    const { id: account_id } = await engine.accounts.create({ name: 'second' })
    const events = engine.events('audit', { account: account_id })
    const { monitors, auditLog } = engine.account(account_id, anna)
    const { id } = await monitors.create(shop)
    await monitors.pause(id)
    const heard = [(await events.next()).value?.payload, (await events.next()).value?.payload]
    const stored = (await auditLog.list()).items.toReversed()
    expect(heard).toEqual(stored.slice(1).map(({ id: _, ...entry }) => ({ ...entry, account_id })))
    await events.return?.()
    await engine.stop()
  })

  it('leaves out values that are long, and fields beyond its room', async () => {
    const { engine } = await rig()
    const tags = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(60, 'x'))
    const { id } = await engine.monitors.create(shop)
    await engine.monitors.update(id, { tags })
    expect((await engine.auditLog.list()).items[0]?.changes).toEqual([{ field: 'tags' }])
    await engine.stop()
  })

  it('forgets entries after its own retention', async () => {
    const { engine, clock } = await rig({ retention: { auditDays: 1 } })
    await engine.monitors.create({ ...shop, interval_sec: 86_400 })
    await clock.advance(86_400_000 - 60_000)
    expect((await engine.auditLog.list()).items).toHaveLength(1)
    await clock.advance(600_000)
    expect((await engine.auditLog.list()).items).toEqual([])
    await engine.stop()
  })
})
