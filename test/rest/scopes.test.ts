import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { KEY_SCOPES } from '../../src/model/scopes.ts'
import type { KeyScope } from '../../src/model.ts'
import { routes } from '../../src/rest/routes.ts'
import { client, tcpMonitor } from './client.ts'

const ONE = 'a-key-with-scopes-of-its-own'

async function withKey(scopes: readonly KeyScope[]) {
  const made = client()
  await made.ready
  await made.create()
  await made.engine.keys.create({ name: 'scoped', key: ONE, scopes })
  return made
}

const addresses = routes.map(({ method, path, operation }) => ({
  method,
  path: path.replace(':id', '1'),
  scope: operation.scope,
}))

const SINGLE = KEY_SCOPES.filter((scope) => scope.includes(':'))

describe('a key with scopes', () => {
  it.each([...SINGLE, 'read', 'write'] as const)('reaches with %s what it names', async (own) => {
    const { ask } = await withKey([own])
    for (const { method, path, scope } of addresses) {
      const { status, body } = await ask(method, path, { key: ONE })
      const wider = scope?.endsWith(':read') === true ? 'read' : 'write'
      if (scope === null || scope === own || own === wider)
        expect([path, body?.error]).not.toEqual([path, 'missing_scope'])
      else
        expect([method, path, status, body.error, body.scope]).toEqual([
          method,
          path,
          403,
          'missing_scope',
          scope,
        ])
    }
  })

  it('is shown by GET /me and the list of keys; without scopes it may do everything', async () => {
    const { ask, engine } = await withKey(['checks:run', 'monitors:read', 'checks:run'])
    const { body } = await ask('GET', '/api/v1/me', { key: ONE })
    expect(body.me.key.scopes).toEqual(['checks:run', 'monitors:read'])
    const listed = (await engine.keys.list()).map(({ scopes }) => scopes)
    expect(listed).toEqual([
      ['read', 'write'],
      ['checks:run', 'monitors:read'],
    ])
    expect((await ask('POST', '/api/v1/monitors', { body: tcpMonitor })).status).toBe(201)
  })

  it.each([[[]], [['all']], ['read'], [[null]]])('is not made with %j', async (scopes) => {
    const { engine, ready } = client()
    await ready
    await expect(engine.keys.create({ scopes } as never)).rejects.toMatchObject({
      code: 'validation',
      fields: { scopes: expect.any(String) },
    })
  })

  it('checks many monitors only with checks:run', async () => {
    const { ask } = await withKey(['monitors:write'])
    const bulk = (action: string) =>
      ask('POST', '/api/v1/monitors/bulk', { key: ONE, body: { action, filter: { all: true } } })
    expect((await bulk('pause')).status).toBe(200)
    expect((await bulk('check')).body).toMatchObject({
      error: 'missing_scope',
      scope: 'checks:run',
    })
  })

  it('does not see the address of a heartbeat where it only reads: it could send its signals', async () => {
    const { ask, engine } = await withKey(['read'])
    const writer = 'a-key-that-may-change-them'
    await engine.keys.create({ key: writer, scopes: ['monitors:read', 'monitors:write'] })
    const body = { type: 'heartbeat', name: 'Backup' }
    const { monitor } = (await ask('POST', '/api/v1/monitors', { body })).body
    expect(monitor.ping_url).toContain(monitor.token)
    const { id } = monitor as { id: number }
    const seen = async (key: string) =>
      JSON.stringify(await ask('GET', `/api/v1/monitors/${id}`, { key }))
    expect(await seen(ONE)).toContain('"name":"Backup"')
    expect(await seen(ONE)).not.toContain(monitor.token)
    expect(await seen(writer)).toContain(monitor.ping_url)
  })

  it('reads metrics only with monitors:read', async () => {
    const { engine } = await withKey(['incidents:read'])
    const reader = 'a-key-that-may-read-them'
    await engine.keys.create({ key: reader, scopes: ['monitors:read'] })
    const metrics = createMetrics(engine)
    const statusOf = async (key: string): Promise<number> => {
      const headers = { authorization: `Bearer ${key}` }
      return (await metrics.fetch(new Request('http://localhost/metrics', { headers }))).status
    }
    expect([await statusOf(reader), await statusOf(ONE)]).toEqual([200, 401])
  })
})
