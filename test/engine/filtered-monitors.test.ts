/** A search that no monitor matches reads the texts of all of them: others have turns meanwhile. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { http } from '../../src/checkers/http/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { MonitorFilter } from '../../src/engine/api/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { createPage } from '../../src/page/index.ts'
import { makeCopies } from '../support/copies.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50

function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-searched-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return sqliteStore({ file: join(folder, 'data.db') })
}

const near = 'a'.repeat(199)
/** All begin alike: a comparison finds the difference at the end. */
const tags = Array.from({ length: 50 }, (_, n) => 'a'.repeat(61) + String(100 + n))
const strange = tags.map((tag) => tag.replace('a1', 'a9'))

const SEARCHES: Readonly<Record<string, MonitorFilter>> = {
  'a text': { q: `${near}b` },
  'one of fifty tags': { tag: [strange] },
  'many tags, all of which but one each has': {
    tag: [...tags.slice(1).map((tag) => [tag]), ['b']],
  },
  metadata: { metadata: { k: `${'a'.repeat(3999)}b` } },
}

describe.each([
  ['memory', 3000, memoryStore],
  ['SQLite', 800, sqlite],
])('with a store in %s and %i monitors', (_, count, make) => {
  it('searches what nearly matches in short turns', async () => {
    const store = make()
    const engine = createEngine({ store, checkers: [http()], logger: false })
    onTestFinished(() => engine.stop())
    const url = `http://a.test/${'a'.repeat(2000)}`
    const metadata = { k: 'a'.repeat(4000) }
    const common = { name: 'a'.repeat(200), tags, metadata }
    const { id } = await engine.monitors.create({ type: 'http', url, ...common })
    await makeCopies(store, id, count - 1)
    for (const [name, filter] of Object.entries(SEARCHES)) {
      const search = () => measureTurns(() => engine.monitors.list(filter))
      const searching = await leastOf(3, search, TURN_MS)
      expect(searching.value.items, name).toEqual([])
      expect(searching.longest_ms, name).toBeLessThan(TURN_MS)
    }
    const many = () =>
      measureTurns(() =>
        Promise.all(Array.from({ length: 12 }, () => engine.monitors.list({ tag: [strange] }))),
      )
    expect((await leastOf(3, many, TURN_MS)).longest_ms).toBeLessThan(TURN_MS)
    // What is there is found, behind others as well.
    const last = await engine.monitors.create({ type: 'http', url: 'http://z.test/', tags: ['Z'] })
    for (const filter of [{ q: 'Z.TEST' }, { tag: [['z']] }])
      expect((await engine.monitors.list(filter)).items.map((found) => found.id)).toEqual([last.id])
    const page = await engine.monitors.list({ tag: [[String(tags[7])]], limit: 3, after: id + 100 })
    expect(page.items.map((found) => found.id)).toEqual([id + 101, id + 102, id + 103])
    const rest = await engine.monitors.list({ tag: [[String(tags[7])]], after: last.id - 3 })
    expect(rest).toMatchObject({ items: [{ id: last.id - 2 }, { id: last.id - 1 }], next: null })
  })

  it('offers no list of a hundred thousand tags', async () => {
    const store = make()
    const engine = createEngine({ store, checkers: [http()], logger: false })
    onTestFinished(() => engine.stop())
    const own = (n: number) => ({ tags: tags.map((tag) => `${n}${tag}`.slice(0, 64)) })
    const first = { type: 'http', url: 'http://a.test/', ...own(0) } as const
    await makeCopies(store, (await engine.monitors.create(first)).id, count - 1, own)
    await engine.start()
    const page = createPage(engine, { authorize: () => ({ account_id: 1 }) })
    for (const path of ['/', '/maintenance', `/?tag=${own(3).tags[0]}`]) {
      const look = async () => (await page.fetch(new Request(`http://watch.test${path}`))).text()
      const looking = await leastOf(3, () => measureTurns(look), TURN_MS)
      expect(looking.value).toMatch(/<input\s+name="tags?"/)
      expect(looking.value.length).toBeLessThan(200_000)
      expect(looking.longest_ms, path).toBeLessThan(TURN_MS)
    }
  })
})
