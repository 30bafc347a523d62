/** What is done to an account from the page: several monitors at once, planned work, API keys. */

import { describe, expect, it } from 'vitest'
import { ALL_SCOPES } from '../../src/model/scopes.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { KEY, site } from './visit.ts'
import type { Site, Visitor } from './visit.ts'

const MINUTE_MS = 60_000

async function signedIn(
  options: Parameters<typeof site>[0] = {},
): Promise<Site & { visit: Visitor }> {
  const made = await site(options)
  const visit = made.visitor()
  await visit.signIn()
  return { ...made, visit }
}

async function statesOf({ engine }: Pick<Site, 'engine'>): Promise<Record<string, string>> {
  const { items } = await engine.monitors.list()
  return Object.fromEntries(items.map(({ name, state }) => [name, state]))
}

describe('several monitors at once', () => {
  it('the marked ones are paused and resumed, and the filter stays', async () => {
    const made = await signedIn()
    const { visit, create, clock } = made
    const [a, b] = [await create('a.test'), await create('b.test'), await create('c.test')]
    await clock.advance(MINUTE_MS)
    expect(await visit.text('/')).toContain(`form="several"`)
    const form = new URLSearchParams({ do: 'pause', id: String(a) })
    form.append('id', String(b))
    const answer = await visit.post('/monitors/several?q=test', form as never)
    expect(answer.headers.get('location')).toBe('/?q=test')
    expect(await statesOf(made)).toEqual({ 'a.test': 'paused', 'b.test': 'paused', 'c.test': 'up' })
    await visit.post('/monitors/several', { do: 'resume', id: String(a) })
    await clock.advance(MINUTE_MS)
    expect((await statesOf(made))['a.test']).toBe('up')
  })

  it('all are those that the filter finds, not those of other filters or accounts', async () => {
    const made = await signedIn()
    const { visit, other, create, clock } = made
    await create('a.test', { tags: ['web'] })
    await create('b.test')
    const theirs = await other.monitors.create({ type: 'scripted', host: 'a.test', tags: ['web'] })
    await clock.advance(MINUTE_MS)
    await visit.post('/monitors/several?tag=web', { do: 'pause', all: 'on' })
    expect(await statesOf(made)).toEqual({ 'a.test': 'paused', 'b.test': 'up' })
    await visit.post('/monitors/several', { do: 'pause', all: 'on', id: String(theirs.id) })
    expect((await statesOf(made))['b.test']).toBe('paused')
    expect((await other.monitors.get(theirs.id)).state).not.toBe('paused')
  })

  it('open incidents are acknowledged, of those that are marked', async () => {
    const { visit, engine, create, failing, clock } = await signedIn()
    for (const host of ['a.test', 'b.test']) failing.set(host, 'Gone')
    const a = await create('a.test', { fail_threshold: 1 })
    await create('b.test', { fail_threshold: 1 })
    await clock.advance(MINUTE_MS)
    await visit.post('/monitors/several', { do: 'acknowledge', id: String(a) })
    const { items } = await engine.incidents.list()
    expect(
      items
        .filter(({ acknowledged_at }) => acknowledged_at !== null)
        .map(({ monitor }) => monitor.id),
    ).toEqual([a])
  })

  it('nothing happens without a choice, for an odd action, and for who only looks', async () => {
    const made = await signedIn()
    await made.create('a.test')
    await made.clock.advance(MINUTE_MS)
    expect((await made.visit.post('/monitors/several', { do: 'pause' })).status).toBe(400)
    expect((await made.visit.post('/monitors/several', { do: 'burn', all: 'on' })).status).toBe(400)
    await made.engine.keys.create({ name: 'looks', key: 'a-key-that-looks', scopes: ['read'] })
    const looker = made.visitor()
    await looker.signIn('a-key-that-looks')
    expect(await looker.text('/')).not.toContain('several')
    const answer = await looker.post('/monitors/several', { do: 'pause', all: 'on' })
    expect(answer.status).toBe(403)
    expect(await statesOf(made)).toEqual({ 'a.test': 'up' })
  })
})

