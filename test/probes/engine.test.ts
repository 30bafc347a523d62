import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createProbe } from '../../src/bullmq.ts'
import { defineChecker, down, unknown, up } from '../../src/checkers/checker.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { systemClock } from '../../src/clock.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { namesUnder } from '../../src/probes/bullmq/options.ts'
import { bullmqProbes } from '../../src/probes/bullmq/transport.ts'
import { createWire } from '../../src/probes/bullmq/wire.ts'
import type { AnswerJob, OrderJob } from '../../src/probes/bullmq/wire.ts'
import { inProcessProbes } from '../../src/probes/in-process.ts'
import type { CheckAnswer, ProbeTransport } from '../../src/probes/transport.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { redisServer, startRedis } from '../support/servers/redis.ts'
import type { RedisServer } from '../support/servers/redis.ts'
import { KEY, STEADY, fine } from './ways.ts'

type Said = 'ok' | 'fail' | 'unknown'

const LOCATIONS = ['fra', 'hel', 'nyc'] as const

/** What checks of `target@location` end with; `ok` where nothing is said. */
function scripted(script: ReadonlyMap<string, Said>, during = () => Promise.resolve()) {
  return defineChecker({
    type: 'scripted',
    title: 'Scripted',
    description: 'Answers as the test says',
    fields: {
      host: field.host({ description: 'Target' }).required(),
      pass: field.secret({ description: 'A secret' }),
    },
    causes: { broken: { text: 'It is broken' } },
    target: (settings) => settings.host,
    async run(ctx) {
      await during()
      const said = script.get(ctx.location.name) ?? 'ok'
      const seen = Number(ctx.memo ?? 0) + 1
      if (said === 'fail') return down('broken', `It is broken: ${seen}`)
      if (said === 'unknown') return unknown('probe_offline', 'No network')
      return up({ memo: seen, details: { seen } })
    },
  })
}

interface Told {
  readonly engine: Engine
  readonly say: (said: Partial<Record<(typeof LOCATIONS)[number], Said>>) => void
  /** Events of incidents so far. */
  readonly events: string[]
}

type Way = (checker: AnyChecker) => Promise<ProbeTransport>

async function engineOver(way: Way): Promise<Told> {
  const script = new Map<string, Said>()
  const checker = scripted(script)
  const engine = createEngine({
    store: memoryStore(),
    checkers: [checker],
    locations: LOCATIONS,
    probes: await way(checker),
    logger: false,
  }) as unknown as Engine
  onTestFinished(() => engine.stop({ drainMs: 0 }))
  const events: string[] = []
  engine.on('down', ({ incident }) => events.push(`down ${incident.cause_code}`))
  engine.on('up', () => events.push('up'))
  await engine.start()
  await expect
    .poll(async () => (await engine.locations.list()).every(({ online }) => online))
    .toBe(true)
  return {
    engine,
    events,
    say: (said) => {
      script.clear()
      for (const [location, each] of Object.entries(said)) script.set(location, each)
    },
  }
}

const overRedis =
  (connection: string): Way =>
  async (checker) => {
    for (const location of LOCATIONS) {
      const probe = createProbe({ location, connection, ...STEADY, checkers: [checker] })
      onTestFinished(() => probe.stop({ drainMs: 0 }))
      await probe.start()
    }
    return bullmqProbes({ connection, ...STEADY })
  }

const monitor = { type: 'scripted', host: 'a.example', fail_threshold: 1 }

describe('an engine that checks in its own process', () => {
  sameStory(() => () => Promise.resolve(inProcessProbes({ clock: systemClock })))
})

