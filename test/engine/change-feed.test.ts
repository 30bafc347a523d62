/** What becomes of monitors whose change another engine made at a bad moment. */
import { expect, it, onTestFinished } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { StorageError } from '../../src/errors.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { silentLogger } from '../../src/logger.ts'
import { memoryPlace, memoryStore } from '../../src/store/memory.ts'
import type { FullStore } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000
const COUNT = 20

const broken = (): Promise<never> => Promise.reject(new StorageError('No connection'))

function place() {
  const clock = simulatedClock()
  const where = memoryPlace()
  const store = (): FullStore => memoryStore({ clock, place: where })
  const join = async (given: FullStore, checkers: readonly AnyChecker[] = []): Promise<Rig> => {
    const r = await rig({ checkers: [...checkers] }, { clock, store: given })
    onTestFinished(async () => {
      const stopped = r.engine.stop({ drainMs: 0 })
      await clock.advance(MINUTE)
      await stopped
    })
    return r
  }
  return { clock, store, join }
}

async function create(r: Rig, from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n++)
    await r.engine.monitors.create({
      type: 'scripted',
      name: `m${n}`,
      host: `m${n}`,
      interval_sec: 60,
    })
}

it('a monitor that another engine made while the store failed is watched once the store works', async () => {
  const { clock, store, join } = place()
  const [a, inner] = [await join(store()), store()]
  let fails = 0
  const get: FullStore['monitors']['get'] = (id) =>
    fails-- > 0 ? broken() : inner.monitors.get(id)
  const b = await join({ ...inner, monitors: { ...inner.monitors, get } })
  const errors: unknown[] = []
  b.engine.on('error', (error) => errors.push(error))
  await clock.advance(15_000)
  fails = COUNT
  await create(a, 0, COUNT)
  await clock.advance(2 * MINUTE)
  expect(errors.length).toBeGreaterThan(0)
  expect(new Set([...a.checks, ...b.checks]).size).toBe(COUNT)
  expect(b.checks.length).toBeGreaterThan(0)
})

it('a change that can never be read keeps no other from being followed, and fills no log', async () => {
  const { clock, store, join } = place()
  const [a, inner] = [await join(store()), store()]
  let works = false
  const get: FullStore['monitors']['get'] = (id) =>
    works && id > COUNT / 2 ? inner.monitors.get(id) : broken()
  const b = await join({ ...inner, monitors: { ...inner.monitors, get } })
  let errors = 0
  b.engine.on('error', () => errors++)
  await clock.advance(15_000)
  await create(a, 0, COUNT)
  const first = errors
  works = true
  await clock.advance(10 * MINUTE)
  const seen = new Set([...a.checks, ...b.checks])
  for (let n = COUNT / 2; n < COUNT; n++) expect(seen).toContain(`m${n}@local`)
  expect(errors - first).toBeLessThan(COUNT * 10)
})

it('a monitor whose type an engine does not have is stale in its health, and keeps no other from being followed', async () => {
  const { clock, store, join } = place()
  const extra = defineChecker({
    ...{ type: 'extra', title: 'Extra', description: 'A type of one engine alone' },
    fields: { host: field.host({ description: 'Target' }).required() },
    causes: {},
    target: (s) => s.host,
    run: () => Promise.resolve(up()),
  })
  const [a, inner] = [await join(store(), [extra]), store()]
  let tell = (_id: number | null): void => undefined
  let isDeaf = false
  const listen: NonNullable<FullStore['changes']>['listen'] = (onChange, onWindows) => {
    tell = onChange
    return inner.changes!.listen((id) => {
      if (!isDeaf) onChange(id)
    }, onWindows)
  }
  const b = await join({ ...inner, changes: { ...inner.changes, listen } })
  let errors = 0
  b.engine.on('error', () => errors++)
  await clock.advance(15_000)
  const stale = async () => (await b.engine.health()).stale
  const shared = async () => COUNT - [...a.engine.readings()].length
  for (let n = 0; n < COUNT; n++)
    await a.engine.monitors.create({ type: 'extra', name: `e${n}`, host: `e${n}` })
  await clock.advance(2 * MINUTE)
  expect(await stale()).toBeGreaterThan(0)
  expect(await stale()).toBe(await shared())

  // The connection on which changes are told was lost: it reads all of its monitors again.
  isDeaf = true
  await a.engine.monitors.update(COUNT, { name: 'renamed' })
  await create(a, 0, COUNT)
  isDeaf = false
  tell(null)
  await clock.advance(2 * MINUTE)
  expect(new Set([...a.checks, ...b.checks]).size).toBe(COUNT)
  expect(errors).toBe(0)

  for (let id = 1; id <= COUNT; id++) await a.engine.monitors.remove(id)
  await clock.advance(MINUTE)
  expect(await stale()).toBe(0)
})

