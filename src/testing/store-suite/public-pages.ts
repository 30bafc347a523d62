import { strict as assert } from 'node:assert'
import type {
  PublicPageRecord,
  PublicPageSettings,
  StatusReportRecord,
  StatusReportSettings,
} from '../../model.ts'
import type { FullStore } from '../../store/store.ts'
import { anotherAccount, T0 } from './case.ts'
import type { Case } from './case.ts'
import type { Reopen } from './restart.ts'

const SETTINGS: PublicPageSettings = {
  title: 'Shop',
  slug: 'shop',
  description: '',
  groups: [{ name: 'Web “1”', monitors: [{ id: 3, name: 'Café' }], tag: 'ü' }],
  logo: '',
  colors: { light: { accent: '#2456c7' }, dark: {} },
  css: '.services{gap:2px}',
  time_zone: 'Europe/Berlin',
  password_hash: 'scrypt$c2FsdA$aGFzaA',
  noindex: true,
  show_targets: false,
  show_causes: false,
}

function page(
  settings: Partial<PublicPageSettings> = {},
  account_id = 1,
): Omit<PublicPageRecord, 'id' | 'version'> {
  return {
    account_id,
    settings: { ...SETTINGS, ...settings },
    created_at: T0,
    updated_at: T0,
  }
}

const REPORT: StatusReportSettings = {
  title: 'Payments fail',
  page_ids: [1],
  monitor_ids: [3],
  updates: [{ at: T0, status: 'investigating', text: 'We look into it.\nMore in an hour.' }],
}

function report(title = REPORT.title): Omit<StatusReportRecord, 'id' | 'version'> {
  return { account_id: 1, settings: { ...REPORT, title }, created_at: T0, updated_at: T0 }
}

/** Of an account. */
const MOST = 10

const TAKEN = { code: 'slug_taken' }

/** Every page of the store. */
async function slugs(store: FullStore): Promise<readonly string[]> {
  const rows = await store.publicPages.list({ account_id: 'all', limit: 9 })
  return rows.map(({ settings }) => settings.slug)
}

export const publicPageCases: Readonly<Record<string, Case>> = {
  'a public page is read back as it was written, by its id and by its slug': async (store) => {
    const made = await store.publicPages.create(page(), MOST)
    assert.deepEqual(made, { ...page(), id: made.id, version: 1 })
    assert.deepEqual(await store.publicPages.get(made.id), made)
    assert.deepEqual(await store.publicPages.bySlug('shop'), made)
    assert.deepEqual(await store.publicPages.list({ account_id: 1, limit: 9 }), [made])
    for (const slug of ['Shop', 'sho', 'shop%', ''])
      assert.equal(await store.publicPages.bySlug(slug), undefined)
  },

  'a slug belongs to one public page, whatever the account': async (store) => {
    const account_id = await anotherAccount(store)
    const made = await store.publicPages.create(page(), MOST)
    await assert.rejects(store.publicPages.create(page({}, account_id), MOST), TAKEN)
    await assert.rejects(store.publicPages.create(page(), MOST), TAKEN)
    const other = await store.publicPages.create(page({ slug: 'other' }, account_id), MOST)
    const taken = { settings: { ...SETTINGS, title: 'Mine' }, updated_at: T0 + 1 }
    await assert.rejects(store.publicPages.update(other.id, 1, taken), TAKEN)
    assert.deepEqual(await store.publicPages.get(other.id), other)
    assert.deepEqual(await slugs(store), ['shop', 'other'])
    const renamed = { settings: { ...SETTINGS, slug: 'store' }, updated_at: T0 + 1 }
    assert.equal((await store.publicPages.update(made.id, 1, renamed))?.version, 2)
    assert.equal(await store.publicPages.bySlug('shop'), undefined)
    assert.equal((await store.publicPages.bySlug('store'))?.id, made.id)
    assert.equal((await store.publicPages.update(other.id, 1, taken))?.settings.slug, 'shop')
  },

  'of many public pages with one slug that are created at once, one is stored': async (store) => {
    const account_id = await anotherAccount(store)
    const made = await Promise.allSettled(
      [1, account_id, 1, account_id].map((owner) =>
        store.publicPages.create(page({}, owner), MOST),
      ),
    )
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.deepEqual(await slugs(store), ['shop'])
  },

  'a removed public page frees its slug': async (store) => {
    const { id } = await store.publicPages.create(page(), MOST)
    assert.equal(await store.publicPages.remove(id, 2), false)
    assert.equal(await store.publicPages.remove(id, 1), true)
    assert.equal(await store.publicPages.bySlug('shop'), undefined)
    await store.publicPages.create(page(), MOST)
  },

  'an account has no more public pages than it may, and none without the account': async (
    store,
  ) => {
    await store.publicPages.create(page(), 1)
    await assert.rejects(store.publicPages.create(page({ slug: 'b' }), 1), { code: 'quota' })
    const nobody = page({ slug: 'c' }, 99)
    await assert.rejects(store.publicPages.create(nobody, MOST), { name: 'NotFoundError' })
  },
}

