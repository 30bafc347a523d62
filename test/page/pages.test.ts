import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/api/engine.ts'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { createPage } from '../../src/page/index.ts'
import { site } from './visit.ts'
import type { Site } from './visit.ts'

const HOSTILE = `</title></script><script>alert(1)</script><img src=x onerror=alert(2)>"'&`

async function signedIn(options: Parameters<typeof site>[0] = {}) {
  const made = await site(options)
  const visitor = made.visitor()
  await visitor.signIn()
  return { ...made, visitor }
}

describe('the overview', () => {
  it('says how many are down and puts them first', async () => {
    const { create, failing, visitor, clock } = await signedIn()
    failing.set('b.test', 'Nobody answers')
    for (const host of ['a.test', 'b.test', 'c.test']) await create(host, { fail_threshold: 1 })
    await clock.advance(1000)
    const text = await visitor.text('/')
    expect(text).toContain('1 of 3 monitors is down')
    expect(namesIn(text)).toEqual(['b.test', 'a.test', 'c.test'])
    expect(text).toMatch(/aria-label="b\.test, last 90 days: [^"]*"/)
  })

  it('finds monitors by state, type, tag and text, and keeps what was asked in the form', async () => {
    const { create, failing, visitor, clock } = await signedIn()
    failing.set('api.test', 'No')
    await create('shop.test', { tags: ['web'] })
    await create('api.test', { tags: ['web', 'inner'], fail_threshold: 1 })
    await create('mail.test')
    await clock.advance(1000)
    expect(namesIn(await visitor.text('/?state=down'))).toEqual(['api.test'])
    expect(namesIn(await visitor.text('/?tag=web&state=up'))).toEqual(['shop.test'])
    expect(namesIn(await visitor.text('/?q=MAIL'))).toEqual(['mail.test'])
    expect(namesIn(await visitor.text('/?type=scripted'))).toHaveLength(3)
    const none = await visitor.text('/?q=%22%3E%3Cb%3E')
    expect(none).toContain('No monitor matches this filter')
    expect(none).toContain('value="&quot;&gt;&lt;b&gt;"')
    expect(await visitor.text('/?tag=inner')).toMatch(/<option value="inner"\s+selected/)
  })

  it.each(['?state=odd', '?type=odd', '?page=0', '?page=x', `?q=${'x'.repeat(201)}`])(
    'refuses a filter that cannot be: %s',
    async (query) => {
      const { create, visitor } = await signedIn()
      await create('a.test')
      expect((await visitor.get(`/${query.slice(0, 300)}`)).status).toBe(400)
    },
  )

  it('has pages, on which every monitor stands once', async () => {
    const { create, visitor } = await signedIn()
    for (let at = 1; at <= 60; at++) await create(`h${at}.test`)
    const pages = await Promise.all([1, 2, 3].map((at) => visitor.text(`/?page=${at}`)))
    expect(new Set(pages.flatMap(namesIn)).size).toBe(60)
    expect(pages[0]).toMatch(/Page 1 of 3, 60 monitors/)
    expect(pages[0]).toContain('href="/?page=2"')
    expect(pages[2]).not.toContain('rel="next"')
  })

  it('shows the way to a first monitor where there is none', async () => {
    const { visitor } = await signedIn()
    expect(await visitor.text('/')).toContain('http://watch.test/api/v1/monitors')
  })
})

