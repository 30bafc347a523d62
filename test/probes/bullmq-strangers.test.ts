import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { namesUnder } from '../../src/probes/bullmq/options.ts'
import { createWire } from '../../src/probes/bullmq/wire.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { redisServer, startRedis } from '../support/servers/redis.ts'
import { engineAt, fine, KEY, order, probeAt } from './ways.ts'

const names = namesUnder('watchpost')
const GONE = { removeOnComplete: true, removeOnFail: true }
const run = () => Promise.resolve(fine())

describeWithServer(redisServer, 'whoever can write to Redis and has no key', () => {
  async function somewhere() {
    const redis = await forThisTest(startRedis())
    const { redis: port } = redis.ports
    const client = new Redis(port)
    onTestFinished(() => client.disconnect())
    const orders = new Queue(names.orders('fra'), {
      connection: { host: '127.0.0.1', port },
      prefix: names.prefix,
    })
    onTestFinished(() => orders.close())
    return { connection: `redis://127.0.0.1:${port}`, client, orders }
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
