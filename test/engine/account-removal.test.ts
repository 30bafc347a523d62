import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { requestServicesOf } from '../../src/engine/services/request-services.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { FullStore } from '../../src/store/store.ts'
import { incident, monitor, notice, on } from '../../src/testing/store-suite/case.ts'
import { makeCopies } from '../support/copies.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { rig } from './rig.ts'

const MONITORS = 500
/** Each with two notifications. */
const INCIDENTS_EACH = 40

async function fill(store: FullStore, account_id: number): Promise<void> {
  const made = []
  for (let index = 0; index < MONITORS; index++)
    made.push(await store.monitors.create(monitor({ account_id })))
  const payload = JSON.stringify({ event: 'down', text: 'x'.repeat(600) })
  for (let revision = 1; revision <= INCIDENTS_EACH; revision++) {
    const notify = [1, 2].map((contact_id) => notice({ contact_id, payload, incident: 'opened' }))
    const change = { open_incident: incident(), notify }
    await store.commit(made.map((one) => on({ ...one, revision }, change)))
  }
}

const stores: Record<string, () => FullStore> = {
  memory: () => memoryStore(),
  SQLite: () => sqliteStore({ file: ':memory:' }),
}

describe.each(Object.entries(stores))('a big account in %s', (_, make) => {
  it('goes in short turns', async () => {
    const least = await leastOf(
      3,
      async () => {
        const store = make()
        const engine = createEngine({ store, checkers: [] })
        const { id } = await engine.accounts.create({ name: 'big' })
        await fill(store, id)
        const measured = await measureTurns(() => engine.accounts.remove(id))
        expect(await engine.accounts.exists(id)).toBe(false)
        expect(await store.incidents.list({ account_id: 'all', limit: 9 })).toEqual([])
        expect(await store.notifications.depth()).toBe(0)
        await engine.stop()
        return measured
      },
      50,
    )
    expect(least.longest_ms).toBeLessThan(50)
  })
})

it('goes in short turns from an engine that runs its thousands of monitors', async () => {
  const least = await leastOf(
    3,
    async () => {
      const store = sqliteStore({ file: ':memory:' })
      const engine = createEngine({ store, checkers: [tcp()], logger: false })
      const { id } = await engine.accounts.create({ name: 'big' })
      const settings = { type: 'tcp', name: 'n', host: '127.0.0.1', port: 1 } as const
      const first = await engine.account(id).monitors.create({ ...settings, interval_sec: 3600 })
      await makeCopies(store, first.id, 5000)
      await engine.start()
      const measured = await measureTurns(() => engine.accounts.remove(id))
      expect([...engine.readings()]).toEqual([])
      await engine.stop()
      return measured
    },
    50,
  )
  expect(least.longest_ms).toBeLessThan(50)
})

/** What a process leaves that ends in the middle of a removal. */
async function halfRemoved() {
  const r = await rig()
  const { id } = await r.engine.accounts.create({ name: 'gone' })
  const gone = r.engine.account(id)
  const { key } = await gone.keys.create()
  await gone.contacts.create({ kind: 'recorder', name: 'duty', to: 'duty', all_monitors: true })
  r.answer('duty', 503)
  for (const host of ['a.test', 'b.test', 'c.test']) {
    r.say(host, 'fail')
    const common = { type: 'scripted', interval_sec: 30, fail_threshold: 1 } as const
    await gone.monitors.create({ ...common, name: host, host })
  }
  await r.clock.advance(60_000)
  expect(r.told.map(({ event }) => event)).toContain('down')
  await r.engine.stop()
  await r.store.open()
  expect(await r.store.accounts.remove(id, 2)).toBe('more')
  await r.store.close()
  r.told.length = 0
  return { id, key, r: await r.restart() }
}

it('is no error for the checks that are under way', async () => {
  const r = await rig()
  const errors: unknown[] = []
  r.engine.on('error', (error) => errors.push(error))
  const { id } = await r.engine.accounts.create({ name: 'gone' })
  const scope = r.engine.account(id)
  for (const host of ['a', 'b', 'c'])
    await scope.monitors.create({ type: 'scripted', name: host, host, interval_sec: 60 })
  const rounds = (await scope.monitors.list()).items.map((each) =>
    scope.monitors.check(each.id).catch(() => undefined),
  )
  const removed = r.engine.accounts.remove(id)
  await r.clock.advance(120_000)
  await removed
  await Promise.all(rounds)
  expect(errors).toEqual([])
  await r.engine.stop()
})

it('ends an export that is under way with an error: what was read is not all of the account', async () => {
  const r = await rig()
  onTestFinished(() => r.engine.stop())
  const { id } = await r.engine.accounts.create({ name: 'gone' })
  const scope = r.engine.account(id)
  await scope.monitors.create({ type: 'scripted', name: 'a', host: 'a' })
  const kinds: unknown[] = []
  const reading = (async () => {
    for await (const line of scope.export({ history: true })) {
      kinds.push(Object.keys(JSON.parse(line) as object)[0])
      if (kinds.at(-1) === 'monitor') await r.engine.accounts.remove(id)
    }
  })()
  await expect(reading).rejects.toMatchObject({ code: 'not_found' })
  expect(kinds).not.toContain('end')
})

describe('a removal that a crash interrupted', () => {
  it('leaves nothing that is checked or delivered, and is ended by the housekeeping', async () => {
    const { id, key, r } = await halfRemoved()
    expect(await r.engine.accounts.exists(id)).toBe(false)
    expect(await r.engine.authenticate(key)).toBeUndefined()
    const left = () => r.store.notifications.list({ account_id: id, limit: 9 })
    expect(await left()).not.toEqual([])
    await r.clock.advance(20 * 60_000)
    expect(r.checks).toEqual([])
    expect(r.told).toEqual([])
    expect(await left()).toEqual([])
    expect(await r.store.accounts.remove(id, 2)).toBeUndefined()
    await r.engine.stop()
  })

  it('is ended by whoever asks for it again', async () => {
    const { id, r } = await halfRemoved()
    await r.engine.accounts.remove(id)
    expect(await r.store.notifications.list({ account_id: id, limit: 9 })).toEqual([])
    await expect(r.engine.accounts.remove(id)).rejects.toMatchObject({ code: 'not_found' })
    await r.engine.stop()
  })
})

it('an account does not exist from the first step on, before the store has answered', async () => {
  const store = memoryStore()
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const { accounts } = store
  const slow = {
    ...store,
    accounts: {
      ...accounts,
      async remove(...given: Parameters<typeof accounts.remove>) {
        const left = await accounts.remove(...given)
        await answered
        return left
      },
    },
  }
  const { engine } = await rig({}, { store: slow })
  onTestFinished(() => engine.stop())
  const { id } = await engine.accounts.create({ name: 'gone' })
  expect(await engine.accounts.exists(id)).toBe(true)
  const removal = engine.accounts.remove(id)
  // The first step is done in this time.
  await setImmediate()
  expect(await engine.accounts.exists(id)).toBe(false)
  const { idempotencyResponses } = requestServicesOf(engine)
  const response = { request_hash: 'h', status: 201, body: '{}' }
  const late = idempotencyResponses.put(id, 'late', response)
  await expect(late).rejects.toMatchObject({ code: 'not_found' })
  answer()
  await removal
  expect(await store.idempotencyResponses.get(id, 'late', 0)).toBeUndefined()
})
