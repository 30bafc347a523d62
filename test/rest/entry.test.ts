/** What a request meets before and behind its route: key, scope, window, body, repetition, and the words for each. */
import { describe, expect, it } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import { silentLogger } from '../../src/logger.ts'
import { createRest } from '../../src/rest/index.ts'
import type { Identity, RestOptions } from '../../src/rest/index.ts'
import { client, requestTo, tcpMonitor } from './client.ts'
import { KEY } from './service.ts'

const ME = '/api/v1/me'
const bare = (options: Partial<Identity> & { readonly key?: object } = {}): RestOptions => ({
  authenticate: () => ({ account_id: 1, key: { id: 'session' }, ...options }),
})

describe('a key', () => {
  it('is asked for, or said to be wrong', async () => {
    const { ask } = client()
    expect((await ask('GET', ME, { key: null })).body.message).toBe(
      'Send "Authorization: Bearer <API_KEY>"',
    )
    expect((await ask('GET', ME, { key: 'wrong' })).body.message).toBe('The API key is not valid')
  })

  it('may have more than one blank in front, and nothing else', async () => {
    const { ask } = client()
    const statusOf = async (authorization: string) =>
      (await ask('GET', ME, { key: null, headers: { authorization } })).status
    expect(await statusOf(`Bearer   ${KEY}`)).toBe(200)
    expect(await statusOf(`x Bearer ${KEY}`)).toBe(401)
    expect(await statusOf(`Bearer ${KEY} x`)).toBe(401)
  })

  it('of an account that is not there, or without the scope, is told so', async () => {
    const nobody = await client(bare({ account_id: 7 })).ask('GET', ME)
    expect(nobody.body).toMatchObject({ error: 'forbidden', message: 'There is no such account' })
    const reader = client(bare({ key: { id: 1, scopes: ['read'] } }))
    const { body } = await reader.ask('POST', '/api/v1/monitors', { body: tcpMonitor })
    expect(body).toMatchObject({
      ...{ error: 'missing_scope', scope: 'monitors:write' },
      message: 'The key lacks the scope monitors:write',
    })
    const none = await client(bare({ key: { id: 1, scopes: [] } })).ask('GET', ME)
    expect([none.status, none.body.message]).toEqual([403, 'The key has no scope'])
    expect(none.body).not.toHaveProperty('scope')
  })

  it('that is wrong is counted for its client, and one that is right or missing is not', async () => {
    const { ask, clock } = client({ clientOf: () => '192.0.2.7' })
    for (let n = 0; n < 21; n++) expect((await ask('GET', ME, { key: null })).status).toBe(401)
    for (let n = 0; n < 20; n++) expect((await ask('GET', ME, { key: 'wrong' })).status).toBe(401)
    const { status, headers, body } = await ask('GET', ME, { key: 'wrong' })
    expect([status, headers.get('retry-after')]).toEqual([429, '60'])
    expect(body).toMatchObject({
      error: 'rate_limited',
      message: 'More than 20 wrong keys or tokens in a minute; the one sent here is wrong as well',
    })
    expect((await ask('GET', ME)).status).toBe(200)
    await clock.advance(60_000)
    expect((await ask('GET', ME, { key: 'wrong' })).status).toBe(401)
  })

  it('that is wrong is not counted where nobody knows the client', async () => {
    const { ask } = client()
    for (let n = 0; n < 21; n++) expect((await ask('GET', ME, { key: 'wrong' })).status).toBe(401)
  })
})

