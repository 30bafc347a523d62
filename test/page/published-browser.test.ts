import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chromiumBrowser } from '../support/servers/chromium.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { findings, openBrowser } from './browser.ts'
import type { OpenedBrowser, WindowOptions } from './browser.ts'
import { site } from './visit.ts'
import type { Site } from './visit.ts'

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24"><circle cx="12" cy="12" r="11" fill="#0b6e99"/><script>parent.ran=1</script></svg>`

const VIEWS = [
  '/status/fjord',
  '/status/fjord/history',
  '/status/fjord/incidents/1',
  '/status/door',
]

describeWithServer(chromiumBrowser, 'public pages made at run time, in a browser', () => {
  let made: Site
  let opened: OpenedBrowser

  beforeAll(async () => {
    made = await site({ publicPages: true })
    await furnish(made)
    opened = await openBrowser(chromiumBrowser.locate() ?? '', made)
  })
  afterAll(() => opened.close())

  async function inWindow(
    options: WindowOptions,
    use: (page: Page, goto: (path: string) => Promise<void>) => Promise<void>,
  ) {
    const window = await opened.open({ signedIn: false, ...options })
    try {
      await use(window.page, window.goto)
      expect(window.complaints.filter((text) => !/ 401 \(/.test(text))).toEqual([])
    } finally {
      await window.context.close()
    }
  }

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('have no finding of axe, and fit, in %s at %i px', async (colorScheme, width) => {
    const viewport = { width, height: 900 }
    await inWindow({ colorScheme, viewport, reducedMotion: 'reduce' }, async (page, goto) => {
      for (const path of VIEWS) {
        await goto(path)
        expect(await findings(page), path).toEqual([])
        const over = 'document.documentElement.scrollWidth - innerWidth'
        expect(await page.evaluate(over), path).toBeLessThanOrEqual(0)
        const folder = process.env['WATCHPOST_PICTURES']
        const name = `${path.replaceAll('/', '_').slice(1)}-${width}-${colorScheme}.png`
        if (folder !== undefined)
          await page.screenshot({ path: `${folder}/${name}`, fullPage: true })
      }
    })
  })

  it('have the colours, the style and the logo of their account, and run nothing in it', async () => {
    await inWindow({ colorScheme: 'light' }, async (page, goto) => {
      await goto('/status/fjord')
      const accent = 'getComputedStyle(document.documentElement).getPropertyValue("--accent")'
      expect(await page.evaluate(accent)).toBe('#0b5e85')
      const shown = await page.evaluate(
        'getComputedStyle(document.querySelector(".about")).fontStyle',
      )
      expect(shown).toBe('italic')
      const logo = '(({ complete, naturalWidth }) => [complete, naturalWidth > 0])'
      expect(await page.evaluate(`${logo}(document.querySelector("img.logo"))`)).toEqual([
        true,
        true,
      ])
      expect(await page.evaluate('window.ran')).toBeUndefined()
    })
  })

  it('need no script: months, reports and the password are links and forms', async () => {
    await inWindow({ javaScriptEnabled: false }, async (page, goto) => {
      await goto('/status/fjord')
      await page.click('text=Earlier incidents')
      expect(await page.textContent('h1')).toMatch(/^January 2026$/)
      await goto('/status/door')
      await page.fill('#password', 'not this one')
      await page.click('button.primary')
      expect(await page.textContent('[role=alert]')).toContain('The password is wrong')
      await page.fill('#password', 'correct horse')
      await page.click('button.primary')
      expect(await page.textContent('h1')).toBe('There is no data yet')
    })
  })

  it('follow a failure without being loaded again', async () => {
    await inWindow({}, async (page, goto) => {
      await goto('/status/fjord')
      await page.waitForSelector('#live:has-text("Live")')
      made.failing.set('cdn.internal', 'broken')
      await made.clock.advance(15 * 60_000)
      await page.waitForSelector('#summary:has-text("Some services are disrupted")')
      expect(await page.textContent('#past')).toContain('Images')
    })
  })
})

/** Two days of four services, one of which failed; reports, planned work, and a page with a password. */
async function furnish({ engine, clock, create, failing }: Site): Promise<void> {
  const hosts = ['shop.internal', 'pay.internal', 'search.internal', 'cdn.internal']
  const ids: number[] = []
  for (const host of hosts) ids.push(await create(host, { interval_sec: 300 }))
  await clock.advance(20 * 3_600_000)
  failing.set('pay.internal', 'broken')
  await clock.advance(50 * 60_000)
  failing.delete('pay.internal')
  await clock.advance(4 * 3_600_000)
  const [shop = 0, pay = 0, search = 0, cdn = 0] = ids
  const named = (id: number, name: string) => ({ id, name })
  const { id } = await engine.publicPages.create({
    title: 'Fjord status',
    slug: 'fjord',
    description: 'The services behind the Fjord shop, as they are and as they were.',
    groups: [
      { name: 'Shop', monitors: [named(shop, 'Storefront'), named(pay, 'Payments and refunds')] },
      { name: 'Platform', monitors: [named(search, 'Search'), named(cdn, 'Images')] },
    ],
    logo: `data:image/svg+xml;base64,${Buffer.from(LOGO).toString('base64')}`,
    colors: { light: { accent: '#0b5e85' }, dark: { accent: '#7cc7ea' } },
    css: '.about{font-style:italic}',
    time_zone: 'Europe/Berlin',
  })
  const { id: over } = await engine.statusReports.create({
    title: 'Card payments were declined',
    page_ids: [id],
    monitor_ids: [pay],
    text: 'Some customers see “declined” although their card is fine. We are looking into it.',
  })
  await clock.advance(20 * 60_000)
  const said = 'The certificate of our payment provider had expired; it was renewed.'
  await engine.statusReports.addUpdate(over, { status: 'resolved', text: said })
  await engine.statusReports.create({
    title: 'Search results are incomplete',
    page_ids: [id],
    monitor_ids: [search],
    status: 'identified',
    text: 'Items that were added today are missing.\n\nThe index is being built again, which takes about two hours.',
  })
  await engine.maintenance.create({
    name: 'Database upgrade',
    window: { start: '2026-01-05T01:00:00Z', end: '2026-01-05T03:00:00Z' },
    monitor_ids: [shop, pay],
  })
  await engine.publicPages.create({ title: 'Inside', slug: 'door', password: 'correct horse' })
}
