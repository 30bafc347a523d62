/**
 * `npm run screenshots`: draws the pictures of the documentation anew, from the demonstration that the tests of
 * the page use. Needs Chromium. Look at them before you commit them.
 */

import { mkdirSync } from 'node:fs'
import { register } from 'node:module'
import { join } from 'node:path'
import { find } from './servers.mjs'
import { root } from './steps.mjs'

// Node 22.18 and later reads TypeScript by itself.
if (!('typescript' in process.features && process.features.typescript)) {
  register('./docs/read-typescript.mjs', import.meta.url)
}

const program = find('chromium') ?? find('chromium-browser')
if (program === undefined) throw new Error('Chromium is missing: apt install chromium')

const { stage } = await import('../test/page/browser.ts')
const folder = join(root, 'docs/images')
mkdirSync(folder, { recursive: true })
const shop = await stage(program)
const wide = { viewport: { width: 1180, height: 800 } }
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, isMobile: true }
await draw('overview', '/', { ...wide, colorScheme: 'light' })
await draw('overview-dark', '/', { ...wide, colorScheme: 'dark' })
await draw('monitor', '/monitors/2', { ...wide, colorScheme: 'light', whole: true })
await draw('public', '/status/fjord', { ...wide, colorScheme: 'light' })
await draw('phone', '/monitors/4', { ...phone, colorScheme: 'dark' })
await shop.close()

/**
 * @param {string} name
 * @param {string} path
 * @param {import('../test/page/browser.ts').WindowOptions & { whole?: boolean }} options
 */
async function draw(name, path, { whole = false, ...options }) {
  const { page, context, goto, complaints } = await shop.open(options)
  await goto(path)
  await page.locator('#live', { hasText: 'Live' }).waitFor()
  await page.evaluate('document.activeElement.blur()')
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: whole })
  await context.close()
  console.log(`docs/images/${name}.png${complaints.length > 0 ? `  ${complaints.join('; ')}` : ''}`)
}
