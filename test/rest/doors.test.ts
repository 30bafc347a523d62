/** REST, page and metrics of one engine on one real server, as `serve` mounts them. */

import { afterEach, describe, expect, it } from 'vitest'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { createPage } from '../../src/page/index.ts'
import { createRest } from '../../src/rest/index.ts'
import { toNodeHandler } from '../../src/rest/node.ts'
import type { NodeHandlerOptions } from '../../src/rest/node.ts'
import { tcpMonitor } from './client.ts'
import { listen } from './hosts.ts'
import { KEY, OTHER_KEY, service } from './service.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const TOKEN = 'token-of-the-operator'

async function doors(options: NodeHandlerOptions = {}) {
  const made = service()
  const { engine, clock, ready } = made
  await ready
  await engine.start()
  const second = await engine.keys.create({ key: 'second-key-of-account-one' })
  const rest = toNodeHandler(createRest(engine, { clock }), options)
  const page = toNodeHandler(createPage(engine, { clock }), options)
  const metrics = toNodeHandler(createMetrics(engine, { token: TOKEN }), options)
  const host = await listen((req, res) =>
    metrics(req, res, () => page(req, res, () => rest(req, res))),
  )
  closing.push(host.close, () => engine.stop())
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })
  const get = (path: string, headers: Record<string, string> = {}) => host.fetch(path, { headers })
  const post = (path: string, headers: Record<string, string>, fields?: Record<string, string>) =>
    host.fetch(path, {
      method: 'POST',
      headers,
      redirect: 'manual',
      ...(fields === undefined ? {} : { body: new URLSearchParams(fields) }),
    })
  const own = { 'Sec-Fetch-Site': 'same-origin' }
  async function signIn(key = KEY, headers: Record<string, string> = {}): Promise<Response> {
    return post('/sign-in', { ...own, ...headers }, { key })
  }
  async function session(key = KEY): Promise<Record<string, string>> {
    const [cookie = ''] = (await signIn(key)).headers.getSetCookie()
    return { ...own, Cookie: cookie.split(';')[0] ?? '' }
  }
  const { id } = await engine.monitors.create(tcpMonitor)
  await clock.settle()
  return { ...made, ...host, id, second: second.key, bearer, get, post, signIn, session }
}

/** How often each status was answered. */
async function tally(times: number, ask: () => Promise<Response>): Promise<Record<number, number>> {
  const seen: Record<number, number> = {}
  for (let n = 0; n < times; n++) {
    const response = await ask()
    await response.arrayBuffer()
    seen[response.status] = (seen[response.status] ?? 0) + 1
  }
  return seen
}

describe('one window for all doors', () => {
  it('lets a session press 60 buttons a minute, and its key ask nothing more', async () => {
    const { post, get, session, bearer, clock, engine, id } = await doors()
    const visit = await session()
    const other = await engine.monitors.create({ ...tcpMonitor, name: 'Other' })
    const press = (monitor_id: number) => () => post(`/monitors/${monitor_id}/resume`, visit)
    expect(await tally(61, press(id))).toEqual({ 303: 60, 429: 1 })
    const refused = await post(`/monitors/${other.id}/check`, visit)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await refused.text()).toContain('Wait 60 seconds')
    expect((await get('/api/v1/me', bearer(KEY))).status).toBe(429)
    expect((await get('/metrics', bearer(KEY))).status).toBe(429)
    expect((await get('/', visit)).status).toBe(200)
    await clock.advance(60_000)
    expect((await post(`/monitors/${id}/check`, visit)).status).toBe(303)
  })

  it('counts metrics and requests of REST against the buttons', async () => {
    const { post, get, session, bearer, id } = await doors()
    const visit = await session()
    expect(await tally(30, () => get('/metrics', bearer(KEY)))).toEqual({ 200: 30 })
    expect(await tally(29, () => get('/api/v1/me', bearer(KEY)))).toEqual({ 200: 29 })
    expect((await post(`/monitors/${id}/pause`, visit)).status).toBe(303)
    expect((await post(`/monitors/${id}/resume`, visit)).status).toBe(429)
    expect((await get('/metrics', bearer(OTHER_KEY))).status).toBe(200)
  })

  it('counts all sessions of a key as that key, and no session as another', async () => {
    const { post, session, id, second } = await doors()
    const [one, two, other] = [await session(), await session(), await session(second)]
    let turn = 0
    const press = () => post(`/monitors/${id}/resume`, turn++ % 2 === 0 ? one : two)
    expect(await tally(62, press)).toEqual({ 303: 60, 429: 2 })
    expect((await post(`/monitors/${id}/resume`, other)).status).toBe(303)
  })

  it('gives the token of the operator a window of its own', async () => {
    const { get, bearer } = await doors()
    expect(await tally(61, () => get('/metrics', bearer(TOKEN)))).toEqual({ 200: 60, 429: 1 })
    expect((await get('/metrics', bearer(KEY))).status).toBe(200)
  })

  it('counts metrics, buttons and requests of all keys of an account together', async () => {
    const { engine, get, post, session, bearer, clock, id } = await doors()
    const keys: string[] = []
    for (let n = 0; n < 11; n++) keys.push((await engine.keys.create()).key)
    const [first = '', second = '', ...others] = keys
    const visit = await session(first)
    expect(await tally(60, () => get('/metrics', bearer(second)))).toEqual({ 200: 60 })
    expect(await tally(60, () => post(`/monitors/${id}/resume`, visit))).toEqual({ 303: 60 })
    for (const key of others.slice(1))
      expect(await tally(60, () => get('/api/v1/me', bearer(key)))).toEqual({ 200: 60 })
    const [last = ''] = others
    const refused = await get('/metrics', bearer(last))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await get('/api/v1/me', bearer(last))).status).toBe(429)
    const lastVisit = await session(last)
    expect((await post(`/monitors/${id}/resume`, lastVisit)).status).toBe(429)
    expect((await get('/api/v1/me', bearer(OTHER_KEY))).status).toBe(200)
    expect((await get('/metrics', bearer(TOKEN))).status).toBe(200)
    await clock.advance(60_000)
    expect((await get('/metrics', bearer(last))).status).toBe(200)
  })

  it('lets one look at 600 pages a minute; signing in is one of them', async () => {
    const { get, session, clock } = await doors()
    const visit = await session()
    expect(await tally(600, () => get('/incidents', visit))).toEqual({ 200: 599, 429: 1 })
    expect((await get('/events?monitors=1', visit)).status).toBe(429)
    await clock.advance(60_000)
    expect((await get('/incidents', visit)).status).toBe(200)
  })

  it('checks a monitor 30 times a minute at most, whoever of its account asks', async () => {
    const { get, post, session, bearer, clock, id, second } = await doors()
    const visit = await session()
    const path = `/api/v1/monitors/${id}/check`
    expect(await tally(20, () => post(path, bearer(second)))).toEqual({ 202: 20 })
    // Who does not own it takes no place.
    expect(await tally(20, () => post(path, bearer(OTHER_KEY)))).toEqual({ 404: 20 })
    expect(await tally(11, () => post(`/monitors/${id}/check`, visit))).toEqual({ 303: 10, 429: 1 })
    const refused = await post(path, bearer(second))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await refused.json()).toMatchObject({ error: 'check_too_soon', retry_after: 60 })
    expect((await get(`/api/v1/monitors/${id}`, bearer(second))).status).toBe(200)
    await clock.advance(60_000)
    expect((await post(path, bearer(second))).status).toBe(202)
  })
})

