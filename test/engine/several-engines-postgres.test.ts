/** Several engines on a real PostgreSQL; five to twenty seconds pass in one. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { systemClock } from '../../src/clock.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { fastClock } from '../faults/rig/fast-clock.ts'
import { waitedOnMachine_ms, withDeadline } from '../support/deadlines.ts'
import { openProxy } from '../support/open-proxy.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import type { PostgresServer } from '../support/servers/postgres.ts'
import { rig } from './rig.ts'
import type { Rig, Told } from './rig.ts'

const PATIENCE = { timeout: 60_000, interval: 20 }

describeWithServer(postgresServer, 'several engines on PostgreSQL', () => {
  let server: PostgresServer
  let schemas = 0
  beforeAll(async () => void (server = await startPostgres()))
  afterAll(() => server.stop())

  interface Fleet {
    readonly told: Told[]
    join(port?: number): Promise<Rig>
  }

  /** Engines on a schema of their own, whose clock is so many times faster than the machine's. */
  function fleet(factor: number): Fleet {
    const schema = `fleet_${++schemas}`
    const clock = fastClock({ origin: systemClock.now(), factor })
    const told: Told[] = []
    return {
      told,
      async join(port = server.ports.postgres) {
        const url = `postgres://postgres@127.0.0.1:${port}/app`
        const store = postgresStore({ url, schema, clock, connections: 3 })
        const r = await rig({ clock, checkers: [heartbeat()] }, { store, told })
        onTestFinished(() => r.engine.stop({ drainMs: 0 }))
        return r
      },
    }
  }

  /** Each has taken its share. */
  const shared = (...rigs: readonly Rig[]) =>
    expect.poll(async () => Math.min(...(await watched(rigs))), PATIENCE).toBeGreaterThan(0)

  const watched = (rigs: readonly Rig[]) =>
    Promise.all(rigs.map(async ({ engine }) => (await engine.health()).monitors))

  async function monitors({ engine }: Rig, count: number): Promise<number[]> {
    const ids: number[] = []
    for (let index = 0; index < count; index++) {
      const host = `shop-${index}.test`
      ids.push(
        (await engine.monitors.create({ type: 'scripted', name: host, host, interval_sec: 30 })).id,
      )
    }
    return ids
  }

  it('follow what one of them is asked to change, whichever watches the monitor', async () => {
    const { join } = fleet(5)
    const rigs = [await join(), await join()] as const
    const [a, b] = rigs
    const ids = await monitors(a, 12)
    await shared(a, b)
    const states = async () =>
      (await Promise.all(rigs.map(({ engine }) => engine.monitors.list({ limit: 50 })))).flatMap(
        ({ items }) => items.map(({ state }) => state),
      )
    const checked = () => new Set(rigs.flatMap(({ checks }) => checks)).size
    await expect.poll(states, PATIENCE).toEqual(Array.from({ length: 24 }, () => 'up'))

    for (const id of ids) await b.engine.monitors.pause(id)
    await expect.poll(states, PATIENCE).toEqual(Array.from({ length: 24 }, () => 'paused'))
    for (const { checks } of rigs) checks.length = 0
    for (const id of ids) await a.engine.monitors.resume(id)
    await expect.poll(checked, PATIENCE).toBe(12)
    for (const { checks } of rigs) checks.length = 0
    for (const id of ids) await b.engine.monitors.update(id, { host: `new-${id}.test` })
    const anew = () => rigs.flatMap(({ checks }) => checks.filter((check) => /^new-/.test(check)))
    await expect.poll(() => new Set(anew()).size, PATIENCE).toBe(12)
    for (const id of ids) await a.engine.monitors.remove(id)
    await expect.poll(() => watched(rigs), PATIENCE).toEqual([0, 0])
  })

  it('keep the deadline of a heartbeat that is signalled through another one, and tell its end once', async () => {
    const made = { type: 'heartbeat', interval_sec: 60, grace_sec: 10 }
    const silence_ms = (made.interval_sec + made.grace_sec) * 1000
    const names = ['one', 'two', 'three', 'four']
    // At twenty times the pace all signals have to arrive within three and a half seconds.
    await withDeadline(
      silence_ms / 20,
      async (deadline_ms) => {
        const { join, told } = fleet(silence_ms / deadline_ms)
        const patience = { ...PATIENCE, timeout: PATIENCE.timeout + deadline_ms }
        const [a, b] = [await join(), await join()]
        const contact = { kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true }
        await a.engine.contacts.create(contact)
        const jobs = await Promise.all(
          names.map((name) => a.engine.monitors.create({ ...made, name })),
        )
        for (const r of [a, b])
          for (const { token } of jobs) await r.engine.signal(String(token), { kind: 'success' })
        const seen = (event: string) =>
          told
            .filter((one) => one.event === event)
            .map(({ body }) => (body['monitor'] as { name: string }).name)
            .toSorted()
        await expect.poll(() => seen('down'), patience).toEqual(names.toSorted())
        for (const { token } of jobs) await b.engine.signal(String(token), { kind: 'success' })
        await expect.poll(() => seen('up'), patience).toEqual(names.toSorted())
        expect(seen('down')).toEqual(names.toSorted())
      },
      waitedOnMachine_ms,
    )
  })

  it('take over from one that is cut off, which checks nothing until it is back and takes its share again', async () => {
    const { join, told } = fleet(10)
    const proxy = await openProxy(server.ports.postgres)
    onTestFinished(() => proxy.close())
    const [a, b] = [await join(), await join(proxy.port)]
    await a.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
    await monitors(a, 12)
    await shared(a, b)
    proxy.set('blackhole')
    await expect.poll(() => watched([a]), PATIENCE).toEqual([12])
    a.checks.length = b.checks.length = 0
    for (let index = 0; index < 12; index++)
      for (const r of [a, b]) r.say(`shop-${index}.test`, 'fail')
    await expect.poll(() => told.length, PATIENCE).toBe(12)
    expect(b.checks).toEqual([])
    proxy.set('pass')
    await shared(a, b)
    for (let index = 0; index < 12; index++)
      for (const r of [a, b]) r.say(`shop-${index}.test`, 'ok')
    await expect.poll(() => told.length, PATIENCE).toBe(24)
    const [downs, ups] = [told.slice(0, 12), told.slice(12)]
    for (const [events, event] of [
      [downs, 'down'],
      [ups, 'up'],
    ] as const) {
      expect(events.map((one) => one.event)).toEqual(Array.from({ length: 12 }, () => event))
      const names = events.map(({ body }) => (body['monitor'] as { name: string }).name)
      expect(new Set(names).size).toBe(12)
    }
  })
})