describe('planned work', () => {
  it('begins now for some minutes, for one monitor, and is ended early', async () => {
    const made = await signedIn()
    const { visit, create, clock } = made
    const id = await create('a.test')
    await create('b.test')
    await clock.advance(MINUTE_MS)
    expect(await visit.text(`/maintenance?monitor=${id}`)).toMatch(
      new RegExp(`<option value="${id}"\\s+selected`),
    )
    const sent = { name: 'New disk', when: 'now', duration_min: '30', covers: 'monitors' }
    const planned = await visit.post('/maintenance', { ...sent, monitor_ids: String(id) })
    expect(planned.headers.get('location')).toBe('/maintenance')
    await clock.advance(MINUTE_MS)
    expect(await statesOf(made)).toEqual({ 'a.test': 'maintenance', 'b.test': 'up' })
    expect(await visit.text('/maintenance')).toContain('New disk')
    await visit.post('/maintenance/1/remove')
    await clock.advance(2 * MINUTE_MS)
    expect((await statesOf(made))['a.test']).toBe('up')
  })

  it('is planned once in UTC, or every week in a time zone, for a tag or for all', async () => {
    const { visit, engine, create } = await signedIn()
    await create('a.test', { tags: ['web'] })
    await visit.post('/maintenance', {
      ...{ name: 'Once', when: 'once', start: '2026-03-01T22:00', end: '2026-03-01T23:30' },
      ...{ covers: 'tags', tags: 'web' },
    })
    await visit.post('/maintenance', {
      ...{ name: 'Weekly', when: 'weekly', at: '03:30', duration_min: '45', weekdays: 'sun' },
      ...{ time_zone: 'Europe/Berlin', covers: 'all', skip_checks: 'on' },
    })
    const windows = (await engine.maintenance.list()).items
    expect(windows.find(({ name }) => name === 'Once')).toMatchObject({
      window: { start: '2026-03-01T22:00:00.000Z', end: '2026-03-01T23:30:00.000Z' },
      ...{ tags: ['web'], all_monitors: false },
    })
    expect(windows.find(({ name }) => name === 'Weekly')).toMatchObject({
      window: { at: '03:30', duration_min: 45, time_zone: 'Europe/Berlin', skip_checks: true },
      all_monitors: true,
    })
  })

  it('says at the form what is wrong, and keeps what was typed', async () => {
    const { visit, engine } = await signedIn()
    const answer = await visit.post('/maintenance', {
      ...{ name: '', when: 'once', start: '2026-03-02T22:00', end: '2026-03-01T22:00' },
      covers: 'monitors',
    })
    const text = await answer.text()
    expect(answer.status).toBe(422)
    for (const [name, words] of [
      ['name', /\w/],
      ['window', /after start/],
    ] as const)
      expect(new RegExp(`id="m-${name}-problem"[^>]*>([^]*?)</p>`).exec(text)?.[1]).toMatch(words)
    expect(text).toContain('value="2026-03-02T22:00"')
    expect((await engine.maintenance.list()).items).toEqual([])
  })

  it('of others is neither seen nor ended', async () => {
    const { visit, other } = await signedIn()
    const window = { start: '2026-03-01T22:00:00Z', end: '2026-03-01T23:00:00Z' }
    await other.maintenance.create({ name: 'Theirs', window, all_monitors: true })
    expect(await visit.text('/maintenance')).not.toContain('Theirs')
    expect((await visit.post('/maintenance/1/remove')).status).toBe(404)
    expect((await other.maintenance.list()).items).toHaveLength(1)
  })
})

