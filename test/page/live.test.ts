import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import express from 'express'
import type { Engine } from '../../src/engine/api/engine.ts'
import { systemClock } from '../../src/clock.ts'
import { createLive } from '../../src/page/live/live.ts'
import { liveLimitsOf } from '../../src/page/live/connection-limits.ts'
import type { Access } from '../../src/page/session/access.ts'
import { toNodeHandler } from '../../src/rest/node.ts'
import { site } from './visit.ts'
import type { Visitor } from './visit.ts'

const STREAM = 'text/event-stream; charset=utf-8'

async function signedIn(options: Parameters<typeof site>[0] = {}) {
  const made = await site(options)
  const visit = made.visitor()
  await visit.signIn()
  const id = await made.create('a.test', { fail_threshold: 1 })
  await made.clock.advance(1000)
  return { ...made, visit, id }
}

describe('live changes', () => {
  it('are told soon for a state, and gathered for rounds', async () => {
    const { clock, failing, visit, id } = await signedIn()
    const heard = await listen(visit, `/events?monitors=${id}`)
    expect(heard.text()).toBe('retry: 3000\n\n')
    failing.set('a.test', 'No')
    await visit.post(`/monitors/${id}/check`)
    await clock.advance(400)
    expect(heard.changes()).toBe(1)
    await visit.post(`/monitors/${id}/check`)
    await clock.advance(1000)
    await visit.post(`/monitors/${id}/check`)
    await clock.advance(3000)
    expect(heard.changes()).toBe(1)
    await clock.advance(2000)
    expect(heard.changes()).toBe(2)
  })

  it('of monitors that are not on the page, or not of the account, are not told', async () => {
    const { clock, create, other, visit, visitor, id } = await signedIn()
    const second = await create('b.test')
    await other.monitors.create({ type: 'scripted', name: 'theirs', host: 'c.test' })
    const one = await listen(visit, `/events?monitors=${id}`)
    const theirs = await listen(visit, `/events?monitors=3`)
    await visit.post(`/monitors/${second}/pause`)
    await other.monitors.pause(3)
    await clock.advance(1000)
    expect([one.changes(), theirs.changes()]).toEqual([0, 0])
    await visit.post(`/monitors/${id}/pause`)
    await clock.advance(1000)
    expect([one.changes(), theirs.changes()]).toEqual([1, 0])
    expect((await visitor().get(`/events?monitors=${id}`)).status).toBe(401)
  })

  it('of every state in the account are told to a page of all monitors, of rounds only those it shows', async () => {
    const { clock, create, failing, other, visit, id } = await signedIn()
    const second = await create('b.test', { fail_threshold: 1 })
    const theirs = await other.monitors.create({ type: 'scripted', name: 'theirs', host: 'c.test' })
    await clock.advance(1000)
    const heard = await listen(visit, `/events?monitors=${id}&all=1`)
    await visit.post(`/monitors/${second}/check`)
    await other.monitors.pause(theirs.id)
    await clock.advance(6000)
    expect(heard.changes()).toBe(0)
    failing.set('b.test', 'No')
    await visit.post(`/monitors/${second}/check`)
    await clock.advance(1000)
    expect(heard.changes()).toBe(1)
    expect((await visit.get('/events?all=yes')).status).toBe(400)
  })

  it('of a monitor made after the page are told to a page of all monitors, those of others never', async () => {
    const { clock, create, other, visit, id } = await signedIn()
    const heard = await listen(visit, `/events?monitors=${id}&all=1`)
    const one = await listen(visit, `/events?monitors=${id}`)
    await other.monitors.create({ type: 'scripted', name: 'theirs', host: 'c.test' })
    await clock.advance(1000)
    expect(heard.changes()).toBe(0)
    await create('b.test')
    await clock.advance(1000)
    expect([heard.changes(), one.changes()]).toEqual([1, 0])
  })

  it('say nothing but that something changed, to customers only for states', async () => {
    const made = await signedIn({ public: [{ slug: 'p', title: 'P', monitors: [1] }] })
    const heard = await listen(made.visitor(), '/status/p/events')
    await made.clock.advance(70_000)
    expect(heard.changes()).toBe(0)
    await made.engine.monitors.pause(made.id)
    await made.clock.advance(1000)
    expect(heard.text().replaceAll('event: beat\ndata: {}\n\n', '')).toBe(
      'retry: 3000\n\nevent: change\ndata: {}\n\n',
    )
  })

  it('are not told to visitors of a monitor that has left the page', async () => {
    const made = await signedIn({ public: [{ slug: 'p', title: 'P', monitors: { tag: 'shown' } }] })
    const { clock, engine, id } = made
    const second = await made.create('b.test', { tags: ['shown'] })
    await engine.monitors.update(id, { tags: ['shown'] })
    await clock.advance(5000)
    const heard = await listen(made.visitor(), '/status/p/events')
    await engine.monitors.update(id, { tags: [] })
    await clock.advance(5000)
    await engine.monitors.pause(id)
    await clock.advance(5000)
    expect(heard.changes()).toBe(0)
    await engine.monitors.pause(second)
    await clock.advance(5000)
    expect(heard.changes()).toBe(1)
  })

  it('end with a page made at run time: removed, out of its groups, or behind another password', async () => {
    const made = await signedIn({ publicPages: true })
    const { clock, engine, id } = made
    const slugs = ['left', 'closed', 'gone']
    const pages = await Promise.all(
      slugs.map((slug) =>
        engine.publicPages.create({ title: slug, slug, groups: [{ monitors: [id] }] }),
      ),
    )
    const [left, closed, gone] = pages.map((page) => page.id)
    const heard = await Promise.all(
      slugs.map((slug) => listen(made.visitor(), `/status/${slug}/events`)),
    )
    await engine.publicPages.update(left!, { groups: [] })
    await engine.publicPages.update(closed!, { password: 'correct horse' })
    await engine.publicPages.remove(gone!)
    await engine.monitors.pause(id)
    await clock.advance(5000)
    expect(heard.map((each) => each.changes())).toEqual([0, 0, 0])
    expect(heard.map((each) => each.ended())).toEqual([false, true, true])
  })

  it('keep the connection from looking dead, and end it after ten minutes to ask anew who it is', async () => {
    const { clock, visit, id } = await signedIn()
    const heard = await listen(visit, `/events?monitors=${id}`)
    await clock.advance(26_000)
    expect(heard.text()).toContain('event: beat')
    await clock.advance(10 * 60_000)
    expect(heard.ended()).toBe(true)
  })

  it('have so many places per account', async () => {
    const { visit, visitor } = await signedIn({ listeners: { perAccount: 2 } })
    const first = await listen(visit, '/events?monitors=1')
    await listen(visit, '/events?monitors=1')
    expect((await visit.get('/events?monitors=1')).status).toBe(503)
    const second = visitor()
    await second.signIn('key-of-account-two')
    expect((await second.get('/events?monitors=1')).status).toBe(200)
    await first.leave()
    expect((await visit.get('/events?monitors=1')).status).toBe(200)
  })

  it('have so many places for all pages that an account made, and those of another have their own', async () => {
    const { engine, other, visitor } = await signedIn({
      publicPages: true,
      listeners: { perPublicPage: 2 },
    })
    for (const slug of ['a', 'b', 'c']) await engine.publicPages.create({ title: slug, slug })
    await other.publicPages.create({ title: 'other', slug: 'other' })
    const open = async (slug: string) => (await visitor().get(`/status/${slug}/events`)).status
    expect(await open('a')).toBe(200)
    expect(await open('b')).toBe(200)
    expect(await open('c')).toBe(503)
    expect(await open('other')).toBe(200)
  })

  it('have so many places per session, and another session has its own', async () => {
    const { visit, visitor } = await signedIn({ listeners: { perSession: 2 } })
    const [first] = [await listen(visit, '/events'), await listen(visit, '/events')]
    const full = await visit.get('/events')
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '60'])
    const second = visitor()
    await second.signIn()
    expect((await second.get('/events')).status).toBe(200)
    await first.leave()
    expect((await visit.get('/events')).status).toBe(200)
  })

  it('have so many places per client, on all pages together, and so many in all', async () => {
    const { visit, visitor } = await signedIn({
      public: [{ slug: 'p', title: 'P', monitors: [1] }],
      clientOf: (request) => request.headers.get('x-client') ?? '',
      listeners: { perClient: 2, total: 4 },
    })
    const from = (client: string) => ({ 'x-client': client })
    const get = async (path: string, client: string, by: Visitor = visitor()) =>
      (await by.get(path, from(client))).status
    expect(await get('/events', '192.0.2.1', visit)).toBe(200)
    expect(await get('/status/p/events', '192.0.2.1')).toBe(200)
    expect(await get('/status/p/events', '192.0.2.1')).toBe(503)
    expect(await get('/status/p/events', '2001:db8::1')).toBe(200)
    expect(await get('/status/p/events', '2001:db8::2')).toBe(200)
    expect(await get('/status/p/events', '192.0.2.9')).toBe(503)
  })

  it('are shared where no place is left: who has the most gives up the oldest', async () => {
    const { engine, other, visit, visitor } = await signedIn({
      publicPages: true,
      listeners: { total: 4 },
    })
    await engine.publicPages.create({ title: 'A', slug: 'a' })
    await other.publicPages.create({ title: 'Other', slug: 'other' })
    const pageA = async () => listen(visitor(), '/status/a/events')
    const taken = [await pageA(), await pageA(), await pageA(), await pageA()]
    const ended = () => taken.map((each) => each.ended())
    expect((await visitor().get('/status/a/events')).status).toBe(503)
    const others = await listen(visitor(), '/status/other/events')
    expect(ended()).toEqual([true, false, false, false])
    const own = await listen(visit, '/events')
    expect(ended()).toEqual([true, true, false, false])
    expect((await visitor().get('/status/other/events')).status).toBe(503)
    expect((await visitor().get('/status/a/events')).status).toBe(503)
    expect([others.ended(), own.ended()]).toEqual([false, false])
  })

  it('do not take everybody behind a proxy that nobody named for one client', async () => {
    const { visitor } = await signedIn({
      public: [{ slug: 'p', title: 'P', monitors: [1] }],
      clientOf: () => '127.0.0.1',
      listeners: { perClient: 1 },
    })
    expect((await visitor().get('/status/p/events')).status).toBe(200)
    expect((await visitor().get('/status/p/events')).status).toBe(200)
  })

  it('end within 5 s of their key', async () => {
    const { clock, engine, visit, id } = await signedIn()
    const heard = await listen(visit, `/events?monitors=${id}`)
    await clock.advance(60_000)
    expect(heard.ended()).toBe(false)
    await engine.keys.revoke(1)
    await clock.advance(5000)
    expect(heard.ended()).toBe(true)
    expect((await visit.get('/events')).status).toBe(401)
  })

  it('end within 5 s of their session, signed out or over', async () => {
    const { clock, visit, visitor } = await signedIn({ sessionSec: 60 })
    const other = visitor()
    await other.signIn()
    const [left, over] = [await listen(visit, '/events'), await listen(other, '/events')]
    await visit.post('/sign-out')
    await clock.advance(5000)
    expect([left.ended(), over.ended()]).toEqual([true, false])
    await clock.advance(60_000)
    expect(over.ended()).toBe(true)
  })

  it.each<[string, () => Promise<Access | Response | null>]>([
    ['refuses', async () => null],
    [
      'sends elsewhere',
      async () => new Response(null, { status: 302, headers: { Location: '/login' } }),
    ],
    ['throws', () => Promise.reject(new Error('the host is broken'))],
    ['says nothing any more', () => new Promise(() => undefined)],
    ['means another account', async () => ({ account_id: 2 })],
  ])('end within 5 s of when the host %s', async (_name, then) => {
    let authorize = async (): Promise<Access | Response | null> => ({ account_id: 1 })
    const { clock, visitor } = await site({ authorize: () => authorize() })
    const heard = await listen(visitor(), '/events')
    await clock.advance(60_000)
    expect(heard.ended()).toBe(false)
    authorize = then
    await clock.advance(5000)
    expect(heard.ended()).toBe(true)
  })

  it('leave no listener and no timer behind', async () => {
    const { clock, visit, id } = await signedIn()
    const before = clock.pending
    const heard = await Promise.all([1, 2, 3].map(() => listen(visit, `/events?monitors=${id}`)))
    await visit.post(`/monitors/${id}/pause`)
    await Promise.all(heard.map(({ leave }) => leave()))
    await clock.advance(0)
    expect(clock.pending).toBeLessThanOrEqual(before)
  })

  it('end with the engine, and are not offered after it', async () => {
    const { engine, visit, id } = await signedIn({ authorize: () => ({ account_id: 1 }) })
    const heard = await listen(visit, `/events?monitors=${id}`)
    await engine.stop()
    await heard.over
    expect(heard.ended()).toBe(true)
    expect((await visit.get(`/events?monitors=${id}`)).status).toBe(204)
  })

  it('drop who does not take what is sent', async () => {
    const { clock, visit, id } = await signedIn()
    const { body } = await visit.get(`/events?monitors=${id}`)
    const before = clock.pending
    await clock.advance(9 * 60_000)
    expect(clock.pending).toBeLessThan(before)
    await body?.cancel()
  })

  it('of one account are looked up for no page of another', async () => {
    const { engine, clock, create, other } = await site()
    const live = createLive({ engine, clock, limits: liveLimitsOf({}) })
    const asked: number[] = []
    const answer = live.listen({
      audience: { kind: 'account', id: 1 },
      states: new Set<number>(),
      rounds: new Set<number>(),
      joins(id) {
        asked.push(id)
        return Promise.resolve(false)
      },
    })
    const theirs = await other.monitors.create({ type: 'scripted', name: 'theirs', host: 'c.test' })
    await other.monitors.pause(theirs.id)
    const own = await create('a.test')
    await engine.monitors.pause(own)
    await clock.settle()
    expect(asked).toEqual([own])
    await (answer.body as ReadableStream).cancel()
  })

  it('of a public page are looked up once for each time that it is told, however often they come', async () => {
    const { engine, clock, create } = await site()
    const live = createLive({ engine, clock, limits: liveLimitsOf({}) })
    const ids: number[] = []
    for (const host of ['a.test', 'b.test', 'c.test']) ids.push(await create(host))
    const asked: number[] = []
    const answer = live.listen({
      audience: { kind: 'public', id: 'p' },
      states: new Set(ids),
      rounds: new Set<number>(),
      stays(id) {
        asked.push(id)
        return Promise.resolve(true)
      },
    })
    for (const id of ids) {
      await engine.monitors.pause(id)
      await clock.settle()
    }
    expect(asked).toEqual([ids[0]])
    await clock.advance(300)
    for (const id of ids) {
      await engine.monitors.resume(id)
      await clock.settle()
    }
    expect(asked).toEqual([ids[0], ids[0]])
    await (answer.body as ReadableStream).cancel()
  })

  it('of a public page are looked up one by one, until one is told', async () => {
    const { engine, clock, create } = await site()
    const live = createLive({ engine, clock, limits: liveLimitsOf({}) })
    const ids: number[] = []
    for (const host of ['a.test', 'b.test', 'c.test']) ids.push(await create(host))
    const asked: number[] = []
    const answers: ((stays: boolean) => void)[] = []
    const answer = live.listen({
      audience: { kind: 'public', id: 'p' },
      states: new Set(ids),
      rounds: new Set<number>(),
      stays(id) {
        asked.push(id)
        return new Promise((resolve) => answers.push(resolve))
      },
    })
    for (const id of ids) {
      await engine.monitors.pause(id)
      await clock.settle()
    }
    expect(asked).toEqual(ids.slice(0, 1))
    answers[0]?.(false)
    await clock.settle()
    expect(asked).toEqual(ids.slice(0, 2))
    answers[1]?.(true)
    await clock.advance(300)
    expect(asked).toEqual(ids.slice(0, 2))
    for (const id of ids) {
      await engine.monitors.resume(id)
      await clock.settle()
    }
    expect(asked).toEqual([...ids.slice(0, 2), ids[0]])
    await (answer.body as ReadableStream).cancel()
  })

  it('take an account of any number of monitors', async () => {
    const { engine, clock } = await site()
    const live = createLive({ engine, clock, limits: liveLimitsOf({}) })
    const states = new Set(Array.from({ length: 200_000 }, (_, n) => n + 1))
    const rounds = new Set<number>()
    const answer = live.listen({ audience: { kind: 'account', id: 1 }, states, rounds })
    expect(answer.status).toBe(200)
    await (answer.body as ReadableStream).cancel()
    expect(live.size).toBe(0)
  })

  it('have no body for HEAD', async () => {
    const { page, visit } = await signedIn()
    const Cookie = [...visit.cookies].map(([name, value]) => `${name}=${value}`).join()
    const request = new Request('http://watch.test/events', { method: 'HEAD', headers: { Cookie } })
    expect((await page.fetch(request)).body).toBeNull()
  })
})

