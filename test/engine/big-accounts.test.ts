/** An account with many monitors, or with heavy ones, keeps nobody else from having a turn. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { http } from '../../src/checkers/http/index.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryPlace, memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { makeCopies } from '../support/copies.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50

function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-big-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return sqliteStore({ file: join(folder, 'data.db') })
}

function engineOn(store: ReturnType<typeof memoryStore>) {
  const engine = createEngine({ store, checkers: [http(), tcp(), heartbeat()], logger: false })
  onTestFinished(() => engine.stop())
  return engine
}

/** The turns in which an engine takes in what others have put into the store: a new engine each time. */
function startingOn(store: ReturnType<typeof memoryStore>) {
  return leastOf(
    3,
    async () => {
      const engine = createEngine({
        store: { ...store, close: () => Promise.resolve() },
        checkers: [http(), tcp(), heartbeat()],
        logger: false,
      })
      const starting = await measureTurns(() => engine.start())
      await engine.stop()
      return starting
    },
    TURN_MS,
  )
}

describe.each([
  ['memory', memoryStore],
  ['SQLite', sqlite],
])('with a store in %s', (_, make) => {
  it('walks a large graph of dependencies in short turns', async () => {
    const { monitors } = engineOn(make())
    const ids: number[] = []
    for (let n = 0; n < 400; n++) {
      const depends_on = ids.slice(-20)
      const settings = {
        type: 'tcp',
        name: `n${n}`,
        host: '127.0.0.1',
        port: 1 + n,
        depends_on,
      } as const
      ids.push((await monitors.create(settings)).id)
    }
    const [first = 0, last = 0] = [ids[0], ids.at(-1)]
    const changing = await leastOf(
      3,
      () => measureTurns(() => monitors.update(last, { depends_on: ids.slice(-22, -2) })),
      TURN_MS,
    )
    expect(changing.longest_ms).toBeLessThan(TURN_MS)
    const refusing = await leastOf(
      3,
      () =>
        measureTurns(async () => {
          const problem = `entry 1: monitor ${last} depends on this one`
          const refused = monitors.update(first, { depends_on: ids.slice(-20).reverse() })
          await expect(refused).rejects.toThrow(problem)
        }),
      TURN_MS,
    )
    expect(refusing.longest_ms).toBeLessThan(TURN_MS)
  })

  it('looks for no more than fifty tags at once', async () => {
    const { monitors } = engineOn(make())
    const groups = (count: number) => Array.from({ length: count }, () => ['a', 'b', 'c', 'd', 'e'])
    expect((await monitors.list({ tag: groups(10) })).items).toEqual([])
    await expect(monitors.list({ tag: groups(11) })).rejects.toMatchObject({
      fields: { tag: 'out_of_range: at most 50 tags in all' },
    })
  })

  it('lists heavy monitors, and takes them in, in short turns', async () => {
    const store = make()
    const { monitors } = engineOn(store)
    const body = 'b'.repeat(65_000)
    const headers = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`x-${n}`, 'v'.repeat(800)]),
    )
    for (let n = 0; n < 200; n++) {
      const url = `http://127.0.0.1/${n}`
      await monitors.create({ type: 'http', name: url, url, method: 'POST', body, headers })
    }
    const listing = await leastOf(
      3,
      () => measureTurns(() => monitors.list({ limit: 200 })),
      TURN_MS,
    )
    expect(listing.value.items).toHaveLength(200)
    expect(listing.value.next).toBeNull()
    expect(listing.longest_ms).toBeLessThan(TURN_MS)
    expect((await startingOn(store)).longest_ms).toBeLessThan(TURN_MS)
  })
})