describe('the page of a monitor', () => {
  it('has state, figures, locations, checks, and the way to the incident', async () => {
    const { engine, create, failing, visitor, clock } = await signedIn()
    await engine.contacts.create({
      kind: 'silent',
      to: 'x',
      name: 'Night shift',
      all_monitors: true,
    })
    const id = await create('a.test', { fail_threshold: 1 })
    failing.set('a.test', 'The server hung up')
    await clock.advance(61_000)
    failing.set('a.test', 'The server is gone')
    await clock.advance(61_000)
    const text = await visitor.text(`/monitors/${id}`)
    for (const words of ['Down', 'The server hung up', 'The server is gone'])
      expect(text).toContain(words)
    expect(text).toContain('<a href="/incidents/1"')
    expect(text.match(/<details id="check-\d+">/g)).toHaveLength(3)
    expect(text).toContain('Ongoing')
  })

  it('shows what the type says people look for, with how far off an end is', async () => {
    const { create, visitor, clock } = await signedIn()
    const id = await create('a.test')
    await clock.advance(1000)
    const text = factsIn(await visitor.text(`/monitors/${id}`))
    expect(text).toMatch(
      /Licence ends<\/bdi><\/dt> <dd><span class=\"near\" .*?10 Jan 2026<\/time> · in 8 days/,
    )
    expect(text).toMatch(/Level<\/bdi><\/dt> <dd>12\.3 %/)
    expect(text).toMatch(/Greeting<\/bdi><\/dt> <dd><bdi>from a\.test/)
  })

  it('says beside "Up" what ends soon, and never that all is well', async () => {
    const { create, visitor, clock } = await signedIn()
    const id = await create('a.test')
    await clock.advance(1000)
    const state = async () =>
      /id="state"[^]*?<\/div>/.exec(await visitor.text(`/monitors/${id}`))?.[0] ?? ''
    expect(await state()).toMatch(/Up<\/strong>[^]*Licence ends in 8 days/)
    expect(await state()).not.toContain('as it should be')
  })

  it('has all checks page by page, of one result where asked', async () => {
    const { create, failing, visitor, clock } = await signedIn()
    const id = await create('a.test')
    await clock.advance(3_600_000)
    failing.set('a.test', 'No')
    await clock.advance(60_000)
    const first = await visitor.text(`/monitors/${id}/checks`)
    const [, older = ''] = /href="([^"]+)" rel="next"/.exec(first) ?? []
    const second = await visitor.text(older.replaceAll('&amp;', '&'))
    const ids = (text: string) =>
      [...text.matchAll(/id="check-(\d+)"/g)].map(([, id]) => Number(id))
    expect(ids(first)).toHaveLength(50)
    expect(Math.max(...ids(second))).toBeLessThan(Math.min(...ids(first)))
    expect(ids(await visitor.text(`/monitors/${id}/checks?verdict=fail`)).length).toBeLessThan(5)
    expect((await visitor.get(`/monitors/${id}/checks?verdict=odd`)).status).toBe(400)
    expect((await visitor.get(`/monitors/${id}/checks?after=-1`)).status).toBe(400)
  })

  it.each(['1h', '24h', '7d', '30d', '90d'])('draws response times of %s', async (range) => {
    const { create, visitor, clock } = await signedIn()
    const id = await create('a.test')
    await clock.advance(1000)
    const text = await visitor.text(`/monitors/${id}?range=${range}`)
    expect(text).toMatch(/aria-label="Response time, [^"]+"/)
    expect((await visitor.get(`/monitors/${id}?range=1y`)).status).toBe(400)
  })

  it('of another account is not there', async () => {
    const { other, visitor, clock } = await signedIn()
    const input = { type: 'scripted', name: 'theirs', host: 'theirs.test' }
    const { id } = await other.monitors.create(input)
    await clock.settle()
    for (const path of [`/monitors/${id}`, `/monitors/${id}/checks`])
      expect((await visitor.get(path)).status, path).toBe(404)
    for (const action of ['check', 'pause', 'resume'])
      expect((await visitor.post(`/monitors/${id}/${action}`)).status, action).toBe(404)
    for (const path of ['/', '/incidents', `/incidents?monitor=${id}`])
      expect(await visitor.text(path), path).not.toContain('theirs')
  })
})

describe('the incidents', () => {
  it('are all, or those that go on, of the account or of one monitor', async () => {
    const { create, failing, visitor, clock } = await signedIn()
    for (const host of ['over.test', 'open.test']) failing.set(host, `${host} is gone`)
    const over = await create('over.test', { fail_threshold: 1, recover_threshold: 1 })
    await create('open.test', { fail_threshold: 1 })
    await clock.advance(1000)
    failing.delete('over.test')
    await clock.advance(61_000)
    const all = await visitor.text('/incidents')
    expect(all).toContain('over.test is gone')
    expect(all).toContain('open.test is gone')
    const open = await visitor.text('/incidents?open=1')
    expect(open).toContain('open.test is gone')
    expect(open).not.toContain('over.test is gone')
    expect(await visitor.text(`/incidents?open=1&monitor=${over}`)).toContain(
      'No incident is ongoing',
    )
    expect(all).toContain('data-events="/events?monitors=&amp;all=1"')
    expect((await visitor.get('/incidents?open=no')).status).toBe(400)
  })
})

