import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chromiumBrowser } from '../support/servers/chromium.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { findings, stage } from './browser.ts'
import type { Stage, Window, WindowOptions } from './browser.ts'
import { DEMO_KEY } from './demo.ts'

const PAGES = [
  '/',
  '/?q=nothing-like-it',
  '/monitors/4',
  '/monitors/9',
  '/monitors/2/checks',
  '/incidents',
  '/incidents?open=1',
  '/incidents/1',
  '/contacts',
  '/contacts/1',
  '/maintenance',
  '/keys',
  '/monitors/new',
  '/monitors/new?type=http',
  '/monitors/4/edit',
  '/monitors/4/delete',
  '/audit-log',
  '/wall',
  '/monitors/999',
  '/status/fjord',
]

/** Those on which every colour is. */
const COLOURFUL = ['/', '/monitors/4', '/status/fjord']

describeWithServer(chromiumBrowser, 'in a browser', () => {
  let shop: Stage
  beforeAll(async () => {
    // Twelve days are enough for every part of a page.
    shop = await stage(chromiumBrowser.locate() ?? '', { days: 12 })
  })
  afterAll(async () => {
    await shop.close()
  })

  async function inWindow(options: WindowOptions, use: (window: Window) => Promise<void>) {
    const window = await shop.open(options)
    try {
      await use(window)
      // The refusals that were asked for are told as well.
      const others = window.complaints.filter((text) => !/ (?:404|422) \(/.test(text))
      expect(others).toEqual([])
    } finally {
      await window.context.close()
    }
  }

  it.each(['light', 'dark'] as const)('no page has a finding of axe in %s', async (colorScheme) => {
    await inWindow({ colorScheme, reducedMotion: 'reduce' }, async ({ page, goto }) => {
      const background = new Set<string>()
      for (const path of colorScheme === 'light' ? PAGES : COLOURFUL) {
        await goto(path)
        background.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
        await page.evaluate(
          'for (const each of [...document.querySelectorAll(".incidents details, .checks li:first-child details")]) each.open = true',
        )
        expect(await findings(page), path).toEqual([])
      }
      expect([...background]).toEqual([
        colorScheme === 'light' ? 'rgb(250, 250, 249)' : 'rgb(16, 18, 20)',
      ])
    })
  })

  it('the sign-in has none either, with and without a problem', async () => {
    await inWindow({ signedIn: false }, async ({ page, goto, complaints }) => {
      await goto('/')
      expect(await findings(page)).toEqual([])
      await page.fill('#key', 'not-a-key-of-anybody')
      await page.click('button.primary')
      expect(await page.textContent('[role=alert]')).toContain('not known')
      expect(await findings(page)).toEqual([])
      ;(complaints as string[]).length = 0
    })
  })

  it('fits a phone: nothing is wider than it, and what is pressed is big enough', async () => {
    const viewport = { width: 375, height: 740 }
    await inWindow({ viewport, isMobile: true, hasTouch: true }, async ({ page, goto }) => {
      for (const path of PAGES) {
        await goto(path)
        expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(375)
        const small =
          await page.evaluate(`[...document.querySelectorAll('button, select, label.checkbox, input:not([type=hidden], [type=checkbox], [type=radio])')]
          .filter((each) => each.checkVisibility())
          .filter((each) => each.getBoundingClientRect().height < 36).map((each) => each.outerHTML)`)
        expect(small, path).toEqual([])
      }
      await goto('/monitors/4')
      expect(await findings(page)).toEqual([])
    })
  })

  it('is walked through by keyboard alone', async () => {
    await inWindow({}, async ({ page, goto }) => {
      const focused = () => page.evaluate('document.activeElement.innerText.trim()')
      await goto('/')
      await page.keyboard.press('Tab')
      expect(await focused()).toBe('Skip to the content')
      await page.keyboard.press('Enter')
      for (const _ of ['what ends soon', 'a new monitor', 'the filter'])
        await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.name')).toBe('q')
      await page.keyboard.type('image')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/?q=image*')
      await page.focus('select[name=tag]')
      for (const _ of ['the button', 'its mark', 'the monitor']) await page.keyboard.press('Tab')
      expect(await focused()).toBe('Image CDN')
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe(
        'solid',
      )
      await page.keyboard.press('Enter')
      await page.waitForURL('**/monitors/4')
      const first = page.locator('.checks summary').first()
      await first.focus()
      await page.keyboard.press('Enter')
      expect(await page.evaluate('document.activeElement.parentElement.open')).toBe(true)
    })
  })

  it('is printed dark on light, whatever theme was chosen, without what cannot be pressed on paper', async () => {
    await inWindow({ colorScheme: 'dark' }, async ({ page, goto }) => {
      await goto('/monitors/2')
      await page.click('button:text("Dark")')
      await page.waitForURL('**/monitors/2')
      await page.emulateMedia({ media: 'print' })
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
        'rgb(250, 250, 249)',
      )
      expect(await page.locator('button:visible').count()).toBe(0)
      expect(await page.locator('#state').isVisible()).toBe(true)
    })
  })

  it('has a chart that is read by keyboard, mouse and touch, and stays where it was when it is replaced', async () => {
    await inWindow({ hasTouch: true }, async ({ page, goto }) => {
      await goto('/monitors/2?range=7d')
      const moment = () => page.textContent('.moment span:first-child')
      const median = () => page.textContent('.keys b >> nth=0')
      const rows = await page.locator('#chart-table tbody th').allTextContents()
      expect(await moment()).toBe(rows[0])
      const pointer = page.locator('#chart-at')
      await pointer.focus()
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('ArrowLeft')
      expect(await moment()).toBe(rows[2])
      expect(await pointer.getAttribute('aria-valuetext')).toContain(`${rows[2] ?? ''}, `)
      expect(await page.locator('.cursor').first().getAttribute('d')).toMatch(/^M\d/)
      await page.keyboard.press('Home')
      expect(await moment()).toBe(rows.at(-1))
      const { x, y, width } = (await pointer.boundingBox()) ?? { x: 0, y: 0, width: 0 }
      await page.mouse.move(x + width * 0.5, y + 80)
      const middle = rows[rows.length - 1 - Math.floor(rows.length / 2)]
      await expect.poll(moment).toBe(middle)
      // What the browser makes of a touch comes behind it.
      await page.touchscreen.tap(x + width * 0.25, y + 80)
      const quarter = rows[rows.length - 1 - Math.floor(rows.length / 4)]
      await expect.poll(moment).toBe(quarter)
      const shown = await median()
      // As the script of the page does when the figures have changed.
      await page.evaluate(`{
        const chart = document.getElementById('chart')
        const fresh = new DOMParser().parseFromString(chart.innerHTML, 'text/html')
        fresh.querySelector('.moment span').textContent = 'another moment'
        chart.replaceChildren(...fresh.body.childNodes)
        document.getElementById('chart-at').focus({ preventScroll: true })
      }`)
      expect([await moment(), await median()]).toEqual([quarter, shown])
    })
  })

  it('works without JavaScript: sign in, filter, look, choose a theme, pause, resume, sign out', async () => {
    await inWindow({ javaScriptEnabled: false, signedIn: false }, async ({ page, goto }) => {
      await goto('/monitors/2')
      await page.fill('#key', DEMO_KEY)
      await page.click('button.primary')
      await page.waitForURL('**/monitors/2')
      expect(await page.textContent('#live')).toBe('Reload')
      expect(await page.locator('#chart-at').isVisible()).toBe(false)
      await page.click('text=Chart as a table')
      expect(await page.locator('#chart-table tbody th').first().isVisible()).toBe(true)
      await page.click('text=Pause')
      expect(await page.textContent('#state')).toContain('Paused')
      await page.click('text=Resume')
      expect(await page.textContent('#state')).not.toContain('Paused')
      await page.locator('.incidents a').first().click()
      await page.locator('.timeline').waitFor()
      await goto('/monitors/2')
      await page.click('button:text("Dark")')
      await page.waitForURL('**/monitors/2')
      expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
      await page.click('text=Monitors')
      await page.selectOption('select[name=state]', 'down')
      await page.click('button:text("Filter")')
      // The click waits for the next page to begin, not for its rows.
      await expect.poll(() => page.locator('.row').count()).toBe(1)
      await page.click('text=Sign out')
      await page.waitForURL('**/sign-in')
    })
  })

  it('shows times in the zone of the viewer, and in UTC after a click', async () => {
    await inWindow({ timezoneId: 'America/New_York' }, async ({ page, goto }) => {
      await goto('/incidents/1')
      const time = page.locator('#as-of')
      const at = new Date((await time.getAttribute('datetime')) ?? '')
      const clock = (timeZone: string) =>
        new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone }).format(at)
      const shown = async () => [
        (await time.innerText()).slice(-5),
        await page.innerText('footer [data-zone]'),
        await page.innerText('#zone'),
      ]
      expect(await shown()).toEqual([
        clock('America/New_York'),
        'America/New_York',
        'Show times in UTC',
      ])
      await page.click('#zone')
      const utc = [clock('UTC'), 'UTC', 'Show times in America/New_York']
      expect(await shown()).toEqual(utc)
      await page.reload()
      expect((await shown()).slice(1)).toEqual(utc.slice(1))
      // As `timeZone` of the host has it written.
      await page.evaluate('localStorage.clear()')
      await page.route('**/incidents/1', async (route) => {
        const answer = await route.fetch()
        const body = (await answer.text()).replace('data-now=', 'data-time-zone="Asia/Tokyo" $&')
        await route.fulfill({ response: answer, body })
      })
      await page.reload()
      expect(await shown()).toEqual([clock('Asia/Tokyo'), 'Asia/Tokyo', 'Show times in UTC'])
    })
  })

  it('lets somebody take an incident on, who is shown to be on it from then on', async () => {
    await inWindow({}, async ({ page, goto }) => {
      await goto('/')
      await page.locator('.row .state.bad').first().waitFor()
      const down = page.locator('.row:has(.state.bad) h2 a').first()
      await down.click()
      await page.click('#state button:text("Acknowledge")')
      await page.locator('#state .tag:has-text("Acknowledged")').waitFor()
      expect(await page.locator('#state button').count()).toBe(0)
      expect(await findings(page)).toEqual([])
      await goto('/incidents')
      const [open] = await page.locator('.incidents li:has-text("Ongoing")').allInnerTexts()
      expect(open).toContain('Acknowledged')
    })
  })

  it('brings a change by itself, with nothing moved, nothing closed and the focus where it was', async () => {
    await inWindow({}, async ({ page, goto }) => {
      await goto('/')
      await isLive(page)
      await page.evaluate(WATCH_SHIFTS)
      await page.focus('#m1-link')
      const places = () =>
        page.evaluate(
          '[...document.querySelectorAll(".row")].map((row) => row.id + row.getBoundingClientRect().top)',
        )
      const before = await places()
      await fail('Search')
      await page.locator('#m3 .state.bad').waitFor()
      expect(await page.textContent('#summary')).toContain('2 of 12 monitors are down')
      expect(await page.textContent('#said')).toBe('2 of 12 monitors are down, 1 needs attention')
      expect(await places()).toEqual(before)
      expect(await page.evaluate('document.activeElement.innerText')).toBe('Storefront')
      expect(await page.evaluate('shifted')).toBe(0)
    })
    await inWindow({}, async ({ page, goto }) => {
      await goto('/monitors/3')
      await isLive(page)
      await page.click('#days-table summary')
      await page.locator('.checks summary').first().focus()
      const held = await page.evaluate('document.activeElement.parentElement.id')
      await page.evaluate(WATCH_SHIFTS)
      await recover('Search')
      await page.locator('#state .icon.good').waitFor()
      expect(await page.getAttribute('#days-table', 'open')).toBe('')
      expect(await page.textContent('.incidents')).toContain('Resolved')
      // The list that has the focus waits for the next change.
      expect(await page.evaluate('document.activeElement.parentElement.id')).toBe(held)
      expect(await page.evaluate('shifted')).toBe(0)
    })
  })

  it('announces what is newly down and leads to it, counts it in the title, and turns the icon', async () => {
    await inWindow({}, async ({ page, goto }) => {
      await goto('/?state=up')
      await isLive(page)
      const icon = () => page.getAttribute('link[rel=icon]', 'href')
      const before = [await page.title(), await icon()]
      const [, down = ''] = /^\((\d+)\)/.exec(before[0] ?? '') ?? []
      await page.evaluate(WATCH_SHIFTS)
      const names = () =>
        page.evaluate('[...document.querySelectorAll(".row h2")].map((each) => each.innerText)')
      const order = await names()
      await fail('Search')
      await page.locator('#newly:has-text("Newly down: Search")').waitFor()
      expect(await page.title()).toBe(`(${Number(down) + 1}) watchpost`)
      expect(await page.getAttribute('.toasts', 'role')).toBe('status')
      expect(await findings(page)).toEqual([])
      expect(await page.evaluate('shifted')).toBe(0)
      expect(await names()).toEqual(order)
      // The monitor has a row here, although it belongs elsewhere now.
      await page.click('#newly a')
      expect(await page.evaluate('document.activeElement.innerText')).toBe('Search')
      await recover('Search')
      await page.locator('#newly').waitFor({ state: 'hidden' })
      expect([await page.title(), await icon()]).toEqual(before)
    })
  })

  it('shows the course of an incident to whoever follows the list, and lets them take it on there', async () => {
    await inWindow({}, async ({ page, goto }) => {
      await fail('Checkout API')
      await goto('/incidents?open=1')
      await page.click('.incidents a:has-text("Checkout API")')
      const course = page.locator('#course')
      await course.locator('li:has-text("First failed check")').waitFor()
      await page.click('#acknowledge')
      await course.getByText('Acknowledged', { exact: true }).waitFor()
      expect(page.url()).toMatch(/\/incidents\/\d+$/)
      await isLive(page)
      await recover('Checkout API')
      await course.locator('li:has-text("Recovered")').waitFor()
      expect(await page.textContent('#state')).toContain('Resolved')
    })
  })

  it('creates a monitor after a check of it, keeps a typed secret meanwhile, and changes it', async () => {
    const target = createServer((_, response) => response.writeHead(503).end()).listen(
      0,
      '127.0.0.1',
    )
    await once(target, 'listening')
    const { port } = target.address() as AddressInfo
    await inWindow({}, async ({ page, goto }) => {
      await goto('/')
      await page.click('text=New monitor')
      await page.click('text=Site over HTTP/HTTPS')
      await page.click('summary:has-text("More settings")')
      await page.fill('[name="f.auth.pass"]', 'opensesame')
      await page.click('button:text("Create")')
      await page.locator('#outcome a:text("URL")').waitFor()
      expect(await page.innerText('#f-url-problem')).toBe('This is required')
      expect(await findings(page)).toEqual([])
      await page.fill('[name="f.url"]', `http://127.0.0.1:${port}/`)
      await page.fill('[name="f.auth.user"]', 'ann')
      await page.click('button:text("Check now")')
      await page.locator('#outcome .waterfall').waitFor()
      expect(await page.textContent('#outcome')).toContain('503')
      expect(await page.innerText('#f-url-problem')).toBe('')
      expect(await page.inputValue('[name="f.auth.pass"]')).toBe('opensesame')
      expect(await findings(page)).toEqual([])
      await page.click('button:text("Create")')
      await page.waitForURL(/monitors\/\d+$/)
      await page.click('.actions a:text("Edit")')
      await page.fill('[name="f.name"]', 'Renamed')
      await page.click('button:text("Show what")')
      await page.locator('#outcome td:has-text("Renamed")').waitFor()
      await page.click('button:text("Save")')
      await page.waitForURL(/monitors\/\d+$/)
      expect(await page.textContent('#name')).toBe('Renamed')
      await page.click('.actions a:text("Delete")')
      await page.click('button:text("Delete")')
      await page.waitForURL(`${shop.url}/`)
    })
    target.close()
  })

  it('creates and changes a monitor without JavaScript', async () => {
    await inWindow({ javaScriptEnabled: false }, async ({ page, goto }) => {
      await goto('/monitors/new?type=tcp')
      await page.fill('[name="f.host"]', 'shop.test')
      await page.fill('[name="f.port"]', '99999')
      await page.click('button:text("Create")')
      expect(await page.textContent('#f-port-problem')).toContain('Must be 1 to')
      await page.fill('[name="f.port"]', '443')
      await page.click('button:text("Create")')
      await page.waitForURL(/monitors\/\d+$/)
      await page.click('.actions a:text("Delete")')
      await page.click('button:text("Delete")')
      await page.waitForURL(`${shop.url}/`)
    })
  })

  it('keeps what is marked while rows change, and pauses it', async () => {
    await inWindow({}, async ({ page, goto }) => {
      await goto('/')
      await isLive(page)
      await page.check('#mark-3')
      await fail('Search')
      await page.locator('#m3 .state.bad').waitFor()
      expect(await page.isChecked('#mark-3')).toBe(true)
      await recover('Search')
      await page.locator('#m3 .state.good').waitFor()
      await page.click('#several button:text("Pause")')
      await page.locator('#m3:has-text("Paused")').waitFor()
      expect(await page.locator('.row:has-text("Paused")').count()).toBe(1)
      await page.check('#mark-3')
      await page.click('#several button:text("Resume")')
      await page.locator('#m3:has-text("Paused")').waitFor({ state: 'detached' })
    })
  })

  it('says when other monitors belong into the list than those it shows', async () => {
    await inWindow({}, async ({ page, goto }) => {
      await goto('/?state=down&q=Storefront')
      await isLive(page)
      expect(await page.textContent('main')).toContain('No monitor matches this filter')
      await fail('Storefront')
      await page.click('#news a')
      await page.locator('.row:has-text("Storefront")').waitFor()
      expect(await page.locator('#news').isVisible()).toBe(false)
      await recover('Storefront')
    })
  })

  it('says when it is not live any more', async () => {
    await inWindow({}, async ({ page, goto, context }) => {
      await goto('/')
      await isLive(page)
      await context.clearCookies()
      await fail('Storefront')
      // Signed out, which is no lost connection: it says so, greys what it shows, and leads to the sign-in.
      await page.locator('#out').waitFor()
      expect(await page.locator('#lost').isVisible()).toBe(false)
      expect(await page.getAttribute('html', 'data-lost')).toBe('')
      await page.click('#out a')
      await page.waitForURL('**/sign-in')
      await recover('Storefront')
    })
  })

  async function fail(name: string): Promise<void> {
    shop.say(name, { code: 'timeout', text: 'No answer within 10 s', phase: 'first_byte' })
    await lookTwice(name)
  }

  async function recover(name: string): Promise<void> {
    shop.say(name, null)
    await lookTwice(name)
  }

  async function lookTwice(name: string): Promise<void> {
    for (let look = 0; look < 2; look++) {
      await shop.engine.monitors.queueCheck(shop.ids.get(name) ?? 0)
      await shop.clock.leap(500)
    }
    await shop.clock.leap(500)
  }
})

const WATCH_SHIFTS = `window.shifted = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifted += entry.value
  }).observe({ type: 'layout-shift' })`

async function isLive(page: Window['page']): Promise<void> {
  await expect.poll(() => page.textContent('#live')).toBe('Live')
}
