import { describe, expect, it, onTestFinished } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { systemClock } from '../../src/clock.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { createPage } from '../../src/page/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { FullStore } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { site, visitor } from './visit.ts'
import type { Site } from './visit.ts'

const PNG = 'data:image/png;base64,iVBORw0KGgo='

async function served(): Promise<Site> {
  return site({ publicPages: true, title: 'Watch' })
}

/** Two monitors, one with a name of its own on the page. */
async function shop(more: Record<string, unknown> = {}) {
  const made = await served()
  const first = await made.create('db.internal', { name: 'Database', tags: ['web'] })
  const second = await made.create('api.internal')
  const groups = [
    { name: 'Storage', monitors: [{ id: first, name: 'Orders' }] },
    { name: 'Web & API', monitors: [second] },
  ]
  const page = await made.engine.publicPages.create({
    title: 'Shop',
    slug: 'shop',
    groups,
    ...more,
  })
  await made.clock.advance(10_000)
  return { ...made, first, second, page_id: page.id }
}

describe('a public page made at run time', () => {
  it('is served by its slug, in groups and under the names that it chooses', async () => {
    const { visitor } = await shop({ description: 'How we are' })
    const response = await visitor().get('/status/shop')
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).toMatch(/<h2 class="group"><bdi>Storage<\/bdi><\/h2>[^]*Orders[^]*Web &amp; API/)
    expect(text).toContain('All services are operational')
    expect(text).toContain('How we are')
    // A monitor without a name is named after its address, which is nobody's business.
    expect(text).toContain('Unnamed service')
    expect(text).not.toMatch(/Database|db\.internal|api\.internal/)
    expect(text).toContain('<meta name="robots" content="noindex" />')
    expect((await visitor().get('/status/SHOP')).status).toBe(200)
  })

  it('is served only where the host says so, and beside pages given at start', async () => {
    const made = await site({ public: [{ slug: 'p', title: 'Start', monitors: [] }] })
    await made.engine.publicPages.create({ title: 'Shop', slug: 'shop' })
    expect((await made.visitor().get('/status/shop')).status).not.toBe(200)
    const both = await site({
      publicPages: true,
      public: [{ slug: 'shop', title: 'Start', monitors: [] }],
    })
    for (const slug of ['shop', 'late'])
      await both.engine.publicPages.create({ title: 'Made later', slug })
    expect(await both.visitor().text('/status/shop')).toContain('<title>Start</title>')
    expect(await both.visitor().text('/status/late')).toContain('<title>Made later</title>')
  })

  it('shows a change, a failure and its own removal at once', async () => {
    const { engine, visitor, page_id, failing, clock } = await shop()
    const text = () => visitor().text('/status/shop')
    await text()
    await engine.publicPages.update(page_id, { title: 'Store' })
    expect(await text()).toContain('<title>Store</title>')
    failing.set('db.internal', 'password for root refused')
    await clock.advance(20 * 60_000)
    const down = await text()
    expect(down).toContain('Some services are disrupted')
    expect(down).not.toContain('password for root')
    await engine.publicPages.update(page_id, { show_causes: true })
    expect(await text()).toContain('password for root refused')
    await engine.publicPages.remove(page_id)
    expect((await visitor().get('/status/shop')).status).toBe(404)
  })

  it('shows no monitor that was removed, and none of another account', async () => {
    const { engine, other, visitor, first, page_id } = await shop()
    await engine.publicPages.update(page_id, { groups: [{ monitors: [first], tag: 'web' }] })
    const foreign = { type: 'scripted', host: 'x', name: 'Secret of two', tags: ['web'] }
    await other.monitors.create(foreign)
    const before = await visitor().text('/status/shop')
    expect(before).toContain('Database')
    expect(before).not.toContain('Secret of two')
    await engine.monitors.remove(first)
    expect(await visitor().text('/status/shop')).not.toContain('Database')
  })

  it('names a monitor that has left it, or its former name, in no view of the next request', async () => {
    const { engine, visitor, first, page_id } = await shop()
    await engine.publicPages.update(page_id, { groups: [{ tag: 'shown' }] })
    await engine.monitors.update(first, { name: 'Ledger', tags: ['shown'] })
    const report = { title: 'Slow', page_ids: [page_id], monitor_ids: [first], text: 'Seen.' }
    const { id } = await engine.statusReports.create(report)
    const views = ['', `/incidents/${id}`, '/history', '/feed.atom', '/status.json', '/badge.svg']
    const texts = async () => {
      const all = await Promise.all(views.map((view) => visitor().text(`/status/shop${view}`)))
      return all.join('\n')
    }
    expect(await texts()).toContain('Ledger')
    await engine.monitors.update(first, { name: 'Journal' })
    const renamed = await texts()
    expect(renamed).toMatch(/Journal<\/bdi>\s*<\/th>/)
    expect(renamed).not.toContain('Ledger')
    await engine.monitors.update(first, { tags: [] })
    expect(await texts()).not.toContain('Journal')
  })

  it('is read and drawn once for a flood of requests; others do not keep it from anybody', async () => {
    const clock = simulatedClock()
    const store = memoryStore({ clock })
    const asked = { pages: 0, histories: 0 }
    const counted: FullStore = {
      ...store,
      publicPages: {
        ...store.publicPages,
        bySlug(slug) {
          asked.pages++
          return store.publicPages.bySlug(slug)
        },
      },
      availability: {
        list(...query) {
          asked.histories++
          return store.availability.list(...query)
        },
      },
    }
    const engine = createEngine({ clock, store: counted, checkers: [heartbeat()], logger: false })
    onTestFinished(() => engine.stop())
    const { id } = await engine.monitors.create({ type: 'heartbeat', name: 'Job' })
    const groups = [{ monitors: [id] }]
    await engine.publicPages.create({ title: 'Shop', slug: 'shop', groups })
    const page = createPage(engine, { clock, publicPages: true })
    const get = (slug: string) => page.fetch(new Request(`http://watch.test/status/${slug}`))
    const found = await Promise.all(Array.from({ length: 300 }, () => get('shop')))
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set([200]))
    expect(asked).toEqual({ pages: 1, histories: 1 })
    const gone = await Promise.all(Array.from({ length: 500 }, (_, n) => get(`no-${n}`)))
    expect(new Set(gone.map(({ status }) => status))).toEqual(new Set([404, 503]))
    asked.pages = 0
    for (let n = 0; n < 50; n++) expect((await get('no-1')).status).toBe(404)
    expect(asked.pages).toBe(0)
    await clock.advance(3000)
    const strangers = Array.from({ length: 500 }, (_, n) => get(`nor-${n}`))
    expect((await get('shop')).status).toBe(200)
    await Promise.all(strangers)
  })

  it('is found in a flood of addresses that do not exist, however many others were looked at since', async () => {
    const clock = simulatedClock()
    const store = memoryStore({ clock })
    const engine = createEngine({ clock, store, checkers: [], logger: false })
    onTestFinished(() => engine.stop())
    await engine.accounts.update(1, { quotas: { public_pages: 100 } })
    const slugs = Array.from({ length: 70 }, (_, n) => `page-${n}`)
    for (const slug of slugs) await engine.publicPages.create({ title: 'Shop', slug })
    const page = createPage(engine, { clock, publicPages: true })
    const get = async (slug: string) =>
      (await page.fetch(new Request(`http://watch.test/status/${slug}`))).status
    for (const slug of slugs) expect(await get(slug)).toBe(200)
    await clock.advance(3000)
    const strangers = Array.from({ length: 500 }, (_, n) => get(`no-${n}`))
    expect(await get('page-0')).toBe(200)
    expect(await Promise.all(strangers)).toContain(503)
  })

  it('says times in its time zone', async () => {
    const { engine, visitor, page_id } = await shop({ time_zone: 'Asia/Kathmandu' })
    await engine.statusReports.create({ title: 'Slow', page_ids: [page_id], text: 'We look.' })
    const text = await visitor().text('/status/shop')
    // The simulated clock begins at midnight UTC; Nepal is 5:45 ahead.
    expect(text).toMatch(/As of\s*<time [^>]*>\d+ \w+ \d{4}, 05:4\d<\/time>\s*Asia\/Kathmandu\./)
    expect(text).toMatch(/Investigating<\/strong>\s*<span class="muted"\s*><time[^>]*>[^<]*05:4\d/)
  })
})

