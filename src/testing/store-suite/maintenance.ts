import { strict as assert } from 'node:assert'
import type { MaintenanceRecord, MaintenanceSettings } from '../../model.ts'
import { anotherAccount, T0 } from './case.ts'
import type { Case } from './case.ts'
import type { SharedCase } from './shared-parts.ts'

const SETTINGS: MaintenanceSettings = {
  name: 'Night of the database',
  window: { cron: '0 22 * * 5', duration_min: 90, time_zone: 'Europe/Berlin', skip_checks: true },
  monitor_ids: [3, 1],
  tags: ['Shop', 'ü'],
  all_monitors: false,
}

export function maintenance(
  change: Partial<Omit<MaintenanceRecord, 'id' | 'version'>> = {},
): Omit<MaintenanceRecord, 'id' | 'version'> {
  return { account_id: 1, settings: SETTINGS, created_at: T0, updated_at: T0, ...change }
}

/** Of an account. */
export const MOST = 10

export const maintenanceCases: Readonly<Record<string, Case>> = {
  'planned work is read back as it was written, with version 1': async (store) => {
    const made = await store.maintenance.create(maintenance(), MOST)
    assert.deepEqual(made, { ...maintenance(), id: made.id, version: 1 })
    assert.deepEqual(await store.maintenance.get(made.id), made)
    assert.equal(await store.maintenance.get(made.id + 1), undefined)
  },

  'planned work is listed per account and for all, lowest id first, in steps': async (store) => {
    const account_id = await anotherAccount(store)
    const made: number[] = []
    for (const owner of [1, account_id, 1]) {
      const { id } = await store.maintenance.create(maintenance({ account_id: owner }), MOST)
      made.push(id)
    }
    const ids = async (asked: number | 'all', after_id = 0, limit = 9) => {
      const rows = await store.maintenance.list({ account_id: asked, after_id, limit })
      return rows.map(({ id }) => id)
    }
    const [first, second, third] = made
    assert.deepEqual(await ids(1), [first, third])
    assert.deepEqual(await ids(account_id), [second])
    assert.deepEqual(await ids('all'), made)
    assert.deepEqual(await ids('all', 0, 2), [first, second])
    assert.deepEqual(await ids('all', first), [second, third])
    await assert.rejects(
      store.maintenance.list({ account_id: undefined as never, limit: 9 }),
      { name: 'NotFoundError' },
      'a list without an account',
    )
  },

  'planned work changes only in the version that was read': async (store) => {
    const { id } = await store.maintenance.create(maintenance(), MOST)
    const settings = { ...SETTINGS, name: 'Later', monitor_ids: [] }
    const changed = await store.maintenance.update(id, 1, { settings, updated_at: T0 + 1 })
    assert.deepEqual(changed, { ...maintenance({ settings, updated_at: T0 + 1 }), id, version: 2 })
    const outdated = { settings: SETTINGS, updated_at: T0 + 2 }
    assert.equal(await store.maintenance.update(id, 1, outdated), undefined)
    assert.equal(await store.maintenance.update(id + 1, 1, outdated), undefined)
    assert.deepEqual(await store.maintenance.get(id), changed)
  },

  'planned work is removed once, and only in the version that is named': async (store) => {
    const { id } = await store.maintenance.create(maintenance(), MOST)
    assert.equal(await store.maintenance.remove(id, 2), false)
    assert.equal(await store.maintenance.remove(id, 1), true)
    assert.equal(await store.maintenance.remove(id), false)
    const next = await store.maintenance.create(maintenance(), MOST)
    assert.ok(next.id > id, 'an id was used twice')
    assert.equal(await store.maintenance.remove(next.id), true)
  },

  'an account has no more planned work than it may, and none without the account': async (
    store,
  ) => {
    const account_id = await anotherAccount(store)
    const made = await Promise.allSettled(
      Array.from({ length: 5 }, () => store.maintenance.create(maintenance(), 3)),
    )
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 3)
    await assert.rejects(store.maintenance.create(maintenance(), 3), { code: 'quota' })
    await store.maintenance.create(maintenance({ account_id }), 1)
    const nobody = maintenance({ account_id: account_id + 1 })
    await assert.rejects(store.maintenance.create(nobody, MOST), { name: 'NotFoundError' })
  },
}

export const removedMaintenanceCases: Readonly<Record<string, Case>> = {
  'planned work of an account is gone from the first step of its removal on': async (store) => {
    const account_id = await anotherAccount(store)
    const made: number[] = []
    for (let n = 0; n < 3; n++)
      made.push((await store.maintenance.create(maintenance({ account_id }), MOST)).id)
    assert.equal(await store.accounts.remove(account_id, 1), 'more')
    assert.deepEqual(await store.maintenance.list({ account_id: 'all', limit: 9 }), [])
    const [first = 0] = made
    const change = { settings: SETTINGS, updated_at: T0 }
    for (const id of made) assert.equal(await store.maintenance.get(id), undefined)
    assert.equal(await store.maintenance.update(first, 1, change), undefined)
    while ((await store.accounts.remove(account_id, 1)) === 'more');
    assert.equal(await store.accounts.remove(account_id, 1), undefined)
  },
}

export function maintenanceNewsCases(): Record<string, SharedCase> {
  return {
    'a store hears of planned work that another creates, changes and removes': async (
      store,
      beside,
    ) => {
      const other = await beside()
      const heard: string[] = []
      let arrived: () => void = () => undefined
      const end = await store.changes?.listen(
        () => undefined,
        (table) => {
          heard.push(table)
          arrived()
        },
      )
      const hears = async (work: () => Promise<unknown>): Promise<void> => {
        const news = new Promise<void>((resolve) => (arrived = resolve))
        await work()
        await news
      }
      let id = 0
      await hears(async () => {
        id = (await other.maintenance.create(maintenance(), MOST)).id
      })
      await hears(() => other.maintenance.update(id, 1, { settings: SETTINGS, updated_at: T0 + 1 }))
      await hears(() => other.maintenance.remove(id))
      assert.deepEqual(heard, ['maintenance', 'maintenance', 'maintenance'])
      await end?.()
    },
  }
}