describe('wrong keys of a stranger behind the same proxy', () => {
  const from = (address: string) => ({ 'X-Forwarded-For': address })
  const STRANGER = from('198.51.100.66')

  it('keep no right key out, by any door', async () => {
    const { get, signIn, bearer } = await doors()
    const wrong = bearer('a-key-that-is-not-there')
    expect(await tally(25, () => signIn('a-key-that-is-not-there'))).toEqual({ 401: 20, 429: 5 })
    expect(await tally(25, () => get('/api/v1/me', wrong))).toEqual({ 401: 20, 429: 5 })
    expect(await tally(25, () => get('/metrics', wrong))).toEqual({ 401: 20, 429: 5 })
    expect((await signIn()).status).toBe(303)
    expect((await get('/api/v1/me', bearer(KEY))).status).toBe(200)
    expect((await get('/metrics', bearer(KEY))).status).toBe(200)
  })

  it('are counted apart from those of others, where the proxy is trusted', async () => {
    const { get, signIn, bearer, clock } = await doors({ trustProxy: 'loopback' })
    const wrong = bearer('a-key-that-is-not-there')
    const asked = (path: string, client: Record<string, string>) => () =>
      get(path, { ...wrong, ...client })
    for (const path of ['/api/v1/me', '/metrics']) {
      expect(await tally(21, asked(path, STRANGER))).toEqual({ 401: 20, 429: 1 })
      expect((await asked(path, from('198.51.100.7'))()).status).toBe(401)
    }
    expect(await tally(21, () => signIn('wrong-wrong-wrong', STRANGER))).toEqual({
      401: 20,
      429: 1,
    })
    expect((await signIn('wrong-wrong-wrong', from('198.51.100.7'))).status).toBe(401)
    const refused = await asked('/api/v1/me', STRANGER)()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    await clock.advance(60_000)
    expect((await asked('/api/v1/me', STRANGER)()).status).toBe(401)
  })

  it('are one for a whole /64 of IPv6', async () => {
    const { get, bearer } = await doors({ trustProxy: 'loopback' })
    let host = 0
    const ask = () =>
      get('/api/v1/me', { ...bearer('wrong-wrong-wrong'), ...from(`2001:db8::${++host}`) })
    expect(await tally(21, ask)).toEqual({ 401: 20, 429: 1 })
  })

  it('and unknown tokens of heartbeats are limited alike, and no signal is lost by it', async () => {
    const { engine, get, signals } = await doors()
    const { token } = await engine.monitors.create({ type: 'heartbeat', name: 'Backup' })
    const guess = () => get(`/hb/${'A'.repeat(22)}`)
    expect(await tally(21, guess)).toEqual({ 404: 20, 429: 1 })
    expect((await get(`/hb/${String(token)}`)).status).toBe(200)
    expect(signals).toHaveLength(1)
  })
})