describe('through a Node server', () => {
  it('end with their key, by the clock of the machine', async () => {
    const { engine, page, visit } = await signedIn({ clock: systemClock })
    const handler = toNodeHandler(page)
    const server = createServer((req, res) => handler(req, res)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const Cookie = [...visit.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`
    const response = await fetch(url, { headers: { Cookie } })
    expect(response.status).toBe(200)
    await engine.keys.revoke(1)
    expect(await response.text()).toBe('retry: 3000\n\n')
    expect((await fetch(url, { headers: { Cookie } })).status).toBe(401)
  })

  it.each(['node:http', 'Express'])(
    '%s they come one by one, and leaving is noticed',
    async (host) => {
      const made = await signedIn({
        authorize: () => ({ account_id: 1 }),
        listeners: { perAccount: 1 },
      })
      const handler = toNodeHandler(made.page)
      const app = express()
      app.use(handler)
      const server = createServer(
        host === 'Express'
          ? app
          : (req, res) => {
              handler(req, res)
            },
      )
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      onTestFinished(() => {
        server.closeAllConnections()
        server.close()
      })
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events?monitors=1`
      const leaving = new AbortController()
      const response = await fetch(url, { signal: leaving.signal })
      expect(response.headers.get('content-type')).toBe(STREAM)
      const reader = response.body!.getReader()
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('retry: 3000\n\n')
      await pause(made.engine)
      await made.clock.advance(1000)
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('event: change')
      expect((await fetch(url)).status).toBe(503)
      leaving.abort()
      await expect.poll(async () => (await firstByte(url)).status).toBe(200)
      const head = await fetch(url, { method: 'HEAD' })
      expect(head.headers.get('content-type')).not.toBe('text/html')
    },
  )
})

async function pause(engine: Engine): Promise<void> {
  await engine.monitors.pause(1)
}

async function firstByte(url: string): Promise<Response> {
  const leaving = new AbortController()
  const response = await fetch(url, { signal: leaving.signal })
  leaving.abort()
  return response
}

interface Heard {
  text(): string
  changes(): number
  ended(): boolean
  leave(): Promise<void>
  readonly over: Promise<void>
}

async function listen(visit: Visitor, path: string): Promise<Heard> {
  const response = await visit.get(path)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, STREAM])
  const reader = response.body!.getReader()
  let text = ''
  let ended = false
  const over = (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += Buffer.from(value).toString()
    }
    ended = true
  })()
  await new Promise<void>((resolve) => void setImmediate(resolve))
  return {
    text: () => text,
    changes: () => text.split('event: change').length - 1,
    ended: () => ended,
    leave: () => reader.cancel(),
    over,
  }
}
