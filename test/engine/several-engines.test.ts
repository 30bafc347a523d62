import { describe, expect, it } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { memoryPlace, memoryStore } from '../../src/store/memory.ts'
import { SHARDS } from '../../src/store/store.ts'
import type { FullStore, Shards } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'
import type { Rig, Told } from './rig.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

interface Fleet {
  readonly clock: ReturnType<typeof simulatedClock>
  readonly told: Told[]
  /** Another engine on the same place. */
  join(checker?: AnyChecker): Promise<Rig & { kill(): void }>
}

/** Engines that share what they store, as several processes do in one database. */
function fleet(): Fleet {
  const clock = simulatedClock()
  const place = memoryPlace()
  const told: Told[] = []
  return {
    clock,
    told,
    async join(checker = heartbeat()) {
      const store = memoryStore({ clock, place })
      let dead = false
      const mortal = mortalStore(store, () => dead)
      const r = await rig({ checkers: [checker] }, { clock, store: mortal, told })
      return { ...r, kill: () => void (dead = true) }
    },
  }
}

/** A store that answers to nobody any more once its process is dead. */
function mortalStore(store: FullStore, isDead: () => boolean): FullStore {
  const wrap = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver)
        if (typeof value === 'function')
          return (...args: unknown[]): unknown =>
            isDead() ? new Promise(() => undefined) : Reflect.apply(value, target, args)
        return typeof value === 'object' && value !== null ? wrap(value) : value
      },
    })
  return wrap(store)
}

function shardsOf({ shards }: FullStore): Shards {
  if (shards === undefined) throw new Error('The store has no shards')
  return shards
}

async function monitors(r: Rig, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let index = 0; index < count; index++) {
    const made = { type: 'scripted', name: `Shop ${index}`, host: `shop-${index}.test` }
    ids.push((await r.engine.monitors.create({ ...made, interval_sec: 30 })).id)
  }
  return ids
}

/** A monitor that both know, at rest. */
async function twoOnOne() {
  const { clock, join } = fleet()
  const [a, b] = [await join(), await join()]
  await clock.advance(10 * SECOND)
  const [id = 0] = await monitors(a, 1)
  await clock.advance(MINUTE)
  const { version } = await a.engine.monitors.get(id)
  clear(a, b)
  return { a, b, id, version }
}

const count = (r: Rig): number => r.checks.length
const clear = (...rigs: Rig[]): void => rigs.forEach((r) => void (r.checks.length = 0))

