import { connect, createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/clock.ts'
import { ClosedError, ConfigurationError } from '../../src/errors.ts'
import { namesUnder } from '../../src/probes/bullmq/options.ts'
import { bullmqProbes } from '../../src/probes/bullmq/transport.ts'
import { createWire } from '../../src/probes/bullmq/wire.ts'
import type { AnswerJob } from '../../src/probes/bullmq/wire.ts'
import type { CheckOrder } from '../../src/probes/transport.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { freePorts } from '../support/servers/ports.ts'
import { redisServer, startRedis } from '../support/servers/redis.ts'
import type { RedisServer } from '../support/servers/redis.ts'
import { FRA, HEL, KEY, engineAt, fine, gate, order, probeAt, recorder, STEADY } from './ways.ts'

const names = namesUnder('watchpost')

describeWithServer(redisServer, 'probes over Redis', () => {
  let redis: RedisServer
  let connection = ''
  beforeAll(async () => {
    redis = await startRedis()
    connection = `redis://127.0.0.1:${redis.ports.redis}`
  })
  afterAll(() => redis.stop())

  function client(): Redis {
    const made = new Redis(connection)
    onTestFinished(() => made.disconnect())
    return made
  }

  it('go to the location they are for', async () => {
    const [fra, hel] = [gate(), gate()]
    await probeAt(connection, { run: fra.run })
    await probeAt(connection, { run: hel.run, location: 'hel' })
    const { transport } = await engineAt(connection, {}, [FRA, HEL])
    const orders = [order({ location: FRA }), order({ location: HEL })]
    for (const each of orders) await transport.send(each)
    await expect.poll(() => [fra.ids(), hel.ids()]).toEqual(orders.map(({ id }) => [id]))
  })

  it('answer the engine that asked, though another has a monitor of the same number', async () => {
    const { run, begun, openAll } = gate()
    await probeAt(connection, { run })
    const [one, two] = [await engineAt(connection), await engineAt(connection)]
    const same = order({ settings: { of: 1 } })
    await one.transport.send(same)
    await two.transport.send({ ...same, settings: { of: 2 } })
    await expect.poll(() => begun.length).toBe(2)
    expect(begun.map((each) => each.order.settings['of']).sort()).toEqual([1, 2])
    one.transport.cancel(same.monitor_id)
    await expect.poll(() => begun.filter(({ signal }) => signal.aborted).length).toBe(1)
    openAll()
    await expect.poll(() => two.answers.length).toBe(1)
    expect(one.answers).toEqual([])
  })

  it('share their places by account: at once beside checks that hang, next where all hands are full', async () => {
    const { run, ids, open } = gate()
    await probeAt(connection, { run, concurrency: 2 })
    const { transport } = await engineAt(connection)
    const theirs = Array.from({ length: 60 }, () => order({ account_id: 2 }))
    for (const each of theirs.slice(0, 20)) await transport.send(each)
    const mine = [order({ account_id: 1 }), order({ account_id: 3 })]
    await transport.send(mine[0]!)
    const hanging = theirs.slice(0, 2).map(({ id }) => id)
    await expect.poll(ids).toEqual([...hanging, mine[0]!.id])
    // More than a probe takes in hand for its two places.
    for (const each of theirs.slice(20)) await transport.send(each)
    await transport.send(mine[1]!)
    open(mine[0]!.id)
    await expect.poll(ids).toEqual([...hanging, ...mine.map(({ id }) => id)])
  })

  it('never carry out the same order twice', async () => {
    const { run, ids, openAll } = gate()
    await probeAt(connection, { run })
    const { transport, answers } = await engineAt(connection)
    const twice = order()
    await Promise.all([transport.send(twice), transport.send(twice)])
    await expect.poll(ids).toEqual([twice.id])
    openAll()
    await expect.poll(() => answers.length).toBe(1)
    // As after a command that was repeated because its answer was lost.
    await transport.send(twice)
    const after = order()
    await transport.send(after)
    await expect.poll(ids).toEqual([twice.id, after.id])
  })

  it('leave nothing of an order on Redis once it is answered', async () => {
    await probeAt(connection, { run: () => Promise.resolve(fine()) })
    const { transport, answers } = await engineAt(connection)
    const sent = order()
    await transport.send(sent)
    await expect.poll(() => answers.length).toBe(1)
    const own = client()
    await expect.poll(async () => own.keys(`*${sent.id}*`)).toEqual([])
  })

  it('say at once that a location has no probe, instead of holding up the round', async () => {
    const { transport, answers } = await engineAt(connection, {}, [])
    const sent = order({ location: { id: 9, name: 'nowhere' } })
    await transport.send(sent)
    await expect.poll(() => answers.length).toBe(1)
    expect(answers[0]).toMatchObject({
      order: { id: sent.id, location_id: 9 },
      report: { outcome: { verdict: 'unknown', cause_code: 'probe_no_report' } },
    })
    expect(transport.online(9)).toBe(false)
  })

  it('leave at once when they stop, hand back what waits, and deliver what they had begun', async () => {
    const [first, second] = [gate(), gate()]
    const leaving = await probeAt(connection, { run: first.run, concurrency: 1, perHost: 1 })
    const { transport, answers } = await engineAt(connection)
    const [begun, waiting] = [order(), order()]
    await transport.send(begun)
    await expect.poll(first.ids).toEqual([begun.id])
    await transport.send(waiting)
    await expect.poll(() => leaving.status().running).toBe(2)
    await probeAt(connection, { run: second.run })
    const stopped = leaving.stop({ drainMs: 60_000 })
    await expect.poll(second.ids).toEqual([waiting.id])
    first.openAll()
    await stopped
    await expect.poll(() => answers.map((each) => each.order.id)).toEqual([begun.id])
    second.openAll()
    await expect.poll(() => answers.length).toBe(2)
    expect(answers.map(({ report }) => report.outcome.verdict)).toEqual(['ok', 'ok'])
  })

  it('are offline while they leave, and the location is gone when the last has left', async () => {
    const { run, ids, openAll } = gate()
    // A key that would be there for longer than the test looks, if nobody took it away.
    const probe = await probeAt(connection, { run, beatMs: 60_000 })
    const { transport } = await engineAt(connection)
    await transport.send(order())
    await expect.poll(() => ids().length).toBe(1)
    const stopped = probe.stop({ drainMs: 60_000 })
    await expect.poll(() => transport.online(1)).toBe(false)
    openAll()
    await stopped
    const own = client()
    await expect.poll(() => own.keys('watchpost:probe:*')).toEqual([])
  })

  it('check nothing while their own network is gone', async () => {
    const { run, ids } = gate()
    let reached = true
    const probe = await probeAt(connection, { run, selfCheck: () => Promise.resolve(reached) })
    const { transport } = await engineAt(connection)
    await probe.stop({ drainMs: 0 })
    reached = false
    await probeAt(connection, { run, selfCheck: () => Promise.reject(new Error('no route')) })
    await expect.poll(() => transport.online(1)).toBe(false)
    // An order that was on its way before anybody knew.
    const answers = await orderBehindItsBack(client())
    expect(answers).toEqual({ verdict: 'unknown', cause_code: 'probe_offline' })
    expect(ids()).toEqual([])
  })

  it('work with the id of a location, once an engine has told its name', async () => {
    const { run, ids } = gate()
    const { transport } = await engineAt(connection, {}, [])
    await transport.stop(0)
    const early = probeAt(connection, { run, location: 41 })
    const probe = await early
    expect(probe.status().connected).toBe(false)
    const paris = { id: 41, name: 'Paris: 1er' }
    const engine = await engineAt(connection, {}, [paris])
    const sent = order({ location: paris })
    await engine.transport.send(sent)
    await expect.poll(ids).toEqual([sent.id])
  })

  it('warn of a location that no engine has', async () => {
    const logger = recorder()
    // The key of an engine that stopped just now may lie there still.
    const prefix = 'alone'
    await engineAt(connection, { prefix }, []).then(() => engineWith([FRA], prefix))
    await probeAt(connection, { run: gate().run, location: 'fre', logger, prefix })
    expect(logger.lines).toContain('warn no engine on this Redis has this location')
    expect(logger.fields).toContainEqual({ location: 'fre', known: ['fra'] })
  })

  it('judge the age of an order by their own clock set right, and date results by the clock of the engine', async () => {
    const hour = 3_600_000
    const ahead: Clock = { ...systemClock, now: () => systemClock.now() + hour }
    const { run, begun, openAll } = gate()
    await probeAt(connection, {
      run: (each, signal) => run(each, signal).then(() => fine(ahead.now())),
      clock: ahead,
    })
    const { transport, answers } = await engineAt(connection)
    const sent = order()
    await transport.send(sent)
    await expect.poll(() => begun.length).toBe(1)
    expect((begun[0]?.order.round ?? 0) - sent.round).toBeGreaterThan(hour / 2)
    openAll()
    await expect.poll(() => answers.length).toBe(1)
    const [answer] = answers
    expect(answer?.order.round).toBe(sent.round)
    expect(answer?.lag_ms).toBeLessThan(hour / 2)
    const off = Date.parse(answer?.report.outcome.started_at ?? '') - systemClock.now()
    expect(Math.abs(off)).toBeLessThan(hour / 2)
  })

  it('are told of a wrong key by the log, and the engine by an unknown result', async () => {
    const logger = recorder()
    const { run, ids } = gate()
    await probeAt(connection, { run, secretKey: Buffer.alloc(32, 8), logger })
    const { transport, answers } = await engineAt(connection)
    await transport.send(order())
    await transport.send(order())
    await expect.poll(() => answers.length).toBe(2)
    expect(answers[0]?.report.outcome).toMatchObject({
      verdict: 'unknown',
      cause_code: 'probe_unsupported',
      cause_text: 'The probe has another secret key than the engine',
    })
    const said = logger.lines.filter((line) => line.includes('another secret key'))
    expect(said).toHaveLength(1)
    expect(ids()).toEqual([])
  })

  it('take no orders in clear where a key is set, and no answers in clear either', async () => {
    const { run, ids } = gate()
    await probeAt(connection, { run })
    const open = { secretKey: undefined, plainText: true } as const
    const clear = await engineAt(connection, open)
    await clear.transport.send(order())
    await expect.poll(() => clear.answers.length).toBe(1)
    expect(clear.answers[0]?.report.outcome).toMatchObject({ cause_code: 'probe_unsupported' })
    expect(ids()).toEqual([])
  })

  it('are believed only by what they have sealed', async () => {
    const { run, begun } = gate()
    const own = client()
    const engines = () => own.keys('watchpost:engine:*')
    await probeAt(connection, { run })
    // The key of an engine that stopped just now may lie there still.
    const others = await engines()
    const { transport, answers } = await engineAt(connection)
    const sent = order()
    await transport.send(sent)
    await expect.poll(() => begun.length).toBe(1)
    const { id, monitor_id, version, round } = sent
    const forged = {
      order: { id, monitor_id, version, round, location_id: 1 },
      report: fine(),
      lag_ms: 0,
    }
    const key = (await engines()).find((each) => !others.includes(each)) ?? ''
    const engine = key.slice('watchpost:engine:'.length)
    const queue = new Queue<unknown>(names.answers(engine), {
      connection: own,
      prefix: 'watchpost',
    })
    const jobs = [createWire().answer(engine, forged), { refused: 'key' }, null, 'x']
    for (const job of jobs) {
      await queue.add('answer', job, { jobId: id, removeOnComplete: true })
      // A second one of the same id would not be taken while the first is there.
      await expect.poll(() => queue.getJob(id)).toBeUndefined()
    }
    await expect.poll(() => answers.length).toBe(1)
    expect(answers[0]?.report.outcome).toMatchObject({ verdict: 'unknown' })
  })

  it('may be held to the keys of their own location by the access rules of Redis', async () => {
    const own = client()
    const rules = [
      '~watchpost:orders-fra:*',
      '~watchpost:probe:fra:*',
      '~watchpost:probes:fra',
      '~watchpost:answers-*:*',
      '%R~watchpost:engine*',
      '&watchpost:cancel:fra',
      '+@all',
      '-@admin',
      '-@dangerous',
      '+info',
    ]
    await own.acl('SETUSER', 'fra', 'reset', 'on', '>secret', ...rules)
    const narrow = connection.replace('//', '//fra:secret@')
    await probeAt(narrow, { run: () => Promise.resolve(fine()) })
    const { transport, answers } = await engineAt(connection)
    await transport.send(order())
    await expect.poll(() => answers.length).toBe(1)
    const stranger = probeAt(narrow, { run: gate().run, location: 'hel' })
    await expect(stranger).rejects.toThrow(/Redis refuses us: NOPERM/)
  })

  it('clear away the queues of engines that died two hours ago', async () => {
    const own = client()
    const [dead, asleep] = ['d'.repeat(16), 'a'.repeat(16)]
    const queue = new Queue(names.answers(dead), { connection: own, prefix: 'watchpost' })
    await queue.add('answer', {})
    await own.zadd(names.engines, systemClock.now() - 7_300_000, dead)
    await own.zadd(names.engines, systemClock.now() - 7_000_000, asleep)
    await engineWith([])
    await expect.poll(async () => own.keys(`watchpost:answers-${dead}:*`)).toEqual([])
    expect(await own.zscore(names.engines, dead)).toBeNull()
    expect(await own.zscore(names.engines, asleep)).not.toBeNull()
  })

  async function engineWith(locations: readonly (typeof FRA)[], prefix = names.prefix) {
    const transport = bullmqProbes({ connection, ...STEADY, prefix })
    onTestFinished(() => transport.stop(0))
    const none = () => Promise.reject(new Error('not here'))
    await transport.start({ run: none, locations, onAnswer: () => undefined })
    return transport
  }

  /** Puts an order on the queue as an engine would, and reads what is answered. */
  async function orderBehindItsBack(own: Redis) {
    const wire = createWire(KEY)
    const sent = order()
    const queue = new Queue<unknown>(names.orders('fra'), { connection: own, prefix: 'watchpost' })
    const offset_ms = 0
    await queue.add('order', wire.order('me', { order: sent, offset_ms }), {
      jobId: `me-${sent.id}`,
    })
    const answers = new Queue<AnswerJob>(names.answers('me'), {
      connection: own,
      prefix: 'watchpost',
    })
    await expect.poll(() => answers.getWaitingCount()).toBe(1)
    const job = await answers.getJob(sent.id)
    const opened = wire.openAnswer(job?.data ?? { refused: 'unreadable' }, 'me', sent.id)
    if (!opened.ok) throw new Error(opened.problem)
    const { verdict, cause_code } = opened.value.report.outcome
    return { verdict, cause_code }
  }
})

it('takes the orders of an engine that does not say whose monitors they are for those of one account', () => {
  const wire = createWire(KEY)
  const { account_id: _unsaid, ...before } = order()
  const job = wire.order('engine', { order: before as CheckOrder, offset_ms: 0 })
  expect(wire.openOrder(job)).toMatchObject({ ok: true, value: { order: { account_id: 0 } } })
  const said = wire.order('engine', { order: order({ account_id: 3 }), offset_ms: 0 })
  expect(wire.openOrder(said)).toMatchObject({ value: { order: { account_id: 3 } } })
})

it('refuses to put passwords on Redis in clear, unless that is said', () => {
  const connection = 'redis://127.0.0.1'
  expect(() => bullmqProbes({ connection })).toThrow(ConfigurationError)
  expect(() => bullmqProbes({ connection })).toThrow(/plainText: true/)
  expect(() => bullmqProbes({ connection, plainText: true })).not.toThrow()
  expect(() => bullmqProbes({ connection, secretKey: 'short' })).toThrow(/32 are needed/)
})

it.each([
  { connection: 'http://:hidden@x' },
  { connection: 'hidden' },
  { connection: 'redis://x', prefix: 'a:b' },
  { connection: 'redis://x', beatMs: 0 },
])('refuses %o without repeating a password', (options) => {
  const problem = thrownBy(() => bullmqProbes({ secretKey: KEY, ...options }))
  expect(problem).toBeInstanceOf(ConfigurationError)
  expect(String(problem)).not.toContain('hidden')
})

it('starts while Redis is away, and refuses orders within seconds', async () => {
  const { port } = await freePorts(['port'])
  const logger = recorder()
  const transport = bullmqProbes({
    connection: { host: '127.0.0.1', port },
    secretKey: KEY,
    logger,
  })
  onTestFinished(() => transport.stop(0))
  const run = () => Promise.reject(new Error('not here'))
  await transport.start({ run, locations: [FRA], onAnswer: () => undefined })
  expect(transport.online(1)).toBe(false)
  await expect(transport.send(order())).rejects.toThrow(ClosedError)
  const said = logger.lines.filter((line) => line.startsWith('warn not connected to Redis'))
  expect(said).toHaveLength(1)
})

describeWithServer(redisServer, 'a Redis with a password', () => {
  it.each(['redis://127.0.0.1', 'redis://:wrong@127.0.0.1'])(
    'ends the start of %s with the reason',
    async (address) => {
      const redis = await forThisTest(startRedis({ password: 'right' }))
      const connection = `${address}:${redis.ports.redis}`
      const transport = bullmqProbes({ connection, secretKey: KEY })
      const run = () => Promise.reject(new Error('not here'))
      const started = transport.start({ run, locations: [FRA], onAnswer: () => undefined })
      await expect(started).rejects.toThrow(/^Redis refuses us: (NOAUTH|WRONGPASS)/)
    },
  )

  it('that is wrong ends the start, whatever Redis says behind it', async () => {
    const refusing = createServer({ allowHalfOpen: true }, (client) => {
      client.once('data', () => client.write('-WRONGPASS invalid password\r\n'))
      client.on('error', () => undefined).on('end', () => client.end('+OK\r\n'))
    })
    const connection = `redis://:wrong@127.0.0.1:${await portOf(refusing)}`
    const run = () => Promise.reject(new Error('not here'))
    await expect(probeAt(connection, { run })).rejects.toThrow(/^Redis refuses us: WRONGPASS/)
  })

  it('that is asked for once the probe is at work is tried again and again', async () => {
    const redis = await forThisTest(startRedis({ password: 'right' }))
    const right = new Redis(redis.ports.redis, { password: 'right' })
    onTestFinished(() => right.disconnect())
    let connections = 0
    const away = createServer((client) => {
      connections += 1
      if (connections === 1) {
        client.destroy()
        return
      }
      const server = connect(redis.ports.redis, '127.0.0.1')
      for (const side of [client, server]) side.on('error', () => undefined)
      client.pipe(server).pipe(client)
    })
    const connection = `redis://:wrong@127.0.0.1:${await portOf(away)}`
    const run = () => Promise.reject(new Error('not here'))
    const probe = await probeAt(connection, { run, logger: recorder() })
    await expect.poll(() => connections).toBeGreaterThan(2)
    expect(probe.status().connected).toBe(false)
    await right.config('SET', 'requirepass', 'wrong')
    await expect.poll(() => probe.status().connected).toBe(true)
  })
})

/** The server listens until the end of the test. */
async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