describe('the host', () => {
  it('has a window for each of its keys, and none for an account unless it wants one', async () => {
    const one = (request: Request): Identity => ({
      account_id: 1,
      key: { id: request.headers.get('x-user') ?? '' },
    })
    const { ask } = client({ authenticate: one, rateLimit: { requests: 1 } })
    const asOf = (user: string) => ask('GET', ME, { headers: { 'x-user': user } })
    const first = await asOf('ann')
    expect([first.status, first.headers.get('ratelimit')]).toEqual([200, '"key";r=0;t=60'])
    expect([(await asOf('bob')).status, (await asOf('ann')).status]).toEqual([200, 429])
  })

  it.each([
    { name: 'authenticate', asked: '/api/v1/nothing', route: 'none' },
    { name: 'balance', asked: '/api/v1/balance', route: '/api/v1/balance' },
  ])('that is silent about $name is named in the log', async ({ name, asked, route }) => {
    const lines: { readonly err?: Error; readonly route?: string }[] = []
    const logger = { ...silentLogger, warn: (fields: object) => void lines.push(fields) }
    const { ask, clock } = client({ [name]: () => new Promise<never>(() => undefined), logger })
    const answer = ask('GET', asked)
    await clock.advance(10_000)
    expect((await answer).status).toBe(503)
    expect(lines.map((line) => [line.err?.message, line.route])).toEqual([
      [`${name} did not answer within 10 s`, route],
    ])
  })

  it('hears which option is none', () => {
    const { engine } = client()
    expect(() => createRest(engine, { colour: 1 } as RestOptions)).toThrow(/createRest.*colour/)
  })

  it('has the balance that it tells, or none', async () => {
    const none = await client().ask('GET', '/api/v1/balance')
    expect(none.body.balance).toEqual({ amount: null, unlimited: true })
    const own = client({ balance: () => ({ amount: '1.5' }) })
    expect((await own.ask('GET', '/api/v1/balance')).body.balance).toEqual({ amount: '1.5' })
  })
})

describe('an address', () => {
  it('that is none is called so', async () => {
    const { ask } = client({ basePath: '/watch' })
    for (const path of ['/api/v1/me', '/watch/api/v1/nothing']) {
      const { status, body } = await ask('GET', path)
      expect([status, body.message]).toEqual([404, 'There is no such address'])
    }
  })

  it('of heartbeats needs no key, not even without a token', async () => {
    expect((await client().ask('GET', '/hb', { key: null })).status).toBe(404)
  })

  it('of the document names its methods', async () => {
    const { ask } = client()
    const { status, headers } = await ask('POST', '/api/v1/openapi.json')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await ask('HEAD', '/api/v1/openapi.json')).status).toBe(200)
  })
})

describe('a body', () => {
  it('has no fields where an action takes none', async () => {
    const { ask, create } = client()
    const path = `/api/v1/monitors/${await create()}/pause`
    const { status, body } = await ask('POST', path, { body: { until: 1, by: 'me' } })
    expect([status, body.fields]).toEqual([422, { until: 'unknown_field', by: 'unknown_field' }])
    expect((await ask('POST', path, { body: {} })).status).toBe(200)
  })

  it('is not read where a route takes none', async () => {
    const { ask, create } = client()
    const path = `/api/v1/monitors/${await create()}`
    const headers = { 'content-type': 'application/json' }
    expect((await ask('DELETE', path, { body: '{', headers })).status).toBe(200)
  })
})

describe('an Idempotency-Key', () => {
  const headers = { 'Idempotency-Key': 'once' }

  it('belongs to one address with its query', async () => {
    const { ask, create, engine } = client()
    await engine.start()
    const path = `/api/v1/monitors/${await create()}/check`
    expect((await ask('POST', path, { headers })).status).toBe(202)
    expect((await ask('POST', path, { headers })).status).toBe(202)
    for (const other of [`${path}?wait=1`, `/api/v1/monitors/${await create()}/check`])
      expect((await ask('POST', other, { headers })).status).toBe(409)
  })

  it('means nothing to a change, which may be sent twice anyway', async () => {
    const { ask, create } = client()
    const path = `/api/v1/monitors/${await create()}`
    await ask('PATCH', path, { body: { name: 'A' }, headers })
    const again = await ask('PATCH', path, { body: { name: 'B' }, headers })
    expect(again.body.monitor).toMatchObject({ name: 'B', version: 3 })
  })
})

describe('a request id', () => {
  it('is another one each time', async () => {
    const { rest } = client()
    const ids = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { headers } = await rest.fetch(requestTo('GET', ME))
        return headers.get('x-request-id')
      }),
    )
    expect(new Set(ids).size).toBe(10)
  })
})

it('a store that fails while keys are counted is no fault of the client', async () => {
  const take = () => Promise.reject(new StorageError('disk full'))
  const { status, body } = await client({ rateLimit: { window: { take } } }).ask('GET', ME)
  expect([status, body.error]).toEqual([503, 'storage'])
})
