/** Results with details of 64 KiB each keep nobody else from having a turn. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { JsonObject } from '../../src/model.ts'
import { createRest } from '../../src/rest/fetch.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { Store } from '../../src/store/store.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50

function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-heavy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return sqliteStore({ file: join(folder, 'data.db') })
}

/** Below the 64 KiB that a checker may tell. */
const HEAVY = {
  seen: Array.from({ length: 600 }, (_, n) => ({ [`name${n}`]: 'v'.repeat(80) })),
}

async function stored(store: Store, count: number, details: JsonObject) {
  const engine = createEngine({ store, checkers: [tcp()], logger: false })
  onTestFinished(() => engine.stop())
  const { key } = await engine.keys.create({ name: 'test' })
  const { id } = await engine.monitors.create({ type: 'tcp', name: 'a', host: 'a.test', port: 1 })
  let revision = (await store.monitors.get(id))!.revision
  for (let done = 0; done < count; done += 20) {
    const results = Array.from({ length: Math.min(20, count - done) }, (_, n) => ({
      location_id: 1,
      round: done + n,
      started_at: done + n,
      lag_ms: 0,
      verdict: 'ok' as const,
      cause_code: null,
      cause_text: null,
      phase: null,
      duration_ms: 1,
      phases: {},
      remote_ip: null,
      details,
    }))
    await store.commit([{ monitor_id: id, revision, at: done, results }])
    revision = (await store.monitors.get(id))!.revision
  }
  const rest = createRest(engine, { rateLimit: false, logger: false })
  async function page(query: string) {
    const url = `http://localhost/api/v1/monitors/${id}/results?${query}`
    const answer = await rest.fetch(
      new Request(url, { headers: { authorization: `Bearer ${key}` } }),
    )
    const text = await answer.text()
    const { results, next_cursor } = JSON.parse(text) as {
      results: { id: number }[]
      next_cursor: string | null
    }
    return { chars: text.length, ids: results.map((result) => result.id), next: next_cursor }
  }
  return page
}

it.each([
  ['memory', memoryStore],
  ['SQLite', sqlite],
])('a page of heavy results ends early and takes short turns, in %s', async (_, make) => {
  const page = await stored(make(), 400, HEAVY)
  const first = await leastOf(3, () => measureTurns(() => page('limit=1000')), TURN_MS)
  expect(first.value.chars).toBeLessThan(1_200_000)
  expect(first.longest_ms).toBeLessThan(TURN_MS)

  const ids = [...first.value.ids]
  for (let { next } = first.value; next !== null;) {
    const more = await page(`limit=1000&cursor=${next}`)
    ids.push(...more.ids)
    next = more.next
  }
  expect(ids).toEqual([...ids].sort((a, b) => b - a))
  expect(new Set(ids).size).toBe(400)
})

it('a page of light results is as long as was asked for', async () => {
  const page = await stored(memoryStore(), 120, { seen: 'a' })
  const first = await page('limit=100')
  expect(first.ids).toHaveLength(100)
  const second = await page(`limit=20&cursor=${first.next}`)
  expect(second).toMatchObject({ next: null })
  expect(second.ids).toHaveLength(20)
  expect((await page('limit=120')).next).toBeNull()
})