export const statusReportCases: Readonly<Record<string, Case>> = {
  'status reports are listed newest first, in steps': async (store) => {
    const made: number[] = []
    for (const title of ['One', 'Two', 'Three'])
      made.push((await store.statusReports.create(report(title), MOST)).id)
    const list = async (limit: number, after_id?: number) => {
      const behind = after_id === undefined ? {} : { after_id }
      const query = { account_id: 1, order: 'desc', limit, ...behind } as const
      return (await store.statusReports.list(query)).map(({ settings }) => settings.title)
    }
    assert.deepEqual(await list(9), ['Three', 'Two', 'One'])
    assert.deepEqual(await list(2), ['Three', 'Two'])
    assert.deepEqual(await list(2, made[1]), ['One'])
    assert.deepEqual(await store.statusReports.list({ account_id: 2, limit: 9 }), [])
  },

  'an update of a status report is stored once for a version': async (store) => {
    const { id } = await store.statusReports.create(report(), MOST)
    const update = { at: T0 + 1, status: 'resolved', text: 'Over.' } as const
    const settings = { ...REPORT, updates: [...REPORT.updates, update] }
    const change = { settings, updated_at: T0 + 1 }
    const changed = await store.statusReports.update(id, 1, change)
    assert.deepEqual(changed?.settings, settings)
    assert.equal(await store.statusReports.update(id, 1, change), undefined)
    assert.deepEqual(await store.statusReports.get(id), changed)
    assert.equal(await store.statusReports.remove(id), true)
  },
}

export const removedPublicPageCases: Readonly<Record<string, Case>> = {
  'public pages of an account are gone from the first step of its removal on': async (store) => {
    const account_id = await anotherAccount(store)
    for (const slug of ['a', 'b', 'c'])
      await store.publicPages.create(page({ slug }, account_id), MOST)
    assert.equal(await store.accounts.remove(account_id, 1), 'more')
    assert.deepEqual(await slugs(store), [])
    for (const slug of ['a', 'b', 'c'])
      assert.equal(await store.publicPages.bySlug(slug), undefined)
    while ((await store.accounts.remove(account_id, 1)) === 'more');
    for (const slug of ['a', 'b', 'c']) await store.publicPages.create(page({ slug }), MOST)
  },
}

export function restartedPublicPageCases(reopen: Reopen): Readonly<Record<string, Case>> {
  return {
    'public pages and status reports survive a restart': async (store) => {
      const made = await store.publicPages.create(page(), MOST)
      const told = await store.statusReports.create(report(), MOST)
      await store.close()
      const again = await reopen(store)
      await again.open()
      assert.deepEqual(await again.publicPages.bySlug('shop'), made)
      assert.deepEqual(await again.statusReports.get(told.id), told)
      await assert.rejects(again.publicPages.create(page(), MOST), TAKEN)
      await again.close()
    },
  }
}
