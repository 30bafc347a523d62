import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { redisServer, startRedis } from '../support/servers/redis.ts'
import { afterAll, beforeAll } from 'vitest'
import type { RedisServer } from '../support/servers/redis.ts'
import { fine, gate, inProcess, order, overRedis } from './ways.ts'
import type { Way } from './ways.ts'

describe('a transport in this process', () => {
  promises(() => inProcess)
})

describeWithServer(redisServer, 'a transport over Redis', () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())
  promises(() => overRedis(`redis://127.0.0.1:${redis.ports.redis}`))
})

/** What an engine relies on, whichever way its orders go. */
function promises(way: () => Way): void {
  it('brings the answer of every order, with the order it is to', async () => {
    const { transport, answers } = await way()((each) =>
      Promise.resolve({ ...fine(), memo: { seen: each.monitor_id } }),
    )
    const orders = Array.from({ length: 30 }, () => order())
    await Promise.all(orders.map((each) => transport.send(each)))
    await expect.poll(() => answers.length).toBe(30)
    const byId = new Map(answers.map((answer) => [answer.order.id, answer]))
    for (const { id, monitor_id, version, round } of orders) {
      expect(byId.get(id)).toMatchObject({
        order: { id, monitor_id, version, round, location_id: 1 },
        report: { outcome: { verdict: 'ok' }, memo: { seen: monitor_id } },
      })
    }
  })

  it('carries the whole order there and the whole report back', async () => {
    const got: unknown[] = []
    const told = {
      ...fine(),
      notices: [{ event: 'ssl_expiring', key: 'k', data: { days: 3 } }],
      memo: { fingerprint: 'ü' },
      since: 1_700_000_000_000,
      late: true,
    }
    const { transport, answers } = await way()((each) => {
      got.push(each)
      return Promise.resolve(told)
    })
    const sent = order({ settings: { auth: { pass: 'x' }, list: [1, null] }, memo: [1, { a: 2 }] })
    await transport.send(sent)
    await expect.poll(() => answers.length).toBe(1)
    expect(got).toEqual([sent])
    expect(answers[0]?.report).toEqual(told)
  })

  it('says how late a check began against its round', async () => {
    const { transport, answers } = await way()(() => Promise.resolve(fine()))
    // What sets the clocks of both sides right is off by as much as a look at Redis was kept waiting.
    await transport.send(order({ round: systemClock.now() - 600_000 }))
    await expect.poll(() => answers.length).toBe(1)
    expect(answers[0]?.lag_ms).toBeGreaterThanOrEqual(590_000)
    expect(answers[0]?.lag_ms).toBeLessThan(660_000)
  })

  it('does not begin an order whose round is over', async () => {
    const { run, ids } = gate()
    const { transport, answers } = await way()(run)
    await transport.send(order({ expires_at: systemClock.now() - 20_000 }))
    await expect.poll(() => answers.length).toBe(1)
    expect(answers[0]?.report.outcome).toMatchObject({
      verdict: 'unknown',
      cause_code: 'probe_overloaded',
    })
    expect(ids()).toEqual([])
  })

  it('makes two checks at a time against one host, and others beside them', async () => {
    const { run, begun, ids, open, openAll } = gate()
    const { transport, answers } = await way()(run)
    onTestFinished(openAll)
    const busy = [1, 2, 3].map(() => order({ host: 'busy.example' }))
    const free = order()
    for (const each of [...busy, free]) await transport.send(each)
    await expect.poll(() => ids().length).toBe(3)
    expect(ids()).toContain(free.id)
    open(ids().find((id) => id !== free.id) ?? '')
    await expect.poll(() => ids().length).toBe(4)
    for (const each of begun) open(each.order.id)
    await expect.poll(() => answers.length).toBe(4)
  })

  it('takes back the orders of a monitor: what waits never begins, what runs hears of it', async () => {
    const { run, begun, ids, openAll } = gate()
    const { transport } = await way()(run)
    onTestFinished(openAll)
    const held = [order({ host: 'h.example' }), order({ host: 'h.example' })] as const
    for (const each of held) await transport.send(each)
    await expect.poll(() => ids().length).toBe(2)
    const waiting = order({ host: 'h.example' })
    await transport.send(waiting)
    transport.cancel(waiting.monitor_id)
    transport.cancel(held[0].monitor_id)
    const aborted = () => begun.map(({ signal }) => signal.aborted)
    await expect
      .poll(aborted)
      .toEqual(begun.map((each) => each.order.monitor_id === held[0].monitor_id))
    const after = order({ host: 'h.example' })
    await transport.send(after)
    await expect.poll(ids).toContain(after.id)
    expect(ids()).not.toContain(waiting.id)
  })

  it('waits at its end for what runs', async () => {
    const { run, begun, ids, open, openAll } = gate()
    const { transport, answers } = await way()(run)
    const [short, long] = [order(), order()]
    await transport.send(short)
    await transport.send(long)
    await expect.poll(() => ids().length).toBe(2)
    const stopped = transport.stop(600_000)
    open(short.id)
    await expect.poll(() => answers.length).toBe(1)
    expect(begun.find((each) => each.order.id === long.id)?.signal.aborted).toBe(false)
    openAll()
    await stopped
    expect(answers).toHaveLength(2)
  })

  it('waits at its end no longer than it may', async () => {
    const { run, begun } = gate()
    const { transport } = await way()(run)
    await transport.send(order())
    await expect.poll(() => begun.length).toBe(1)
    await transport.stop(500)
    await expect.poll(() => begun[0]?.signal.aborted).toBe(true)
  })

  it('is online from its start to its end', async () => {
    const { transport } = await way()(() => Promise.resolve(fine()))
    expect(transport.online(1)).toBe(true)
    await transport.stop(0)
    expect(transport.online(1)).toBe(false)
  })
}
