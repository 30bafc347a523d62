/** Pages that show many monitors keep nobody else from having a turn. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createPage } from '../../src/page/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { makeCopies } from '../support/copies.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { ORIGIN } from './visit.ts'

const TURN_MS = 50
const DAY_MS = 86_400_000

function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-many-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return sqliteStore({ file: join(folder, 'data.db') })
}

it.each([
  ['memory', 1000, memoryStore],
  ['SQLite', 5000, sqlite],
])('shows them in short turns, with a store in %s: %i', async (_, count, make) => {
  const store = make()
  const engine = createEngine({ store, checkers: [tcp()], logger: false })
  onTestFinished(() => engine.stop())
  const naming = (n: number) => ({
    name: `Server ${(n * 7919) % count} of shop ${n % 17}`,
    tags: ['prod', `team-${n % 40}`],
  })
  const first = { type: 'tcp', host: 'h.test', port: 443, ...naming(count - 1) } as const
  await makeCopies(store, (await engine.monitors.create(first)).id, count - 1, naming)
  const page = createPage(engine, { authorize: () => ({ account_id: 1 }) })
  const look = async (query: string) => (await page.fetch(new Request(ORIGIN + query))).text()
  for (const query of ['/', '/?q=shop&tag=prod']) {
    const looking = await leastOf(3, () => measureTurns(() => look(query)), TURN_MS)
    expect(looking.value).toContain(`Page 1 of ${count / 25}, ${count / 1000},000 monitors`)
    expect(looking.longest_ms).toBeLessThan(TURN_MS)
  }
})

it.each([
  ['memory', memoryStore],
  ['SQLite', sqlite],
])(
  'draws a hundred of them for strangers in short turns, once for all, with a store in %s',
  async (_, make) => {
    const store = make()
    const engine = createEngine({ store, checkers: [tcp()], logger: false })
    onTestFinished(() => engine.stop())
    const now = Date.now()
    const latency = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n * 3}`, n]))
    const monitors: number[] = []
    for (let n = 0; n < 100; n++) {
      const made = await engine.monitors.create({ type: 'tcp', host: `h${n}.test`, port: 1 })
      monitors.push(made.id)
      const days = Array.from({ length: 90 }, (_, day) => now - day * DAY_MS)
      const daily = days.map((at) => {
        const day = new Date(at).toISOString().slice(0, 10)
        return { day, ok: 100, fail: 1, unknown: 0, ok_ms: 900, latency }
      })
      const availability = days.toReversed().map((at, day) => {
        return { at, availability: day % 3 === 0 ? ('down' as const) : ('up' as const) }
      })
      const { revision } = (await store.monitors.get(made.id))!
      await store.commit([{ monitor_id: made.id, revision, at: now, daily, availability }])
    }
    const drawing = () => {
      // Each has drawn nothing yet.
      const page = createPage(engine, { public: [{ slug: 'all', title: 'All', monitors }] })
      return measureTurns(async () => {
        const asked = Array.from({ length: 20 }, () =>
          page.fetch(new Request(`${ORIGIN}/status/all`)),
        )
        return Promise.all(asked.map(async (answer) => (await answer).status))
      })
    }
    const drawn = await leastOf(3, drawing, TURN_MS)
    expect(new Set(drawn.value)).toEqual(new Set([200]))
    expect(drawn.longest_ms).toBeLessThan(TURN_MS)
  },
)

it('changes many monitors of many public pages that are looked at in short turns', async () => {
  const engine = createEngine({
    ...{ store: memoryStore(), checkers: [tcp()], logger: false },
    quotas: { public_pages: 64 },
  })
  onTestFinished(() => engine.stop())
  const monitors: number[] = []
  for (let n = 0; n < 100; n++) {
    const input = { type: 'tcp', name: `n${n}`, host: `h${n}.test`, port: 443 } as const
    monitors.push((await engine.monitors.create(input)).id)
  }
  const page = createPage(engine, { publicPages: true })
  for (let n = 0; n < 64; n++) {
    await engine.publicPages.create({ title: 'P', slug: `p${n}`, groups: [{ monitors }] })
    const response = await page.fetch(new Request(`${ORIGIN}/status/p${n}/events`))
    expect(response.status).toBe(200)
    onTestFinished(() => response.body?.cancel())
  }
  const changing = await leastOf(
    3,
    () =>
      measureTurns(async () => {
        await engine.monitors.bulk({ action: 'pause', filter: { all: true } })
        await engine.monitors.bulk({ action: 'resume', filter: { all: true } })
      }),
    TURN_MS,
  )
  expect(changing.longest_ms).toBeLessThan(TURN_MS)
})
