/** Planned work of an account: one window for several monitors. */

import { describe, expect, it } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { MaintenanceInput } from '../../src/engine/api/maintenance.ts'
import { memoryPlace, memoryStore } from '../../src/store/memory.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000
const DAY = 1440

/** From so many minutes from now, for so many. */
function window(r: Rig, from_min: number, minutes: number, extra: object = {}) {
  const start = r.clock.now() + from_min * MINUTE
  return {
    start: new Date(start).toISOString(),
    end: new Date(start + minutes * MINUTE).toISOString(),
    ...extra,
  }
}

/** A window by cron that opens in so many minutes and every hour from then on. */
function hourly(r: Rig, from_min: number, minutes: number) {
  const opens = new Date(r.clock.now() + from_min * MINUTE)
  return { cron: `${opens.getUTCMinutes()} * * * *`, duration_min: minutes }
}

/** The same every day. */
function daily(r: Rig, from_min: number, minutes: number) {
  const opens = new Date(r.clock.now() + from_min * MINUTE)
  return { cron: `${opens.getUTCMinutes()} ${opens.getUTCHours()} * * *`, duration_min: minutes }
}

async function monitored(r: Rig, name: string, settings: object = {}): Promise<number> {
  const input = { type: 'scripted', name, host: `${name}.test`, fail_threshold: 1, ...settings }
  return (await r.engine.monitors.create(input)).id
}

async function withContact(options: Parameters<typeof rig>[0] = {}): Promise<Rig> {
  const r = await rig(options)
  await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  return r
}

const state = async (r: Rig, id: number) => (await r.engine.monitors.status(id)).state
const told = (r: Rig) =>
  r.told.map(({ event, body }) => `${event} ${(body['monitor'] as { name: string }).name}`)

