import { describe, expect, it } from 'vitest'
import type { Logger } from '../../src/logger.ts'
import { silentLogger } from '../../src/logger.ts'
import { createPage } from '../../src/page/index.ts'
import { KEY, ORIGIN, OTHER_KEY, site, visitor as visitorOf } from './visit.ts'

const PRIVATE = ['/', '/monitors/1', '/monitors/1/checks', '/incidents', '/audit-log', '/wall']

describe('signing in', () => {
  it('takes an API key, and leads to where one wanted to go', async () => {
    const { visitor } = await site()
    const visit = visitor()
    const turned = await visit.get('/incidents?after=5')
    expect(turned.status).toBe(303)
    const form = turned.headers.get('location') ?? ''
    expect(form).toBe('/sign-in?return=%2Fincidents%3Fafter%3D5')
    expect(await visit.text(form)).toContain('value="/incidents?after=5"')
    const entered = await visit.post('/sign-in', { key: ` ${KEY} `, return: '/incidents?after=5' })
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/incidents?after=5'])
    for (const path of PRIVATE.filter((path) => !path.startsWith('/monitors')))
      expect((await visit.get(path)).status, path).toBe(200)
  })

  it('shows nothing of an account without it', async () => {
    const { create, visitor } = await site()
    await create('inner.test')
    for (const path of PRIVATE) {
      const response = await visitor().get(path)
      expect(response.status, path).toBe(303)
      expect(await response.text(), path).toBe('')
    }
    expect((await visitor().get('/events?monitors=1')).status).toBe(401)
  })

  it('shows each key its own account', async () => {
    const { create, visitor } = await site()
    await create('inner.test')
    const visit = visitor()
    await visit.signIn(OTHER_KEY)
    expect(await visit.text('/')).not.toContain('inner.test')
  })

  it('gives a key that only reads no buttons, and lets no key in that may not read', async () => {
    const { create, engine, visitor } = await site()
    const id = await create('inner.test')
    const reader = await engine.keys.create({ scopes: ['read'] })
    const visit = visitor()
    expect((await visit.signIn(reader.key)).status).toBe(303)
    expect(await visit.text(`/monitors/${id}`)).toContain('inner.test')
    await visit.post(`/monitors/${id}/pause`)
    expect((await engine.monitors.get(id)).state).not.toBe('paused')
    const other = await engine.keys.create({ scopes: ['write', 'monitors:read'] })
    expect((await visitor().signIn(other.key)).status).toBe(403)
  })

  it('says that a key is wrong, and does not repeat it', async () => {
    const { visitor } = await site()
    const response = await visitor().signIn('a-key-that-is-mistyped')
    const text = await response.text()
    expect(response.status).toBe(401)
    expect(text).toContain('This key is not known')
    expect(text).not.toContain('mistyped')
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it('is limited to 20 wrong keys a minute, which keep no right one out', async () => {
    const { clock, visitor } = await site()
    const visit = visitor()
    for (let at = 0; at < 30; at++) expect((await visit.signIn()).status).toBe(303)
    for (let at = 0; at < 20; at++)
      expect((await visit.signIn('wrong-wrong-wrong')).status).toBe(401)
    const refused = await visit.signIn('wrong-wrong-wrong')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await refused.text()).toContain('wait 60 seconds')
    expect((await visit.signIn()).status).toBe(303)
    await clock.advance(60_000)
    expect((await visit.signIn('wrong-wrong-wrong')).status).toBe(401)
  })

  it('limits each client by itself where the host tells them apart', async () => {
    const { visitor } = await site({ clientOf: ({ headers }) => headers.get('x-client') ?? '' })
    const from = (client: string) =>
      visitor().post(
        '/sign-in',
        { key: 'wrong-wrong-wrong' },
        { 'Sec-Fetch-Site': 'same-origin', 'X-Client': client },
      )
    for (let at = 0; at < 20; at++) await from('a')
    expect((await from('a')).status).toBe(429)
    expect((await from('b')).status).toBe(401)
  })

  it.each([
    '//evil.test/',
    '/\\evil.test',
    'https://evil.test/',
    '/%0d%0aX: 1\r\n',
    'javascript:alert(1)',
    '',
  ])('does not lead to another site: %j', async (back) => {
    const { visitor } = await site()
    const response = await visitor().post('/sign-in', { key: KEY, return: back })
    expect(response.headers.get('location')).toBe('/')
    const theme = await visitor().post('/theme', { theme: 'dark', return: back })
    expect(theme.headers.get('location')).toBe('/')
  })

  it('reads no form that is too long or of another kind', async () => {
    const { page, visitor } = await site()
    expect((await visitor().post('/sign-in', { key: 'x'.repeat(5000) })).status).toBe(400)
    const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' }
    const request = new Request(`${ORIGIN}/sign-in`, { method: 'POST', body: '{}', headers })
    expect((await page.fetch(request)).status).toBe(400)
  })

  it('waits at most ten seconds for a form to come to its end', async () => {
    const { clock, page } = await site()
    const headers = {
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': 'application/x-www-form-urlencoded',
    }
    const body = new ReadableStream<Uint8Array>({ start: (c) => c.enqueue(Buffer.from('key=')) })
    const request = new Request(`${ORIGIN}/sign-in`, {
      method: 'POST',
      body,
      headers,
      duplex: 'half',
    })
    const answer = page.fetch(request)
    await clock.advance(10_000)
    expect((await answer).status).toBe(400)
  })
})

describe('the sessions of an account', () => {
  it('look at ten times as many pages as those of one key, and never at those of another account', async () => {
    const { engine, visitor } = await site({ rateLimit: { views: 3 } })
    const visits = await Promise.all(
      Array.from({ length: 11 }, async () => {
        const { key } = await engine.keys.create()
        return { visit: visitor(), key }
      }),
    )
    const last = visits.pop()
    for (const { visit, key } of visits)
      expect([
        (await visit.signIn(key)).status,
        (await visit.get('/')).status,
        (await visit.get('/')).status,
      ]).toEqual([303, 200, 200])
    const refused = await last?.visit.signIn(last.key)
    expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await visitor().signIn(OTHER_KEY)).status).toBe(303)
  })
})

