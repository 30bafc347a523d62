import { describe, expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createRest } from '../../src/rest/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { client, idsOf, tcpMonitor } from './client.ts'
import { OTHER_KEY } from './service.ts'

const at = '/api/v1/maintenance'
const night = { cron: '0 22 * * 5', duration_min: 90, time_zone: 'Europe/Berlin' }
const work = { name: 'Database', window: night, tags: ['web'] }

describe('planned work over REST', () => {
  it('is created, listed, shown with its next start and end, changed and deleted', async () => {
    const { ask, ready } = client()
    await ready
    const created = await ask('POST', at, { body: work })
    expect([created.status, created.headers.get('location')]).toEqual([201, `${at}/1`])
    const { starts_at, ends_at, ...rest } = created.body.maintenance
    expect(rest).toMatchObject({
      ...{ id: 1, name: 'Database', window: { ...night, skip_checks: false }, tags: ['web'] },
      ...{ monitor_ids: [], all_monitors: false, active: false, version: 1 },
    })
    expect(Date.parse(ends_at) - Date.parse(starts_at)).toBe(90 * 60_000)
    expect((await ask('GET', `${at}/1`)).body.maintenance).toEqual(created.body.maintenance)
    expect(idsOf((await ask('GET', at)).body.maintenance)).toEqual([1])
    const { occurrences } = (await ask('GET', `${at}/upcoming?days=14&limit=2`)).body
    expect(occurrences[0]).toMatchObject({
      maintenance_id: 1,
      name: 'Database',
      starts_at,
      ends_at,
    })
    expect(occurrences).toHaveLength(2)
    const changed = await ask('PATCH', `${at}/1`, { body: { all_monitors: true, tags: null } })
    expect(changed.body.maintenance).toMatchObject({ all_monitors: true, tags: [], version: 2 })
    expect((await ask('DELETE', `${at}/1`)).body).toEqual({ ok: true, deleted: { id: 1 } })
    expect((await ask('GET', `${at}/1`)).status).toBe(404)
  })

  it('changes only in the version that If-Match names, and once per Idempotency-Key', async () => {
    const { ask, ready } = client()
    await ready
    const asked = { body: work, headers: { 'Idempotency-Key': 'once' } }
    const created = await ask('POST', at, asked)
    expect((await ask('POST', at, asked)).body).toEqual(created.body)
    const etag = created.headers.get('etag') ?? ''
    const same = await ask('GET', `${at}/1`, { headers: { 'If-None-Match': etag } })
    expect(same.status).toBe(304)
    const patch = { body: { name: 'Disks' }, headers: { 'If-Match': etag } }
    expect((await ask('PATCH', `${at}/1`, patch)).status).toBe(200)
    const outdated = await ask('PATCH', `${at}/1`, patch)
    expect([outdated.status, outdated.body.error]).toEqual([412, 'version_mismatch'])
    expect((await ask('DELETE', `${at}/1`, { headers: { 'If-Match': etag } })).status).toBe(412)
  })

  it('is refused with every field that is wrong', async () => {
    const { ask, ready } = client()
    await ready
    const body = {
      window: { cron: '* * * * *', duration_min: 0 },
      monitor_ids: [-1],
      colour: 'red',
    }
    const { status, body: answer } = await ask('POST', at, { body })
    expect([status, Object.keys(answer.fields).toSorted()]).toEqual([
      422,
      ['colour', 'monitor_ids', 'name', 'window'],
    ])
    const query = await ask('GET', `${at}/upcoming?days=0&limit=999`)
    expect([query.status, Object.keys(query.body.fields)]).toEqual([422, ['days', 'limit']])
  })

  it('is not offered where the store has no place for it', async () => {
    const { maintenance: _, ...store } = memoryStore()
    const engine = createEngine({ store, checkers: [tcp()], logger: false })
    onTestFinished(() => engine.stop())
    const authenticate = () => ({ account_id: 1, key: { id: 1 } })
    const rest = createRest(engine, { authenticate, logger: false })
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { body: JSON.stringify(body), headers }
      return rest.fetch(new Request(`http://localhost${path}`, { method, ...sent }))
    }
    const made = await ask('POST', at, { ...work, all_monitors: true })
    expect([made.status, await made.json()]).toMatchObject([
      501,
      { ok: false, error: 'not_offered', message: expect.stringContaining('storage') },
    ])
    expect(await (await ask('GET', at)).json()).toMatchObject({ maintenance: [] })
    for (const method of ['GET', 'DELETE']) expect((await ask(method, `${at}/1`)).status).toBe(404)
    expect((await ask('PATCH', `${at}/1`, { name: 'x' })).status).toBe(404)
  })

  it('belongs to the account of the key, and silences nobody else', async () => {
    const { ask, ready, engine } = client()
    await ready
    const made = await ask('POST', '/api/v1/monitors', { body: { ...tcpMonitor, tags: ['web'] } })
    await ask('POST', at, { body: work, key: OTHER_KEY })
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const)
      expect((await ask(method, `${at}/1`, body && { body })).status).toBe(404)
    expect((await ask('GET', at)).body.maintenance).toEqual([])
    const { planned_maintenance } = await engine.monitors.status(made.body.monitor.id)
    expect(planned_maintenance).toEqual([])
    const asked = { body: { ...work, monitor_ids: [made.body.monitor.id] }, key: OTHER_KEY }
    const foreign = await ask('POST', at, asked)
    expect([foreign.status, Object.keys(foreign.body.fields)]).toEqual([422, ['monitor_ids']])
  })
})
