/** Defaults of new monitors, for an engine and for an account. */
import { describe, expect, it } from 'vitest'
import { blacklist } from '../../src/checkers/blacklist/index.ts'
import { domain } from '../../src/checkers/domain/index.ts'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { syncMonitors } from '../../src/monitors/sync.ts'
import { rig } from './rig.ts'

const MONITOR = { type: 'scripted', host: 'shop.test' } as const

const DEFAULTS = {
  interval_sec: 120,
  timeout_ms: 20_000,
  location_ids: [1],
  confirm_locations: 1,
  fail_threshold: 4,
  recover_threshold: 3,
  notify_repeat_min: 30,
  notify_repeat_max: 5,
  notify_recovery: false,
  tags: ['prod', 'eu'],
  flap_detection: true,
  metadata: { plan: 'pro' },
}

describe('a new monitor', () => {
  it('has the defaults of the engine, and over them those of its account', async () => {
    const r = await rig({ monitorDefaults: DEFAULTS, locations: ['a', 'b'] })
    const { accounts } = r.engine
    expect(await r.engine.monitors.create(MONITOR)).toMatchObject(DEFAULTS)

    const { id } = await accounts.create({ name: 'Ann' })
    const ann = r.engine.account(id)
    const duty = await ann.contacts.create({ kind: 'recorder', name: 'Duty', to: 'duty' })
    const monitor_defaults = {
      interval_sec: 300,
      fail_threshold: null,
      tags: [],
      contact_ids: [duty.id],
      contact_delay: { [duty.id]: 5 },
    }
    await accounts.update(id, { monitor_defaults })
    const own = { ...DEFAULTS, ...monitor_defaults, fail_threshold: 4 }
    expect(await ann.monitors.create({ ...MONITOR, fail_threshold: null })).toMatchObject(own)
    expect((await ann.monitors.preview(MONITOR)).settings).toMatchObject(own)
    const given = { interval_sec: 60, tags: ['mine'], notify_recovery: true, contact_ids: [] }
    expect(await ann.monitors.create({ ...MONITOR, ...given })).toMatchObject({ ...own, ...given })
    await r.engine.stop()
  })

  it('keeps what it has when the defaults change; `null` resets to those of the day', async () => {
    const r = await rig({ monitorDefaults: { fail_threshold: 4 } })
    const { accounts, monitors } = r.engine
    await accounts.update(1, { monitor_defaults: { interval_sec: 300 } })
    const { id } = await monitors.create(MONITOR)
    await accounts.update(1, { monitor_defaults: { interval_sec: 600, recover_threshold: 2 } })
    expect(await monitors.update(id, { name: 'Shop' })).toMatchObject({
      ...{ interval_sec: 300, fail_threshold: 4, recover_threshold: 1 },
    })
    const reset = { interval_sec: null, fail_threshold: null, recover_threshold: null }
    expect(await monitors.update(id, reset)).toMatchObject({
      ...{ interval_sec: 600, fail_threshold: 4, recover_threshold: 2 },
    })
    await accounts.update(1, { monitor_defaults: {} })
    expect(await monitors.update(id, reset)).toMatchObject({
      ...{ interval_sec: 60, fail_threshold: 4, recover_threshold: 1 },
    })
    await r.engine.stop()
  })

  it('of a list has them where the list is silent, until the list speaks', async () => {
    const r = await rig({ monitorDefaults: { interval_sec: 300, fail_threshold: 3 } })
    const entry = { key: 'shop', ...MONITOR }
    await syncMonitors(r.engine, [{ ...entry, interval_sec: 120 }])
    const listed = async () => (await r.engine.monitors.list()).items[0]?.id ?? 0
    const id = await listed()
    expect(await r.engine.monitors.get(id)).toMatchObject({ interval_sec: 120, fail_threshold: 3 })
    await syncMonitors(r.engine, [entry])
    expect(await r.engine.monitors.get(id)).toMatchObject({ interval_sec: 300 })
    expect((await syncMonitors(r.engine, [entry])).unchanged).toHaveLength(1)
    await r.engine.stop()
  })
})

