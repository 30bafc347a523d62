import { describe, expect, it } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { client, idsOf, tcpMonitor } from './client.ts'
import { OTHER_KEY } from './service.ts'

const at = '/api/v1/status-reports'
const page = { title: 'Shop', slug: 'shop' }
const report = { title: 'Payments fail', page_ids: [1], text: 'We look into it.\n\nMore soon.' }

async function withPage() {
  const made = client()
  await made.ready
  await made.ask('POST', '/api/v1/public-pages', { body: page })
  return made
}

describe('status reports over REST', () => {
  it('are written with updates, listed newest first, renamed and deleted', async () => {
    const { ask, create, clock } = await withPage()
    const monitor = await create()
    const body = { ...report, monitor_ids: [monitor] }
    const created = await ask('POST', at, { body })
    expect([created.status, created.headers.get('location')]).toEqual([201, `${at}/1`])
    expect(created.body.status_report).toMatchObject({
      ...{ id: 1, title: 'Payments fail', page_ids: [1], monitor_ids: [monitor] },
      ...{ status: 'investigating', resolved_at: null, version: 1 },
      updates: [{ status: 'investigating', text: report.text }],
    })
    await clock.advance(60_000)
    const update = { status: 'identified', text: 'A certificate has expired.' }
    const told = await ask('POST', `${at}/1/updates`, { body: update })
    expect(told.body.status_report).toMatchObject({ status: 'identified', version: 2 })
    await clock.advance(60_000)
    const end = { status: 'resolved', text: 'Payments work again.' }
    const { status_report } = (await ask('POST', `${at}/1/updates`, { body: end })).body
    expect(status_report.updates).toMatchObject([
      { status: 'investigating' },
      { status: 'identified' },
      { status: 'resolved' },
    ])
    expect(status_report.resolved_at).toBe(status_report.updates[2].at)
    expect(Date.parse(status_report.resolved_at) - Date.parse(status_report.started_at)).toBe(
      120_000,
    )
    await ask('POST', at, { body: { ...report, status: 'monitoring' } })
    expect(idsOf((await ask('GET', at)).body.status_reports)).toEqual([2, 1])
    expect(idsOf((await ask('GET', `${at}?open=true`)).body.status_reports)).toEqual([2])
    expect(idsOf((await ask('GET', `${at}?page_id=2`)).body.status_reports)).toEqual([])
    const first = (await ask('GET', `${at}?limit=1`)).body
    const rest = (await ask('GET', `${at}?limit=1&cursor=${first.next_cursor}`)).body
    expect([idsOf(first.status_reports), idsOf(rest.status_reports), rest.next_cursor]).toEqual([
      [2],
      [1],
      null,
    ])
    const renamed = await ask('PATCH', `${at}/1`, { body: { title: 'Payments failed' } })
    expect(renamed.body.status_report).toMatchObject({ title: 'Payments failed', version: 4 })
    expect((await ask('DELETE', `${at}/1`)).body).toEqual({ ok: true, deleted: { id: 1 } })
    expect((await ask('GET', `${at}/1`)).status).toBe(404)
  })

  it('take an update once, and only for the version that was read', async () => {
    const { ask } = await withPage()
    const { headers } = await ask('POST', at, { body: report })
    const etag = headers.get('etag') ?? ''
    const body = { status: 'identified', text: 'Found.' }
    const asked = { body, headers: { 'Idempotency-Key': 'a', 'If-Match': etag } }
    const told = await ask('POST', `${at}/1/updates`, asked)
    expect((await ask('POST', `${at}/1/updates`, asked)).body).toEqual(told.body)
    expect((await ask('GET', `${at}/1`)).body.status_report.updates).toHaveLength(2)
    const late = await ask('POST', `${at}/1/updates`, { body, headers: { 'If-Match': etag } })
    expect([late.status, late.body.error]).toEqual([412, 'version_mismatch'])
  })

  it('are refused with every field that is wrong, and for pages of others', async () => {
    const { ask, create } = await withPage()
    const foreign = await create(tcpMonitor)
    const wrong = await ask('POST', at, {
      body: { title: '', page_ids: [], text: 'x'.repeat(5001), status: 'over', colour: 1 },
    })
    expect([wrong.status, Object.keys(wrong.body.fields).toSorted()]).toEqual([
      422,
      ['colour', 'page_ids', 'status', 'text', 'title'],
    ])
    const body = { ...report, monitor_ids: [foreign] }
    const other = await ask('POST', at, { body, key: OTHER_KEY })
    expect([other.status, Object.keys(other.body.fields)]).toEqual([
      422,
      ['page_ids', 'monitor_ids'],
    ])
    await ask('POST', at, { body: report })
    const update = { status: 'resolved', text: 'x' }
    for (const [method, path, sent] of [
      ['GET', `${at}/1`],
      ['PATCH', `${at}/1`, { title: 'x' }],
      ['POST', `${at}/1/updates`, update],
      ['DELETE', `${at}/1`],
    ] as const)
      expect((await ask(method, path, { body: sent, key: OTHER_KEY })).status).toBe(404)
  })

  it('have at most fifty updates, and an account as many reports as its quota says', async () => {
    const { ask, engine } = await withPage()
    await engine.accounts.update(1, { quotas: { status_reports: 1 } })
    await ask('POST', at, { body: report })
    const second = await ask('POST', at, { body: report })
    expect([second.status, second.body.error]).toEqual([409, 'quota'])
    const update = { status: 'monitoring', text: 'Still.' } as const
    for (let n = 2; n <= 50; n++) await engine.statusReports.addUpdate(1, update)
    const beyond = await ask('POST', `${at}/1/updates`, { body: update })
    expect([beyond.status, beyond.body.error]).toEqual([409, 'quota'])
  })

  it('are told to the host, with the pages that show them, and so is planned work', async () => {
    const { ask, engine, create } = await withPage()
    const monitor = await create({ ...tcpMonitor, tags: ['Web'] })
    await ask('POST', '/api/v1/public-pages', {
      body: { title: 'B', slug: 'b', password: 'correct horse', groups: [{ tag: 'web' }] },
    })
    const heard: unknown[] = []
    engine.on('published', ({ account_id, change, pages, report: about, maintenance }) =>
      heard.push([
        account_id,
        change,
        pages.map(({ slug, has_password }) => [slug, has_password]),
        about?.status ?? maintenance?.name,
      ]),
    )
    await ask('POST', at, { body: { ...report, page_ids: [1, 2] } })
    await ask('POST', `${at}/1/updates`, { body: { status: 'identified', text: 'x' } })
    await ask('POST', `${at}/1/updates`, { body: { status: 'resolved', text: 'x' } })
    const window = { cron: '0 22 * * 5', duration_min: 90 }
    const work = { name: 'Disks', window, monitor_ids: [monitor] }
    await ask('POST', '/api/v1/maintenance', { body: work })
    await ask('PATCH', '/api/v1/maintenance/1', { body: { name: 'RAM' } })
    await ask('DELETE', '/api/v1/maintenance/1')
    await ask('POST', '/api/v1/maintenance', { body: { ...work, monitor_ids: [await create()] } })
    const both = [
      ['shop', false],
      ['b', true],
    ]
    expect(heard).toEqual([
      [1, 'report_created', both, 'investigating'],
      [1, 'report_updated', both, 'identified'],
      [1, 'report_resolved', both, 'resolved'],
      [1, 'maintenance_planned', [['b', true]], 'Disks'],
      [1, 'maintenance_changed', [['b', true]], 'RAM'],
      [1, 'maintenance_cancelled', [['b', true]], 'RAM'],
    ])
  })
})

it('with long updates are listed in pages of half a million characters', async () => {
  const engine = createEngine({ store: memoryStore(), checkers: [tcp()], logger: false })
  const { publicPages, statusReports } = engine
  const { id: page_id } = await publicPages.create(page)
  for (let n = 0; n < 12; n++) {
    const long = { status: 'identified', text: 'a'.repeat(5000) } as const
    const { id } = await statusReports.create({ ...long, title: 'Long', page_ids: [page_id] })
    for (let update = 1; update < 10; update++) await statusReports.addUpdate(id, long)
  }
  const first = await statusReports.list({ limit: 200 })
  expect([first.items.length, first.items[0]?.id, first.next]).toEqual([11, 12, 2])
  const rest = await statusReports.list({ limit: 200, after: first.next! })
  expect([idsOf(rest.items), rest.next]).toEqual([[1], null])
  await engine.stop()
})
