import { describe, expect, it } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import type { Logger } from '../../src/logger.ts'
import { silentLogger } from '../../src/logger.ts'
import type { Identity } from '../../src/rest/index.ts'
import { client, requestTo, tcpMonitor } from './client.ts'
import type { Client } from './client.ts'
import { KEY, OTHER_KEY } from './service.ts'

/** The store from now on, as it is when its disk is full. */
function breakStore(store: Client['store'], failure: Error): void {
  const fail = (): Promise<never> => Promise.reject(failure)
  Object.assign(store.monitors, { list: fail, byTokenHash: fail })
}

describe('without a valid key', () => {
  it.each([null, 'wrong', 'with space', 'ä', ''])('(%j) a request gets 401', async (key) => {
    const { rest } = client()
    const request = new Request('http://localhost/api/v1/monitors', {
      headers: key === null ? {} : { authorization: `Bearer ${encodeURI(key)}` },
    })
    const response = await rest.fetch(request)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toMatchObject({ ok: false, error: 'unauthorized' })
  })

  it.each([
    'Basic a2V5LW9mLW9uZQ==',
    'key-of-account-one',
    'Bearer',
    'Bearer key-of-account-one, Bearer x',
  ])('the header %j is none', async (authorization) => {
    const { status } = await client().ask('GET', '/api/v1/me', {
      key: null,
      headers: { authorization },
    })
    expect(status).toBe(401)
  })

  it('nobody learns which paths there are', async () => {
    const { ask } = client()
    expect((await ask('GET', '/api/v1/nothing', { key: null })).status).toBe(401)
    expect((await ask('PUT', '/api/v1/me', { key: null })).status).toBe(401)
  })

  it('the scheme may be written in any case', async () => {
    const headers = { authorization: `bearer ${KEY}` }
    expect((await client().ask('GET', '/api/v1/me', { key: null, headers })).status).toBe(200)
  })
})

describe('the host', () => {
  it('may say itself who asks', async () => {
    const { ask } = client({
      authenticate: (request) =>
        request.headers.get('x-user') === 'two'
          ? { account_id: 2, key: { id: 'session' } }
          : undefined,
    })
    const { body } = await ask('GET', '/api/v1/me', { key: null, headers: { 'x-user': 'two' } })
    expect(body.me).toMatchObject({
      account: { id: 2, name: 'second' },
      key: { id: 'session', name: null },
    })
    expect((await ask('GET', '/api/v1/me')).status).toBe(401)
  })

  it.each([undefined, null, 3, 0, -1, 1.5, '1', 'abc'])(
    'gets nothing for an account that is not there: %j',
    async (account_id) => {
      const { ask } = client({ authenticate: () => ({ account_id, key: { id: 1 } }) as never })
      for (const path of ['me', 'monitors', 'incidents', 'contacts', 'balance', 'types']) {
        const { status, body } = await ask('GET', `/api/v1/${path}`)
        expect([status, body.error], path).toEqual([403, 'forbidden'])
      }
      const headers = { 'Idempotency-Key': 'k' }
      const made = await ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers })
      expect(made.status).toBe(403)
    },
  )

  it('may hand out keys that only read', async () => {
    const { ask } = client({
      authenticate: () => ({ account_id: 1, key: { id: 1, scopes: ['read'] } }),
    })
    expect((await ask('GET', '/api/v1/monitors')).status).toBe(200)
    const { status, body } = await ask('POST', '/api/v1/monitors', { body: tcpMonitor })
    expect([status, body.error, body.scope]).toEqual([403, 'missing_scope', 'monitors:write'])
  })

  it('that does not answer within 10 s is a 503', async () => {
    const never = new Promise<never>(() => undefined)
    const { ask, clock } = client({ authenticate: () => never })
    const answer = ask('GET', '/api/v1/me')
    await clock.advance(10_000)
    const { status, body } = await answer
    expect([status, body.error]).toEqual([503, 'unavailable'])
  })

  it('whose balance does not come within 10 s is a 503 as well', async () => {
    const { ask, clock } = client({ balance: () => new Promise<never>(() => undefined) })
    const answer = ask('GET', '/api/v1/balance')
    await clock.advance(10_000)
    const { status, body } = await answer
    expect([status, body.error]).toEqual([503, 'unavailable'])
  })

  it('that throws at every request of a stranger has a few lines in the log, and a count', async () => {
    const lines: Readonly<Record<string, unknown>>[] = []
    const error: Logger['error'] = (fields) => void lines.push(fields)
    const { ask, clock } = client({
      logger: { ...silentLogger, error },
      authenticate() {
        throw new TypeError('the session has no user')
      },
    })
    const flood = async (): Promise<void> => {
      for (let n = 0; n < 300; n++) expect((await ask('GET', '/api/v1/me')).status).toBe(500)
    }
    await flood()
    expect(lines).toHaveLength(10)
    expect(lines[0]).toMatchObject({ err: expect.any(TypeError) as TypeError, route: '/api/v1/me' })
    await clock.advance(60_000)
    expect(lines.slice(10)).toMatchObject([{ left_out: 290, err: lines[0]?.['err'] as object }])
    await clock.advance(600_000)
    await ask('GET', '/api/v1/me')
    expect(lines).toHaveLength(12)
    expect(lines[11]).not.toHaveProperty('left_out')
  })

  it.each([null, undefined])('says %j of whom it does not know', async (nobody) => {
    const { ask } = client({ authenticate: () => nobody as never })
    const { status, body } = await ask('GET', '/api/v1/me')
    expect([status, body.error]).toEqual([401, 'unauthorized'])
  })

  it.each([null, 'read write', 'nowrite', {}, []])(
    'gives no right by scopes that are no list of them: %j',
    async (scopes) => {
      const { ask } = client({
        authenticate: () => ({ account_id: 1, key: { id: 1, scopes } }) as never,
      })
      expect((await ask('GET', '/api/v1/monitors')).status).toBe(403)
      expect((await ask('POST', '/api/v1/monitors', { body: tcpMonitor })).status).toBe(403)
    },
  )

  it('may mount the API below a path', async () => {
    const { rest, ask } = client({ basePath: '/watch' })
    expect([rest.owns('/watch/api/v1/me'), rest.owns('/api/v1/me')]).toEqual([true, false])
    const { headers } = await ask('POST', '/watch/api/v1/monitors', { body: tcpMonitor })
    expect(headers.get('location')).toBe('/watch/api/v1/monitors/1')
    expect((await ask('GET', '/other/api/v1/monitors')).status).toBe(404)
  })

  it('is told which paths are owned', () => {
    const { rest } = client()
    const owned = ['/api/v1', '/api/v1/', '/api/v1/x', '/hb', '/hb/x'].map((path) =>
      rest.owns(path),
    )
    const others = ['/', '/api', '/api/v10', '/hbx', '/x/api/v1', ''].map((path) => rest.owns(path))
    expect([new Set(owned), new Set(others)]).toEqual([new Set([true]), new Set([false])])
  })
})

