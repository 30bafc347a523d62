import { describe, expect, it } from 'vitest'
import { createRoundRobin } from '../../src/net/resolve/semaphore.ts'

/** Takes all of it, in order. */
function drained(ring: ReturnType<typeof createRoundRobin<string>>): string {
  const taken: string[] = []
  for (let item = ring.take(); item !== undefined; item = ring.take()) taken.push(item)
  return taken.join(' ')
}

describe('a ring of accounts', () => {
  it('gives each account one turn after the other, and within it first come, first served', () => {
    const ring = createRoundRobin<string>()
    for (const item of ['b1', 'b2', 'b3', 'b4']) ring.add(2, item)
    for (const item of ['a1', 'a2']) ring.add(1, item)
    ring.add(3, 'c1')
    expect(ring.size).toBe(7)
    expect(drained(ring)).toBe('b1 a1 c1 b2 a2 b3 b4')
    expect(ring.size).toBe(0)
  })

  it('puts whoever was served behind all others, also after it had nothing more to do', () => {
    const ring = createRoundRobin<string>()
    ring.add(1, 'a1')
    ring.add(2, 'b1')
    expect(ring.take()).toBe('a1')
    ring.add(1, 'a2')
    expect(drained(ring)).toBe('b1 a2')
  })

  it('puts an account behind all others on request', () => {
    const ring = createRoundRobin<string>()
    for (const item of ['a1', 'a2']) ring.add(1, item)
    ring.add(2, 'b1')
    ring.defer(1)
    ring.defer(3)
    expect(drained(ring)).toBe('b1 a1 a2')
  })

  it('forgets what gave up', () => {
    const ring = createRoundRobin<string>()
    ring.add(1, 'a1')
    ring.add(2, 'b1')
    ring.delete(1, 'a1')
    ring.delete(1, 'a1')
    ring.delete(2, 'unknown')
    expect(ring.size).toBe(1)
    expect(drained(ring)).toBe('b1')
  })

  it.each([
    ['nobody waits', {}, 1],
    ['one account has much to do', { 2: 200 }, 1],
    ['it has some itself, behind', { 2: 200, 1: 2 }, 1],
    ['it has some itself, ahead', { 1: 3, 2: 200 }, 1],
    ['there are several', { 5: 1, 6: 4, 1: 2, 7: 1 }, 1],
  ])('knows how many come before: %s', (_, waiting, account_id) => {
    for (const first of [0, 1, 2]) {
      const ring = createRoundRobin<string>()
      // In another order of the ring each time.
      const accounts = Object.entries(waiting)
      const turned = [...accounts.slice(first), ...accounts.slice(0, first)]
      for (const [id, count] of turned)
        for (let n = 0; n < count; n++) ring.add(Number(id), `${id}#${n}`)
      const before = ring.before(account_id)
      ring.add(account_id, 'mine')
      expect(drained(ring).split(' ').indexOf('mine')).toBe(before)
    }
  })
})
