import { describe, expect, it } from 'vitest'
import { createBatchBarrier } from '../../src/engine/delivery/batch-barrier.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

function rig(expected: number) {
  const clock = simulatedClock()
  const seen: string[] = []
  const barrier = createBatchBarrier(clock, 5, () => expected)
  const join = (name: string): void => void barrier.join().then(() => seen.push(name))
  return { clock, join, seen }
}

describe('who does the same at the same time', () => {
  it('waits for those that are expected', async () => {
    const { clock, join, seen } = rig(2)
    join('a')
    await clock.settle()
    expect(seen).toEqual([])
    join('b')
    await clock.settle()
    expect(seen).toEqual(['a', 'b'])
    expect(clock.pending).toBe(0)
  })

  it('does not wait for longer than its patience, and begins anew afterwards', async () => {
    const { clock, join, seen } = rig(9)
    join('a')
    await clock.advance(4)
    join('b')
    expect(seen).toEqual([])
    await clock.advance(1)
    expect(seen).toEqual(['a', 'b'])
    join('c')
    await clock.advance(4)
    expect(seen).toEqual(['a', 'b'])
    await clock.advance(1)
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  it('does not wait where nobody else is expected', async () => {
    const { clock, join, seen } = rig(1)
    join('a')
    await clock.settle()
    expect(seen).toEqual(['a'])
  })
})