it('thousands of changes of one account are read a few at a time, and those of another do not wait for them', async () => {
  const { clock, store, join } = place()
  const [a, inner] = [await join(store()), store()]
  const read: number[] = []
  let [under_way, most] = [0, 0]
  const get: FullStore['monitors']['get'] = async (id) => {
    most = Math.max(most, ++under_way)
    read.push(id)
    await clock.sleep(10)
    under_way--
    return inner.monitors.get(id)
  }
  const b = await join({ ...inner, monitors: { ...inner.monitors, get } })
  await clock.advance(15_000)
  const { id: big } = await a.engine.accounts.create({ name: 'big' })
  const settings = { type: 'scripted', name: 'm', host: 'm', interval_sec: 3600 } as const
  for (let n = 0; n < 400; n++) await a.engine.account(big).monitors.create(settings)
  const own: number[] = []
  for (let n = 0; n < 20; n++) own.push((await a.engine.monitors.create(settings)).id)
  await clock.advance(MINUTE)
  const of_b = own.filter((id) => [...b.engine.readings(1)].some((one) => one.id === id))
  expect(of_b.length).toBeGreaterThan(0)

  read.length = most = 0
  const removed = a.engine.accounts.remove(big)
  await clock.advance(20)
  for (const id of own) await a.engine.monitors.update(id, { name: 'new' })
  await clock.advance(MINUTE)
  await removed
  expect([...b.engine.readings()].map(({ id }) => id)).toEqual(of_b)
  expect(most).toBeLessThanOrEqual(8)
  expect(read.length).toBeGreaterThan(150)
  for (const id of of_b) expect(read.indexOf(id)).toBeLessThan(100)
})

it('planned work that another engine made while the store failed holds once the store works', async () => {
  const { clock, store, join } = place()
  const [a, inner] = [await join(store()), store()]
  let fails = 0
  const list: FullStore['maintenance']['list'] = (query, onUnreadable) =>
    fails-- > 0 ? broken() : inner.maintenance.list(query, onUnreadable)
  const b = await join({ ...inner, maintenance: { ...inner.maintenance, list } })
  await clock.advance(15_000)
  fails = 1
  const window = { at: '03:00', duration_min: 30 }
  await a.engine.maintenance.create({ name: 'Nightly', window, all_monitors: true })
  await clock.settle()
  expect((await b.engine.maintenance.list()).items).toEqual([])
  await clock.advance(MINUTE)
  expect((await b.engine.maintenance.list()).items).toMatchObject([{ name: 'Nightly' }])
})

it('a monitor that is made while an engine reads its share is watched', async () => {
  const { clock, store, join } = place()
  const [a, inner] = [await join(store()), store()]
  let armed = true
  const list: FullStore['monitors']['list'] = async (query, onUnreadable) => {
    const page = await inner.monitors.list(query, onUnreadable)
    if (armed && (query.shards?.length ?? 0) > 0) {
      armed = false
      await create(a, 0, COUNT)
    }
    return page
  }
  const b = await join({ ...inner, monitors: { ...inner.monitors, list } })
  await clock.advance(3 * MINUTE)
  expect(armed).toBe(false)
  expect(new Set([...a.checks, ...b.checks]).size).toBe(COUNT)
  expect(b.checks.length).toBeGreaterThan(0)
})

it.each(['listen', 'set'] as const)(
  'a start that fails at %s begins nothing, and can be made again',
  async (at) => {
    const { clock, store, join } = place()
    const a = await join(store())
    await create(a, 0, 1)
    const inner = store()
    let fails = 1
    const { changes, meta } = inner
    const engine = createEngine({
      clock,
      checkers: [],
      logger: silentLogger,
      store: {
        ...inner,
        changes: {
          listen: (listener) =>
            at === 'listen' && fails-- > 0 ? broken() : (changes?.listen(listener) ?? broken()),
        },
        meta: {
          ...meta,
          set: (name, value) => (at === 'set' && fails-- > 0 ? broken() : meta.set(name, value)),
        },
      },
    })
    await expect(engine.start()).rejects.toThrow('No connection')
    expect(engine.running).toBe(false)
    await engine.start()
    const begun = clock.now()
    await clock.advance(MINUTE)
    expect(Number(await inner.meta.get('alive_at'))).toBeGreaterThan(begun)
    await Promise.all([engine.stop({ drainMs: 0 }), clock.advance(1000)])
  },
)

it('a change that is read while the engine stops is no error', async () => {
  const { clock, store, join } = place()
  const a = await join(store())
  const inner = store()
  const closed: (() => void)[] = []
  let hangs = false
  const list: FullStore['maintenance']['list'] = (query) =>
    hangs
      ? new Promise((_, reject) => closed.push(() => reject(new StorageError('It is closed'))))
      : inner.maintenance.list(query)
  const close = async (): Promise<void> => {
    for (const reject of closed) reject()
    await inner.close()
  }
  const b = await join({ ...inner, maintenance: { ...inner.maintenance, list }, close })
  const errors: unknown[] = []
  b.engine.on('error', (error) => errors.push(error))
  await clock.advance(15_000)
  hangs = true
  const at = {
    start: new Date(clock.now() + MINUTE).toISOString(),
    end: new Date(clock.now() + 2 * MINUTE).toISOString(),
  }
  await a.engine.maintenance.create({
    name: 'w',
    all_monitors: true,
    window: { ...at, skip_checks: true },
  })
  await clock.advance(1000)
  expect(closed).not.toEqual([])
  const stopped = b.engine.stop({ drainMs: 0 })
  await clock.advance(MINUTE)
  await stopped
  expect(errors).toEqual([])
})