describe('a window of an account', () => {
  it('ends with a check, also while one of the time before goes on, which decides nothing', async () => {
    let begun = 0
    let silent = false
    const held = defineChecker({
      type: 'held',
      ...{ title: 'Held', description: 'Answers while the test wants it', fields: {} },
      target: () => 'shop',
      run() {
        begun++
        return silent ? new Promise<never>(() => undefined) : Promise.resolve(up())
      },
    })
    const r = await withContact({ checkers: [held] })
    const often = { interval_sec: 60, timeout_ms: 50_000, fail_threshold: 1 }
    const { id } = await r.engine.monitors.create({ type: 'held', name: 'shop', ...often })
    await r.engine.maintenance.create({
      ...{ name: 'Work', window: window(r, 2, 10), all_monitors: true },
    })
    await r.clock.advance(11 * MINUTE)
    silent = true
    begun = 0
    await r.clock.advance(MINUTE - 1)
    expect([await state(r, id), begun]).toEqual(['maintenance', 1])
    silent = false
    await r.clock.advance(1000)
    expect([await state(r, id), begun]).toEqual(['up', 2])
    await r.clock.advance(MINUTE)
    expect(told(r)).toEqual([])
  })

  it('covers monitors by id, by tag and all of them, and nobody else', async () => {
    const r = await withContact()
    const named = await monitored(r, 'named')
    const tagged = await monitored(r, 'tagged', { tags: ['Shop'] })
    const other = await monitored(r, 'other')
    const create = (input: Partial<MaintenanceInput>, from: number) =>
      r.engine.maintenance.create({ name: 'Work', window: window(r, from, 10), ...input })
    await create({ monitor_ids: [named], tags: ['shop'] }, 10)
    await create({ all_monitors: true }, 30)
    const states = async () => Promise.all([named, tagged, other].map((id) => state(r, id)))
    await r.clock.advance(11 * MINUTE)
    expect(await states()).toEqual(['maintenance', 'maintenance', 'up'])
    await r.clock.advance(10 * MINUTE)
    expect(await states()).toEqual(['up', 'up', 'up'])
    await r.clock.advance(10 * MINUTE)
    expect(await states()).toEqual(['maintenance', 'maintenance', 'maintenance'])
  })

  it('tells nobody within it; the check after its end decides', async () => {
    const r = await withContact()
    const shop = await monitored(r, 'shop', { tags: ['web'] })
    await monitored(r, 'mail', { tags: ['web'] })
    await r.engine.maintenance.create({ name: 'Move', tags: ['web'], window: hourly(r, 10, 30) })
    await r.clock.advance(11 * MINUTE)
    for (const host of ['shop.test', 'mail.test']) r.say(host, 'fail')
    await r.clock.advance(28 * MINUTE)
    r.say('mail.test', 'ok')
    expect([await state(r, shop), r.told]).toEqual(['maintenance', []])
    await r.clock.advance(2 * MINUTE)
    expect(told(r)).toEqual(['down shop'])
    // The next hour again.
    r.say('shop.test', 'ok')
    await r.clock.advance(40 * MINUTE)
    expect(await state(r, shop)).toBe('maintenance')
  })

  it('opens no incident where the monitor fails in the second in which it opens', async () => {
    const r = await withContact()
    const count = 40
    for (let n = 0; n < count; n++) await monitored(r, `n${n}`, { interval_sec: 10 })
    await r.engine.maintenance.create({
      name: 'Move',
      all_monitors: true,
      window: window(r, 10, 30),
    })
    await r.clock.advance(10 * MINUTE - 1)
    for (let n = 0; n < count; n++) r.say(`n${n}.test`, 'fail')
    await r.clock.advance(20_000)
    const { items } = await r.engine.monitors.list({ status: ['maintenance'], limit: 200 })
    expect([items.length, r.told]).toEqual([count, []])
    expect((await r.engine.incidents.list()).items).toEqual([])
  })

  it('covers a monitor that is tagged while it is open, and releases one that loses the tag', async () => {
    const r = await withContact()
    const shop = await monitored(r, 'shop')
    await r.engine.maintenance.create({ name: 'Move', tags: ['web'], window: window(r, 0, 60) })
    await r.clock.advance(MINUTE)
    expect(await state(r, shop)).toBe('up')
    await r.engine.monitors.update(shop, { tags: ['WEB'] })
    await r.clock.advance(1)
    expect(await state(r, shop)).toBe('maintenance')
    await r.engine.monitors.update(shop, { tags: [] })
    await r.clock.advance(MINUTE)
    expect(await state(r, shop)).toBe('up')
    const late = await monitored(r, 'late', { tags: ['web'] })
    await r.clock.advance(1)
    expect(await state(r, late)).toBe('maintenance')
  })

  it('overlaps others: it stays until the last one ends, and checks pause while one says so', async () => {
    const r = await withContact()
    const shop = await monitored(r, 'shop', { maintenance: [window(r, 10, 20)] })
    const named = { name: 'Move', monitor_ids: [shop] }
    await r.engine.maintenance.create({
      ...named,
      window: window(r, 15, 30, { skip_checks: true }),
    })
    await r.engine.maintenance.create({ ...named, window: window(r, 40, 20) })
    const checks = async (minutes: number) => {
      const before = r.checks.length
      await r.clock.advance(minutes * MINUTE)
      return [await state(r, shop), r.checks.length > before]
    }
    await r.clock.advance(10 * MINUTE)
    expect(await checks(4)).toEqual(['maintenance', true])
    await r.clock.advance(2 * MINUTE)
    expect(await checks(25)).toEqual(['maintenance', false])
    await r.clock.advance(4 * MINUTE)
    expect(await checks(13)).toEqual(['maintenance', true])
    expect(await checks(3)).toEqual(['up', true])
  })

  it('ends at once when it is removed or covers the monitor no longer, and begins when it changes', async () => {
    const r = await withContact()
    const shop = await monitored(r, 'shop')
    const { id, version } = await r.engine.maintenance.create({
      ...{ name: 'Move', monitor_ids: [shop], window: window(r, 60, 60) },
    })
    await r.clock.advance(MINUTE)
    const after = async (change: Promise<unknown>) => {
      await change
      await r.clock.advance(1)
      return state(r, shop)
    }
    const now = { window: window(r, 0, 60) }
    expect(await after(r.engine.maintenance.update(id, now, { version }))).toBe('maintenance')
    const elsewhere = { monitor_ids: [], tags: ['nobody'] }
    expect(await after(r.engine.maintenance.update(id, elsewhere))).toBe('up')
    expect(await after(r.engine.maintenance.update(id, { all_monitors: true }))).toBe('maintenance')
    const outdated = r.engine.maintenance.update(id, { name: 'Late' }, { version })
    await expect(outdated).rejects.toMatchObject({ code: 'version_mismatch' })
    const gone = r.engine.maintenance.remove(id, { version })
    await expect(gone).rejects.toMatchObject({ code: 'version_mismatch' })
    expect(await after(r.engine.maintenance.remove(id))).toBe('up')
    await expect(r.engine.maintenance.get(id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is entered after a restart in the middle of it', async () => {
    const r = await withContact()
    const shop = await monitored(r, 'shop')
    await r.engine.maintenance.create({
      name: 'Move',
      all_monitors: true,
      window: daily(r, 10, 60),
    })
    await r.engine.stop()
    await r.clock.advance(20 * MINUTE)
    const again = await r.restart()
    await again.clock.advance(1)
    expect(await state(again, shop)).toBe('maintenance')
    await again.clock.advance(55 * MINUTE)
    expect(await state(again, shop)).toBe('up')
  })

  it('made by another engine on the same store is followed at once', async () => {
    const place = memoryPlace()
    const r = await rig({}, { store: memoryStore({ place }) })
    const other = await rig({}, { store: memoryStore({ place }), clock: r.clock })
    await r.clock.advance(20_000)
    const ids = []
    for (const name of ['a', 'b', 'c', 'd']) ids.push(await monitored(r, name))
    await r.clock.advance(MINUTE)
    const { id } = await other.engine.maintenance.create({
      ...{ name: 'Move', all_monitors: true, window: window(r, 0, 60) },
    })
    await r.clock.advance(1000)
    for (const each of ids) expect(await state(r, each)).toBe('maintenance')
    await r.engine.maintenance.remove(id)
    await r.clock.advance(1000)
    for (const each of ids) expect(await state(other, each)).toBe('up')
  })

  it('belongs to its account', async () => {
    const r = await withContact()
    const { id: account_id } = await r.engine.accounts.create({ name: 'Other' })
    const other = r.engine.account(account_id)
    const shop = await monitored(r, 'shop', { tags: ['web'] })
    const all = { name: 'Move', window: window(r, 0, 60) }
    const theirs = await other.maintenance.create({ ...all, all_monitors: true, tags: ['web'] })
    await r.clock.advance(MINUTE)
    expect(await state(r, shop)).toBe('up')
    expect((await r.engine.maintenance.list()).items).toEqual([])
    for (const call of [
      () => r.engine.maintenance.get(theirs.id),
      () => r.engine.maintenance.update(theirs.id, { name: 'x' }),
      () => r.engine.maintenance.remove(theirs.id),
      () => other.maintenance.list({ monitor_id: shop }),
      () => other.maintenance.upcoming({ monitor_id: shop }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'not_found' })
    const foreign = other.maintenance.create({ ...all, monitor_ids: [shop] })
    await expect(foreign).rejects.toMatchObject({
      fields: { monitor_ids: `invalid: entry 1: there is no monitor ${shop}` },
    })
  })
})

describe('what is planned', () => {
  it('is listed by its start, per account and per monitor, and shown with the status', async () => {
    const r = await withContact()
    const shop = await monitored(r, 'shop', { tags: ['web'], maintenance: [window(r, 120, 30)] })
    await monitored(r, 'mail')
    const { maintenance } = r.engine
    await maintenance.create({ name: 'Nightly', tags: ['web'], window: daily(r, 60, 30) })
    await maintenance.create({ name: 'Mail', monitor_ids: [2], window: window(r, 30, 10) })
    const brief = (list: readonly { name: string | null; starts_at: string }[]) =>
      list.map(({ name, starts_at }) => [name, (Date.parse(starts_at) - r.clock.now()) / MINUTE])
    const tomorrow = 60 + DAY
    expect(brief(await maintenance.upcoming({ days: 2 }))).toEqual([
      ['Mail', 30],
      ['Nightly', 60],
      ['Nightly', tomorrow],
    ])
    const ofShop = [
      ['Nightly', 60],
      [null, 120],
      ['Nightly', tomorrow],
    ]
    expect(brief(await maintenance.upcoming({ days: 2, monitor_id: shop }))).toEqual(ofShop)
    const { planned_maintenance, maintenance_changes_at } = await r.engine.monitors.status(shop)
    expect(brief(planned_maintenance)).toHaveLength(5)
    expect(brief(planned_maintenance.slice(0, 3))).toEqual(ofShop)
    expect(maintenance_changes_at).toBe(planned_maintenance[0]?.starts_at)

    await r.clock.advance(61 * MINUTE)
    const [open] = await maintenance.upcoming({ limit: 1 })
    expect(open).toMatchObject({ name: 'Nightly', active: true, skip_checks: false })
    const { items } = await maintenance.list({ active: true })
    expect(items.map(({ name, active }) => [name, active])).toEqual([['Nightly', true]])
    expect((await maintenance.list({ monitor_id: shop })).items.map(({ id }) => id)).toEqual([1])
    // That of the mail server is over.
    expect(await maintenance.get(2)).toMatchObject({
      active: false,
      starts_at: null,
      ends_at: null,
    })
    const page = await maintenance.list({ limit: 1 })
    expect([page.items.length, page.next]).toEqual([1, 1])
    expect((await maintenance.list({ after: 1 })).items.map(({ id }) => id)).toEqual([2])
  })

  it('is the same for an engine that is not started', async () => {
    const r = await withContact()
    const shop = await monitored(r, 'shop')
    const made = await r.engine.maintenance.create({
      ...{ name: 'Move', all_monitors: true, window: window(r, 60, 30) },
    })
    const planned = await r.engine.maintenance.upcoming()
    await r.engine.stop()
    const { engine } = await r.restart()
    await engine.stop()
    const idle = await r.restart()
    expect(await idle.engine.maintenance.get(made.id)).toEqual(made)
    expect(await idle.engine.maintenance.upcoming()).toEqual(planned)
    expect((await idle.engine.monitors.status(shop)).planned_maintenance).toEqual(planned)
  })
})

describe('the input of a window', () => {
  it('is refused with every problem at once', async () => {
    const r = await withContact()
    const refused = async (input: object) => {
      const error: unknown = await r.engine.maintenance
        .create(input as never)
        .catch((e: unknown) => e)
      return (error as { fields?: unknown }).fields
    }
    const work = { name: 'Work', all_monitors: true }
    expect(await refused({})).toEqual({ name: 'required', window: 'required' })
    expect(await refused({ name: 'x', window: window(r, 0, 1), colour: 'red' })).toEqual({
      colour: 'unknown_field',
    })
    expect(await refused({ name: 'x', window: window(r, -2, 1) })).toEqual({
      monitor_ids: 'required: or tags, or all_monitors',
      window: 'out_of_range: "end" has passed',
    })
    const passed = await refused({ ...work, monitor_ids: [7, 8], window: window(r, 0, 91 * DAY) })
    expect(passed).toEqual({
      monitor_ids: 'invalid: entry 1: there is no monitor 7; entry 2: there is no monitor 8',
      window: 'out_of_range: at most 90 days long',
    })
    expect(await refused({ ...work, window: window(r, 732 * DAY, 1) })).toEqual({
      window: 'out_of_range: begins within 731 days',
    })
    expect(await refused({ ...work, window: { cron: '* * * * *', duration_min: 1 } })).toEqual({
      window:
        'out_of_range: "cron": at most once in an hour: a single minute is expected, such as "0 3 * * *"',
    })
    expect(await refused({ ...work, window: { cron: '0 3 * * *', duration_min: 1440 } })).toEqual({
      window: 'out_of_range: "duration_min": must be less than the time between two occurrences',
    })
    // Two occurrences an hour apart, and of each other hour; the first two lie across midnight on a single day.
    for (const [hours, duration_min] of [
      ['0,1,3,5,7,9,11,13,15,17,19,21,23', 60],
      ['1,3,5,7,9,11,13,15,17,19,21,23', 120],
    ] as const) {
      const cron = `0 ${hours} 1 * *`
      expect(await refused({ ...work, window: { cron, duration_min } })).toEqual({
        window: 'out_of_range: "duration_min": must be less than the time between two occurrences',
      })
    }
    const answer = r.engine.maintenance.upcoming({ days: 400, limit: 0 })
    await expect(answer).rejects.toMatchObject({
      fields: { days: 'out_of_range: 1..366', limit: 'out_of_range: 1..200' },
    })
  })

  it('is beyond the quota of the account, where old one-off windows do not count', async () => {
    const r = await withContact({ quotas: { maintenance_windows: 2 } })
    const make = ({ engine }: Pick<Rig, 'engine'> = r) =>
      engine
        .account(1, { actor: 'user:anna' })
        .maintenance.create({ name: 'Move', all_monitors: true, window: window(r, 1, 5) })
    await make()
    await make()
    await expect(make()).rejects.toMatchObject({ code: 'quota' })
    // A stopped engine has no timers to pass a month by.
    await r.engine.stop()
    await r.clock.advance(31 * DAY * MINUTE)
    const { engine } = await r.restart({ quotas: { maintenance_windows: 2 } })
    await make({ engine })
    expect((await engine.maintenance.list()).items.map(({ id }) => id)).toEqual([3])
    const { items } = await engine.account(1).auditLog.list({ action: 'deleted' })
    expect(items).toMatchObject([
      { resource_id: 2, actor: null },
      { resource_id: 1, actor: null },
    ])
  })

  it('leaves out a monitor that was deleted meanwhile', async () => {
    const r = await withContact()
    const [a, b] = [await monitored(r, 'a'), await monitored(r, 'b')]
    const { id } = await r.engine.maintenance.create({
      ...{ name: 'Move', monitor_ids: [a, b], window: window(r, 5, 5) },
    })
    await r.engine.monitors.remove(a)
    const { monitor_ids, name } = await r.engine.maintenance.update(id, { name: 'Moved' })
    expect([monitor_ids, name]).toEqual([[b], 'Moved'])
  })
})
