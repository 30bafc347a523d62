/** What every resource that is created over REST has in common: contacts, planned work, pages, reports. */
import { describe, expect, it } from 'vitest'
import { client, idsOf } from './client.ts'
import { OTHER_KEY } from './service.ts'

const page = { title: 'Shop', slug: 'shop' }
const window = { cron: '0 22 * * 5', duration_min: 90 }
const hook = { kind: 'webhook', name: 'Ops', url: 'http://127.0.0.1:9/hook' }

/** The path and member of a list, the member of one, two new ones, and a change. */
const RESOURCES = [
  ['contacts', 'contacts', 'contact', hook, { ...hook, name: 'Night' }, { name: 'Day' }],
  [
    ...['maintenance', 'maintenance', 'maintenance'],
    ...[
      { name: 'A', window, all_monitors: true },
      { name: 'B', window, all_monitors: true },
    ],
    { name: 'C' },
  ],
  [
    ...['public-pages', 'public_pages', 'public_page'],
    ...[page, { title: 'Store', slug: 'store' }, { title: 'Market' }],
  ],
  [
    ...['status-reports', 'status_reports', 'status_report'],
    ...[
      { title: 'A', page_ids: [1], text: 'a' },
      { title: 'B', page_ids: [1], text: 'b' },
    ],
    { title: 'C' },
  ],
] as readonly (readonly [string, string, string, object, object, object])[]

describe.each(RESOURCES)('%s', (path, many, one, first, second, change) => {
  /** Below a path, so that each address that is told has it. */
  async function setUp() {
    const made = client({ basePath: '/watch', manageContacts: true })
    await made.ready
    const { ask } = made
    if (path === 'status-reports') await ask('POST', '/watch/api/v1/public-pages', { body: page })
    const at = `/watch/api/v1/${path}`
    const created = await ask('POST', at, { body: first, headers: { 'Idempotency-Key': 'a' } })
    return { ...made, at, created, etag: created.headers.get('etag') ?? '' }
  }

  it('tell where a new one is, and make it once for one Idempotency-Key', async () => {
    const { ask, at, created } = await setUp()
    expect([created.status, created.headers.get('location')]).toEqual([201, `${at}/1`])
    expect(created.body).toMatchObject({ ok: true, [one]: { id: 1, version: 1 } })
    const again = await ask('POST', at, { body: first, headers: { 'Idempotency-Key': 'a' } })
    expect([again.status, again.text]).toEqual([201, created.text])
    expect(idsOf((await ask('GET', at)).body[many])).toEqual([1])
  })

  it('are shown with the tag under which they were made, and not again to who has it', async () => {
    const { ask, at, created, etag } = await setUp()
    const shown = await ask('GET', `${at}/1`)
    expect([shown.status, shown.headers.get('etag')]).toEqual([200, etag])
    expect(shown.body).toEqual(created.body)
    const known = await ask('GET', `${at}/1`, { headers: { 'If-None-Match': etag } })
    expect([known.status, known.text]).toEqual([304, ''])
  })

  it('change and go in the version that If-Match names', async () => {
    const { ask, at, etag } = await setUp()
    const changed = await ask('PATCH', `${at}/1`, { body: change, headers: { 'If-Match': etag } })
    expect([changed.status, changed.body[one]]).toEqual([
      ...[200, expect.objectContaining({ ...change, version: 2 })],
    ])
    const next = changed.headers.get('etag') ?? ''
    expect((await ask('GET', `${at}/1`)).headers.get('etag')).toBe(next)
    for (const [method, body] of [['PATCH', change], ['DELETE']] as const) {
      const late = await ask(method, `${at}/1`, {
        ...{ ...(body && { body }), headers: { 'If-Match': etag } },
      })
      expect([late.status, late.body.error]).toEqual([412, 'version_mismatch'])
    }
    const gone = await ask('DELETE', `${at}/1`, { headers: { 'If-Match': next } })
    expect([gone.status, gone.body]).toEqual([200, { ok: true, deleted: { id: 1 } }])
    expect((await ask('GET', `${at}/1`)).status).toBe(404)
  })

  it('are those of the account of the key', async () => {
    const { ask, at } = await setUp()
    const key = OTHER_KEY
    expect((await ask('GET', at, { key })).body[many]).toEqual([])
    for (const [method, body] of [['GET'], ['PATCH', change], ['DELETE']] as const)
      expect((await ask(method, `${at}/1`, { ...(body && { body }), key })).status).toBe(404)
    expect((await ask('GET', `${at}/1`)).status).toBe(200)
  })

  it('are listed in pages that a cursor joins, but for contacts, which are few', async () => {
    const { ask, at } = await setUp()
    await ask('POST', at, { body: second })
    const all = await ask('GET', at)
    expect(idsOf(all.body[many]).toSorted()).toEqual([1, 2])
    if (path === 'contacts') return
    expect(all.body.next_cursor).toBeNull()
    const head = (await ask('GET', `${at}?limit=1`)).body
    const rest = (await ask('GET', `${at}?limit=1&cursor=${head.next_cursor}`)).body
    expect([...idsOf(head[many]), ...idsOf(rest[many])]).toEqual(idsOf(all.body[many]))
    expect(rest.next_cursor).toBeNull()
  })
})
