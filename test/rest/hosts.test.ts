import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { client, tcpMonitor } from './client.ts'
import type { Client } from './client.ts'
import { hosts, OWN_ANSWER } from './hosts.ts'
import type { RunningHost } from './hosts.ts'
import { KEY } from './service.ts'

const authorization = `Bearer ${KEY}`
const json = { authorization, 'content-type': 'application/json' }

describe.each(Object.entries(hosts))('mounted on %s', (_name, start) => {
  let api: Client
  let host: RunningHost

  beforeEach(async () => {
    api = client()
    host = await start(api.rest)
  })
  afterEach(() => host.close())

  const create = (body: object = tcpMonitor): Promise<Response> =>
    host.fetch('/api/v1/monitors', { method: 'POST', headers: json, body: JSON.stringify(body) })

  const heartbeat = async (): Promise<string> => {
    const response = await create({ type: 'heartbeat', name: 'Backup' })
    const { monitor } = (await response.json()) as { monitor: { ping_url: string } }
    return monitor.ping_url
  }

  it('creates a monitor from a JSON body', async () => {
    const response = await create()
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe('/api/v1/monitors/1')
    expect(await response.json()).toMatchObject({ ok: true, monitor: { name: 'Shop' } })
  })

  it('lists with a query', async () => {
    await create()
    await create({ ...tcpMonitor, name: 'Blög & Co' })
    const query = new URLSearchParams({ q: 'Blög & Co', limit: '1' })
    const response = await host.fetch(`/api/v1/monitors?${query.toString()}`, {
      headers: { authorization },
    })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toMatchObject({ monitors: [{ id: 2 }], next_cursor: null })
  })

  it('changes and deletes', async () => {
    await create()
    const path = '/api/v1/monitors/1'
    const body = JSON.stringify({ name: 'Store' })
    const changed = await host.fetch(path, { method: 'PATCH', headers: json, body })
    expect(await changed.json()).toMatchObject({ monitor: { name: 'Store' } })
    const deleted = await host.fetch(path, { method: 'DELETE', headers: { authorization } })
    expect(await deleted.json()).toEqual({ ok: true, deleted: { id: 1 } })
  })

  it('acts without a body', async () => {
    await create()
    const path = '/api/v1/monitors/1/pause'
    const response = await host.fetch(path, { method: 'POST', headers: { authorization } })
    expect(await response.json()).toMatchObject({ ok: true, monitor: { state: 'paused' } })
  })

  it('takes a heartbeat with a message', async () => {
    const response = await host.fetch(`${await heartbeat()}/fail`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', accept: 'text/plain' },
      body: 'disk full',
    })
    expect(await response.text()).toBe('OK')
    expect(api.signals).toEqual([{ kind: 'fail', message: 'disk full' }])
  })

  it('takes a heartbeat by GET', async () => {
    const response = await host.fetch(`${await heartbeat()}?rid=7`)
    expect(await response.json()).toMatchObject({ ok: true })
    expect(api.signals).toEqual([{ kind: 'success', run_id: '7' }])
  })

  it('answers HEAD without a body', async () => {
    const response = await host.fetch('/api/v1/me', { method: 'HEAD', headers: { authorization } })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(response.headers.get('content-type')).toMatch(/json/)
  })

  it('answers 304 without a body', async () => {
    const etag = (await create()).headers.get('etag') ?? ''
    const headers = { authorization, 'if-none-match': etag }
    const response = await host.fetch('/api/v1/monitors/1', { headers })
    expect([response.status, await response.text()]).toEqual([304, ''])
  })

  it.each<[number, string, RequestInit]>([
    [401, '/api/v1/monitors', {}],
    [
      401,
      '/api/v1/monitors',
      { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
    ],
    [404, '/api/v1/monitors/9', { headers: { authorization } }],
    [404, '/api/v1/nothing', { headers: { authorization } }],
    [404, '/hb/unknown', {}],
    [400, '/api/v1/monitors', { method: 'POST', headers: json, body: '{"a"' }],
    [
      413,
      '/api/v1/monitors',
      { method: 'POST', headers: json, body: `{"a":"${'x'.repeat(300_000)}"}` },
    ],
    [422, '/api/v1/monitors', { method: 'POST', headers: json, body: '{"type":"tcp"}' }],
    [422, '/api/v1/monitors?limit=0', { headers: { authorization } }],
  ])('refuses with %d: %s %j', async (status, path, init) => {
    const response = await host.fetch(path, init)
    expect(response.status).toBe(status)
    await response.arrayBuffer()
  })

  it('leaves the other paths to the host', async () => {
    expect(await (await host.fetch('/')).text()).toBe(OWN_ANSWER)
  })
})
