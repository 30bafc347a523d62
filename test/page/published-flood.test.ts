/** A public page at its bounds, and a flood of visitors who ask for it at the same moment. */

import { expect, it, onTestFinished } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createPage } from '../../src/page/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { ORIGIN } from './visit.ts'

const TURN_MS = 50
const VISITORS = 40

/** A hundred services, each with the longest name, and fifty reports that concern all of them but one. */
async function longest() {
  const engine = createEngine({ store: memoryStore(), checkers: [heartbeat()], logger: false })
  onTestFinished(() => engine.stop())
  const ids: number[] = []
  for (let n = 0; n < 100; n++)
    ids.push((await engine.monitors.create({ type: 'heartbeat', name: `n${n}` })).id)
  const groups = Array.from({ length: 20 }, (_, group) => ({
    name: '<b>&'.repeat(16),
    monitors: ids.slice(group * 5, group * 5 + 5).map((id) => ({ id, name: '&<"\''.repeat(16) })),
  }))
  const title = '&<'.repeat(100)
  const made = await engine.publicPages.create({ title, slug: 'p', description: title, groups })
  const report = { title, page_ids: [made.id], monitor_ids: ids.slice(1) }
  for (let n = 0; n < 50; n++)
    await engine.statusReports.create({ ...report, text: '&\n\n'.repeat(1666) })
  return createPage(engine, { publicPages: true })
}

it('is answered in short turns, whatever each of them asks for', async () => {
  const page = await longest()
  const ask = async (part: string) =>
    (await page.fetch(new Request(`${ORIGIN}/status/p${part}`))).status
  for (const part of ['', '/feed.atom', '/feed.rss', '/status.json', '/history', '/badge.svg']) {
    const all = () =>
      measureTurns(() => Promise.all(Array.from({ length: VISITORS }, () => ask(part))))
    const asking = await leastOf(3, all, TURN_MS)
    expect(new Set(asking.value), part).toEqual(new Set([200]))
    expect(asking.longest_ms, part).toBeLessThan(TURN_MS)
  }
})

it('names ten services of a report, and has the address of the visitor in its feeds', async () => {
  const page = await longest()
  const text = async (part: string, origin = ORIGIN) =>
    (await page.fetch(new Request(`${origin}/status/p${part}`))).text()
  const { reports, page: about } = JSON.parse(await text('/status.json'))
  expect(reports[0].services).toHaveLength(11)
  expect(reports[0].services[10]).toBe('…')
  expect([about.url, reports[0].url]).toEqual([
    `${ORIGIN}/status/p`,
    `${ORIGIN}/status/p/incidents/50`,
  ])
  for (const part of ['/feed.atom', '/feed.rss']) {
    expect(await text(part)).toContain(`${ORIGIN}/status/p/incidents/50`)
    const elsewhere = await text(part, 'https://status.test')
    expect(elsewhere).toContain('https://status.test/status/p/incidents/50')
    expect(elsewhere).not.toContain(ORIGIN)
  }
})

it('takes the address of a visitor as it is, also one with the signs of a replacement', async () => {
  const page = await longest()
  const text = async (part: string, origin: string) =>
    (await page.fetch(new Request(`${origin}/status/p${part}`))).text()
  for (const part of ['/feed.atom', '/feed.rss', '/status.json']) {
    const written = await text(part, 'http://$`$$.test')
    expect(written.split('http://$`$$.test/status/p/incidents/50').length, part).toBeGreaterThan(1)
    expect(written, part).toHaveLength((await text(part, 'http://abcd.test')).length)
  }
})
