import { describe, expect, it, onTestFinished } from 'vitest'
import type { StatusPageOptions } from '../../src/page/index.ts'
import { chromiumBrowser } from '../support/servers/chromium.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { findings, openBrowser } from './browser.ts'
import { KEY, site } from './visit.ts'
import type { Site } from './visit.ts'

const EVERYBODY: StatusPageOptions = { authorize: () => ({ account_id: 1 }) }

/** Names of the tiles, in their order. */
function tilesOf(text: string): readonly string[] {
  const wall = /<ul id="wall"[^]*?<\/ul>/.exec(text)?.[0] ?? ''
  return [...wall.matchAll(/<h2>[^]*?<bdi>([^<]*)<\/bdi>/g)].map(([, name = '']) => name)
}

/** One monitor is down, two are up. */
async function furnished(options: StatusPageOptions = {}): Promise<Site> {
  const made = await site(options)
  made.failing.set('b.test', 'the disk is <full>')
  for (const [host, tags] of [
    ['a.test', ['web']],
    ['b.test', ['web']],
    ['c.test', ['mail']],
  ] as const)
    await made.create(host, { name: host.slice(0, 1).toUpperCase(), tags })
  await made.clock.advance(10 * 60_000)
  return made
}

describe('the wall view', () => {
  it('has a tile for each monitor, what is down first with its cause, and no forms', async () => {
    const { other, visitor } = await furnished()
    await other.monitors.create({ type: 'scripted', host: 'x', name: 'Of account two' })
    const visit = visitor()
    await visit.signIn(KEY)
    const text = await visit.text('/wall')
    expect(tilesOf(text)).toEqual(['B', 'A', 'C'])
    expect(text).toContain('1 of 3 monitors is down')
    expect(text).toContain('the disk is &lt;full&gt;')
    expect(text).not.toContain('Of account two')
    expect(text).not.toMatch(/<nav|<form|<button class="(?!plain)/)
    expect(text).toContain('<title>(1) ')
    expect(text).toMatch(/data-events="\/events\?monitors=[\d,]+&amp;all=1"/)
  })

  it('shows the monitors that the filter of the overview finds, and counts no others', async () => {
    const { visitor } = await furnished()
    const visit = visitor()
    await visit.signIn(KEY)
    const mail = await visit.text('/wall?tag=mail')
    expect(tilesOf(mail)).toEqual(['C'])
    expect(mail).toContain('The monitor is up')
    const none = await visit.text('/wall?q=nothing')
    expect(tilesOf(none)).toEqual([])
    expect(none).toContain('No monitor matches this filter.')
    expect(none).not.toMatch(/are up|is up/)
    expect((await visit.get('/wall?state=red')).status).toBe(400)
  })

  it('has sixty tiles at most, and says how many monitors have none', async () => {
    const { create, clock, visitor } = await site()
    const visit = visitor()
    await visit.signIn(KEY)
    expect(await visit.text('/wall')).toContain('No monitors yet')
    for (let n = 1; n <= 62; n++) await create(`${n}.test`)
    await clock.advance(60_000)
    const text = await visit.text('/wall')
    expect(tilesOf(text)).toHaveLength(60)
    expect(text).toContain('2 more monitors are not shown.')
  })

  it('says of a monitor that is up and degraded why it is', async () => {
    const { create, clock, visitor } = await site()
    // Its checks take 20 ms.
    await create('a.test', { warn: { response: { below: 50 } } })
    await clock.advance(3 * 60_000)
    const visit = visitor()
    await visit.signIn(KEY)
    expect(await visit.text('/wall')).toMatch(
      /<li class="warn">[^]*Degraded: [^]*response is 20 ms, less than 50 ms/,
    )
  })

  it('asks strangers to sign in, and leads back', async () => {
    const { visitor } = await site()
    const response = await visitor().get('/wall?tag=web')
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      `/sign-in?return=${encodeURIComponent('/wall?tag=web')}`,
    ])
  })
})

describe('the density', () => {
  it('is what one chose, on every page', async () => {
    const visit = (await furnished()).visitor()
    await visit.signIn(KEY)
    expect(await visit.text('/')).toContain('data-density="comfortable"')
    const chosen = await visit.post('/density', { density: 'compact', return: '/?tag=web' })
    expect(chosen.headers.get('location')).toBe('/?tag=web')
    expect(await visit.text('/')).toMatch(
      /data-density="compact"[^]*value="compact"\s+aria-pressed="true"/,
    )
    expect((await visit.post('/density', { density: 'tight' })).status).toBe(400)
    const foreign = { 'Sec-Fetch-Site': 'cross-site' }
    expect((await visit.post('/density', { density: 'compact' }, foreign)).status).toBe(403)
    visit.cookies.set('watchpost_density', '"><script>')
    expect(await visit.text('/')).toContain('data-density="comfortable"')
  })
})

describeWithServer(chromiumBrowser, 'in a browser', () => {
  async function opened(made: Site) {
    const opened = await openBrowser(chromiumBrowser.locate() ?? '', made)
    onTestFinished(() => opened.close())
    return (width: number) => opened.open({ viewport: { width, height: 900 }, signedIn: false })
  }

  it('the wall changes by itself: what fails comes first', async () => {
    const made = await furnished(EVERYBODY)
    const open = await opened(made)
    const { page, goto } = await open(1440)
    await goto('/wall')
    const names = () => page.locator('#wall h2').allTextContents()
    expect((await names()).map((name) => name.trim())).toEqual(['B', 'A', 'C'])
    expect(await findings(page)).toEqual([])
    made.failing.delete('b.test')
    made.failing.set('c.test', 'no answer')
    await made.clock.advance(10 * 60_000)
    await expect
      .poll(async () => (await names()).map((name) => name.trim()))
      .toEqual(['C', 'A', 'B'])
    expect(await page.textContent('#wall li:first-child')).toContain('no answer')
    expect(await page.textContent('#summary strong')).toMatch(/^1 of 3 monitors is down/)
  })

  it.each([1440, 390])(
    '%i: compact rows are lower, and nothing scrolls sideways',
    async (width) => {
      const open = await opened(await furnished(EVERYBODY))
      const { page, goto } = await open(width)
      const height = (): Promise<number> =>
        page.evaluate('document.querySelector(".rows").getBoundingClientRect().height')
      await goto('/')
      const before = await height()
      await page.click('button[value=compact]')
      // The page has come as far as its head before it has rows.
      await expect.poll(height).toBeLessThan(before * 0.85)
      expect(await page.getAttribute('html', 'data-density')).toBe('compact')
      for (const path of ['/', '/wall']) {
        await goto(path)
        const wide = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        expect(wide).toBeLessThanOrEqual(0)
      }
      expect(await findings(page)).toEqual([])
    },
  )
})
