import { expect, it } from 'vitest'
import { createBuffer } from '../../src/probes/bullmq/buffer.ts'
import type { Buffer, PendingAnswer } from '../../src/probes/bullmq/buffer.ts'
import { createThrottledLog } from '../../src/probes/bullmq/throttled-log.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { recorder } from './ways.ts'

const HOUR_MS = 3_600_000

function buffering(limit?: number) {
  const clock = simulatedClock()
  const logger = recorder()
  const delivered: string[] = []
  const batches: string[] = []
  let away = false
  const buffer = createBuffer({
    clock,
    throttledLog: createThrottledLog(clock, logger),
    deliver(engine, parcels) {
      if (away) return Promise.reject(new Error('Redis is away'))
      batches.push(`${engine}: ${parcels.length}`)
      delivered.push(...parcels.map(({ order_id }) => order_id))
      return Promise.resolve()
    },
    ...(limit === undefined ? {} : { limit }),
  })
  return { clock, logger, delivered, batches, buffer, setAway: (now: boolean) => (away = now) }
}

const answer = (order_id: string, engine = 'a'): PendingAnswer => ({
  engine,
  order_id,
  job: { refused: 'key' },
})

function addAll(buffer: Buffer, ids: readonly string[]): void {
  for (const id of ids) void buffer.add(answer(id))
}

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => String(from + index))

it('delivers in the order of arrival, what came while Redis was away first', async () => {
  const { clock, buffer, delivered, setAway } = buffering()
  setAway(true)
  addAll(buffer, numbers(0, 250))
  await clock.settle()
  expect(delivered).toEqual([])
  setAway(false)
  addAll(buffer, ['last'])
  await clock.advance(1000)
  expect(delivered).toEqual([...numbers(0, 250), 'last'])
})

it('tries again every second, and at once when it is woken', async () => {
  const { clock, buffer, delivered, setAway } = buffering()
  setAway(true)
  addAll(buffer, ['a'])
  await clock.advance(3500)
  setAway(false)
  await clock.advance(400)
  expect(delivered).toEqual([])
  await clock.advance(200)
  expect(delivered).toEqual(['a'])
  setAway(true)
  addAll(buffer, ['b'])
  await clock.settle()
  setAway(false)
  buffer.wake()
  await clock.settle()
  expect(delivered).toEqual(['a', 'b'])
})

it('keeps the order between engines as well', async () => {
  const { clock, buffer, delivered, batches, setAway } = buffering()
  setAway(true)
  for (const [id, engine] of [
    ['1', 'a'],
    ['2', 'a'],
    ['3', 'b'],
    ['4', 'a'],
  ] as const)
    void buffer.add(answer(id, engine))
  await clock.settle()
  setAway(false)
  buffer.wake()
  await clock.settle()
  expect(delivered).toEqual(['1', '2', '3', '4'])
  expect(batches).toEqual(['a: 2', 'b: 1', 'a: 1'])
})

it('drops the oldest beyond its limit, counts them, and lets go of who waits', async () => {
  const { clock, buffer, delivered, logger, setAway } = buffering(3)
  setAway(true)
  const oldest = buffer.add(answer('oldest'))
  addAll(buffer, ['1', '2', '3', '4'])
  await oldest
  expect(buffer).toMatchObject({ size: 3, dropped: 2 })
  expect(logger.lines.filter((line) => line.includes('dropped'))).toHaveLength(1)
  setAway(false)
  buffer.wake()
  await clock.settle()
  expect(delivered).toEqual(['2', '3', '4'])
})

it('keeps a hundred thousand', async () => {
  const { clock, buffer, setAway } = buffering()
  setAway(true)
  addAll(buffer, numbers(0, 100_001))
  await clock.settle()
  expect(buffer).toMatchObject({ size: 100_000, dropped: 1 })
})

it('drops what is older than an hour', async () => {
  const { clock, buffer, delivered, setAway } = buffering()
  setAway(true)
  addAll(buffer, ['early'])
  await clock.advance(HOUR_MS / 2)
  addAll(buffer, ['late'])
  await clock.advance(HOUR_MS / 2 + 1500)
  expect(buffer).toMatchObject({ size: 1, dropped: 1 })
  setAway(false)
  await clock.advance(1000)
  expect(delivered).toEqual(['late'])
})

it('complains once a minute, however often it fails', async () => {
  const { clock, buffer, logger, setAway } = buffering()
  setAway(true)
  addAll(buffer, ['a'])
  await clock.advance(130_000)
  const said = logger.lines.filter((line) => line === 'warn answers wait for Redis')
  expect(said).toHaveLength(3)
  expect(logger.fields.at(-1)).toMatchObject({ waiting: 1, left_out: expect.any(Number) as number })
})