it('checks, pauses and changes a thousand heartbeats at once in short turns', async () => {
  const { monitors, start } = engineOn(memoryStore())
  await start()
  const ids: number[] = []
  for (let n = 0; n < 1000; n++)
    ids.push((await monitors.create({ type: 'heartbeat', name: `n${n}` })).id)
  const work: Record<string, (id: number) => Promise<unknown>> = {
    check: (id) => monitors.check(id),
    rename: (id) => monitors.update(id, { name: `job ${id}`, tags: [`t${Math.random()}`] }),
    pause: (id) => monitors.pause(id),
  }
  for (const [name, each] of Object.entries(work)) {
    const all = await leastOf(
      3,
      () => measureTurns(() => Promise.all(ids.map((id) => each(id)))),
      TURN_MS,
    )
    expect(all.value, name).toHaveLength(ids.length)
    expect(all.longest_ms, name).toBeLessThan(TURN_MS)
  }
})

it('exports four thousand monitors that have no history yet in short turns', async () => {
  const store = sqlite()
  const engine = engineOn(store)
  const { id } = await engine.monitors.create({ type: 'tcp', host: '127.0.0.1', port: 1 })
  await makeCopies(store, id, 3999)
  const exporting = async () => {
    let lines = 0
    for await (const _ of engine.export({ history: true })) lines++
    return lines
  }
  const { value, longest_ms } = await leastOf(3, () => measureTurns(exporting), TURN_MS)
  expect(value).toBeGreaterThan(4000)
  expect(longest_ms).toBeLessThan(TURN_MS)
})

it('starts with thousands of accounts that have contacts in short turns', async () => {
  const store = memoryStore()
  const engine = engineOn(store)
  await engine.open()
  const times = { created_at: 1, updated_at: 1 }
  for (let n = 0; n < 3000; n++) {
    const { id } = await engine.accounts.create({ name: `a${n}` })
    const settings = { url: `https://hooks.test/${n}` }
    const own = { account_id: id, kind: 'webhook', name: 'w', settings, ...times }
    await store.contacts.create({
      ...own,
      quiet: null,
      group_window_sec: 0,
      events: [],
      all_monitors: false,
    })
  }
  expect((await startingOn(store)).longest_ms).toBeLessThan(TURN_MS)
})

it('hands thousands of monitors over to an engine that joins in short turns', async () => {
  const place = memoryPlace()
  const store = memoryStore({ place })
  const first = engineOn(store)
  const settings = { type: 'tcp', name: 'n', host: '127.0.0.1', port: 1 } as const
  const { id } = await first.monitors.create({ ...settings, interval_sec: 3600 })
  await makeCopies(store, id, 20_000)
  // Read without a walk over the monitors, which would be a turn of its own.
  const running = async () => (await first.health()).monitors
  await first.start()
  const handing = await leastOf(
    3,
    async () => {
      const next = engineOn(memoryStore({ place }))
      const measured = await measureTurns(async () => {
        await next.start()
        await expect.poll(running, { timeout: 300_000 }).toBeLessThan(11_000)
      })
      await next.stop()
      await expect.poll(running, { timeout: 300_000 }).toBeGreaterThan(20_000)
      return measured
    },
    TURN_MS,
  )
  expect(handing.longest_ms).toBeLessThan(TURN_MS)
})

it('asks the store once for what a hundred contacts were told last, not once for each', async () => {
  const inner = memoryStore()
  let asked = 0
  const counted =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      asked++
      return call(...args)
    }
  const { list, lastFinished } = inner.notifications
  const store = {
    ...inner,
    notifications: {
      ...inner.notifications,
      list: counted(list),
      lastFinished: counted(lastFinished),
    },
  }
  const { contacts } = engineOn(store)
  await contacts.list()
  for (let n = 0; n < 100; n++) {
    const settings = { url: `https://hooks.test/${n}` }
    const times = { created_at: 1, updated_at: 1 }
    const contact = {
      account_id: 1,
      kind: 'webhook',
      name: `w${n}`,
      quiet: null,
      group_window_sec: 0,
      events: [],
      all_monitors: false,
    }
    await store.contacts.create({ ...contact, settings, ...times })
  }
  asked = 0
  expect(await contacts.list()).toHaveLength(100)
  expect(asked).toBe(1)
})