describe('API keys', () => {
  const keyIn = (text: string): string => /<code>([^<]{20,})<\/code>/.exec(text)?.[1] ?? ''

  it('one is made with what it may do, shown once, and revoked', async () => {
    const { visit, visitor, engine } = await signedIn()
    const made = await (await visit.post('/keys', { name: 'Robot', scope: 'read' })).text()
    const key = keyIn(made)
    expect((await engine.authenticate(key))?.key).toMatchObject({ name: 'Robot', scopes: ['read'] })
    const list = await visit.text('/keys')
    expect(list).toContain('Robot')
    expect(list).not.toContain(key)
    const robot = visitor()
    expect((await robot.signIn(key)).status).toBe(303)
    const [view] = (await engine.keys.list()).filter(({ name }) => name === 'Robot')
    await visit.post(`/keys/${view?.id ?? 0}/revoke`)
    expect(await engine.authenticate(key)).toBeUndefined()
    expect((await robot.get('/')).status).toBe(303)
    expect((await visit.post('/keys', { name: 'X' })).status).toBe(400)
    // A line of its own in the list of `watchpost keys list`; stores that end a text at a NUL.
    for (const name of ['X\n1  1 Main  admin', 'X\u001b[2J', 'X\0Y'])
      expect((await visit.post('/keys', { name, scope: 'read' })).status).toBe(400)
  })

  it('cannot be multiplied: those that new keys make count for the account', async () => {
    const { visit, visitor, engine, clock } = await signedIn()
    const form = new URLSearchParams({ name: 'More' })
    for (const each of ALL_SCOPES) form.append('scope', each)
    const make = (by: Visitor): Promise<Response> => by.post('/keys', form as never)
    const first = await make(visit)
    const second = visitor()
    await second.signIn(keyIn(await first.text()))
    for (let n = 1; n < 20; n++) expect((await make(n % 2 === 0 ? visit : second)).status).toBe(200)
    const refused = await make(second)
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
    await clock.advance(3_600_000)
    expect((await make(visit)).status).toBe(200)
    expect(await engine.keys.list()).toHaveLength(22)
  })

  it('are at most a hundred at a time; a revoked one makes room', async () => {
    const { visit, engine } = await signedIn()
    const made = await engine.keys.list()
    for (let n = made.length; n < 100; n++) await engine.keys.create({ name: `Key ${n}` })
    const refused = await visit.post('/keys', { name: 'More', scope: 'read' })
    expect(refused.status).toBe(409)
    expect(await refused.text()).toContain('Revoke one first')
    const last = (await engine.keys.list()).at(-1)
    await visit.post(`/keys/${last?.id ?? 0}/revoke`)
    await Promise.all([1, 2, 3].map(() => visit.post('/keys', { name: 'More', scope: 'read' })))
    const used = (await engine.keys.list()).filter(({ revoked_at }) => revoked_at === null)
    expect(used.length).toBeLessThanOrEqual(100)
  })

  it('are at most five hundred in the list, with those that were revoked', async () => {
    const { visit, engine } = await signedIn()
    const made = await engine.keys.list()
    for (let n = made.length; n < 500; n++) {
      const { view } = await engine.keys.create({ name: `Key ${n}` })
      await engine.keys.revoke(view.id)
    }
    const refused = await visit.post('/keys', { name: 'More', scope: 'read' })
    expect(refused.status).toBe(409)
    expect(await refused.text()).toContain('leave it after 30 days')
  })

  it('cost a view and a live connection one row, however many there are', async () => {
    let lists = 0
    const made = await site(undefined, {
      store(clock) {
        const store = memoryStore({ clock })
        const list = (account_id: number) => {
          lists++
          return store.keys.list(account_id)
        }
        return { ...store, keys: { ...store.keys, list } }
      },
    })
    const visit = made.visitor()
    await visit.signIn()
    expect((await visit.get('/')).status).toBe(200)
    const live = await visit.get('/events?all=1')
    await made.clock.advance(10_000)
    expect(lists).toBe(0)
    await made.engine.keys.revoke((await made.engine.keys.list())[0]?.id ?? 0)
    await made.clock.advance(5000)
    expect((await visit.get('/')).status).toBe(303)
    expect(await live.text()).toContain('retry:')
  })

  it('are for a key that may do everything: no other makes one that may do more', async () => {
    const { visit, visitor, engine, other } = await signedIn()
    expect(await visit.text('/')).toContain('href="/keys"')
    for (const scopes of [['read'], ['read', 'monitors:write', 'account:read']] as const) {
      const key = `a-key-with-${scopes.length}-scopes`
      await engine.keys.create({ name: key, key, scopes })
      const some = visitor()
      await some.signIn(key)
      expect(await some.text('/')).not.toContain('href="/keys"')
      expect((await some.get('/keys')).status).toBe(403)
      expect((await some.post('/keys', { name: 'More', scope: 'write' })).status).toBe(403)
      expect((await some.post('/keys/1/revoke')).status).toBe(403)
    }
    const [theirs] = await other.keys.list()
    expect((await visit.post(`/keys/${theirs?.id ?? 0}/revoke`)).status).toBe(404)
    expect(await engine.authenticate(KEY)).toBeDefined()
  })

  it('are for visitors of a host only if it says so', async () => {
    for (const [access, status] of [
      [{}, 403],
      [{ keys: true }, 200],
      [{ keys: true, read_only: true }, 403],
      [{ keys: 'yes' }, 403],
    ] as const) {
      const { visitor } = await site({ authorize: () => ({ account_id: 1, ...access }) as never })
      expect((await visitor().get('/keys')).status, JSON.stringify(access)).toBe(status)
      expect((await visitor().post('/keys', { name: 'K', scope: 'read' })).status).toBe(status)
    }
  })
})