describe('several engines on one store', () => {
  it('let one of two win that pause the same version, here and there', async () => {
    const { a, b, id, version } = await twoOnOne()
    const pauses = [a, b].map(({ engine }) => engine.monitors.pause(id, { version }))
    const ends = await Promise.allSettled(pauses)
    const refused: unknown = ends.find((end) => end.status === 'rejected')?.reason
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(refused).toMatchObject({ code: 'version_mismatch' })
  })

  it.each(['check', 'queueCheck'] as const)(
    'refuse a %s of a version that another engine has just replaced',
    async (action) => {
      const { a, b, id, version } = await twoOnOne()
      await a.engine.monitors.update(id, { name: 'Renamed' }, { version })
      await expect(b.engine.monitors[action](id, { version })).rejects.toMatchObject({
        code: 'version_mismatch',
      })
      expect(count(a) + count(b)).toBe(0)
    },
  )

  it('that start together after an outage call no job missing whose signals nobody could take', async () => {
    const { clock, join, told } = fleet()
    const before = await join()
    for (let n = 0; n < 40; n++) {
      const made = { type: 'heartbeat', name: `job ${n}`, interval_sec: 300 } as const
      const { token = '' } = await before.engine.monitors.create(made)
      await before.engine.signal(token, { kind: 'success' })
    }
    await clock.advance(MINUTE)
    before.kill()
    await clock.advance(22 * MINUTE)
    const engines = await Promise.all([join(), join(), join()])
    await clock.advance(4 * MINUTE)
    const { items } = await engines[0].engine.monitors.list({ limit: 200 })
    expect(new Set(items.map(({ state }) => state))).toEqual(new Set(['up']))
    expect(told).toEqual([])
    await clock.advance(5 * MINUTE)
    const later = await engines[0].engine.monitors.list({ limit: 200 })
    expect(new Set(later.items.map(({ state }) => state))).toEqual(new Set(['down']))
  })

  it('know what another engine checked on request', async () => {
    const { clock, join } = fleet()
    const engines = [await join(), await join()]
    await clock.advance(10 * SECOND)
    const [id = 0] = await monitors(engines[0]!, 1)
    await clock.advance(MINUTE)
    for (const { engine } of engines) {
      // Between two regular rounds, on the engine that runs the monitor and on the other one.
      await clock.advance(SECOND)
      const { monitor } = await engine.monitors.check(id)
      await clock.advance(1)
      const views = await Promise.all(engines.map((each) => each.engine.monitors.get(id)))
      expect(views.map(({ last_check_at }) => last_check_at)).toEqual(
        engines.map(() => monitor.last_check_at),
      )
    }
  })

  it('end a check on request whose monitor another engine takes over meanwhile', async () => {
    const { clock, join } = fleet()
    let letGo = (): void => undefined
    const gate = new Promise<void>((resolve) => (letGo = resolve))
    const held = defineChecker({
      type: 'held',
      ...{ title: 'Held', description: 'Answers when the test says', fields: {} },
      target: () => 'shop',
      async run() {
        await gate
        return up()
      },
    })
    const a = await join(held)
    const ids: number[] = []
    for (let n = 0; n < 16; n++) {
      const made = { type: 'held', name: `${n}`, interval_sec: 60, timeout_ms: 50_000 }
      ids.push((await a.engine.monitors.create(made)).id)
    }
    const asked = Promise.all(ids.map((id) => a.engine.monitors.check(id)))
    asked.catch(() => undefined)
    await clock.settle()
    // About half of them are no longer those of the first engine.
    await join(held)
    await clock.advance(15 * SECOND)
    letGo()
    expect((await asked).map(({ monitor }) => monitor.state)).toEqual(ids.map(() => 'up'))
  })

  it('check each monitor once a round, and share the work evenly', async () => {
    const { clock, join } = fleet()
    const [a, b] = [await join(), await join()]
    await clock.advance(10 * SECOND)
    await monitors(a, 64)
    await clock.advance(MINUTE)
    clear(a, b)
    await clock.advance(5 * MINUTE)
    expect(count(a) + count(b)).toBe(64 * 10)
    // The shards are even; 64 ids over them need not be.
    expect(Math.min(count(a), count(b))).toBeGreaterThan(64 * 10 * 0.3)
    expect(new Set([...a.checks, ...b.checks]).size).toBe(64)
  })

  it('an engine that leaves hands over at once, one that dies within its lease', async () => {
    const { clock, join } = fleet()
    const [a, b, c] = [await join(), await join(), await join()]
    await clock.advance(10 * SECOND)
    await monitors(a, 60)
    await clock.advance(MINUTE)
    await a.engine.stop()
    await clock.advance(10 * SECOND)
    clear(b, c)
    await clock.advance(MINUTE)
    expect(count(b) + count(c)).toBe(120)

    b.kill()
    await clock.advance(14 * SECOND)
    clear(c)
    await clock.advance(30 * SECOND)
    expect(new Set(c.checks).size).toBe(60)
  })

  it('an engine that leaves while it renews its lease keeps no shard', async () => {
    const clock = simulatedClock()
    const place = memoryPlace()
    const [store, other] = [memoryStore({ clock, place }), memoryStore({ clock, place })]
    await other.open()
    let gate = Promise.resolve()
    let open = (): void => undefined
    const hold: Shards['hold'] = async (lease) => {
      await gate
      return shardsOf(other).hold(lease)
    }
    const shards = { hold, release: (owner: string) => shardsOf(other).release(owner) }
    const { engine } = await rig({}, { clock, store: { ...store, shards }, told: [] })
    gate = new Promise((resolve) => (open = resolve))
    await clock.advance(3 * SECOND)
    const stopped = engine.stop()
    await clock.settle()
    open()
    await stopped
    const now = clock.now()
    const lease = { owner: 'another', now, until: now + SECOND }
    expect(await shardsOf(other).hold(lease)).toHaveLength(SHARDS)
  })

  it('a round that fell into the takeover is made up for within seconds', async () => {
    const { clock, join } = fleet()
    const [a, b] = [await join(), await join()]
    await clock.advance(10 * SECOND)
    const ids = await monitors(a, 40)
    await clock.advance(2 * MINUTE)
    a.kill()
    await clock.advance(2 * MINUTE)
    const gaps = await Promise.all(
      ids.map(async (id) => {
        const { items } = await b.engine.results.list(id, { order: 'asc' })
        const rounds = items.map(({ round }) => Date.parse(round))
        return Math.max(...rounds.slice(1).map((at, index) => at - rounds[index]!))
      }),
    )
    // An interval, the lease, a beat, and the spread of what is overdue.
    expect(Math.max(...gaps)).toBeLessThanOrEqual((30 + 10 + 3 + 5) * SECOND)
  })

  it('an engine whose lease has lapsed checks nothing, and begins again when it is renewed', async () => {
    const { clock, join } = fleet()
    const a = await join()
    await monitors(a, 20)
    await clock.advance(MINUTE)
    a.kill()
    await clock.advance(11 * SECOND)
    clear(a)
    await clock.advance(5 * MINUTE)
    expect(count(a)).toBe(0)
  })

  it('an engine whose lease has lapsed checks nothing, though the clock was set back meanwhile', async () => {
    const { clock, join } = fleet()
    const a = await join()
    await monitors(a, 20)
    await clock.advance(MINUTE)
    a.kill()
    clock.jump(-60 * MINUTE)
    await clock.advance(11 * SECOND)
    clear(a)
    await clock.advance(5 * MINUTE)
    expect(count(a)).toBe(0)
  })

  it('what one is asked to change, the one that watches it follows', async () => {
    const { clock, join } = fleet()
    const [a, b] = [await join(), await join()]
    await clock.advance(10 * SECOND)
    const ids = await monitors(a, 16)
    await clock.advance(MINUTE)
    for (const id of ids) await b.engine.monitors.pause(id)
    await clock.advance(1)
    clear(a, b)
    await clock.advance(2 * MINUTE)
    expect(count(a) + count(b)).toBe(0)
    for (const id of ids) await a.engine.monitors.resume(id)
    await clock.advance(SECOND)
    expect(new Set([...a.checks, ...b.checks]).size).toBe(16)
    for (const id of ids) await b.engine.monitors.update(id, { host: `new-${id}.test` })
    clear(a, b)
    await clock.advance(SECOND)
    expect([...a.checks, ...b.checks].every((check) => check.startsWith('new-'))).toBe(true)
    expect(new Set([...a.checks, ...b.checks]).size).toBe(16)
    for (const id of ids) await a.engine.monitors.remove(id)
    clear(a, b)
    await clock.advance(2 * MINUTE)
    expect(count(a) + count(b)).toBe(0)
  })

  it('a check asked of either is made, and its result is where the other sees it', async () => {
    const { clock, join } = fleet()
    const [a, b] = [await join(), await join()]
    await clock.advance(10 * SECOND)
    const ids = await monitors(a, 4)
    await clock.advance(MINUTE)
    a.say('shop-0.test', 'fail')
    b.say('shop-0.test', 'fail')
    for (const r of [a, b, a, b]) {
      const asked = r.engine.monitors.check(ids[0]!)
      await clock.advance(1)
      await asked
    }
    for (const r of [a, b]) expect((await r.engine.monitors.get(ids[0]!)).state).toBe('down')
    expect((await a.engine.incidents.list()).items).toHaveLength(1)
  })

  it('signals that reach one keep the deadline of the other', async () => {
    const { clock, join, told } = fleet()
    const [a, b] = [await join(), await join()]
    await a.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
    await clock.advance(10 * SECOND)
    const jobs = await Promise.all(
      [0, 1, 2, 3].map((index) =>
        a.engine.monitors.create({
          type: 'heartbeat',
          name: `Job ${index}`,
          interval_sec: 60,
          grace_sec: 10,
        }),
      ),
    )
    for (let minute = 0; minute < 10; minute++) {
      for (const job of jobs)
        await (minute % 2 === 0 ? a : b).engine.signal(String(job.token), { kind: 'success' })
      await clock.advance(MINUTE)
    }
    expect(told).toEqual([])
    await clock.advance(MINUTE)
    expect(told.map(({ event }) => event)).toEqual(['down', 'down', 'down', 'down'])
  })

  // Before an engine renews its lease, and after it has.
  it.each([0, 1, 2])(
    'a clock that is set forward %s s later blames no job that reports',
    async (seconds) => {
      const { clock, join, told } = fleet()
      const [a] = [await join(), await join()]
      await a.engine.contacts.create({
        kind: 'recorder',
        name: 'ops',
        to: 'ops',
        all_monitors: true,
      })
      await clock.advance(10 * SECOND)
      const job = { type: 'heartbeat', interval_sec: 600, grace_sec: 60 } as const
      for (const index of [0, 1, 2, 3]) {
        const { token } = await a.engine.monitors.create({ ...job, name: `Job ${index}` })
        await a.engine.signal(String(token), { kind: 'success' })
      }
      await clock.advance(MINUTE + seconds * SECOND)
      clock.jump(60 * MINUTE)
      await clock.advance(8 * MINUTE)
      expect(told).toEqual([])
      await clock.advance(3 * MINUTE)
      expect(told.map(({ event }) => event)).toEqual(['down', 'down', 'down', 'down'])
    },
  )

  it('a failure is told once, whoever sees it; what a dead engine queued is sent by another', async () => {
    const { clock, join, told } = fleet()
    const [a, b] = [await join(), await join()]
    await a.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
    await clock.advance(10 * SECOND)
    await monitors(a, 20)
    await clock.advance(MINUTE)
    for (let index = 0; index < 20; index++)
      for (const r of [a, b]) r.say(`shop-${index}.test`, 'fail')
    await clock.advance(40 * SECOND)
    a.kill()
    await clock.advance(3 * MINUTE)
    expect(told.map(({ event }) => event)).toEqual(Array.from({ length: 20 }, () => 'down'))
    const names = told.map(({ body }) => (body.monitor as { name: string }).name)
    expect(new Set(names).size).toBe(20)
  })
})