describe('a request is refused', () => {
  it.each([
    '/api/v1',
    '/api/v1/',
    '/api/v1/nothing',
    '/api/v1/monitors/x',
    '/api/v1/monitors/0',
    '/api/v1/monitors/99999999999999999999',
  ])('with 404 for the path %s', async (path) => {
    const { status, body } = await client().ask('GET', path)
    expect([status, body.error]).toEqual([404, 'not_found'])
  })

  it.each([
    'GET /:id',
    'PATCH /:id',
    'DELETE /:id',
    'POST /:id/pause',
    'POST /:id/resume',
    'POST /:id/check',
    'POST /:id/check?wait=1',
    'GET /:id/status',
    'GET /:id/results',
    'GET /:id/uptime',
    'GET /:id/hours',
    'GET /:id/incidents',
  ])('with 404 for a monitor of another account: %s', async (route) => {
    const { ask, create, engine } = client()
    await engine.start()
    const [method = '', path = ''] = route.split(' ')
    const address = `/api/v1/monitors${path.replace(':id', String(await create()))}`
    const body = method === 'PATCH' ? { body: { name: 'mine' } } : {}
    const { status } = await ask(method, address, { key: OTHER_KEY, ...body })
    expect(status).toBe(404)
    expect((await ask(method, address, body)).status).toBeLessThan(300)
  })

  it('with 405 and the methods there are', async () => {
    const { status, headers, body } = await client().ask('PUT', '/api/v1/monitors/1')
    expect([status, body.error]).toEqual([405, 'method_not_allowed'])
    expect(headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE')
  })

  it.each([
    [400, 'bad_json', { body: '{', headers: { 'content-type': 'application/json' } }],
    [
      415,
      'unsupported_media_type',
      { body: 'type=tcp', headers: { 'content-type': 'text/plain' } },
    ],
    [413, 'too_large', { body: { name: 'x'.repeat(262_144) } }],
    [422, 'validation', { body: {} }],
  ])('with %d %s', async (status, error, asked) => {
    const answer = await client().ask('POST', '/api/v1/monitors', asked)
    expect([answer.status, answer.body.error]).toEqual([status, error])
  })

  it.each([
    [new StorageError('disk full'), 503, 'storage'],
    [new TypeError('of undefined'), 500, 'internal'],
  ])('when the store fails with %s', async (failure, status, error) => {
    const { ask, store } = client()
    breakStore(store, failure)
    for (const path of ['/api/v1/monitors', '/hb/unknown-token']) {
      const answer = await ask('GET', path)
      expect([answer.status, answer.body.error]).toEqual([status, error])
      expect(answer.text).not.toContain(failure.message)
    }
  })

  it('with 503 and a time to come back when the engine has been stopped', async () => {
    const { ask, engine } = client()
    await ask('GET', '/api/v1/me')
    await engine.stop()
    const { status, headers, body } = await ask('GET', '/api/v1/monitors')
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'unavailable', '5'])
  })

  it('with 408 when its body does not arrive', async () => {
    const { rest, clock } = client()
    const request = new Request('http://localhost/api/v1/monitors', {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: new ReadableStream(),
      duplex: 'half',
    })
    const pending = rest.fetch(request)
    await clock.advance(30_000)
    expect((await pending).status).toBe(408)
  })
})

