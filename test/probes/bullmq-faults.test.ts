import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { namesUnder } from '../../src/probes/bullmq/options.ts'
import type { ProbeHost } from '../../src/probes/transport.ts'
import { tcpProxy } from '../support/proxy.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { redisServer, startRedis } from '../support/servers/redis.ts'
import { engineAt, fine, gate, order, probeAt, recorder } from './ways.ts'

const names = namesUnder('watchpost')

/** Without deadlines of our own, they would wait for as long as the connection stands. */
const A_MINUTE = 60_000

describeWithServer(redisServer, 'faults between engine, Redis and probe', () => {
  async function somewhere() {
    const redis = await forThisTest(startRedis())
    const port = redis.ports.redis
    return { redis, port, connection: at(port) }
  }

  it('Redis killed and back without its memory: answers wait, and come in the order they were made', async () => {
    const { redis, connection } = await somewhere()
    const { run, ids, open } = gate()
    // With beats of ten seconds, an engine gives up after thirty: Redis is back by then on any machine.
    const slow = { beatMs: 10_000 }
    const probe = await probeAt(connection, { run, ...slow })
    const { transport, answers } = await engineAt(connection, slow)
    const expires_at = systemClock.now() + 10 * A_MINUTE
    const orders = Array.from({ length: 12 }, () => order({ expires_at }))
    for (const each of orders) await transport.send(each)
    await expect.poll(() => ids().length).toBe(12)
    await redis.kill9()
    const ends = [...orders].reverse().map(({ id }) => id)
    for (const [index, id] of ends.entries()) {
      open(id)
      await expect.poll(() => probe.status().buffered).toBe(index + 1)
    }
    await redis.restart()
    await expect.poll(() => answers.length).toBe(12)
    expect(answers.map((each) => each.order.id)).toEqual(ends)
    expect(new Set(answers.map(({ report }) => report.outcome.verdict))).toEqual(new Set(['ok']))
    await expect.poll(() => transport.online(1)).toBe(true)
    const after = order()
    await transport.send(after)
    await expect.poll(ids).toContain(after.id)
  })

  it('Redis gone for longer: the engine stops waiting, refuses orders in seconds, and works again afterwards', async () => {
    const { redis, connection } = await somewhere()
    const { run, ids, openAll } = gate()
    await probeAt(connection, { run })
    const { transport, answers } = await engineAt(connection)
    const begun = order()
    await transport.send(begun)
    await expect.poll(ids).toEqual([begun.id])
    await redis.kill9()
    await expect.poll(() => answers.length).toBe(1)
    expect(answers[0]).toMatchObject({
      order: { id: begun.id },
      report: { outcome: { verdict: 'unknown', cause_code: 'probe_no_report' } },
    })
    await expect(transport.send(order())).rejects.toThrow(/Redis did not answer within [25]000 ms/)
    openAll()
    await redis.restart()
    await expect.poll(() => transport.online(1)).toBe(true)
    // The answer of the probe comes late; what it is worth is for the engine to say.
    await expect.poll(() => answers.length).toBe(2)
    expect(answers[1]).toMatchObject({ order: { id: begun.id } })
    await transport.send(order())
    await expect.poll(() => ids().length).toBe(2)
  })

  it('a probe behind a black hole: its location is offline, and what it found out comes later, in order, once', async () => {
    const { port, connection } = await somewhere()
    const proxy = await tcpProxy(port)
    const { run, ids, open } = gate()
    const probe = await probeAt(at(proxy.port), { run })
    const { transport, answers } = await engineAt(connection)
    const orders = [order(), order(), order()]
    for (const each of orders) await transport.send(each)
    await expect.poll(() => ids().length).toBe(3)
    proxy.set('blackhole')
    await expect.poll(() => transport.online(1)).toBe(false)
    await expect.poll(() => answers.length).toBe(3)
    const ends = [...orders].reverse().map(({ id }) => id)
    for (const [index, id] of ends.entries()) {
      open(id)
      await expect.poll(() => probe.status().buffered).toBe(index + 1)
    }
    proxy.set('pass')
    await expect.poll(() => transport.online(1)).toBe(true)
    await expect.poll(() => answers.length).toBe(6)
    const late = answers.slice(3)
    expect(late.map((each) => each.order.id)).toEqual(ends)
    expect(late.map(({ report }) => report.outcome.verdict)).toEqual(['ok', 'ok', 'ok'])
    await expect.poll(() => probe.status().buffered).toBe(0)
  })

  it('a connection that is cut again and again: every order is answered, and none carried out twice', async () => {
    const { port, connection } = await somewhere()
    const proxy = await tcpProxy(port)
    let carried: string[] = []
    const run: ProbeHost['run'] = (each) => {
      carried = [...carried, each.id]
      return Promise.resolve(fine())
    }
    await probeAt(at(proxy.port), { run })
    const { transport, answers } = await engineAt(connection)
    for (let cut = 0; cut < 3; cut++) {
      const orders = Array.from({ length: 10 }, () => order())
      await Promise.all(orders.map((each) => transport.send(each)))
      proxy.set('reset')
      proxy.set('pass')
      const known = () => new Set(answers.map((each) => each.order.id))
      await expect
        // One whose way to the probe was cut counts as lost, once its lock has run out.
        .poll(() => orders.filter(({ id }) => !known().has(id)), { timeout: 2 * A_MINUTE })
        .toEqual([])
    }
    expect(new Set(carried).size).toBe(carried.length)
  })

  it('an engine behind a black hole: orders are refused and the end comes in time', async () => {
    const { port, connection } = await somewhere()
    const proxy = await tcpProxy(port)
    const logger = recorder()
    await probeAt(connection, { run: () => Promise.resolve(fine()) })
    const { transport } = await engineAt(at(proxy.port), { logger })
    proxy.set('blackhole')
    await expect(transport.send(order())).rejects.toThrow(/Redis did not answer within [25]000 ms/)
    const from = systemClock.monotonic()
    await transport.stop(1000)
    expect(systemClock.monotonic() - from).toBeLessThan(A_MINUTE)
  })

  it('a probe that stops while Redis is a black hole ends in time, and says what it could not deliver', async () => {
    const { port, connection } = await somewhere()
    const proxy = await tcpProxy(port)
    const logger = recorder()
    const { run, ids, open } = gate()
    const probe = await probeAt(at(proxy.port), { run, logger })
    const { transport } = await engineAt(connection)
    const [short, long] = [order(), order()]
    await transport.send(short)
    await transport.send(long)
    await expect.poll(() => ids().length).toBe(2)
    proxy.set('blackhole')
    open(short.id)
    const from = systemClock.monotonic()
    await probe.stop({ drainMs: 500 })
    expect(systemClock.monotonic() - from).toBeLessThan(A_MINUTE)
    expect(logger.lines).toContain('warn answers could not be delivered')
  })

  it('an order that Redis forgot is given up, though its location is there', async () => {
    const { connection } = await somewhere()
    const { run, ids } = gate()
    const probe = await probeAt(connection, { run, concurrency: 1 })
    const { transport, answers } = await engineAt(connection)
    const held = Array.from({ length: 16 }, () => order({ timeout_ms: 500, host: 'one.example' }))
    for (const each of held) await transport.send(each)
    await expect.poll(() => probe.status().running).toBe(16)
    const lost = order({ timeout_ms: 500 })
    await transport.send(lost)
    const own = new Redis(connection)
    const queue = new Queue(names.orders('fra'), { connection: own, prefix: 'watchpost' })
    const waiting = await queue.getPrioritized()
    expect(waiting).toHaveLength(1)
    await waiting[0]?.remove()
    own.disconnect()
    await expect.poll(() => answers.length).toBe(1)
    expect(answers[0]).toMatchObject({
      order: { id: lost.id },
      report: { outcome: { cause_text: 'The probe was lost with the order' } },
    })
    expect(ids()).toEqual([held[0]?.id])
    expect(transport.online(1)).toBe(true)
  })

  it('one of two probes of a location lost with an order: it is given up, and not begun again', async () => {
    const { port, connection } = await somewhere()
    const proxy = await tcpProxy(port)
    const [lost, left] = [gate(), gate()]
    await probeAt(at(proxy.port), { run: lost.run })
    const { transport, answers } = await engineAt(connection)
    const sent = order({ timeout_ms: 500 })
    await transport.send(sent)
    await expect.poll(lost.ids).toEqual([sent.id])
    await probeAt(connection, { run: left.run })
    proxy.set('blackhole')
    await expect.poll(() => answers.length).toBe(1)
    expect(answers[0]).toMatchObject({
      order: { id: sent.id },
      report: { outcome: { verdict: 'unknown', cause_code: 'probe_no_report' } },
    })
    expect(transport.online(1)).toBe(true)
    expect(left.ids()).toEqual([])
  })

  it('answers that come twice, out of order or for nobody do no harm to the transport', async () => {
    const { connection } = await somewhere()
    await probeAt(connection, { run: () => Promise.resolve(fine()) })
    const { transport, answers } = await engineAt(connection)
    const own = new Redis(connection)
    const [key = ''] = await own.keys('watchpost:engine:*')
    const queue = new Queue<unknown>(names.answers(key.split(':').at(-1) ?? ''), {
      connection: own,
      prefix: 'watchpost',
    })
    for (const data of [{}, null, 7, { refused: 'x' }, { format: 9, text: 'x' }]) {
      await queue.add('answer', data, { removeOnComplete: true })
    }
    const sent = order()
    await transport.send(sent)
    await expect.poll(() => answers.map((each) => each.order.id)).toEqual([sent.id])
    own.disconnect()
  })
})

function at(port: number): string {
  return `redis://127.0.0.1:${port}`
}