describe('an account', () => {
  it('that is removed at one engine is watched by none', async () => {
    const fleet_ = fleet()
    const [a, b] = [await fleet_.join(), await fleet_.join()]
    const { id } = await a.engine.accounts.create({ name: 'gone' })
    const scope = a.engine.account(id)
    for (let index = 0; index < 8; index++) {
      const host = `gone-${index}.test`
      await scope.monitors.create({ type: 'scripted', name: host, host, interval_sec: 30 })
    }
    await monitors(a, 4)
    await fleet_.clock.advance(MINUTE)
    const checks = () => [...a.checks, ...b.checks].filter((one) => one.startsWith('gone')).length
    expect(checks()).toBeGreaterThan(8)
    expect(b.checks.some((one) => one.startsWith('gone'))).toBe(true)
    await a.engine.accounts.remove(id)
    const before = checks()
    await fleet_.clock.advance(5 * MINUTE)
    expect(checks()).toBe(before)
    const left = await Promise.all([a, b].map(({ engine }) => engine.health()))
    expect(left.reduce((sum, { monitors: count }) => sum + count, 0)).toBe(4)
    await expect(b.engine.account(id).monitors.list()).rejects.toThrow('no such account')
    await Promise.all([a, b].map(({ engine }) => engine.stop()))
  })
})
