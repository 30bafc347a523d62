import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Browser } from 'playwright-core'
import { toNodeHandler } from '../../src/rest/node.ts'
import { chromiumBrowser } from '../support/servers/chromium.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { launch, openWindow } from './browser.ts'
import { site } from './visit.ts'
import { freePort } from '../support/servers/ports.ts'

/** Longer than the five seconds after which a lost connection is told. */
const patience = { timeout: 60_000 }

describeWithServer(chromiumBrowser, 'in a browser, with a server that can be lost', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromiumBrowser.locate() ?? '')
  })
  afterAll(() => browser.close())

  async function served() {
    const made = await site({
      authorize: () => ({ account_id: 1 }),
      public: [{ slug: 'p', title: 'P', monitors: [1] }],
    })
    const handler = toNodeHandler(made.page)
    const port = await freePort()
    let server = createServer(handler).listen(port, '127.0.0.1')
    await once(server, 'listening')
    const end = () => {
      server.closeAllConnections()
      server.close()
    }
    const window = await openWindow(
      { browser, url: `http://127.0.0.1:${port}` },
      { signedIn: false },
    )
    onTestFinished(async () => {
      await window.context.close()
      end()
    })
    return {
      ...made,
      ...window,
      end,
      async again() {
        server = createServer(handler).listen(port, '127.0.0.1')
        await once(server, 'listening')
      },
    }
  }

  it.each(['/', '/monitors/1', '/status/p'])(
    '%s: the verdict loses its colours and says since when, until the server is back',
    async (path) => {
      const { create, clock, page, goto, end, again } = await served()
      await create('a.test')
      await clock.advance(1000)
      await goto(path)
      await expect.poll(() => page.textContent('#live'), patience).toBe('Live')
      const filter = () =>
        page.evaluate('getComputedStyle(document.querySelector(".headline, .banner")).filter')
      expect([await filter(), await page.locator('#lost').isVisible()]).toEqual(['none', false])
      end()
      await page.locator('#lost').waitFor(patience)
      expect(await page.textContent('#lost')).toMatch(
        /No connection to the service since \d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC/,
      )
      expect(await filter()).toBe('grayscale(1)')
      await again()
      await page.locator('#lost').waitFor({ state: 'hidden', ...patience })
      expect(await filter()).toBe('none')
    },
  )

  it('the empty page shows the first monitor by itself', async () => {
    const { create, clock, page, goto } = await served()
    await goto('/')
    await expect.poll(() => page.textContent('#live'), patience).toBe('Live')
    expect(await page.textContent('main')).toContain('No monitors yet')
    await create('a.test')
    await clock.advance(2000)
    await page.locator('.row:has-text("a.test")').waitFor(patience)
  })
})