describeWithServer(redisServer, 'an engine with probes over Redis', () => {
  let redis: RedisServer
  let connection = ''
  beforeAll(async () => {
    redis = await startRedis()
    connection = `redis://127.0.0.1:${redis.ports.redis}`
  })
  afterAll(() => redis.stop())

  sameStory(() => overRedis(connection))

  it('sees no outage in that of Redis, and takes up where it was', async () => {
    const own = await forThisTest(startRedis())
    const { engine, events } = await engineOver(overRedis(`redis://127.0.0.1:${own.ports.redis}`))
    const { id } = await engine.monitors.create(monitor)
    expect(await verdicts(engine, id)).toEqual(['ok', 'ok', 'ok'])
    await own.kill9()
    expect(await verdicts(engine, id)).toEqual(['unknown', 'unknown', 'unknown'])
    await own.restart()
    // A probe whose beats come late is a location that is missed once more.
    await expect.poll(() => verdicts(engine, id)).toEqual(['ok', 'ok', 'ok'])
    expect(events).toEqual([])
    expect((await engine.monitors.get(id)).state).toBe('up')
  })

  it('does not let answers that come late, twice or out of order rewrite what happened', async () => {
    const own = await forThisTest(startRedis())
    const place = `redis://127.0.0.1:${own.ports.redis}`
    const probe = await fakeProbe(place)
    const { engine, events } = await engineOver(() =>
      Promise.resolve(bullmqProbes({ connection: place, ...STEADY })),
    )
    const { id } = await engine.monitors.create(monitor)
    const round = async (verdict: 'ok' | 'fail') => {
      const checked = engine.monitors.check(id)
      // Backwards, each three times, and everything ever said once more.
      await probe.answerAll(verdict)
      await checked
    }
    for (const verdict of ['ok', 'fail', 'fail', 'ok', 'ok'] as const) await round(verdict)
    expect(events).toEqual(['down broken', 'up'])
    const { items } = await engine.results.list(id, { limit: 100 })
    expect(items.map(({ verdict }) => verdict).reverse()).toEqual(
      ['ok', 'fail', 'fail', 'ok', 'ok'].flatMap((verdict) => [verdict, verdict, verdict]),
    )
    expect((await engine.incidents.list({})).items).toHaveLength(1)
  })

  it.each([
    { how: 'sealed', options: STEADY, found: false },
    // Which shows that the search would find it.
    { how: 'in clear', options: { plainText: true, beatMs: STEADY.beatMs } as const, found: true },
  ])('with orders $how, a password is on Redis: $found', async ({ options, found }) => {
    const own = await forThisTest(startRedis())
    const place = `redis://127.0.0.1:${own.ports.redis}`
    const heard = await monitored(place)
    let during = ''
    const checker = scripted(new Map(), async () => {
      during = await everything(place)
    })
    const { engine } = await engineOver(async () => {
      for (const location of LOCATIONS) {
        const probe = createProbe({ location, connection: place, ...options, checkers: [checker] })
        onTestFinished(() => probe.stop({ drainMs: 0 }))
        await probe.start()
      }
      return bullmqProbes({ connection: place, ...options })
    })
    const canary = 'canary-7f3a'
    const { id } = await engine.monitors.create({ ...monitor, pass: canary })
    expect(await verdicts(engine, id)).toEqual(['ok', 'ok', 'ok'])
    expect(during).toContain('orders-fra')
    expect(during.includes(canary)).toBe(found)
    // Each comes over a connection of its own, and an order goes behind its answer.
    await expect.poll(heard).toContain('orders-fra')
    await expect.poll(() => heard().includes(canary)).toBe(found)
    await expect.poll(() => everything(place)).not.toContain(canary)
  })
})

/** What happens to a monitor does not depend on where its checks are made. */
function sameStory(way: () => Way): void {
  it('goes down by its quorum, remembers per location, and comes up again', async () => {
    const { engine, say, events } = await engineOver(way())
    const { id, confirm_locations } = await engine.monitors.create(monitor)
    expect(confirm_locations).toBe(2)
    expect(await verdicts(engine, id)).toEqual(['ok', 'ok', 'ok'])
    say({ fra: 'fail' })
    expect(await verdicts(engine, id)).toEqual(['fail', 'ok', 'ok'])
    expect((await engine.monitors.get(id)).state).toBe('up')
    say({ fra: 'fail', nyc: 'fail', hel: 'unknown' })
    expect(await verdicts(engine, id)).toEqual(['fail', 'unknown', 'fail'])
    expect((await engine.monitors.get(id)).state).toBe('down')
    say({})
    const { results } = await engine.monitors.check(id)
    const byLocation = [...results].sort((a, b) => a.location_id - b.location_id)
    expect(byLocation.map(({ details }) => details['seen'])).toEqual([2, 3, 3])
    expect((await engine.monitors.get(id)).state).toBe('up')
    expect(events).toEqual(['down broken', 'up'])
    expect((await engine.incidents.list({})).items).toMatchObject([
      { state: 'closed', cause_code: 'broken', locations_failed: [1, 3] },
    ])
  })

  it('asks only the locations of the monitor', async () => {
    const { engine } = await engineOver(way())
    const { id } = await engine.monitors.create({ ...monitor, location_ids: [2] })
    const { results } = await engine.monitors.check(id)
    expect(results.map(({ location_id }) => location_id)).toEqual([2])
  })
}