describe('names, targets, tags, causes and contacts that are hostile', () => {
  it('are shown as the texts they are, on every page', async () => {
    const made = await signedIn({
      public: [
        {
          slug: 'p',
          title: HOSTILE,
          description: HOSTILE,
          monitors: { tag: 'all' },
          show_targets: true,
          show_causes: true,
        },
      ],
      title: HOSTILE,
    })
    const { engine, create, failing, visitor, clock } = made
    await engine.contacts.create({ kind: 'silent', to: 'x', name: HOSTILE, all_monitors: true })
    failing.set(HOSTILE, HOSTILE)
    const id = await create(HOSTILE, { tags: ['all', HOSTILE.slice(0, 60)], fail_threshold: 1 })
    await clock.advance(2000)
    const paths = [
      '/',
      `/?q=${encodeURIComponent(HOSTILE)}`,
      `/monitors/${id}`,
      `/monitors/${id}/checks`,
      '/incidents',
      '/incidents/1',
      '/contacts',
      '/contacts/1',
      '/audit-log',
      '/status/p',
      `/sign-in?return=${encodeURIComponent(HOSTILE)}`,
    ]
    for (const path of paths) {
      const text = await visitor.text(path)
      expect(text, path).not.toContain('<img')
      expect(text, path).not.toContain('alert(1)</script>')
      // Ours alone, with its source.
      for (const [tag] of text.matchAll(/<script[^>]*>/g)) expect(tag).toMatch(/ src="\/assets\//)
      for (const [tag] of text.matchAll(/<[a-z][^>]*>/g))
        expect(tag, path).toMatch(/^<[a-z0-9]+(?:\s+(?!on|style)[a-z-]+(?:="[^"]*")?)*\s*\/?>$/i)
    }
    expect(await visitor.text(`/monitors/${id}`)).toContain('&lt;script&gt;alert(1)')
  })

  it('do not show a secret of a monitor', async () => {
    const { create, visitor, clock } = await signedIn()
    const id = await create('a.test', { password: 'hunter2-hunter2' })
    await clock.advance(1000)
    for (const path of ['/', `/monitors/${id}`, `/monitors/${id}/checks`])
      expect(await visitor.text(path)).not.toContain('hunter2')
  })
})

describe('every answer', () => {
  const paths = [
    '/',
    '/monitors/1',
    '/monitors/99',
    '/incidents',
    '/incidents/1',
    '/contacts',
    '/contacts/1',
    '/audit-log',
    '/sign-in',
    '/nowhere',
    '/status/p',
    '/status/q',
    '/events',
  ]

  it('lets in no script or style but ours, and stands in no frame', async () => {
    const { create, visitor } = await signedIn({
      public: [{ slug: 'p', title: 'P', monitors: [1] }],
    })
    await create('a.test')
    for (const path of paths) {
      const { headers, body } = await visitor.get(path)
      await body?.cancel()
      expect(headers.get('content-security-policy'), path).toMatch(/^default-src 'none'; /)
      expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'")
      expect(headers.get('content-security-policy'), path).not.toMatch(/unsafe|https?:|\*/)
      expect(headers.get('x-content-type-options'), path).toBe('nosniff')
      expect(headers.get('referrer-policy'), path).toBe('same-origin')
      expect(headers.get('cache-control'), path).toBe('no-store')
    }
  })

  it('has a nonce of its own', async () => {
    const { visitor } = await signedIn()
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const response = await visitor.get('/incidents')
        const [, nonce = ''] =
          /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '') ?? []
        expect(await response.text()).toContain(`nonce="${nonce}"`)
        return nonce
      }),
    )
    expect(nonces[0]).not.toBe(nonces[1])
    expect(nonces[0]).toHaveLength(24)
  })

  it('is the same without a body for HEAD, and 405 for what is not done there', async () => {
    const { page, visitor } = await signedIn()
    const head = await page.fetch(new Request('http://watch.test/sign-in', { method: 'HEAD' }))
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const post = await visitor.post('/incidents')
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const deleted = await page.fetch(new Request('http://watch.test/sign-in', { method: 'DELETE' }))
    expect([deleted.status, deleted.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect((await visitor.get('/monitors/1/check')).status).toBe(405)
  })

  it('is the same with a slash at its end', async () => {
    const { visitor } = await signedIn()
    expect((await visitor.get('/incidents/')).status).toBe(200)
    expect((await visitor.get('/incidents//')).status).toBe(404)
  })

  it('tells nothing of a failure inside', async () => {
    const { engine, clock } = await site()
    const broken = {
      ...engine,
      types: {
        ...engine.types,
        list: () => {
          throw new Error('at /srv/secret/place')
        },
      },
    } as unknown as Engine
    const page = createPage(broken, { clock, authorize: () => ({ account_id: 1 }) })
    const response = await page.fetch(new Request('http://watch.test/'))
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret')
  })

  it('is 503 once the engine has stopped', async () => {
    const { engine, visitor } = await signedIn()
    await engine.stop()
    expect((await visitor.get('/')).status).toBe(503)
  })
})

describe('style, script and icon', () => {
  it('are kept for ever under a path that changes with them', async () => {
    const { create, visitor } = await signedIn()
    await create('a.test')
    const text = await visitor.text('/')
    const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    )
    expect(paths).toHaveLength(4)
    for (const path of paths) {
      const response = await visitor.get(path)
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      const etag = response.headers.get('etag') ?? ''
      const again = await visitor.get(path, { 'If-None-Match': `"x", W/${etag}` })
      expect([again.status, await again.text(), etag.length]).toEqual([304, '', 14])
    }
    expect((await visitor.get('/assets/none.css')).status).toBe(404)
  })

  it('hold to 5.5 kB for the script', async () => {
    const { SCRIPT } = await import('../../src/page/layout/script.ts')
    expect(Buffer.byteLength(SCRIPT)).toBeLessThanOrEqual(5632)
  })
})

