import { describe, expect, it } from 'vitest'
import { client, tcpMonitor } from './client.ts'

describe('monitors', () => {
  it('are created pending, with 201, their address and their entity tag', async () => {
    const { ask } = client()
    const { status, headers, body } = await ask('POST', '/api/v1/monitors', { body: tcpMonitor })
    expect(status).toBe(201)
    expect(body).toMatchObject({ ok: true, monitor: { id: 1, state: 'pending', port: 443 } })
    expect(headers.get('location')).toBe('/api/v1/monitors/1')
    expect(headers.get('etag')).toMatch(/^"1\.[\w-]{12}"$/)
  })

  it('that are invalid are refused with 422 and every problem at once', async () => {
    const { ask } = client()
    const monitor = { type: 'tcp', port: 70_000, prot: 1 }
    const { status, body } = await ask('POST', '/api/v1/monitors', { body: monitor })
    expect(status).toBe(422)
    expect(body).toMatchObject({ ok: false, error: 'validation' })
    expect(Object.keys(body.fields).sort()).toEqual(['host', 'name', 'port', 'prot'])
  })

  it('are refused with 422 where nothing was sent at all', async () => {
    const { status, body } = await client().ask('POST', '/api/v1/monitors')
    expect([status, body.fields]).toEqual([422, { type: 'required' }])
  })

  it('are read with settings and status per location, secrets masked', async () => {
    const { ask, create } = client()
    const id = await create({ ...tcpMonitor, pass: 'canary' })
    const { status, body, text } = await ask('GET', `/api/v1/monitors/${id}`)
    expect(status).toBe(200)
    expect(body.monitor).toMatchObject({ id, host: 'shop.example', pass: '***', locations: [] })
    expect(text).not.toContain('canary')
  })

  it('are listed by pages that a cursor joins', async () => {
    const { ask, create } = client()
    for (let n = 0; n < 5; n++) await create()
    const seen: number[] = []
    let cursor = ''
    do {
      const { body } = await ask('GET', `/api/v1/monitors?limit=2&cursor=${cursor}`)
      seen.push(...body.monitors.map(({ id }: { id: number }) => id))
      cursor = body.next_cursor
    } while (cursor !== null && seen.length < 10)
    expect(seen).toEqual([1, 2, 3, 4, 5])
  })

  it.each([
    ['status=pending', [1, 3]],
    ['status=paused,up', [2]],
    ['type=heartbeat', [3]],
    ['type=heartbeat,tcp&status=paused', [2]],
    ['q=Sho', [1, 2]],
    ['tag=a', [1, 2]],
    ['tag=a&tag=b', [1]],
    ['tag=b,c', [1, 2]],
    ['tag=nobody', []],
    ['unknown=1', [1, 2, 3]],
  ])('are filtered by %s', async (query, ids) => {
    const { ask, create } = client()
    await create({ ...tcpMonitor, tags: ['a', 'b'] })
    await create({ ...tcpMonitor, tags: ['a', 'c'] })
    await create({ type: 'heartbeat', name: 'Backup' })
    await ask('POST', '/api/v1/monitors/2/pause')
    const { body } = await ask('GET', `/api/v1/monitors?${query}`)
    expect(body.monitors.map(({ id }: { id: number }) => id)).toEqual(ids)
  })

  it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'status=broken', 'type=telnet'])(
    'are refused with 422 where the filter is %s',
    async (query) => {
      const { status, body } = await client().ask('GET', `/api/v1/monitors?${query}`)
      expect([status, body.error, Object.keys(body.fields)]).toEqual([
        422,
        'validation',
        [query.split('=')[0]],
      ])
    },
  )

  it('are changed by the fields that are sent, under a new version', async () => {
    const { ask, create } = client()
    const id = await create()
    const { status, headers, body } = await ask('PATCH', `/api/v1/monitors/${id}`, {
      body: { name: 'Store' },
    })
    expect(status).toBe(200)
    expect(body.monitor).toMatchObject({ name: 'Store', port: 443, version: 2 })
    expect(headers.get('etag')).toMatch(/^"2\./)
  })

  it('keep their type', async () => {
    const { ask, create } = client()
    const id = await create()
    const { status, body } = await ask('PATCH', `/api/v1/monitors/${id}`, {
      body: { type: 'heartbeat' },
    })
    expect([status, body.fields]).toEqual([422, { type: 'immutable' }])
  })

  it('are gone once deleted', async () => {
    const { ask, create } = client()
    const id = await create()
    const { status, body } = await ask('DELETE', `/api/v1/monitors/${id}`)
    expect([status, body]).toEqual([200, { ok: true, deleted: { id } }])
    expect((await ask('GET', `/api/v1/monitors/${id}`)).status).toBe(404)
  })

  it('are paused and resumed', async () => {
    const { ask, create } = client()
    const id = await create()
    const paused = await ask('POST', `/api/v1/monitors/${id}/pause`)
    expect([paused.status, paused.body.monitor.state]).toEqual([200, 'paused'])
    const resumed = await ask('POST', `/api/v1/monitors/${id}/resume`)
    expect([resumed.status, resumed.body.monitor.state]).toEqual([200, 'pending'])
  })

  it('are checked in the background with 202, and with wait=1 while the client waits', async () => {
    const { ask, create } = client()
    const id = await create()
    const queued = await ask('POST', `/api/v1/monitors/${id}/check`)
    expect([queued.status, queued.body]).toEqual([
      202,
      { ok: true, check: { monitor_id: id, state: 'queued' } },
    ])
    const done = await ask('POST', `/api/v1/monitors/${id}/check?wait=1`)
    expect(done.status).toBe(200)
    expect(done.body).toMatchObject({
      check: { monitor_id: id, state: 'done' },
      results: [{ monitor_id: id }],
      monitor: { id },
    })
  })

  it.each(['', '?wait=1'])('that are paused cannot be checked%s: 409 paused', async (query) => {
    const { ask, create } = client()
    const id = await create()
    await ask('POST', `/api/v1/monitors/${id}/pause`)
    const { status, body } = await ask('POST', `/api/v1/monitors/${id}/check${query}`)
    expect([status, body.error]).toEqual([409, 'paused'])
  })

  it('take no fields with an action: whoever sends one expects something of it', async () => {
    const { ask, create } = client()
    const id = await create()
    const { status, body } = await ask('POST', `/api/v1/monitors/${id}/pause`, {
      body: { until: '2026-02-01' },
    })
    expect([status, body.fields]).toEqual([422, { until: 'unknown_field' }])
  })

  it('tell their status', async () => {
    const { ask, create } = client()
    const { status, body } = await ask('GET', `/api/v1/monitors/${await create()}/status`)
    expect([status, body.status.state]).toEqual([200, 'pending'])
  })

  it('tell their results, 100 at a time unless asked otherwise', async () => {
    const { ask, create } = client()
    const path = `/api/v1/monitors/${await create()}/results`
    const first = await ask('GET', path)
    expect(first.body.results).toHaveLength(100)
    const second = await ask('GET', `${path}?limit=1000&cursor=${first.body.next_cursor}`)
    expect(second.body).toMatchObject({ next_cursor: null, results: { length: 150 } })
    const failed = await ask('GET', `${path}?verdict=fail&from=2026-01-01&to=1798761600`)
    expect(failed.body.results).toEqual([])
  })

  it.each([
    'limit=1001',
    'from=x',
    'to=x',
    'from=2&to=1',
    'location_id=0',
    'verdict=up',
    'order=up',
  ])('refuse results by %s with 422', async (query) => {
    const { ask, create } = client()
    const { status } = await ask('GET', `/api/v1/monitors/${await create()}/results?${query}`)
    expect(status).toBe(422)
  })

  it('tell their uptime for 30 days unless asked otherwise', async () => {
    const { ask, create } = client()
    const path = `/api/v1/monitors/${await create()}/uptime`
    expect((await ask('GET', path)).body.uptime.days).toHaveLength(30)
    expect((await ask('GET', `${path}?days=7`)).body.uptime.days).toHaveLength(7)
    for (const days of ['0', '366', 'week']) {
      expect((await ask('GET', `${path}?days=${days}`)).body.fields).toHaveProperty('days')
    }
  })

  it('tell their incidents', async () => {
    const { ask, create } = client()
    const { status, body } = await ask('GET', `/api/v1/monitors/${await create()}/incidents`)
    expect([status, body.incidents.length, body.next_cursor]).toEqual([200, 1, null])
  })
})

