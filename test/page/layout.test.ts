import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chromiumBrowser } from '../support/servers/chromium.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { openBrowser } from './browser.ts'
import type { OpenedBrowser } from './browser.ts'
import { site } from './visit.ts'
import type { Site } from './visit.ts'

const LONG =
  'Quarterly reporting service for the finance department in Gothenburg, read-only replica'

describeWithServer(chromiumBrowser, 'at 1440 and at 390 px, in a browser', () => {
  let opened: OpenedBrowser

  beforeAll(async () => {
    const made = await site({ authorize: () => ({ account_id: 1, keys: true }) })
    await furnish(made)
    opened = await openBrowser(chromiumBrowser.locate() ?? '', made)
  })
  afterAll(() => opened.close())

  async function at(
    width: number,
    path: string,
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    const options = { viewport: { width, height: 900 }, signedIn: false }
    const { page, context, goto } = await opened.open(options)
    try {
      await goto(path)
      await look(page)
    } finally {
      await context.close()
    }
  }

  const edge = (page: Page, side: 'left' | 'right', selector: string): Promise<number> =>
    page.evaluate(
      `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().${side}`,
    )

  /** How much of an element is outside of what it shows. */
  const hidden = (page: Page, selector: string): Promise<number> =>
    page.evaluate(`(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
      Math.max(scrollWidth - clientWidth, scrollHeight - clientHeight))(document.querySelector(${JSON.stringify(selector)}))`)

  it.each([1440, 390])('%i: the summary of the overview is whole', (width) =>
    at(width, '/', async (page) => {
      expect(await page.textContent('#summary .muted')).toMatch(/last check .* ago/)
      expect(await hidden(page, '#summary .muted')).toBeLessThanOrEqual(0)
    }),
  )

  it('390: the themes begin where the content begins', () =>
    at(390, '/', async (page) => {
      expect(await edge(page, 'left', '.themes')).toBe(await edge(page, 'left', '#summary'))
    }))

  it('1440: buttons in the last column of a table end where the table ends', async () => {
    for (const path of ['/keys', '/contacts/1'])
      await at(1440, path, async (page) => {
        const end = await edge(page, 'right', 'table')
        expect(await edge(page, 'right', 'td.act button'), path).toBeCloseTo(end, 0)
      })
  })

  it.each([1440, 390])('%i: changes of a monitor with a long name are in sight', (width) =>
    at(width, '/audit-log', async (page) => {
      expect(await page.textContent('.entries')).toContain(LONG)
      expect(await hidden(page, '.wide')).toBeLessThanOrEqual(0)
    }),
  )

  it.each([1440, 390])('%i: what would change is in sight, before and after', (width) =>
    at(width, '/monitors/1/edit', async (page) => {
      await page.fill('[name="f.name"]', `${LONG}, ${LONG}`)
      await page.click('button[value=preview]')
      await page.waitForSelector('#outcome table')
      const over = 'document.querySelector("#outcome table").getBoundingClientRect().right'
      const end = 'document.querySelector("main").getBoundingClientRect().right'
      expect(await page.evaluate(over)).toBeLessThanOrEqual(await page.evaluate(end))
    }),
  )

  it('on paper there is nothing to press', async () => {
    for (const path of ['/', '/monitors/1', '/contacts/1'])
      await at(1440, path, async (page) => {
        await page.emulateMedia({ media: 'print' })
        const seen = await page.locator('main :is(button, a.button, [type=checkbox])').all()
        expect(seen.length, path).toBeGreaterThan(0)
        for (const each of seen.filter((_, index) => index < 12))
          expect(await each.isVisible(), `${path} ${await each.textContent()}`).toBe(false)
      })
  })

  it('390: figures of all rows are in the same columns', () =>
    at(390, '/', async (page) => {
      const lefts: number[] = await page.evaluate(
        '[...document.querySelectorAll(".rows .figures")].map((row) => row.lastElementChild.getBoundingClientRect().left)',
      )
      expect(lefts.length).toBeGreaterThan(2)
      expect(new Set(lefts).size).toBe(1)
    }))
})

/** Five days of monitors, of which one is down and one never had a good check; contacts that are not reached. */
async function furnish({ engine, clock, create, failing, refusing }: Site): Promise<void> {
  await engine.contacts.create({ kind: 'silent', to: 'phone', name: 'On-call', all_monitors: true })
  failing.set('down.test', 'Gone')
  const quick = { fail_threshold: 1, interval_sec: 3600 }
  await create('reports.finance.test', { ...quick, name: LONG })
  for (const host of ['shop.test', 'pay.test', 'down.test']) await create(host, quick)
  refusing.add('phone')
  await clock.advance(3 * 86_400_000)
  failing.set('pay.test', 'Gone as well')
  await clock.advance(2 * 3_600_000)
  await engine.monitors.update(1, { host: 'reports.gothenburg.test' })
}
