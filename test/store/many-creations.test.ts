/** Creating, and finding by a key or token, goes on as fast with much in the store as with little. */

import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { http } from '../../src/checkers/http/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { firstAccount, monitor } from '../../src/testing/store-suite/case.ts'
import { leastOf, measureCpu, measureTurns } from '../support/turns.ts'

const TURN_MS = 30
const AT_ONCE = 30

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ file: ':memory:' })],
])('in %s, thirty at once take a short turn', (_, make) => {
  const store = make()
  const engine = createEngine({ store, checkers: [http()], logger: false })
  beforeAll(async () => {
    await engine.open()
    return () => engine.stop()
  })

  const atOnce = async (create: (n: number) => Promise<unknown>): Promise<number> => {
    let serial = 0
    const work = () => Promise.all(Array.from({ length: AT_ONCE }, () => create(++serial)))
    return (await leastOf(3, () => measureTurns(work), TURN_MS)).longest_ms
  }

  it('responses that are kept for repeated requests, with as many as an account may have', async () => {
    const most = { count: 1000, bytes: 8 * 1024 * 1024 }
    const put = (n: number) => {
      const expires_at = 1e12 + n
      const response = { request_hash: 'h', status: 201, body: 'x'.repeat(300), expires_at }
      return store.idempotencyResponses.put(1, `key-${n}`, response, most)
    }
    for (let n = 0; n < most.count; n++) await put(n)
    expect(await atOnce((n) => put(most.count + n))).toBeLessThan(TURN_MS)
  })

  it('contacts without a quota, with thousands of monitors', async () => {
    const url = 'https://example.com'
    const { id } = await engine.monitors.create({ type: 'http', url })
    const monitor = (await store.monitors.get(id))!
    for (let n = 0; n < 4000; n++) await store.monitors.create(monitor)
    const contact = { account_id: 1, kind: 'webhook', name: 'ops', all_monitors: false }
    const rest = { quiet: null, group_window_sec: 0, events: [], settings: {} }
    const times = { created_at: 0, updated_at: 0 }
    const create = () => store.contacts.create({ ...contact, ...rest, ...times }, {})
    expect(await atOnce(create)).toBeLessThan(TURN_MS)
  })
})

it('in memory, keys and tokens that nobody has are looked up in a short turn, with thousands of keys and monitors', async () => {
  const store = memoryStore()
  const engine = createEngine({ store, checkers: [http()], logger: false })
  await engine.open()
  onTestFinished(() => engine.stop())
  const { id } = await engine.monitors.create({ type: 'http', url: 'https://example.com' })
  const monitor = (await store.monitors.get(id))!
  const key = { account_id: 1, name: 'k', prefix: 'k', scopes: [], created_at: 0 }
  const unused = { last_used_at: null, revoked_at: null }
  for (let n = 0; n < 5000; n++) {
    await store.keys.create({ ...key, ...unused, hash: `hash-${n}` })
    await store.monitors.create({ ...monitor, token_hash: `hash-${n}` })
  }
  const byHash = { keys: store.keys.byHash, monitors: store.monitors.byTokenHash }
  for (const [table, find] of Object.entries(byHash)) {
    const lookUp = () => Promise.all(Array.from({ length: 3000 }, () => find('nobody')))
    const { longest_ms } = await leastOf(3, () => measureTurns(lookUp), TURN_MS)
    expect(longest_ms, table).toBeLessThan(TURN_MS)
  }
})

it('in memory, the last of tens of thousands of monitors is created nearly as fast as the first ones', async () => {
  const store = memoryStore()
  await store.open()
  await firstAccount(store)
  // The kernel tells the time of a processor to some milliseconds; five hundred take less.
  const create = async () => {
    for (let n = 0; n < 5000; n++) await store.monitors.create(monitor())
  }
  // The compiler sees it first.
  await create()
  const first = await leastCpu(create)
  for (let n = 0; n < 7; n++) await create()
  const last = await leastCpu(create)
  expect(first).toBeGreaterThan(0)
  expect(last / first).toBeLessThan(3)
})

/** Of three: a collection of garbage falls into one of them. */
async function leastCpu(work: () => Promise<void>): Promise<number> {
  const taken: number[] = []
  for (let times = 0; times < 3; times++) taken.push((await measureCpu(work)).cpu_ms)
  return Math.min(...taken)
}
