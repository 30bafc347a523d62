/** What waits for a reader of events: bounded, and as cheap where it is long. */
import { expect, it } from 'vitest'
import { createEventBuffer } from '../../src/engine/announce/event-buffer.ts'
import { measureCpu } from '../support/turns.ts'

const EVENTS = 100_000

function filled(limit: number) {
  const { iterator, push } = createEventBuffer(limit, () => undefined)
  const add = (from: number, to: number): void => {
    for (let n = from; n < to; n++) push('state', n)
  }
  add(0, limit)
  return { iterator, add }
}

it('has the latest events in their order, and counts those that were dropped before each', async () => {
  const { iterator, add } = filled(3)
  const next = async (): Promise<unknown> => {
    const { value } = await iterator.next()
    return value === undefined ? undefined : [value.payload as unknown, value.missed]
  }
  add(3, 5)
  expect([await next(), await next()]).toEqual([
    [2, 2],
    [3, 0],
  ])
  add(5, 10)
  expect([await next(), await next(), await next()]).toEqual([
    [7, 3],
    [8, 0],
    [9, 0],
  ])
  const waits = next()
  add(10, 12)
  expect([await waits, await next()]).toEqual([
    [10, 0],
    [11, 0],
  ])
})

it('drops and reads an event of a long buffer at the cost of one of a short buffer', async () => {
  const cpuOf = async (limit: number): Promise<number> => {
    const { iterator, add } = filled(limit)
    const { cpu_ms } = await measureCpu(async () => {
      add(limit, limit + EVENTS)
      for (let n = 0; n < 1000; n++) await iterator.next()
    })
    return Math.max(cpu_ms, 5)
  }
  const short = await cpuOf(1000)
  const long = await cpuOf(30_000)
  expect(long / short).toBeLessThan(20)
})