it('a flood of requests for the pages of one account keeps no visitor of another waiting', async () => {
  const { engine, other, visitor } = await shop()
  await other.publicPages.create({ title: 'Theirs', slug: 'theirs' })
  await visitor().text('/status/shop')
  const answered: number[] = []
  // Reports that are not there: each asks the store.
  const flood = Array.from({ length: 300 }, async (_, n) => {
    const { status } = await visitor().get(`/status/shop/incidents/${n + 1}`)
    answered.push(status)
  })
  expect((await visitor().get('/status/theirs')).status).toBe(200)
  expect(answered.filter((status) => status === 404).length).toBeLessThan(100)
  await Promise.all(flood)
  expect(answered.filter((status) => status === 503).length).toBeGreaterThan(50)
  await engine.stop()
})

describe('the looks of a public page', () => {
  it('are colours and CSS in a sheet of its own, and a logo that the page serves itself', async () => {
    const { visitor } = await shop({
      colors: { light: { accent: '#aa0000', bad: '#990000' }, dark: { accent: '#ffaaaa' } },
      css: '.services{gap:2px}',
      logo: PNG,
      noindex: false,
    })
    const response = await visitor().get('/status/shop')
    const text = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("img-src 'self';")
    expect(policy).not.toMatch(/unsafe|data:|\*/)
    expect(text).not.toContain('name="robots"')
    expect(text).not.toContain('gap:2px')
    const [, style = ''] = /<link rel="stylesheet" href="(\/status[^"]+)"/.exec(text) ?? []
    const sheet = await visitor().get(style)
    expect(sheet.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(await sheet.text()).toMatch(
      /:root\{--accent:#aa0000;--bad:#990000;--bad-soft:[^}]+\}[^]*\[data-theme=dark\]\{--accent:#ffaaaa\}[^]*\.services\{gap:2px\}/,
    )
    const [, logo = ''] = /<img class="logo" src="([^"]+)"/.exec(text) ?? []
    const image = await visitor().get(logo)
    expect(image.headers.get('content-type')).toBe('image/png')
    expect(image.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(Buffer.from(await image.arrayBuffer()).toString('base64')).toBe('iVBORw0KGgo=')
  })

  it('may have a logo elsewhere: the policy names this one address', async () => {
    const logo = "https://cdn.example.com/a;b,'c'/logo.png?size=2"
    const { visitor } = await shop({ logo })
    const { headers } = await visitor().get('/status/shop')
    expect(headers.get('content-security-policy')).toContain(
      "img-src 'self' https://cdn.example.com/a%3bb%2c%27c%27/logo.png;",
    )
    expect((await visitor().get('/status/shop/logo')).status).toBe(404)
  })
})