/** Of the locations in order, after one check. */
async function verdicts(engine: Engine, id: number): Promise<string[]> {
  const { results } = await engine.monitors.check(id)
  return [...results].sort((a, b) => a.location_id - b.location_id).map(({ verdict }) => verdict)
}

/** A probe of all locations that collects orders, and answers worse than any real one. */
async function fakeProbe(connection: string) {
  const names = namesUnder('watchpost')
  const wire = createWire(KEY)
  const redis = new Redis(connection)
  onTestFinished(() => redis.disconnect())
  const beat = {
    id: 'fake',
    version: '0',
    started_at: '',
    running: 0,
    connected: true,
    leaving: false,
  }
  for (const location of LOCATIONS) {
    await redis.set(names.probe(location, 'fake'), JSON.stringify(beat))
    await redis.sadd(names.probes(location), 'fake')
  }
  const past: { readonly queue: Queue<unknown>; readonly id: string; readonly data: AnswerJob }[] =
    []

  async function orders(): Promise<OrderJob[]> {
    const queues = LOCATIONS.map((location) => {
      return new Queue<OrderJob>(names.orders(location), { connection: redis, prefix: 'watchpost' })
    })
    const jobs = (await Promise.all(queues.map((queue) => queue.getPrioritized()))).flat()
    if (jobs.length < LOCATIONS.length) return []
    await Promise.all(jobs.map((job) => job.remove()))
    return jobs.map(({ data }) => data)
  }

  return {
    async answerAll(verdict: 'ok' | 'fail') {
      let got: OrderJob[] = []
      await expect.poll(async () => (got = await orders()).length).toBe(LOCATIONS.length)
      const now = got.reverse().map((job) => {
        const opened = wire.openOrder(job)
        if (!opened.ok) throw new Error(opened.problem)
        const { id, monitor_id, version, round, location } = opened.value.order
        const report =
          verdict === 'ok'
            ? fine()
            : { outcome: { ...fine().outcome, verdict, cause_code: 'broken', cause_text: 'x' } }
        const answer: CheckAnswer = {
          order: { id, monitor_id, version, round, location_id: location.id },
          report,
          lag_ms: 0,
        }
        const queue = new Queue<unknown>(names.answers(job.engine), {
          connection: redis,
          prefix: 'watchpost',
        })
        return { queue, id, data: wire.answer(job.engine, answer) }
      })
      for (const each of [...past, ...now, ...now, ...past, ...now]) {
        await each.queue.add('answer', each.data, { jobId: each.id, removeOnComplete: true })
        // While one of that name waits, BullMQ itself would drop the next: the engine has to see them all.
        await expect.poll(() => each.queue.getJob(each.id), { interval: 5 }).toBeUndefined()
      }
      past.push(...now)
    },
  }
}

/** Everything that goes over a Redis from now on. */
async function monitored(connection: string): Promise<() => string> {
  const redis = new Redis(connection)
  const listening = await redis.monitor()
  onTestFinished(() => {
    listening.disconnect()
    redis.disconnect()
  })
  let heard = ''
  listening.on('monitor', (_time: string, args: readonly string[]) => {
    heard += `${args.join(' ')}\n`
  })
  return () => heard
}

/** All that lies on a Redis, by its keys and what is in them. */
async function everything(connection: string): Promise<string> {
  const redis = new Redis(connection)
  const read: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    list: (key) => redis.lrange(key, 0, -1),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, 0, '-1'),
    stream: (key) => redis.xrange(key, '-', '+'),
    none: () => Promise.resolve(null),
  }
  const all: unknown[] = []
  for (const key of await redis.keys('*')) all.push(key, await read[await redis.type(key)]?.(key))
  redis.disconnect()
  expect(all).not.toContain(undefined)
  return JSON.stringify(all)
}