describe('every answer', () => {
  it.each(['/api/v1/me', '/api/v1/nothing', '/hb/nothing', '/api/v1/openapi.json'])(
    'of %s has a request id and forbids sniffing',
    async (path) => {
      const { headers, body } = await client().ask('GET', path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-request-id')).toMatch(/^\w{12}$/)
      if (body.ok === false) expect(body.request_id).toBe(headers.get('x-request-id'))
    },
  )

  it('keeps the request id of a client, unless it could do harm', async () => {
    const { ask } = client()
    const given = async (id: string) =>
      (await ask('GET', '/api/v1/me', { headers: { 'x-request-id': id } })).headers.get(
        'x-request-id',
      )
    expect(await given('trace-1.a')).toBe('trace-1.a')
    expect(await given('a b"<')).toMatch(/^\w{12}$/)
    expect(await given('x'.repeat(65))).toMatch(/^\w{12}$/)
  })

  it('to a key may not be stored on the way', async () => {
    const { headers } = await client().ask('GET', '/api/v1/me')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('to HEAD has the status of GET and no body', async () => {
    const { ask } = client()
    const known = await ask('HEAD', '/api/v1/monitors')
    expect([known.status, known.text]).toEqual([200, ''])
    expect(known.headers.get('content-type')).toMatch(/^application\/json/)
    expect((await ask('HEAD', '/api/v1/monitors/1')).status).toBe(404)
  })
})

describe('the log', () => {
  it('names the route of a failed request, never its path, its token or its key', async () => {
    const lines: unknown[] = []
    const note = (fields: object) => void lines.push(fields)
    const logger: Logger = { ...silentLogger, warn: note, error: note }
    const { store, rest } = client({ logger })
    breakStore(store, new TypeError('broken'))
    await rest.fetch(requestTo('GET', '/hb/canary-token'))
    breakStore(store, new StorageError('full'))
    await rest.fetch(requestTo('GET', '/api/v1/monitors?q=canary-q'))
    expect(lines).toMatchObject(
      [
        { route: '/hb/:token', method: 'GET', request_id: /^\w{12}$/ },
        { route: '/api/v1/monitors', method: 'GET' },
      ].map((line) => ({ ...line, request_id: expect.any(String) })),
    )
    expect(JSON.stringify(lines)).not.toMatch(/canary|key-of/)
  })
})

describe('the request limit', () => {
  it('is 60 a minute for each key and tells on every answer what is left', async () => {
    const { ask } = client({ rateLimit: {} })
    const first = await ask('GET', '/api/v1/me')
    expect(first.headers.get('x-ratelimit-remaining')).toBe('59')
    for (let n = 1; n < 60; n++) await ask('GET', '/api/v1/nothing')
    const { status, headers, body } = await ask('GET', '/api/v1/me')
    expect(status).toBe(429)
    expect(body).toMatchObject({ ok: false, error: 'rate_limited', retry_after: 60 })
    expect(headers.get('retry-after')).toBe('60')
    expect(headers.get('ratelimit')).toBe('"key";r=0;t=60, "account";r=540;t=60')
    expect((await ask('GET', '/api/v1/me', { key: OTHER_KEY })).status).toBe(200)
  })

  it('opens again when the first request is a minute old', async () => {
    const { ask, clock } = client({ rateLimit: {} })
    for (let n = 0; n < 60; n++) await ask('GET', '/api/v1/me')
    await clock.advance(59_999)
    expect((await ask('GET', '/api/v1/me')).headers.get('retry-after')).toBe('1')
    await clock.advance(1)
    expect((await ask('GET', '/api/v1/me')).status).toBe(200)
  })

  it('is not for heartbeats nor for the OpenAPI document', async () => {
    const { ask } = client({ rateLimit: { requests: 1 } })
    await ask('GET', '/api/v1/me')
    for (const path of ['/hb/nothing', '/api/v1/openapi.json']) {
      const { status, headers } = await ask('GET', path)
      expect(status).not.toBe(429)
      expect(headers.has('ratelimit')).toBe(false)
    }
  })

  it('can be changed, counted elsewhere, or switched off', async () => {
    const changed = client({ rateLimit: { requests: 2, windowSec: 10 } })
    expect((await changed.ask('GET', '/api/v1/me')).body.me.limits.requests_per_minute).toBe(12)

    const keys: string[] = []
    const window = {
      take: async ({ account_id, key }: Identity) => {
        keys.push(`${account_id}:${key.id}`)
        return { allowed: false, remaining: 0, reset_ms: 500 }
      },
    }
    const elsewhere = client({ rateLimit: { window } })
    expect((await elsewhere.ask('GET', '/api/v1/me')).body.retry_after).toBe(1)
    expect(keys).toEqual(['1:1'])

    const off = client({ rateLimit: false })
    const { headers, body } = await off.ask('GET', '/api/v1/me')
    expect([headers.has('ratelimit'), body.me.limits.requests_per_minute]).toEqual([false, null])
  })
})