describe('a public page with a password', () => {
  it('asks for it again in time, also of who gave it while the clock was a year ahead', async () => {
    const { clock, visitor } = await shop({ password: 'correct horse' })
    const guest = visitor()
    clock.jump(365 * 86_400_000)
    await guest.post('/status/shop', { password: 'correct horse' })
    expect((await guest.get('/status/shop')).status).toBe(200)
    clock.jump(-365 * 86_400_000)
    expect((await guest.get('/status/shop')).status).toBe(401)
  })

  it('shows nothing of itself until the password is given, and again after it changes', async () => {
    const { engine, visitor, page_id } = await shop({ password: 'correct horse' })
    const guest = visitor()
    const rest = [
      '',
      '/events',
      '/history',
      '/feed.atom',
      '/feed.rss',
      '/status.json',
      '/badge.svg',
    ]
    for (const part of rest) {
      const response = await guest.get(`/status/shop${part}`)
      const text = await response.text()
      expect([part, response.status]).toEqual([part, 401])
      expect(text).not.toMatch(/Orders|operational/)
    }
    expect(await guest.text('/status/shop')).toContain('This page needs a password')
    const wrong = await guest.post('/status/shop', { password: 'battery staple' })
    expect([wrong.status, await wrong.text()]).toEqual([
      401,
      expect.stringContaining('The password is wrong.'),
    ])
    const entered = await guest.post('/status/shop', { password: 'correct horse' })
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/status/shop'])
    expect(entered.headers.get('set-cookie')).toMatch(
      /^watchpost_page=[\w.-]+; Path=\/status\/shop; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
    expect(await guest.text('/status/shop')).toContain('Orders')
    const json = await guest.get('/status/shop/status.json')
    expect(json.headers.get('cache-control')).toBe('private, no-cache')
    expect(json.headers.get('access-control-allow-origin')).toBeNull()
    // The cookie of one page opens no other one.
    const password = 'correct horse'
    await engine.publicPages.create({ title: 'B', slug: 'b', password })
    const stranger = visitor()
    stranger.cookies.set('watchpost_page', guest.cookies.get('watchpost_page') ?? '')
    expect((await stranger.get('/status/b')).status).toBe(401)
    await engine.publicPages.update(page_id, { password: 'another horse' })
    expect((await guest.get('/status/shop')).status).toBe(401)
  })

  it('is not opened by a form of another site, nor by guessing, which keeps no visitor of others out', async () => {
    const { engine, other, visitor } = await shop({ password: 'correct horse' })
    const password = 'battery staple'
    await engine.publicPages.create({ title: 'Second', slug: 'second', password })
    await other.publicPages.create({ title: 'Theirs', slug: 'theirs', password })
    const foreign = { 'Sec-Fetch-Site': 'cross-site' }
    const sent = await visitor().post('/status/shop', { password: 'correct horse' }, foreign)
    expect(sent.status).toBe(403)
    const guess = (slug: string) => visitor().post(`/status/${slug}`, { password: 'a guess' })
    const shops = Array.from({ length: 21 }, () => guess('shop'))
    const guesses = Promise.all([...shops, ...Array.from({ length: 4 }, () => guess('second'))])
    expect((await visitor().post('/status/theirs', { password })).status).toBe(303)
    const statuses = (await guesses).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429).length).toBe(1)
    const late = await visitor().post('/status/shop', { password: 'correct horse' })
    expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([429, true])
  })
})

