/** Readers of metrics that ask at the same moment keep nobody else from having a turn. */

import { expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { makeCopies } from '../support/copies.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50
const TOKEN = 'a-token-of-the-operator'

it('are answered one after the other, accounts in turn', async () => {
  const store = memoryStore()
  const engine = createEngine({ store, checkers: [tcp()], logger: false })
  onTestFinished(() => engine.stop())
  const { id } = await engine.monitors.create({ type: 'tcp', host: 'a.test', port: 1 })
  await makeCopies(store, id, 2999)
  const { key } = await engine.keys.create()
  const other = engine.account((await engine.accounts.create({ name: 'other' })).id)
  const { key: theirs } = await other.keys.create()
  await engine.start()
  const metrics = createMetrics(engine, { token: TOKEN, rateLimit: false })
  onTestFinished(metrics.close)
  const order: string[] = []
  const read = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await metrics.fetch(new Request('http://localhost/metrics', { headers }))
    order.push(token)
    return answer.status
  }
  const reading = await leastOf(
    3,
    () => {
      order.length = 0
      const own = Array.from({ length: 40 }, () => read(key))
      return measureTurns(() => Promise.all([...own, read(theirs), read(TOKEN)]))
    },
    TURN_MS,
  )
  expect(new Set(reading.value)).toEqual(new Set([200]))
  expect(order.indexOf(theirs)).toBeLessThan(5)
  expect(order.indexOf(TOKEN)).toBeLessThan(8)
  expect(reading.longest_ms).toBeLessThan(TURN_MS)
})

it.each([
  ['fifty of an account wait, whatever the key', {}, [50, 20]],
  ['all wait where requests are not limited', { rateLimit: false as const }, [70, 0]],
])('%s', async (_, options, expected) => {
  const engine = createEngine({ store: memoryStore(), checkers: [tcp()], logger: false })
  onTestFinished(() => engine.stop())
  const keys = await Promise.all([1, 2].map(async () => (await engine.keys.create()).key))
  const metrics = createMetrics(engine, { token: TOKEN, ...options })
  onTestFinished(metrics.close)
  const read = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await metrics.fetch(new Request('http://localhost/metrics', { headers }))
    return [answer.status, answer.headers.get('retry-after')]
  }
  const readAll = async () => {
    const asked = Array.from({ length: 70 }, (_unused, n) => read(keys[n % 2] ?? ''))
    const answers = await Promise.all([...asked, read(TOKEN)])
    expect(answers.pop()).toEqual([200, null])
    const refused = answers.filter(([status]) => status === 429)
    expect(new Set(refused.map(([, after]) => after))).toEqual(
      new Set(refused.length === 0 ? [] : ['5']),
    )
    return [answers.length - refused.length, refused.length]
  }
  expect(await readAll()).toEqual(expected)
  // Nobody waits any more.
  expect(await read(TOKEN)).toEqual([200, null])
  expect(await read(keys[0] ?? '')).toEqual([200, null])
})

it('that wait are not answered if their key was revoked meanwhile', async () => {
  const clock = simulatedClock()
  const engine = createEngine({ store: memoryStore(), checkers: [tcp()], clock, logger: false })
  onTestFinished(() => engine.stop())
  const { key, view } = await engine.keys.create()
  let open: () => void = () => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  const held = Object.assign(Object.create(engine) as typeof engine, {
    health: async () => {
      await gate
      return engine.health()
    },
  })
  const metrics = createMetrics(held, { clock, token: TOKEN, rateLimit: false })
  onTestFinished(metrics.close)
  const read = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const { status } = await metrics.fetch(new Request('http://localhost/metrics', { headers }))
    return status
  }
  const reads = Promise.all([key, key, key, TOKEN].map(read))
  await clock.settle()
  await engine.keys.revoke(view.id)
  await clock.advance(2000)
  open()
  // The parts of each are written with the clock.
  for (let n = 0; n < 100; n++) await clock.advance(1)
  // One is under way, and one more since the account had none.
  expect((await reads).slice(2)).toEqual([401, 200])
})
