import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { client, tcpMonitor } from './client.ts'
import { KEY, OTHER_KEY } from './service.ts'

const LOG = '/api/v1/audit-log'

describe('GET /api/v1/audit-log', () => {
  it('names the key that made a change, with what changed', async () => {
    const { ask, create } = client()
    const id = await create({ ...tcpMonitor, pass: 'hunter2' })
    await ask('PATCH', `/api/v1/monitors/${id}`, { body: { interval_sec: 120, pass: 'hunter3' } })
    const { status, body, text } = await ask('GET', LOG)
    expect(status).toBe(200)
    expect(body.entries).toMatchObject([
      {
        ...{ actor: 'key:1', action: 'updated', resource: 'monitor', resource_id: id },
        changes: [{ field: 'interval_sec', from: 60, to: 120 }, { field: 'pass' }],
      },
      { actor: 'key:1', action: 'created', resource_name: 'Shop', changes: [] },
      { actor: null, action: 'created', resource: 'key' },
    ])
    expect(text).not.toMatch(/hunter/)
  })

  it('has an entry for each monitor that a bulk changes, and none for a repeated request', async () => {
    const { ask, create } = client()
    for (let index = 0; index < 3; index++) await create()
    const asked = {
      body: { action: 'pause', filter: { all: true } },
      headers: { 'idempotency-key': 'once' },
    }
    await ask('POST', '/api/v1/monitors/bulk', asked)
    await ask('POST', '/api/v1/monitors/bulk', asked)
    const { body } = await ask('GET', `${LOG}?action=paused`)
    const entries = body.entries as { readonly resource_id: number }[]
    expect(entries.map(({ resource_id }) => resource_id)).toEqual([3, 2, 1])
  })

  it('pages, filters, and refuses what it does not know', async () => {
    const { ask, create } = client()
    const [first] = [await create(), await create()]
    const one = await ask('GET', `${LOG}?resource=monitor&resource_id=${first}`)
    expect(one.body.entries).toHaveLength(1)
    const page = await ask('GET', `${LOG}?limit=2`)
    const cursor = page.body.next_cursor as string
    const rest = await ask('GET', `${LOG}?limit=2&cursor=${cursor}`)
    expect([page.body.entries.length, rest.body.entries.length, rest.body.next_cursor]).toEqual([
      2,
      1,
      null,
    ])
    const wrong = await ask('GET', `${LOG}?resource=user&action=x&from=2030-01-01&to=2029-01-01`)
    expect([wrong.status, Object.keys(wrong.body.fields)]).toEqual([422, ['resource', 'action']])
  })

  it('shows no other account, and nothing to a key without audit:read', async () => {
    const { ask, create, engine } = client()
    await create()
    const others = await ask('GET', LOG, { key: OTHER_KEY })
    expect(others.body.entries).toMatchObject([
      { resource: 'key', resource_name: 'two' },
      { resource: 'account', resource_name: 'second' },
    ])
    const { key } = await engine.keys.create({ scopes: ['monitors:read', 'monitors:write'] })
    expect((await ask('GET', LOG, { key })).body).toMatchObject({
      error: 'missing_scope',
      scope: 'audit:read',
    })
  })

  it('names whom the host names, whatever that is', async () => {
    const actors: unknown[] = ['user:7', 'x'.repeat(500), 'a\nb', '', 7, undefined]
    const left = [...actors]
    const { ask, create, engine } = client({
      authenticate: () => ({ account_id: 1, key: { id: 'session' }, actor: left.shift() as never }),
    })
    for (const _ of actors) await create()
    expect(ask).toBeDefined()
    const { items } = await engine.auditLog.list({ resource: 'monitor' })
    expect(items.map(({ actor }) => actor).toReversed()).toEqual([
      'user:7',
      'x'.repeat(200),
      'ab',
      'key:session',
      'key:session',
      'key:session',
    ])
  })

  it('is read by the client as by the engine', async () => {
    const { rest, create, engine } = client()
    const id = await create()
    const api = createClient({
      url: 'http://localhost',
      apiKey: KEY,
      fetch: (input, init) => rest.fetch(new Request(input, init)),
    })
    const { items } = await api.auditLog.list({ resource: 'monitor', resource_id: id })
    expect(items).toEqual((await engine.auditLog.list({ resource: 'monitor' })).items)
    const all = []
    for await (const entry of api.auditLog.list.all({ limit: 1, from: new Date(0) }))
      all.push(entry)
    expect(all).toEqual((await engine.auditLog.list()).items)
  })
})
