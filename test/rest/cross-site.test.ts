import { describe, expect, it } from 'vitest'
import { refuseCrossSite } from '../../src/rest/cross-site.ts'
import { client } from './client.ts'
import type { Client } from './client.ts'

/** A host that knows its users by a cookie. */
function cookieHost(options: { readonly allowedOrigins?: readonly string[] } = {}): Client {
  return client({
    ...options,
    authenticate: (request) =>
      request.headers.get('cookie') === 'session=mine' ||
      request.headers.get('authorization') !== null
        ? { account_id: 1, key: { id: 'mine' } }
        : undefined,
  })
}

const COOKIE = { cookie: 'session=mine', host: 'watch.test' }
const APP = 'https://app.test'

async function pausing(made: Client, headers: Record<string, string>): Promise<unknown[]> {
  const { id } = await made.engine.monitors.create({
    type: 'tcp',
    host: 'a.test',
    port: 1,
  })
  const path = `/api/v1/monitors/${id}/pause`
  const { status, body } = await made.ask('POST', path, { key: null, headers })
  const error: unknown = body.error
  return [status, error, (await made.engine.monitors.get(id)).state]
}

describe('a cookie that goes along with a request of another site', () => {
  it.each([
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' },
    { 'sec-fetch-site': 'same-site', origin: 'https://other.watch.test' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://watch.test' },
    { origin: 'https://evil.test' },
    { origin: 'https://watch.test.evil.test' },
    { origin: 'http://watch.test:8080' },
    { origin: 'null' },
  ])('changes nothing: %j', async (headers) => {
    const answer = await pausing(cookieHost(), { ...COOKIE, ...headers })
    expect(answer).toEqual([403, 'cross_site', 'pending'])
  })

  it('changes nothing with a password that the browser keeps', async () => {
    const headers = { authorization: 'Basic bWU6bWU=', 'sec-fetch-site': 'cross-site' }
    expect(await pausing(cookieHost(), headers)).toEqual([403, 'cross_site', 'pending'])
  })

  it.each(['Basic bearer x', 'bearer', 'bearers x'])('with %s is no key', (authorization) => {
    const headers = { authorization, 'sec-fetch-site': 'cross-site' }
    const request = new Request('https://watch.test/', { method: 'POST', headers })
    expect(() => refuseCrossSite([])(request)).toThrow(
      'A page of another site sent this request; allowedOrigins of the API names those that may',
    )
  })

  it.each(['GET', 'HEAD', 'OPTIONS'])('may read with %s', (method) => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    const request = new Request('https://watch.test/', { method, headers })
    expect(() => refuseCrossSite([])(request)).not.toThrow()
  })

  it.each([
    ['of the same origin', { 'sec-fetch-site': 'same-origin', origin: 'https://watch.test' }],
    ['of nobody but the user', { 'sec-fetch-site': 'none' }],
    ['of the same host, from an older browser', { origin: 'http://watch.test' }],
    ['of a program', {}],
  ])('is heeded in a request %s', async (_name, headers) => {
    const answer = await pausing(cookieHost(), { ...COOKIE, ...headers })
    expect(answer).toEqual([200, undefined, 'paused'])
  })

  it('is heeded where the host named the origin, and in no other', async () => {
    const made = cookieHost({ allowedOrigins: [APP] })
    const cross = { ...COOKIE, 'sec-fetch-site': 'cross-site' }
    expect(await pausing(made, { ...cross, origin: APP })).toEqual([200, undefined, 'paused'])
    expect((await pausing(made, { ...cross, origin: `${APP}:8443` }))[0]).toBe(403)
  })

  it('may read: a page of another site does not see the answer', async () => {
    const headers = { ...COOKIE, 'sec-fetch-site': 'cross-site' }
    const answer = await cookieHost().ask('GET', '/api/v1/monitors', { key: null, headers })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null])
  })

  it('is never asked for beside a bearer key, which no browser adds by itself', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://app.test' }
    const { ask, create } = client()
    const id = await create()
    expect((await ask('POST', `/api/v1/monitors/${id}/pause`, { headers })).status).toBe(200)
  })

  it.each([['app.test'], ['https://app.test/'], ['*'], ['https://app.test/path']])(
    'is not let in by %j, which is no origin',
    (origin) => {
      expect(() => cookieHost({ allowedOrigins: [origin] })).toThrow(/allowedOrigins/)
    },
  )

  it('takes no place in the window of whom it would have been', async () => {
    const made = client({
      rateLimit: {},
      authenticate: () => ({ account_id: 1, key: { id: 'mine' } }),
    })
    const headers = { 'sec-fetch-site': 'cross-site' }
    for (let n = 0; n < 61; n++)
      await made.ask('POST', '/api/v1/monitors/9/pause', { headers, key: null })
    const own = await made.ask('GET', '/api/v1/me', { key: null })
    expect(own.headers.get('x-ratelimit-remaining')).toBe('59')
  })
})
