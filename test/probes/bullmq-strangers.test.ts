import { inspect } from 'node:util'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { namesUnder } from '../../src/probes/bullmq/options.ts'
import { bullmqProbes } from '../../src/probes/bullmq/transport.ts'
import { createWire } from '../../src/probes/bullmq/wire.ts'
import type { AnswerJob } from '../../src/probes/bullmq/wire.ts'
import type { CheckOrder } from '../../src/probes/transport.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { redisServer, startRedis } from '../support/servers/redis.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { engineAt, fine, FRA, gate, HEL, KEY, order, probeAt, recorder, STEADY } from './ways.ts'

const names = namesUnder('watchpost')
const GONE = { removeOnComplete: true, removeOnFail: true }
const TURN_MS = 50
const run = () => Promise.resolve(fine())

describeWithServer(redisServer, 'whoever can write to Redis and has no key', () => {
  async function somewhere() {
    const redis = await forThisTest(startRedis())
    const { redis: port } = redis.ports
    const client = new Redis(port)
    onTestFinished(() => client.disconnect())
    const connection = `redis://127.0.0.1:${port}`
    return { connection, client, orders: ordersOf('fra', connection) }
  }

  function ordersOf(location: string, url: string) {
    const { hostname: host, port } = new URL(url)
    const connection = { host, port: Number(port) }
    const orders = new Queue(names.orders(location), { connection, prefix: names.prefix })
    onTestFinished(() => orders.close())
    return orders
  }

  it.each([
    ['an engine that names no queue', { engine: 'a:b', order_id: '1-1-1-1' }],
    ['an engine of another kind', { engine: { a: 1 }, order_id: '1-1-1-1' }],
    ['an order whose id Redis would take for a number', { order_id: '5' }],
    ['an order whose id is no text', { order_id: { a: 1 } }],
    ['nothing', null],
  ])('keeps no answer from its engine by an order of %s', async (_of, given) => {
    const { connection, client, orders } = await somewhere()
    await probeAt(connection, { run })
    const { transport, answers } = await engineAt(connection)
    const [engine] = await client.zrange(names.engines, '0', '-1')
    const forged = given === null ? null : { format: 1, engine, text: 'x', ...given }
    const job = await orders.add('order', forged, GONE)
    await expect.poll(() => client.exists(names.job(names.orders('fra'), String(job.id)))).toBe(0)
    const after = order()
    await transport.send(after)
    await expect.poll(() => answers.map((each) => each.order.id)).toContain(after.id)
  })

  it('keeps nothing from its work by an order of 100 MB, which takes no long turn', async () => {
    const { connection, client, orders } = await somewhere()
    const look = async () => {
      const { id } = await orders.add('order', {}, GONE)
      const job = names.job(names.orders('fra'), String(id))
      // Redis makes it, and this process never had it.
      const put = "redis.call('HSET', KEYS[1], 'data', '\"' .. string.rep('x', 100000000) .. '\"')"
      await client.eval(put, 1, job)
      return measureTurns(async () => {
        const probe = await probeAt(connection, { run })
        await expect.poll(() => client.exists(job)).toBe(0)
        await probe.stop({ drainMs: 0 })
      })
    }
    const { longest_ms } = await leastOf(2, look, TURN_MS)
    expect(longest_ms).toBeLessThan(TURN_MS)
    await probeAt(connection, { run })
    const { transport, answers } = await engineAt(connection)
    const after = order()
    await transport.send(after)
    await expect.poll(() => answers.map((each) => each.order.id)).toContain(after.id)
  })

  it('is named where a reply has too many values, and the connection ends', async () => {
    const { connection, client } = await somewhere()
    const fill =
      "for n = 1, 60 do local t = {} for m = 1, 1000 do t[m] = n * 1000 + m end redis.call('SADD', KEYS[1], unpack(t)) end"
    await client.eval(fill, 1, names.probes('fra'))
    const logger = recorder()
    const transport = bullmqProbes({ connection, ...STEADY, logger })
    onTestFinished(() => transport.stop(0))
    await transport.start({ run, locations: [FRA], onAnswer: () => undefined })
    await expect
      .poll(() => String(logger.fields.map((each) => inspect(each))))
      .toContain('more than 50000 values')
    expect(transport.online(1)).toBe(false)
  })

  it('has no order carried out again, or at another location', async () => {
    const { connection, client, orders } = await somewhere()
    const ran: string[] = []
    const note = (where: string) => (each: CheckOrder) => {
      ran.push(`${where} ${each.id}`)
      return Promise.resolve(fine())
    }
    const { run, ids, openAll } = gate()
    await probeAt(connection, { run })
    await probeAt(connection, { location: 'hel', run: note('hel') })
    const { transport, answers } = await engineAt(connection, {}, [FRA, HEL])
    const sent = order()
    await transport.send(sent)
    await expect.poll(ids).toEqual([sent.id])
    const [engine] = await client.zrange(names.engines, '0', '-1')
    const taken = names.job(names.orders('fra'), `${engine}-${sent.id}`)
    const data = JSON.parse((await client.hget(taken, 'data')) ?? '') as unknown
    await orders.add('order', data, { ...GONE, jobId: 'again' })
    await ordersOf('hel', connection).add('order', data, { ...GONE, jobId: `${engine}-${sent.id}` })
    const after = [order(), order({ location: HEL })]
    for (const each of after) await transport.send(each)
    await expect.poll(() => ran).toEqual([`hel ${after[1]!.id}`])
    await expect.poll(ids).toEqual([sent.id, after[0]!.id])
    openAll()
    await expect.poll(() => answers.length).toBe(3)
  })

  it('has no order wait for ever by a probe that does not exist, nor by a job that nobody takes', async () => {
    const { connection, client, orders } = await somewhere()
    await client.sadd(names.probes('fra'), 'stranger')
    await client.set(
      names.probe('fra', 'stranger'),
      JSON.stringify({ id: 'stranger', connected: true, leaving: false }),
    )
    const { transport, answers } = await engineAt(connection)
    const sent = order({ timeout_ms: 100, expires_at: systemClock.now() + 300 })
    await transport.send(sent)
    expect(await orders.getJobCountByTypes('prioritized')).toBe(1)
    await expect
      .poll(() => answers.map((each) => each.report.outcome.cause_code))
      .toEqual(['probe_no_report'])
    await expect.poll(() => orders.getJobCountByTypes('prioritized')).toBe(0)
  })

  it('hides no probe by beats that are none', async () => {
    const { connection, client } = await somewhere()
    // Redis says in which order they are read.
    for (let n = 0; n < 20; n++) {
      await client.sadd(names.probes('fra'), `stranger-${n}`)
      await client.set(names.probe('fra', `stranger-${n}`), 'null')
    }
    await probeAt(connection, { run })
    const { transport } = await engineAt(connection)
    expect(transport.online(1)).toBe(true)
  })

  it('hides no probe by beats that are long', async () => {
    const { connection, client } = await somewhere()
    for (let n = 0; n < 6; n++) {
      await client.sadd(names.probes('fra'), `stranger-${n}`)
      await client.set(names.probe('fra', `stranger-${n}`), '['.repeat(1_000_000))
    }
    await probeAt(connection, { run })
    const { transport } = await engineAt(connection)
    expect(transport.online(1)).toBe(true)
  })

  it.each(['null', '{}', '{"locations":[null]}'])(
    'keeps no probe from its work by an engine that says: %s',
    async (beat) => {
      const { connection, client } = await somewhere()
      await client.zadd(names.engines, Date.now(), 'stranger')
      await client.set(names.engine('stranger'), beat)
      const probe = await probeAt(connection, { run })
      expect(probe.status().connected).toBe(true)
    },
  )

  it('keeps no engine from its work by a dead engine that names no queue', async () => {
    const { connection, client } = await somewhere()
    await client.zadd(names.engines, 0, 'a:b')
    await probeAt(connection, { run })
    await engineAt(connection)
    // It is forgotten like any other dead one.
    await expect.poll(() => client.zscore(names.engines, 'a:b')).toBeNull()
  })
})

it('a message that is longer than any of ours is not opened', () => {
  const wire = createWire(KEY)
  const job = { format: 1, text: `sealed:1:${'A'.repeat(9 * 2 ** 20)}` }
  expect(wire.openAnswer(job, 'engine', '1-1-1-1')).toMatchObject({ problem: 'It is too long' })
})

it.each([['constructor'], ['__proto__'], ['nothing'], [null], [{ a: 1 }]])(
  'a refusal that says %o is one that nobody understands',
  (refused) => {
    const given = { refused } as unknown as AnswerJob
    const opened = createWire(KEY).openAnswer(given, 'engine', '1-1-1-1')
    expect(opened).toMatchObject({ ok: false, refusal: 'unreadable' })
  },
)