describe('a default', () => {
  it('counts only where the type allows it', async () => {
    const monitorDefaults = {
      ...{ interval_sec: 60, timeout_ms: 50_000, fail_threshold: 3, recover_threshold: 2 },
      ...{ confirm_locations: 2, location_ids: [1, 2], notify_repeat_min: 30 },
    }
    const checkers = [blacklist(), domain(), heartbeat()]
    const r = await rig({ monitorDefaults, checkers, locations: ['a', 'b'] })
    const settings = async (input: object) =>
      (await r.engine.monitors.preview(input as never)).settings
    const usual = { notify_repeat_min: 30, fail_threshold: 3, recover_threshold: 2 }
    expect(await settings(MONITOR)).toMatchObject(monitorDefaults)
    expect(await settings({ type: 'domain', domain: 'shop.example' })).toMatchObject({
      ...{ ...usual, interval_sec: 86_400, timeout_ms: 50_000, location_ids: [1, 2] },
    })
    expect(await settings({ type: 'blacklist', target: '192.0.2.1' })).toMatchObject({
      ...{ ...usual, interval_sec: 21_600 },
    })
    expect(await settings({ type: 'heartbeat' })).toMatchObject({
      ...{ interval_sec: 86_400, timeout_ms: 10_000, notify_repeat_min: 30 },
      ...{ fail_threshold: 1, recover_threshold: 1 },
    })
    const { warnings } = await r.engine.monitors.preview({ type: 'heartbeat' })
    expect(warnings).toEqual([])
    await r.engine.stop()
  })

  it('never makes an input wrong', async () => {
    const monitorDefaults = { interval_sec: 60, timeout_ms: 30_000, confirm_locations: 2 }
    const r = await rig({ monitorDefaults, locations: ['a', 'b'] })
    const { accounts, contacts, monitors } = r.engine
    const made = await monitors.create({ ...MONITOR, interval_sec: 10, location_ids: [2] })
    expect(made).toMatchObject({ timeout_ms: 8000, confirm_locations: 1 })

    // Shorter than the quota of one account, which was set later.
    await accounts.update(1, { quotas: { min_interval_sec: 90 } })
    expect((await monitors.create(MONITOR)).interval_sec).toBe(90)

    const duty = await contacts.create({ kind: 'recorder', name: 'Duty', to: 'duty' })
    const named = {
      ...{ contact_ids: [duty.id], contact_delay: { [duty.id]: 5 } },
      ...{ location_ids: [2, 1], confirm_locations: 2, interval_sec: 100 },
    }
    await accounts.update(1, { monitor_defaults: named })
    expect(await monitors.create(MONITOR)).toMatchObject(named)
    await contacts.remove(duty.id)
    await r.engine.stop()
    const { engine } = await r.restart({ locations: ['a'], monitorDefaults: {} })
    expect(await engine.monitors.create(MONITOR)).toMatchObject({
      ...{ contact_ids: [], contact_delay: {}, location_ids: [1], confirm_locations: 1 },
    })
    await engine.stop()
  })
})

const WRONG: readonly (readonly [object, readonly string[]])[] = [
  [{ interval_sec: 9, timeout_ms: 'x', tagz: [] }, ['interval_sec', 'timeout_ms', 'tagz']],
  [{ interval_sec: 20, timeout_ms: 20_000 }, ['timeout_ms']],
  [{ interval_sec: 29 }, ['interval_sec']],
  [{ location_ids: [1, 7] }, ['location_ids']],
  [{ confirm_locations: 3 }, ['confirm_locations']],
  [
    { name: 'a', depends_on: [1], maintenance: [], url: 'x' },
    ['name', 'depends_on', 'maintenance', 'url'],
  ],
  [{ metadata: { at: new Date(0) } }, ['metadata']],
]
const quotas = { min_interval_sec: 30 }
const locations = ['a', 'b']

