/** A real Chromium before the demonstration, for the tests and for the pictures of the documentation. */

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { createPage } from '../../src/page/index.ts'
import { toNodeHandler } from '../../src/rest/node.ts'
import { demo, DEMO_KEY } from './demo.ts'
import type { Demo, DemoOptions } from './demo.ts'
import type { Site } from './visit.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Every step of a test ends within it, one way or the other. */
const STEP_MS = 60_000

export interface Stage extends Demo, OpenedBrowser {}

export interface WindowOptions extends BrowserContextOptions {
  readonly signedIn?: boolean
}

export interface Window {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser complained of: errors of the script, breaches of the content security policy. */
  readonly complaints: readonly string[]
  goto(path: string): Promise<void>
}

export async function stage(program: string, options?: DemoOptions): Promise<Stage> {
  const shop = await demo(options)
  const page = createPage(shop.engine, {
    clock: shop.clock,
    public: [
      {
        slug: 'fjord',
        title: 'Fjord status',
        description: 'The services behind the Fjord shop, as they are and as they were.',
        monitors: { tag: 'public' },
      },
    ],
  })
  return { ...shop, ...(await openBrowser(program, { page, engine: shop.engine })) }
}

/** A browser before a page, which is served until `close`. */
export interface OpenedBrowser {
  readonly browser: Browser
  readonly url: string
  /** A window of its own, signed in unless said otherwise. */
  open(options?: WindowOptions): Promise<Window>
  /** Ends the browser, the engine and the server. */
  close(): Promise<void>
}

export async function openBrowser(
  program: string,
  { page, engine }: Pick<Site, 'page' | 'engine'>,
): Promise<OpenedBrowser> {
  const server = createServer(toNodeHandler(page)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await launch(program)
  return {
    browser,
    url,
    open: (options = {}) => openWindow({ browser, url }, options),
    async close() {
      await browser.close()
      await engine.stop()
      server.closeAllConnections()
      server.close()
    },
  }
}

export function launch(program: string): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    timeout: 300_000,
  })
}

export async function openWindow(
  { browser, url }: Pick<OpenedBrowser, 'browser' | 'url'>,
  { signedIn = true, ...options }: WindowOptions,
): Promise<Window> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  context.setDefaultTimeout(STEP_MS)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  if (signedIn) {
    await page.goto(`${url}/sign-in`)
    await page.fill('#key', DEMO_KEY)
    await page.click('button.primary')
    await page.waitForURL(`${url}/`)
  }
  return {
    page,
    context,
    complaints,
    async goto(path) {
      await page.goto(url + path)
    },
  }
}

/** What axe finds wrong with a page. */
export async function findings(page: Page): Promise<readonly unknown[]> {
  await page.evaluate(axe)
  const found: {
    violations: readonly {
      id: string
      nodes: readonly { html: string; failureSummary: string }[]
    }[]
  } = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')
  return found.violations.map(({ id, nodes }) => [
    id,
    nodes.slice(0, 3).map(({ html, failureSummary }) => [html.slice(0, 200), failureSummary]),
  ])
}