describe('the cookie of a session', () => {
  it('is for this site alone, out of reach of scripts, and for https where that is spoken', async () => {
    const { engine, clock, visitor } = await site({ sessionSec: 3600 })
    const [plain = ''] = (await visitor().signIn()).headers.getSetCookie()
    expect(plain).toMatch(
      /^watchpost_session=[\w.-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict$/,
    )
    const secured = visitorOf(createPage(engine, { clock, secureCookies: true }))
    expect((await secured.signIn()).headers.getSetCookie()[0]).toMatch(/; Secure$/)
    expect((await secured.get('/')).status).toBe(200)
    const overTls = new Request('https://watch.test/sign-in', {
      method: 'POST',
      body: new URLSearchParams({ key: KEY }),
      headers: { 'Sec-Fetch-Site': 'same-origin' },
    })
    const response = await createPage(engine, { clock }).fetch(overTls)
    expect(response.headers.getSetCookie()[0]).toMatch(/; Secure$/)
  })

  it.each(['', '/ops/status'])(
    'cannot be set by another host of the domain on https, mounted at "%s"',
    async (basePath) => {
      const { engine, clock } = await site()
      const page = createPage(engine, { clock, basePath })
      const at = (path: string, init: RequestInit = {}) =>
        page.fetch(new Request(`https://watch.test${basePath}${path}`, init))
      const headers = { 'Sec-Fetch-Site': 'same-origin' }
      const body = new URLSearchParams({ key: KEY })
      const [set = ''] = (
        await at('/sign-in', { method: 'POST', body, headers })
      ).headers.getSetCookie()
      // What a browser requires of the prefix: Secure, the path of the root, and no domain.
      expect(set).toMatch(/^__Host-watchpost_session[\w%]*=[\w.-]+; Path=\/; .*; Secure$/)
      expect(set).not.toMatch(/domain/i)
      const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(set) ?? []
      const status = async (cookie: string) => (await at('/', { headers: { cookie } })).status
      expect(await status(`${name}=${value}`)).toBe(200)
      // This one any host of the domain can set.
      expect(await status(`watchpost_session=${value}`)).toBe(303)
      const signedOut = await at('/sign-out', {
        method: 'POST',
        headers: { ...headers, cookie: `${name}=${value}` },
      })
      expect(signedOut.headers.getSetCookie()[0]).toContain(`${name}=; Path=/; Max-Age=0;`)
      expect(await status(`${name}=${value}`)).toBe(303)
    },
  )

  it('of one page is no session of another one on the same host', async () => {
    const { engine, clock } = await site()
    const names = await Promise.all(
      ['/a', '/b'].map(async (basePath) => {
        const page = createPage(engine, { clock, basePath, secureCookies: true })
        const request = new Request(`${ORIGIN}${basePath}/sign-in`, {
          method: 'POST',
          body: new URLSearchParams({ key: KEY }),
          headers: { 'Sec-Fetch-Site': 'same-origin' },
        })
        return (await page.fetch(request)).headers.getSetCookie()[0]?.split('=')[0]
      }),
    )
    expect(new Set(names).size).toBe(2)
  })

  it('ends with its time', async () => {
    const { clock, visitor } = await site({ sessionSec: 3600 })
    const visit = visitor()
    await visit.signIn()
    await clock.advance(3_599_000)
    expect((await visit.get('/')).status).toBe(200)
    await clock.advance(1000)
    expect((await visit.get('/')).status).toBe(303)
  })

  it('ends in time, also one that was begun while the clock was a year ahead', async () => {
    const { clock, visitor } = await site({ sessionSec: 3600 })
    const [early, late] = [visitor(), visitor()]
    clock.jump(365 * 86_400_000)
    await early.signIn()
    clock.jump(-365 * 86_400_000)
    expect((await early.get('/')).status).toBe(303)
    // The clocks of two servers may differ a little.
    clock.jump(60_000)
    await late.signIn()
    clock.jump(-60_000)
    expect((await late.get('/')).status).toBe(200)
  })

  it('stays signed out, also when the clock is a day ahead for a while', async () => {
    const { clock, visitor } = await site()
    const [first, other] = [visitor(), visitor()]
    await first.signIn()
    const kept = first.cookies.get('watchpost_session') ?? ''
    await first.post('/sign-out')
    clock.jump(86_400_000)
    await other.signIn()
    await other.post('/sign-out')
    clock.jump(-86_400_000)
    first.cookies.set('watchpost_session', kept)
    expect((await first.get('/')).status).toBe(303)
  })

  it('ends with its key', async () => {
    const { engine, visitor } = await site()
    const visit = visitor()
    await visit.signIn()
    await engine.keys.revoke(1)
    expect((await visit.get('/')).status).toBe(303)
  })

  it('ends when one signs out, also for who has a copy of it', async () => {
    const { visitor } = await site()
    const visit = visitor()
    await visit.signIn()
    const copy = visitor()
    copy.cookies.set('watchpost_session', visit.cookies.get('watchpost_session') ?? '')
    expect((await copy.get('/')).status).toBe(200)
    expect((await visit.post('/sign-out')).headers.get('location')).toBe('/sign-in')
    expect(visit.cookies.size).toBe(0)
    expect((await copy.get('/')).status).toBe(303)
  })

  it('cannot be changed or made up', async () => {
    const { visitor } = await site()
    const visit = visitor()
    await visit.signIn(OTHER_KEY)
    const value = visit.cookies.get('watchpost_session') ?? ''
    const mac = value.split('.').at(-1) ?? ''
    const forged = [
      value.replace('2.2.', '2.1.'),
      value.slice(0, -1),
      `${value}x`,
      '',
      `2.1.1.${'a'.repeat(16)}.9999999999999.${'a'.repeat(16)}.${mac}`,
      value.replace(mac, 'A'.repeat(43)),
    ]
    for (const attempt of forged) {
      visit.cookies.set('watchpost_session', attempt)
      expect((await visit.get('/')).status, attempt).toBe(303)
    }
  })

  it('is good for all processes that have the same key, and for no others', async () => {
    const { engine, clock } = await site()
    const make = (sessionKey?: string) =>
      createPage(engine, { clock, ...(sessionKey === undefined ? {} : { sessionKey }) })
    const first = visitorOf(make('a key of the host'))
    await first.signIn()
    for (const [page, status] of [
      [make('a key of the host'), 200],
      [make('another one'), 303],
      [make(), 303],
    ] as const) {
      const next = visitorOf(page)
      next.cookies.set('watchpost_session', first.cookies.get('watchpost_session') ?? '')
      expect((await next.get('/')).status).toBe(status)
    }
  })
})

it('a session that was signed out stays so, however many another account signs out', async () => {
  const { visitor } = await site({ rateLimit: false })
  const [first, other] = [visitor(), visitor()]
  await first.signIn()
  const kept = first.cookies.get('watchpost_session') ?? ''
  await first.post('/sign-out')
  for (let n = 0; n < 10_001; n++) {
    await other.signIn(OTHER_KEY)
    await other.post('/sign-out')
  }
  first.cookies.set('watchpost_session', kept)
  expect((await first.get('/')).status).toBe(303)
})

it('a session is for its key, not for one of the same id in another database with the same secret', async () => {
  const sessionKey = 'a secret of two services'
  const [one, two] = [await site({ sessionKey }), await site({ sessionKey })]
  const [first, second] = [await one.engine.keys.create(), await two.engine.keys.create()]
  expect(first.view.id).toBe(second.view.id)
  const [there, here] = [one.visitor(), two.visitor()]
  await there.signIn(first.key)
  expect((await there.get('/')).status).toBe(200)
  here.cookies.set('watchpost_session', there.cookies.get('watchpost_session') ?? '')
  expect((await here.get('/')).status).toBe(303)
})

describe('forms', () => {
  const foreign: readonly Record<string, string>[] = [
    {},
    { Origin: 'null' },
    { Origin: 'http://evil.test' },
    { Origin: 'http://watch.test.evil.test' },
    { 'Sec-Fetch-Site': 'cross-site', Origin: ORIGIN },
    { 'Sec-Fetch-Site': 'same-site', Origin: ORIGIN },
    { 'Sec-Fetch-Site': 'none' },
  ]

  it('of other sites change nothing', async () => {
    const { engine, create, visitor } = await site()
    const id = await create('a.test')
    const visit = visitor()
    await visit.signIn()
    for (const headers of foreign) {
      for (const path of ['/sign-in', '/sign-out', '/theme', `/monitors/${id}/pause`]) {
        const response = await visit.post(path, { key: KEY, theme: 'dark' }, headers)
        expect(response.status, JSON.stringify([path, headers])).toBe(403)
        expect(response.headers.getSetCookie()).toEqual([])
      }
    }
    expect((await engine.monitors.get(id)).state).not.toBe('paused')
    expect((await visit.get('/')).status).toBe(200)
  })

  it('of ours are known by Origin where a browser sends no more than that', async () => {
    const { visitor } = await site()
    expect((await visitor().post('/sign-in', { key: KEY }, { Origin: ORIGIN })).status).toBe(303)
  })

  it('check, pause and resume a monitor, and show it again', async () => {
    const { engine, clock, create, visitor } = await site()
    const id = await create('a.test')
    await clock.advance(1000)
    const visit = visitor()
    await visit.signIn()
    const checked = async () => (await engine.results.list(id)).items.length
    const before = await checked()
    const answer = await visit.post(`/monitors/${id}/check`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/monitors/${id}`])
    await clock.advance(1000)
    expect(await checked()).toBe(before + 1)
    await visit.post(`/monitors/${id}/pause`)
    expect((await engine.monitors.get(id)).state).toBe('paused')
    expect(await visit.text(`/monitors/${id}`)).toContain('Resume')
    expect((await visit.post(`/monitors/${id}/check`)).status).toBe(409)
    await visit.post(`/monitors/${id}/resume`)
    expect((await engine.monitors.get(id)).state).not.toBe('paused')
  })
})

describe('the theme', () => {
  it('is what one chose, on every page, and otherwise that of the system', async () => {
    const { visitor } = await site({ public: [{ slug: 'p', title: 'P', monitors: [] }] })
    const visit = visitor()
    expect(await visit.text('/sign-in')).toContain('data-theme="auto"')
    const chosen = await visit.post('/theme', { theme: 'dark', return: '/status/p' })
    expect(chosen.headers.get('location')).toBe('/status/p')
    for (const path of ['/sign-in', '/status/p', '/nowhere'])
      expect(await visit.text(path)).toContain('data-theme="dark"')
    expect((await visit.post('/theme', { theme: 'red' })).status).toBe(400)
    visit.cookies.set('watchpost_theme', '"><script>')
    expect(await visit.text('/sign-in')).toContain('data-theme="auto"')
  })
})

describe('a host with accounts of its own', () => {
  it('says who sees what; there is no sign-in then', async () => {
    const { create, other, visitor } = await site({
      authorize(request) {
        const who = request.headers.get('x-user')
        if (who === 'lost')
          return new Response(null, { status: 302, headers: { Location: '/login' } })
        if (who === 'guest') return { account_id: 1, read_only: true }
        return who === null ? null : { account_id: Number(who) }
      },
    })
    await create('inner.test')
    expect(other.account_id).toBe(2)
    const as = (who: string, path = '/') => visitor().get(path, { 'X-User': who })
    expect(await (await as('1')).text()).toContain('inner.test')
    expect(await (await as('2')).text()).not.toContain('inner.test')
    expect((await as('lost')).headers.get('location')).toBe('/login')
    expect((await visitor().get('/')).status).toBe(403)
    expect((await visitor().get('/sign-in')).status).toBe(404)
    expect((await visitor().signIn()).status).toBe(404)
  })

  it.each([undefined, null, 3, 0, -1, 1.5, '1', 'abc'])(
    'shows nothing to whom it gives an account that is not there: %j',
    async (account_id) => {
      const { engine, create, visitor } = await site({
        authorize: () => ({ account_id }) as never,
      })
      const id = await create('inner.test')
      for (const path of [...PRIVATE, `/monitors/${id}`]) {
        const answer = await visitor().get(path)
        expect(answer.status, path).toBe(403)
        expect(await answer.text()).not.toContain('inner.test')
      }
      expect((await visitor().get(`/events?monitors=${id}&all=1`)).status).toBe(401)
      expect((await visitor().post(`/monitors/${id}/pause`)).status).toBe(403)
      expect((await engine.monitors.get(id)).state).not.toBe('paused')
    },
  )

  it('whose `authorize` says nothing at all shows nothing', async () => {
    const { visitor } = await site({ authorize: () => undefined as never })
    for (const path of PRIVATE) expect((await visitor().get(path)).status, path).toBe(403)
  })

  it('whose `authorize` does not answer within 10 s is unavailable', async () => {
    const never = new Promise<never>(() => undefined)
    const { visitor, clock } = await site({ authorize: () => never })
    const answer = visitor().get('/')
    await clock.advance(10_000)
    expect((await answer).status).toBe(503)
  })

  it('whose `authorize` throws at every request has a few lines in the log, and a count', async () => {
    const lines: Readonly<Record<string, unknown>>[] = []
    const error: Logger['error'] = (fields) => void lines.push(fields)
    const { visitor, clock } = await site({
      logger: { ...silentLogger, error },
      authorize() {
        throw new TypeError('the session has no user')
      },
    })
    for (let n = 0; n < 200; n++) expect((await visitor().get('/')).status).toBe(500)
    expect(lines).toHaveLength(10)
    await clock.advance(60_000)
    expect(lines.slice(10)).toMatchObject([{ left_out: 190, path: '/' }])
  })

  it.each([true, 1, 'true', 'yes', null, {}])(
    'lets nobody touch whose `read_only` is %j',
    async (read_only) => {
      const { engine, create, visitor } = await site({
        authorize: () => ({ account_id: 1, read_only }) as never,
      })
      const id = await create('a.test')
      expect(await visitor().text(`/monitors/${id}`)).not.toContain('Pause')
      expect((await visitor().post(`/monitors/${id}/pause`)).status).toBe(403)
      expect((await engine.monitors.get(id)).state).not.toBe('paused')
    },
  )

  it('counts the buttons of an account together, or of whom the host tells apart', async () => {
    const { create, visitor } = await site({
      authorize(request) {
        const who = request.headers.get('x-user')
        return { account_id: 1, ...(who === null ? {} : { identity: who }) }
      },
    })
    const id = await create('a.test')
    const press = async (who: string | null) => {
      const headers = {
        'Sec-Fetch-Site': 'same-origin',
        ...(who === null ? {} : { 'X-User': who }),
      }
      return (await visitor().post(`/monitors/${id}/resume`, {}, headers)).status
    }
    for (let at = 0; at < 60; at++) expect(await press('ann')).toBe(303)
    expect([await press('ann'), await press('bob'), await press(null)]).toEqual([429, 303, 303])
    for (let at = 0; at < 59; at++) expect(await press(null)).toBe(303)
    expect([await press(null), await press('bob')]).toEqual([429, 303])
  })

  it('counts a button before its form is read, and one whose form is none', async () => {
    const { create, page } = await site({
      authorize: () => ({ account_id: 1 }),
      rateLimit: { requests: 2 },
    })
    const id = await create('a.test')
    let read = 0
    const press = async () => {
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            read++
            controller.enqueue(Buffer.from('{}'))
            controller.close()
          },
        },
        { highWaterMark: 0 },
      )
      const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' }
      const init = { method: 'POST', body, headers, duplex: 'half' as const }
      return (await page.fetch(new Request(`${ORIGIN}/monitors/${id}/check`, init))).status
    }
    expect([await press(), await press()]).toEqual([400, 400])
    read = 0
    expect([await press(), read]).toEqual([429, 0])
  })

  it('is named in the audit log as `authorize` says, and the key where one signed in by it', async () => {
    const { create, engine, visitor } = await site({
      authorize(request) {
        const actor = request.headers.get('x-user')
        return { account_id: 1, actor }
      },
    })
    const id = await create('a.test')
    for (const who of ['user:ann', null]) {
      const headers = {
        'Sec-Fetch-Site': 'same-origin',
        ...(who === null ? {} : { 'X-User': who }),
      }
      await visitor().post(`/monitors/${id}/${who === null ? 'resume' : 'pause'}`, {}, headers)
    }
    const byKey = await site()
    const own = await byKey.create('b.test')
    const visit = byKey.visitor()
    await visit.signIn()
    await visit.post(`/monitors/${own}/pause`)
    const actors = async (from: typeof engine) =>
      (await from.auditLog.list()).items.slice(0, 2).map(({ action, actor }) => [action, actor])
    expect(await actors(engine)).toEqual([
      ['resumed', 'page'],
      ['paused', 'user:ann'],
    ])
    expect((await actors(byKey.engine))[0]).toEqual(['paused', 'key:1'])
  })

  it('may say how often one may look and press, or not count at all', async () => {
    const looks = async (rateLimit: false | { readonly views: number }) => {
      const { visitor } = await site({ rateLimit, authorize: () => ({ account_id: 1 }) })
      const statuses: number[] = []
      for (let at = 0; at < 3; at++) statuses.push((await visitor().get('/')).status)
      return statuses
    }
    expect(await looks({ views: 2 })).toEqual([200, 200, 429])
    expect(await looks(false)).toEqual([200, 200, 200])
  })

  it('may let somebody look without touching', async () => {
    const { engine, create, visitor } = await site({
      authorize: () => ({ account_id: 1, read_only: true }),
    })
    const id = await create('a.test')
    const text = await visitor().text(`/monitors/${id}`)
    expect(text).not.toContain('Pause')
    expect((await visitor().post(`/monitors/${id}/pause`)).status).toBe(403)
    expect((await engine.monitors.get(id)).state).not.toBe('paused')
  })
})

describe('a page for customers', () => {
  const shown = async (more = {}) => {
    const made = await site({
      public: [
        {
          slug: 'shop',
          title: 'Shop status',
          description: 'All we sell.',
          monitors: { tag: 'public' },
          ...more,
        },
      ],
    })
    made.failing.set('10.1.2.3', 'connect ECONNREFUSED 10.1.2.3:5432')
    const id = await made.create('10.1.2.3', {
      name: 'Checkout',
      tags: ['public'],
      fail_threshold: 1,
    })
    await made.create('10.9.9.9', { name: 'Inner ledger', tags: ['private'] })
    await made.clock.advance(70_000)
    return { ...made, id, visit: made.visitor() }
  }

  it('shows names, days and disruptions of the chosen monitors, to everybody', async () => {
    const { visit } = await shown()
    const text = await visit.text('/status/shop')
    for (const words of [
      'Shop status',
      'All we sell.',
      'Checkout',
      'Disrupted',
      'has been disrupted for 1 min',
    ])
      expect(text).toContain(words)
    expect(text).toMatch(/<h1>The service is disrupted<\/h1>/)
  })

  it('leaks neither other monitors nor addresses, causes, ids, tags, types or intervals', async () => {
    const { visit } = await shown()
    const text = await visit.text('/status/shop')
    for (const leak of [
      'Inner ledger',
      '10.1.2.3',
      '10.9.9.9',
      'ECONNREFUSED',
      'broken',
      'Scripted',
      'private',
      '/monitors',
      'local',
      'cause',
      'account',
      'incident-',
    ])
      expect(text, leak).not.toContain(leak)
    expect(text).not.toMatch(/id="m?\d/)
  })

  it('does not tell the address of a monitor that was given no name', async () => {
    const made = await site({ public: [{ slug: 'x', title: 'X', monitors: [1] }] })
    await made.create('10.7.7.7', { name: null })
    const text = await made.visitor().text('/status/x')
    expect(text).toContain('Unnamed service')
    expect(text).not.toContain('10.7.7.7')
  })

  it('does not tell it after the address has changed either', async () => {
    const made = await site({ public: [{ slug: 'x', title: 'X', monitors: [1, 2] }] })
    await made.create('10.7.7.7', { name: null })
    await made.create('10.8.8.8', { name: 'Shop' })
    // As a client does that sends back what it has read.
    await made.engine.monitors.update(1, { name: '10.7.7.7', host: '10.7.7.8' })
    await made.engine.monitors.update(1, { host: '10.7.7.9' })
    await made.engine.monitors.update(2, { host: '10.8.8.9' })
    const { items } = await made.engine.monitors.list()
    expect(items.map(({ name }) => name)).toEqual(['10.7.7.9', 'Shop'])
    const text = await made.visitor().text('/status/x')
    expect(text).toContain('Unnamed service')
    expect(text).not.toContain('10.7.7.')
  })

  it('shows addresses and causes where the operator wants that', async () => {
    const { visit } = await shown({ show_targets: true, show_causes: true })
    const text = await visit.text('/status/shop')
    expect(text).toContain('10.1.2.3')
    expect(text).toContain('ECONNREFUSED')
  })

  it('takes monitors by id in the order given, leaves out what is not there, and nothing of other accounts', async () => {
    const made = await site({
      public: [{ slug: 'x', title: 'X', monitors: [2, 99, 1, 3] }],
    })
    await made.create('a.test', { name: 'Alpha' })
    await made.create('b.test', { name: 'Beta' })
    await made.other.monitors.create({ type: 'scripted', name: 'Theirs', host: 'c.test' })
    const text = await made.visitor().text('/status/x')
    expect([...text.matchAll(/<h3>\s*<bdi>([^<]*)/g)].map(([, name]) => name)).toEqual([
      'Beta',
      'Alpha',
    ])
  })

  it('is worked out anew every two seconds at most, however many ask', async () => {
    const { engine, clock, visit } = await shown()
    await visit.text('/status/shop')
    await engine.monitors.create({
      type: 'scripted',
      name: 'Newcomer',
      host: 'n.test',
      tags: ['public'],
    })
    expect(await visit.text('/status/shop')).not.toContain('Newcomer')
    await clock.advance(2000)
    expect(await visit.text('/status/shop')).toContain('Newcomer')
  })

  it('shows a new state at once, also where somebody has just asked', async () => {
    const made = await site({ public: [{ slug: 'x', title: 'X', monitors: [1] }] })
    const id = await made.create('a.test', { fail_threshold: 1 })
    await made.clock.advance(5000)
    const visit = made.visitor()
    expect(await visit.text('/status/x')).toContain('The service is operational')
    made.failing.set('a.test', 'No')
    await made.engine.monitors.queueCheck(id)
    await made.clock.advance(200)
    expect(await visit.text('/status/x')).toContain('The service is disrupted')
  })

  it('is found at /status as well, and no other is', async () => {
    const { visit } = await shown()
    expect((await visit.get('/status')).headers.get('location')).toBe('/status/shop')
    expect((await visit.get('/status/other')).status).toBe(404)
    expect((await visit.get('/status/shop/more')).status).toBe(404)
    expect((await (await site()).visitor().get('/status')).status).toBe(404)
  })

  it.each([
    [[{ slug: 'a/b', title: 'A', monitors: [] }]],
    [[{ slug: '', title: 'A', monitors: [] }]],
    [
      [
        { slug: 'a', title: 'A', monitors: [] },
        { slug: 'a', title: 'B', monitors: [] },
      ],
    ],
  ])('is refused where its path cannot be: %j', async (pages) => {
    await expect(site({ public: pages })).rejects.toThrow(/slug/)
  })
})
