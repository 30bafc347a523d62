import { describe, expect, it } from 'vitest'
import { OTHER_KEY } from './service.ts'
import { client, idsOf, tcpMonitor } from './client.ts'

const webhook = { kind: 'webhook', name: 'Ops', url: 'http://127.0.0.1:9/hook' }

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
    expect(Object.keys(body.fields).sort()).toEqual(['host', 'port', 'prot'])
  })

  it.each(['', 'htp', 'toString'])('of the type %j are refused with 422', async (type) => {
    const { status, body } = await client().ask('POST', '/api/v1/monitors', { body: { type } })
    expect([status, body.error]).toEqual([422, 'validation'])
    expect(body.fields.type).toMatch(/^invalid: there is no type "\w*"; one of \w+/)
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
    expect(body.monitor).toMatchObject({ id, host: 'shop.example', pass: '***' })
    expect(body.monitor.locations).toMatchObject([{ location_id: 1, status: 'unknown' }])
    expect(text).not.toContain('canary')
  })

  it('are listed by pages that a cursor joins', async () => {
    const { ask, create } = client()
    for (let n = 0; n < 5; n++) await create()
    const seen: number[] = []
    let cursor: string | null = ''
    do {
      const { body } = await ask('GET', `/api/v1/monitors?limit=2&cursor=${cursor}`)
      seen.push(...idsOf(body.monitors))
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
    ['metadata.plan=pro', [1, 2]],
    ['metadata[plan]=pro&metadata.seats=7', [2]],
    ['metadata.plan=Pro', []],
    ['metadata.plan=', [1, 2, 3]],
    ['unknown=1', [1, 2, 3]],
  ])('are filtered by %s', async (query, ids) => {
    const { ask, create } = client()
    await create({ ...tcpMonitor, tags: ['a', 'b'], metadata: { plan: 'pro' } })
    await create({ ...tcpMonitor, tags: ['a', 'c'], metadata: { plan: 'pro', seats: 7 } })
    await create({ type: 'heartbeat', name: 'Backup' })
    await ask('POST', '/api/v1/monitors/2/pause')
    const { body } = await ask('GET', `/api/v1/monitors?${query}`)
    expect(idsOf(body.monitors)).toEqual(ids)
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

  it('are checked in the background with 202', async () => {
    const { ask, create, engine, checked } = client()
    await engine.start()
    const id = await create()
    const { status, body } = await ask('POST', `/api/v1/monitors/${id}/check`)
    expect([status, body]).toEqual([202, { ok: true, check: { monitor_id: id, state: 'queued' } }])
    await expect.poll(() => checked).toEqual(['shop.example'])
  })

  it('are checked with wait=1 while the client waits', async () => {
    const { ask, create, engine } = client()
    await engine.start()
    const id = await create()
    const { status, body } = await ask('POST', `/api/v1/monitors/${id}/check?wait=1`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      check: { monitor_id: id, state: 'done' },
      results: [{ monitor_id: id, verdict: 'ok' }],
      monitor: { id, state: 'up' },
    })
  })

  it.each(['', '?wait=1'])('that are paused cannot be checked%s: 409 paused', async (query) => {
    const { ask, create, engine } = client()
    await engine.start()
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

  it('tell their results, newest first, 100 at a time unless asked otherwise', async () => {
    const { ask, create, engine } = client()
    await engine.start()
    const path = `/api/v1/monitors/${await create()}`
    for (let n = 0; n < 103; n++) await ask('POST', `${path}/check?wait=1`)
    const first = await ask('GET', `${path}/results`)
    expect(first.body.results).toHaveLength(100)
    const second = await ask('GET', `${path}/results?limit=1000&cursor=${first.body.next_cursor}`)
    expect(second.body.next_cursor).toBeNull()
    const ids = [...idsOf(first.body.results), ...idsOf(second.body.results)]
    expect(ids).toEqual(Array.from({ length: 103 }, (_, n) => 103 - n))
    const failed = await ask('GET', `${path}/results?verdict=fail&from=2026-01-01&to=1798761600`)
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

  it('tell their totals per hour, or of several hours', async () => {
    const { ask, create, engine, clock } = client()
    await engine.start()
    const path = `/api/v1/monitors/${await create()}/hours`
    await clock.advance(3_700_000)
    const { hours } = (await ask('GET', path)).body
    expect(hours).toMatchObject({ step_hours: 1, overall: { fail: 0 } })
    expect(hours.steps).toHaveLength(2)
    expect((await ask('GET', `${path}?step_hours=12`)).body.hours.steps).toHaveLength(1)
    for (const [name, value] of Object.entries({ step_hours: '7', from: '0', to: 'soon' }))
      expect((await ask('GET', `${path}?${name}=${value}`)).body.fields).toHaveProperty(name)
  })

  it('tell their incidents, and the account tells all', async () => {
    const { ask, create, engine } = client()
    await engine.start()
    const id = await create({ ...tcpMonitor, host: 'down.example', fail_threshold: 1 })
    await ask('POST', `/api/v1/monitors/${id}/check?wait=1`)
    const other = await create()
    const idsAt = async (path: string) => idsOf((await ask('GET', path)).body.incidents)
    expect(await idsAt(`/api/v1/monitors/${id}/incidents`)).toEqual([1])
    expect(await idsAt(`/api/v1/monitors/${other}/incidents`)).toEqual([])
    expect(await idsAt('/api/v1/incidents?open=1&cause_code=told_so')).toEqual([1])
    expect(await idsAt('/api/v1/incidents?open=0')).toEqual([])
    expect(await idsAt(`/api/v1/incidents?monitor_id=${other}`)).toEqual([])
    expect((await ask('GET', '/api/v1/incidents?open=2')).body.fields).toHaveProperty('open')
  })

  it('leave their incidents behind, for their own account', async () => {
    const { ask, create, engine } = client()
    await engine.start()
    const id = await create({ ...tcpMonitor, host: 'down.example', fail_threshold: 1 })
    await ask('POST', `/api/v1/monitors/${id}/check?wait=1`)
    await ask('DELETE', `/api/v1/monitors/${id}`)
    const path = `/api/v1/incidents?monitor_id=${id}`
    expect(idsOf((await ask('GET', path)).body.incidents)).toEqual([1])
    expect((await ask('GET', `${path}&open=1`)).body.incidents).toEqual([])
    const foreign = await ask('GET', path, { key: OTHER_KEY })
    expect([foreign.status, foreign.body.incidents]).toEqual([200, []])
  })
})

describe('the account', () => {
  it('tells who asks', async () => {
    const { body } = await client({ rateLimit: {} }).ask('GET', '/api/v1/me')
    expect(body.me).toMatchObject({
      account: { id: 1, name: 'default' },
      key: { id: 1, name: 'one', scopes: ['read', 'write'] },
      limits: { requests_per_minute: 60 },
    })
  })

  it('tells what it may have and has, and refuses what is beyond', async () => {
    const { ask, engine } = client()
    const quotas = { monitors: 2, contacts: null, min_interval_sec: 60, checks_per_min: 1.5 }
    await engine.accounts.update(1, { quotas })
    const post = async (interval_sec: number) => {
      const more = { body: { ...tcpMonitor, interval_sec } }
      const { status, body } = await ask('POST', '/api/v1/monitors', more)
      const fields = Object.keys((body.fields ?? {}) as object)
      return [status, body.error as unknown, fields] as const
    }
    expect(await post(59)).toEqual([422, 'validation', ['interval_sec']])
    expect(await post(60)).toEqual([201, undefined, []])
    expect(await post(60)).toEqual([409, 'quota', []])
    expect(await post(120)).toEqual([201, undefined, []])
    expect(await post(120)).toEqual([409, 'quota', []])
    const { body } = await ask('GET', '/api/v1/me')
    expect(body.me).toMatchObject({
      limits: quotas,
      use: { monitors: 2, contacts: 0, checks_per_min: 1.5 },
    })
  })

  it('tells the defaults of its monitors to keys that see monitors, and creates with them', async () => {
    const { ask, engine } = client()
    const monitor_defaults = { interval_sec: 300, tags: ['prod'] }
    await engine.accounts.update(1, { monitor_defaults })
    expect((await ask('GET', '/api/v1/me')).body.me.monitor_defaults).toEqual(monitor_defaults)
    const { interval_sec: _, ...body } = { interval_sec: 0, ...tcpMonitor }
    const made = await ask('POST', '/api/v1/monitors', { body })
    expect(made.body.monitor).toMatchObject(monitor_defaults)
    const { key } = await engine.keys.create({ name: 'deploy', scopes: ['checks:run'] })
    expect((await ask('GET', '/api/v1/me', { key })).body.me.monitor_defaults).toBeNull()
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

  it('pays nothing for a webhook: the balance of the host is only read', async () => {
    let asked = 0
    const balance = () => ({ amount: `${12 - asked++}.00`, currency: 'EUR' })
    const { ask, engine, webhooks } = client({ balance })
    await engine.start()
    const { id } = await engine.contacts.create(webhook)
    await ask('POST', `/api/v1/contacts/${id}/test`)
    expect(webhooks.requests).toHaveLength(1)
    expect((await ask('GET', '/api/v1/balance')).body.balance.amount).toBe('12.00')
  })

  it('refuses a balance that is a float', async () => {
    const balance = () => ({ amount: 12.5 as unknown as string })
    const { status, body } = await client({ balance }).ask('GET', '/api/v1/balance')
    expect([status, body.error]).toEqual([500, 'internal'])
  })

  it('lists locations, contacts and types with their fields', async () => {
    const { ask, engine } = client()
    await engine.contacts.create({ ...webhook, secret: 'canary' })
    expect((await ask('GET', '/api/v1/locations')).body.locations).toHaveLength(1)
    const contacts = await ask('GET', '/api/v1/contacts')
    expect(contacts.body.contacts).toMatchObject([{ kind: 'webhook', settings: { secret: '***' } }])
    expect(contacts.text).not.toContain('canary')
    const { body } = await ask('GET', '/api/v1/types')
    expect(body.types[0]).toMatchObject({
      type: 'tcp',
      fields: [{ name: 'host', required: true }, {}, {}],
    })
    expect(body.common_fields[0]).toMatchObject({ name: 'name' })
  })
})

describe('the notification log', () => {
  async function setUp() {
    const made = client()
    await made.engine.start()
    const { id } = await made.engine.contacts.create(webhook)
    const tested = await made.ask('POST', `/api/v1/contacts/${id}/test`)
    return { ...made, contact_id: id, tested }
  }

  it('holds the test of a contact, and is listed and read', async () => {
    const { ask, tested, contact_id, webhooks } = await setUp()
    expect([tested.status, tested.body.notification.event]).toEqual([200, 'test'])
    expect(webhooks.requests).toHaveLength(1)
    const { id } = tested.body.notification
    const list = await ask('GET', `/api/v1/notifications?contact_id=${contact_id}`)
    expect(list.body.notifications).toMatchObject([{ id, attempts: [{ http_status: 200 }] }])
    expect((await ask('GET', `/api/v1/notifications/${id}`)).body.notification.id).toBe(id)
    expect((await ask('GET', `/api/v1/notifications?contact_id=77`)).body.notifications).toEqual([])
    expect((await ask('GET', '/api/v1/notifications/77')).status).toBe(404)
    expect((await ask('POST', '/api/v1/contacts/77/test')).status).toBe(404)
  })

  it('sends a notification once more under a new id', async () => {
    const { ask, tested, webhooks } = await setUp()
    const path = `/api/v1/notifications/${tested.body.notification.id}/resend`
    const { status, body } = await ask('POST', path)
    expect(status).toBe(202)
    expect(body.notification.id).toBeGreaterThan(tested.body.notification.id)
    await expect.poll(() => webhooks.requests.length).toBe(2)
  })
})