describe('wrong defaults', () => {
  it.each(WRONG)('of an account are refused with all fields: %j', async (given, names) => {
    const r = await rig({ quotas, locations })
    const { accounts } = r.engine
    const input = { name: 'a', monitor_defaults: given } as never
    for (const made of [accounts.create(input), accounts.update(1, input)]) {
      const error = (await made.catch((caught: unknown) => caught)) as { fields: object }
      expect(Object.keys(error.fields).sort()).toEqual(
        names.map((name) => `monitor_defaults.${name}`).sort(),
      )
    }
    expect(await accounts.list()).toHaveLength(1)
    expect(await accounts.get(1)).toMatchObject({ name: 'default', monitor_defaults: {} })
    await r.engine.stop()
  })

  it.each(WRONG)('of an engine are refused with all fields: %j', async (given, names) => {
    const made = rig({ quotas, locations, monitorDefaults: given })
    const error = (await made.catch((caught: unknown) => caught)) as Error
    expect(error).toMatchObject({ code: 'configuration' })
    for (const name of names) expect(error.message).toContain(`monitorDefaults.${name}: `)
  })

  it('name a contact of another account, or any in an engine', async () => {
    const r = await rig()
    const { id } = await r.engine.accounts.create({ name: 'Ann' })
    const other = await r.engine.contacts.create({ kind: 'recorder', name: 'Duty', to: 'duty' })
    const monitor_defaults = { contact_ids: [other.id], contact_delay: { [other.id]: 5 } }
    await expect(r.engine.accounts.update(id, { monitor_defaults })).rejects.toMatchObject({
      fields: {
        'monitor_defaults.contact_ids': `invalid: entry 1: there is no contact ${other.id}`,
        'monitor_defaults.contact_delay': expect.stringContaining('there is no contact') as string,
      },
    })
    await r.engine.stop()
    await expect(rig({ monitorDefaults: monitor_defaults as never })).rejects.toThrow(
      'monitorDefaults.contact_ids: unknown_field',
    )
  })

  it.each([7, null, [1]])('are no object: %j', async (given) => {
    const r = await rig()
    const made = r.engine.accounts.update(1, { monitor_defaults: given as never })
    await expect(made).rejects.toMatchObject({
      fields: { monitor_defaults: 'invalid: an object is expected' },
    })
    await r.engine.stop()
    await expect(rig({ monitorDefaults: given as never })).rejects.toThrow(
      'monitorDefaults: an object is expected',
    )
  })
})

it('the account shows its own, its use those in force, and the audit log names each', async () => {
  const r = await rig({ monitorDefaults: { interval_sec: 120, fail_threshold: 3 } })
  const { accounts, auditLog } = r.engine
  const monitor_defaults = { interval_sec: 300, tags: 'a, b', metadata: { plan: 'x' } }
  const stored = { ...monitor_defaults, tags: ['a', 'b'] }
  const changed = await accounts.update(1, { monitor_defaults: monitor_defaults as never })
  expect(changed.monitor_defaults).toEqual(stored)
  expect((await accounts.get(1)).monitor_defaults).toEqual(stored)
  expect((await accounts.use(1)).monitor_defaults).toEqual({ ...stored, fail_threshold: 3 })
  expect((await auditLog.list()).items[0]).toMatchObject({
    ...{ resource: 'account', action: 'updated' },
    changes: [
      { field: 'monitor_defaults.interval_sec', from: null, to: 300 },
      { field: 'monitor_defaults.tags', from: null, to: ['a', 'b'] },
      { field: 'monitor_defaults.metadata' },
    ],
  })
  await accounts.update(1, { monitor_defaults: stored })
  expect((await auditLog.list()).items).toHaveLength(1)
  await r.engine.stop()
})
