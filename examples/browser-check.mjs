/**
 * A checker of your own around a browser: opens a page in the Chromium of this machine, waits for an element that
 * the page's own JavaScript makes, and counts the errors of its scripts.
 *
 *   npm install playwright-core
 *   node examples/browser-check.mjs
 *
 * CHROMIUM names the program where it is not found by itself. Only for monitors of people you trust: a browser opens
 * its own connections, which pass neither the guard of watchpost nor `targets: 'public'`.
 */

import { accessSync, constants } from 'node:fs'
import { createServer } from 'node:http'
import { delimiter, join } from 'node:path'
import { chromium, errors } from 'playwright-core'
import { defineChecker, down, field, runCheck, unknown, up } from 'watchpost'

/** @param {{ executablePath: string | undefined }} options */
export const browser = ({ executablePath }) =>
  defineChecker({
    type: 'browser',
    title: 'Page in a browser',
    description: 'Opens a page in Chromium and waits for an element.',

    fields: {
      url: field.url({ description: 'Page to open' }).required(),
      selector: field
        .text({ description: 'CSS selector of an element that must become visible' })
        .default('body'),
      errors_max: field
        .integer({ description: 'Most errors that scripts may have', min: 0, max: 1000 })
        .default(0),
    },
    causes: {
      browser_page_failed: { text: 'The page could not be opened', phase: 'load' },
      browser_element_missing: { text: 'The element did not appear', phase: 'render' },
      browser_script_errors: { text: 'Scripts of the page failed', phase: 'render' },
    },
    measurements: {
      status: 'Status of the page',
      load_ms: 'Time to the event load, ms',
      script_errors: 'Errors of scripts that nobody caught',
    },
    highlights: { load_ms: { title: 'Loaded', format: 'ms' } },
    // A browser takes its time; the deadline of the check is that of the page as well.
    common: { timeout_ms: { default: 30_000 }, interval_sec: { default: 300 } },
    target: ({ url }) => url,

    async run(ctx, { url, selector, errors_max }) {
      if (executablePath === undefined) {
        return unknown('probe_unsupported', 'This machine has no Chromium')
      }
      const launched = await chromium.launch({
        executablePath,
        // Chromium refuses its sandbox to root, as in many containers.
        args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
        timeout: ctx.remaining(),
      })
      // Also at the deadline, and when the engine stops.
      ctx.onEnd(() => launched.close())
      const page = await launched.newPage()
      let script_errors = 0
      page.on('pageerror', () => ctx.measure({ script_errors: ++script_errors }))

      const from = ctx.clock.monotonic()
      const opened = await ctx.phase('load', () =>
        page.goto(url, { timeout: ctx.remaining() }).catch(failureOf),
      )
      if (opened instanceof Error) return down('browser_page_failed', opened.message)
      const status = opened?.status() ?? 0
      ctx.measure({ status, load_ms: Math.round(ctx.clock.monotonic() - from), script_errors })
      if (status >= 400) return down('browser_page_failed', `The status of the page is ${status}`)

      // A little earlier than the deadline, so that the cause is the element and not the time.
      const timeout = Math.max(1, ctx.remaining() - 500)
      const shown = await ctx.phase('render', () =>
        page.waitForSelector(selector, { timeout }).catch(failureOf),
      )
      if (shown instanceof Error) {
        return down('browser_element_missing', `No element ${selector} became visible`)
      }
      if (script_errors > errors_max) {
        return down('browser_script_errors', `${script_errors} errors of scripts`)
      }
      return up()
    },
  })

/**
 * What the page did, without the log that Playwright adds; anything else is not its fault.
 *
 * @param {unknown} error
 */
function failureOf(error) {
  const ours = error instanceof Error && !(error instanceof errors.TimeoutError)
  if (ours && !/net::/.test(error.message)) throw error
  return new Error(error instanceof Error ? error.message.split('\n')[0] : String(error))
}

const executablePath = process.env['CHROMIUM'] ?? found(['chromium', 'chromium-browser'])
if (executablePath === undefined) {
  console.log('skipped: this machine has no Chromium')
  process.exit()
}

// A page that is empty until its script has run, and one whose script fails.
const site = createServer((request, response) => {
  const script = request.url === '/broken' ? 'undefinedCall()' : 'document.body.id = "ready"'
  response.setHeader('content-type', 'text/html')
  response.end(`<!doctype html><title>Shop</title><body>Shop<script>${script}</script>`)
})
await new Promise((resolve) => site.listen(0, '127.0.0.1', () => resolve(undefined)))
const address = site.address()
const port = typeof address === 'object' && address !== null ? address.port : 0
const checker = browser({ executablePath })

const good = await runCheck(checker, { url: `http://127.0.0.1:${port}/`, selector: '#ready' })
console.log(good.verdict, good.details['status'])

const broken = await runCheck(checker, { url: `http://127.0.0.1:${port}/broken` })
console.log(broken.verdict, broken.cause_code, broken.details['script_errors'])

const empty = await runCheck(
  checker,
  { url: `http://127.0.0.1:${port}/broken`, selector: '#ready' },
  { timeout_ms: 5_000 },
)
console.log(empty.verdict, empty.cause_code, empty.phase)
site.close()

const gone = await runCheck(checker, { url: `http://127.0.0.1:${port}/` })
console.log(gone.verdict, gone.cause_code, gone.phase)

/** @param {readonly string[]} names */
function found(names) {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const paths = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