describe('the account', () => {
  it('tells who asks', async () => {
    const { body } = await client({ rateLimit: {} }).ask('GET', '/api/v1/me')
    expect(body.me).toMatchObject({
      account: { id: 1, name: 'one' },
      key: { id: 1, scopes: ['read', 'write'] },
      limits: { requests_per_minute: 60 },
    })
  })

  it('lists incidents, open ones only where asked', async () => {
    const { ask } = client()
    expect((await ask('GET', '/api/v1/incidents?open=1')).body.incidents).toHaveLength(1)
    expect((await ask('GET', '/api/v1/incidents?open=0')).body.incidents).toEqual([])
    expect((await ask('GET', '/api/v1/incidents?open=2')).body.fields).toHaveProperty('open')
  })

  it('has no balance unless the host keeps one', async () => {
    const { body } = await client().ask('GET', '/api/v1/balance')
    expect(body).toEqual({ ok: true, balance: { amount: null, unlimited: true } })
  })

  it('has the balance that the host tells, as a decimal text', async () => {
    const balance = (account_id: number) => ({ amount: `${account_id}2.50`, currency: 'EUR' })
    const { body } = await client({ balance }).ask('GET', '/api/v1/balance')
    expect(body.balance).toEqual({ amount: '12.50', currency: 'EUR' })
  })

  it('refuses a balance that is a float', async () => {
    const balance = () => ({ amount: 12.5 as unknown as string })
    const { status, body } = await client({ balance }).ask('GET', '/api/v1/balance')
    expect([status, body.error]).toEqual([500, 'internal'])
  })

  it('lists locations, contacts and types with their fields', async () => {
    const { ask } = client()
    expect((await ask('GET', '/api/v1/locations')).body.locations).toHaveLength(1)
    expect((await ask('GET', '/api/v1/contacts')).body.contacts[0].settings.secret).toBe('***')
    const { body } = await ask('GET', '/api/v1/types')
    expect(body.types[0]).toMatchObject({
      type: 'tcp',
      fields: [{ name: 'host', required: true }, {}, {}],
    })
    expect(body.common_fields[0]).toMatchObject({ name: 'name' })
  })
})

describe('the notification log', () => {
  it('is listed and read', async () => {
    const { ask } = client()
    const list = await ask('GET', '/api/v1/notifications?contact_id=3')
    expect(list.body.notifications[0].attempts[0].http_status).toBe(200)
    expect((await ask('GET', '/api/v1/notifications/9')).body.notification.id).toBe(9)
    expect((await ask('GET', '/api/v1/notifications/8')).status).toBe(404)
  })

  it('sends a notification once more under a new id', async () => {
    const { status, body } = await client().ask('POST', '/api/v1/notifications/9/resend')
    expect([status, body.notification.id]).toEqual([202, 10])
  })

  it('tests a contact', async () => {
    const { ask } = client()
    expect((await ask('POST', '/api/v1/contacts/3/test')).body.notification.event).toBe('test')
    expect((await ask('POST', '/api/v1/contacts/4/test')).status).toBe(404)
  })
})