describe('reports, months, feeds and badges of a public page', () => {
  async function reported() {
    const made = await shop()
    const { engine, first, page_id, clock } = made
    const text = 'A disk is <full>.\n\nWe move data.'
    const { id } = await engine.statusReports.create({
      ...{ title: 'Orders are slow', page_ids: [page_id], monitor_ids: [first] },
      text,
    })
    await clock.advance(60_000)
    await engine.statusReports.addUpdate(id, { status: 'identified', text: 'Found the cause.' })
    return { ...made, report_id: id }
  }

  it('draws reports of any length in short turns, and shows how far the work on each is', async () => {
    const { engine, page_id, clock } = await shop()
    // Work is divided into turns by the time that passes.
    const passing = { ...systemClock, now: () => clock.now() }
    const page = createPage(engine, { clock: passing, publicPages: true })
    const text = (path: string) => visitor(page).text(path)
    const input = { page_ids: [page_id], text: 'Seen.' }
    for (let n = 0; n < 40; n++) {
      const { id } = await engine.statusReports.create({ title: `Report ${n}.`, ...input })
      const long = { status: 'identified', text: 'a\n\n'.repeat(1600) } as const
      const add = () => engine.statusReports.addUpdate(id, long)
      for (let update = 0; update < 10; update++) await add()
      await expect(add()).rejects.toMatchObject({ code: 'quota' })
    }
    for (const part of ['', '/history', '/feed.atom', '/feed.rss', '/status.json']) {
      const { value, longest_ms } = await leastOf(
        3,
        () => measureTurns(() => text(`/status/shop${part}`)),
        50,
      )
      expect(longest_ms, part).toBeLessThan(50)
      for (const n of [0, 20, 39]) expect(value, part).toContain(`Report ${n}.`)
    }
    const many = () =>
      Promise.all(Array.from({ length: 12 }, () => text('/status/shop/incidents/1')))
    const { value, longest_ms } = await leastOf(3, () => measureTurns(many), 50)
    expect(value.filter((shown) => shown.includes('Seen.'))).toHaveLength(12)
    expect(longest_ms).toBeLessThan(50)
  })

  it('shows an update of a report at once', async () => {
    const { engine, visitor, report_id } = await reported()
    const path = `/status/shop/incidents/${report_id}`
    expect(await visitor().text(path)).not.toContain('It is over.')
    await engine.statusReports.addUpdate(report_id, { status: 'resolved', text: 'It is over.' })
    expect(await visitor().text(path)).toContain('It is over.')
    await engine.statusReports.remove(report_id)
    expect((await visitor().get(path)).status).toBe(404)
  })

  it('shows open reports first, with their updates as plain text, then the resolved ones', async () => {
    const { engine, visitor, report_id, clock, first, second } = await reported()
    const open = await visitor().text('/status/shop')
    expect(open).toMatch(
      /Current incidents[^]*Orders are slow[^]*Found the cause\.[^]*A disk is &lt;full&gt;\./,
    )
    expect(open).toMatch(/Affected: <bdi>Orders<\/bdi>/)
    // Whatever the checks find: an open report is not all well.
    expect(open).toMatch(/<h1>An incident is open<\/h1>/)
    expect(open).not.toContain('All services are operational')
    expect(open.indexOf('Current incidents')).toBeLessThan(open.indexOf('Storage'))
    await engine.statusReports.addUpdate(report_id, { status: 'resolved', text: 'All well.' })
    const over = await visitor().text('/status/shop')
    expect(over).not.toContain('Current incidents')
    expect(over).toContain('<h1>All services are operational</h1>')
    expect(over).toMatch(/Past 14 days[^]*Orders are slow[^]*All well\./)
    const alone = await visitor().text(`/status/shop/incidents/${report_id}`)
    expect(alone).toMatch(/<h1><bdi>Orders are slow<\/bdi><\/h1>/)
    for (const id of [first, second]) await engine.monitors.pause(id)
    await clock.advance(15 * 86_400_000)
    expect(await visitor().text('/status/shop')).not.toContain('Orders are slow')
    expect((await visitor().get(`/status/shop/incidents/${report_id}`)).status).toBe(200)
  })

  it('shows no report of another page', async () => {
    const { engine, visitor } = await reported()
    const other = await engine.publicPages.create({ title: 'B', slug: 'b' })
    const { id } = await engine.statusReports.create({
      ...{ title: 'Of the other one', page_ids: [other.id], text: 'x' },
    })
    for (const part of ['', '/feed.atom', '/status.json', '/history'])
      expect(await visitor().text(`/status/shop${part}`)).not.toContain('Of the other one')
    expect((await visitor().get(`/status/shop/incidents/${id}`)).status).toBe(404)
  })

  it('has a history by month, with reasons and uptime to three decimals', async () => {
    const { visitor, failing, clock } = await reported()
    failing.set('db.internal', 'broken')
    await clock.advance(40 * 60_000)
    failing.delete('db.internal')
    await clock.advance(60 * 60_000)
    const text = await visitor().text('/status/shop/history')
    expect(text).toMatch(/<h1>January 2026<\/h1>[^]*Orders are slow[^]*was disrupted for/)
    expect(text).toMatch(/Orders<\/bdi>\s*<\/th>\s*<td>\d+\.\d{3} %<\/td>/)
    expect(text).toMatch(/href="\/status\/shop\/history\/2025-12"/)
    const before = await visitor().text('/status/shop/history/2025-12')
    expect(before).not.toContain('Orders are slow')
    for (const month of ['2026-02', '2024-01', '2026-13'])
      expect((await visitor().get(`/status/shop/history/${month}`)).status).toBe(404)
  })

  it('has Atom, RSS and JSON that say the same, with an ETag', async () => {
    const { visitor } = await reported()
    const atom = await visitor().get('/status/shop/feed.atom')
    expect(atom.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
    expect(await atom.text()).toMatch(
      /<entry><id>http:\/\/watch\.test\/status\/shop\/incidents\/1<\/id><title>Identified: Orders are slow<\/title>[^]*A disk is &lt;full&gt;/,
    )
    const etag = atom.headers.get('etag') ?? ''
    const again = await visitor().get('/status/shop/feed.atom', { 'If-None-Match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const rss = await visitor().text('/status/shop/feed.rss')
    expect(rss).toMatch(/<item><guid[^>]*>[^<]*\/incidents\/1<\/guid>[^]*<pubDate>Thu, 01 Jan 2026/)
    const response = await visitor().get('/status/shop/status.json')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const json = (await response.json()) as Record<string, unknown>
    expect(json).toMatchObject({
      page: { title: 'Shop', url: 'http://watch.test/status/shop', time_zone: 'UTC' },
      status: { state: 'incident', text: 'An incident is open, our checks find no disruption' },
      groups: [
        { name: 'Storage', services: [{ name: 'Orders', state: 'affected' }] },
        { name: 'Web & API', services: [{ name: 'Unnamed service' }] },
      ],
      reports: [{ title: 'Orders are slow', status: 'identified', services: ['Orders'] }],
      planned: [],
    })
    expect(JSON.stringify(json)).not.toMatch(/internal|monitor_id|account/)
  })

  it('has feeds and badges of characters that XML allows, whatever its texts contain', async () => {
    const { engine, page_id, report_id, visitor } = await reported()
    await engine.publicPages.update(page_id, { title: 'Shop \uFFFE' })
    await engine.statusReports.update(report_id, { title: 'Slow \uFFFF' })
    for (const [part, said] of [
      ['feed.atom', 'Identified: Slow'],
      ['feed.rss', 'Identified: Slow'],
      ['badge.svg', 'Shop'],
    ] as const) {
      const text = await visitor().text(`/status/shop/${part}`)
      expect(text).toContain(said)
      // XML 1.0, 2.2.
      expect(text).toMatch(/^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u)
    }
  })

  it('has badges of the page and of one service', async () => {
    const { visitor } = await reported()
    const badge = await visitor().get('/status/shop/badge.svg')
    expect(badge.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(badge.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(await badge.text()).toContain('aria-label="Shop: An incident is open"')
    const json = (await (await visitor().get('/status/shop/status.json')).json()) as {
      groups: { services: { key: string }[] }[]
    }
    const key = json.groups[0]?.services[0]?.key ?? ''
    expect(key).toMatch(/^[\da-f]{10}$/)
    const of = (kind: string) => visitor().text(`/status/shop/badge/${kind}.svg?service=${key}`)
    expect(await of('state')).toContain('aria-label="Orders: Affected"')
    expect(await of('uptime')).toMatch(/aria-label="Orders uptime: 100 %"/)
    expect(await of('response')).toMatch(/aria-label="Orders response: \d+ ms"/)
    expect((await visitor().get('/status/shop/badge.svg?service=0000000000')).status).toBe(404)
    expect((await visitor().get('/status/shop/badge/cost.svg')).status).toBe(404)
  })
})