describe('under a path', () => {
  it('keeps to it, with all links and cookies', async () => {
    const { create, page, visitor } = await signedIn({ basePath: '/watch' }).then(async (made) => {
      await made.visitor.post('/watch/sign-in', { key: 'key-of-account-one' })
      return made
    })
    await create('a.test')
    const text = await visitor.text('/watch/')
    for (const [, link = ''] of text.matchAll(/(?:href|src|action)="([^"#]+)"/g))
      expect(link).toMatch(/^\/watch\//)
    expect(text).toContain('data-events="/watch/events?monitors=1&amp;all=1"')
    expect((await visitor.get('/watch')).headers.get('location')).toBe('/watch/')
    expect((await visitor.get('/monitors/1')).status).toBe(404)
    expect([page.owns('/watch/x'), page.owns('/watcher'), page.owns('/')]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('leaves the paths of others alone at the root', async () => {
    const { page } = await site()
    for (const path of [
      '/',
      '/monitors/1',
      '/incidents',
      '/contacts/1/test',
      '/notifications/1/resend',
      '/status/a',
      '/assets/x.css',
      '/events',
    ])
      expect(page.owns(path), path).toBe(true)
    for (const path of [
      '/api/v1/monitors',
      '/hb/x',
      '/healthz',
      '/monitor',
      '/eventsx',
      '//x',
      '/theme/x',
    ])
      expect(page.owns(path), path).toBe(false)
  })

  it.each(['watch', '/watch/', '/a b', '//x'])('does not take %s for one', async (basePath) => {
    await expect(site({ basePath })).rejects.toThrow('is no path')
  })
})

it('highlights of the built-in types are measurements of theirs', () => {
  for (const { type, highlights = {}, measurements } of builtinCheckers({ extra: true }))
    for (const name of Object.keys(highlights))
      expect(Object.keys(measurements), `${type}: ${name}`).toContain(name.split('.')[0])
})

it('an overview of 500 monitors is quick', async () => {
  const made: Site = await site({ authorize: () => ({ account_id: 1 }) })
  for (let at = 0; at < 500; at++)
    await made.engine.monitors.create({
      type: 'scripted',
      name: `m${at}`,
      host: `h${at}.test`,
    })
  const from = process.cpuUsage()
  const text = await made.visitor().text('/')
  // Ten times what it takes: a bound against something quadratic, not a measurement.
  expect(process.cpuUsage(from).user / 1000).toBeLessThan(5000)
  expect(Buffer.byteLength(text)).toBeLessThan(200_000)
})

it('a page of 50 monitors, with style, script and icon, is less than 60 kB as it is sent', async () => {
  const made = await signedIn()
  for (let at = 0; at < 50; at++) await made.create(`host-${at}.test`, { fail_threshold: 1 })
  for (let at = 0; at < 20; at++) made.failing.set(`host-${at}.test`, `Got status 50${at % 9}`)
  await made.clock.advance(3_600_000)
  const text = await made.visitor.text('/')
  const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  const parts = await Promise.all(paths.map((path) => made.visitor.text(path)))
  expect(gzipSync([text, ...parts].join('')).length).toBeLessThan(60_000)
})

function namesIn(text: string): string[] {
  return [...text.matchAll(/id="m\d+-link"><bdi>([^<]*)</g)].map(([, name = '']) => name)
}

/** The details of a monitor alone, on one line. */
function factsIn(text: string): string {
  return (/<dl id="facts"[^]*?<\/dl>/.exec(text)?.[0] ?? '').replace(/\s+/g, ' ')
}
