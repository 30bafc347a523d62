import { describe, expect, it } from 'vitest'
import { createFairQueue, reserveOf } from '../src/fair-queue.ts'
import type { FairQueueOptions } from '../src/fair-queue.ts'
import { simulatedClock } from '../src/testing/simulated-clock.ts'

interface Item {
  readonly account_id: number
  readonly host: string
  readonly name: string
}

let names = 0

/** On a host of its own unless one is named. */
function item(account_id: number, host = `host-${++names}`): Item {
  return { account_id, host, name: `${account_id}#${++names}` }
}

const items = (count: number, account_id: number, host?: string): Item[] =>
  Array.from({ length: count }, () => item(account_id, host))

function queueOf(given: Partial<FairQueueOptions<Item>> = {}) {
  const queue = createFairQueue<Item>({ slots: 8, perHost: 2, ...given })
  const running: Item[] = []
  return {
    queue,
    running,
    add(...added: Item[]) {
      for (const each of added) queue.add(each)
    },
    /** Gives out what may begin; the answer is what did. */
    begin(): Item[] {
      const begun: Item[] = []
      for (let next = queue.take(); next !== undefined; next = queue.take()) begun.push(next)
      running.push(...begun)
      return begun
    },
    end(each: Item | undefined) {
      if (each === undefined) throw new Error('nothing runs')
      running.splice(running.indexOf(each), 1)
      queue.release(each)
    },
    heldBy: (account_id: number) => running.filter((each) => each.account_id === account_id).length,
  }
}

describe('slots', () => {
  it.each([
    [1, 1],
    [2, 1],
    [8, 1],
    [15, 1],
    [16, 2],
    [64, 8],
    [1000, 125],
  ])('of which there are %i have %i beside them', (slots, reserve) => {
    expect(reserveOf(slots)).toBe(reserve)
  })

  it('are all for an account that is alone', () => {
    const { queue, add, begin, end } = queueOf()
    const all = items(20, 1)
    add(...all)
    expect(begin()).toEqual(all.slice(0, 8))
    expect(queue).toMatchObject({ held: 8, waiting: 12 })
    end(all[3])
    expect(begin()).toEqual([all[8]])
  })

  it('are there at once for whoever holds none, while no more than the reserve do so', () => {
    const { add, begin } = queueOf({ slots: 16 })
    add(...items(50, 1))
    expect(begin()).toHaveLength(16)
    // Two more for newcomers: a second place is for neither of them.
    const [second, third, fourth] = [items(2, 2), items(2, 3), items(2, 4)]
    add(...second)
    expect(begin()).toEqual([second[0]])
    add(...third)
    expect(begin()).toEqual([third[0]])
    add(...fourth)
    expect(begin()).toEqual([])
  })

  it('that come free go to whoever holds the fewest, among equals in turn', () => {
    const { add, begin, end, running, heldBy } = queueOf()
    add(...items(50, 1))
    begin()
    add(...items(50, 2), ...items(50, 3))
    begin()
    for (let i = 0; i < 9; i++) {
      end(running.find(({ account_id }) => account_id === 1))
      begin()
    }
    expect([1, 2, 3].map(heldBy).toSorted()).toEqual([2, 3, 3])
    add(...items(3, 4))
    begin()
    end(running.find(({ account_id }) => account_id === 2))
    end(running.find(({ account_id }) => account_id === 3))
    const [next] = begin()
    expect(next).toMatchObject({ account_id: 4 })
  })

  it('are not lost when what waited is dropped, or over when its turn comes', () => {
    const over = new Set<Item>()
    const left: Item[] = []
    const isOver = (each: Item): boolean => {
      if (over.has(each)) left.push(each)
      return over.has(each)
    }
    const { queue, add, begin, end, running } = queueOf({ isOver })
    const [gone, late, kept] = [items(9, 1, 'one.example'), items(9, 1, 'one.example'), item(1)]
    add(...gone, ...late, kept)
    expect(begin()).toEqual([gone[0], gone[1], kept])
    queue.drop((each) => gone.includes(each))
    for (const each of late.slice(0, 8)) over.add(each)
    for (const each of [...running]) end(each)
    expect(begin()).toEqual([late[8]])
    expect(left).toEqual(late.slice(0, 8))
    end(late[8])
    expect(queue).toMatchObject({ held: 0, waiting: 0 })
  })
})

describe('a host', () => {
  it('has so many checks of each account, and each its own', () => {
    const { add, begin, end } = queueOf({ slots: 64 })
    const [mine, theirs] = [items(3, 1, 'shared.example'), items(16, 2, 'shared.example')]
    add(...theirs, ...mine)
    expect(begin().toSorted((a, b) => a.account_id - b.account_id)).toEqual([
      ...mine.slice(0, 2),
      ...theirs.slice(0, 2),
    ])
    end(mine[0])
    expect(begin()).toEqual([mine[2]])
  })

  it('is served first come, first served within its account', () => {
    const { add, begin, end } = queueOf({ slots: 2, perHost: 1 })
    const [a, b] = [items(3, 1, 'a.example'), items(3, 1, 'b.example')]
    add(a[0]!, a[1]!, b[0]!, a[2]!, b[1]!)
    expect(begin()).toEqual([a[0], b[0]])
    end(b[0])
    // What waits for the host a has come before it, but cannot begin.
    expect(begin()).toEqual([b[1]])
    end(a[0])
    expect(begin()).toEqual([a[1]])
  })
})

const LONGEST_MS = 60_000

/**
 * Half an hour of accounts that want anything at any time, on 16 slots. Odd ones hang, even ones are quick. The
 * answer is how long those waited who held no place, beside the longest they may.
 */
async function crowd(seed: number, accounts: number) {
  const clock = simulatedClock({ seed })
  const { queue, running, begin, end, add, heldBy } = queueOf({ slots: 16 })
  const total = 16 + reserveOf(16)
  const wanted = new Map<number, number>()
  const without = new Map<number, { readonly since: number; readonly bound_ms: number }>()
  const waits: { readonly waited_ms: number; readonly bound_ms: number }[] = []

  function pump(): void {
    for (const each of begin()) {
      const { account_id } = each
      wanted.set(account_id, (wanted.get(account_id) ?? 0) - 1)
      const beg = without.get(account_id)
      without.delete(account_id)
      if (beg !== undefined)
        waits.push({ waited_ms: clock.monotonic() - beg.since, bound_ms: beg.bound_ms })
      clock.timer(account_id % 2 === 1 ? LONGEST_MS : 1 + clock.random() * 500, () => {
        end(each)
        pump()
      })
    }
    noteWithout()
  }

  function noteWithout(): void {
    const waiting = [...wanted].filter(([, count]) => count > 0).map(([id]) => id)
    const holding = new Set(running.map(({ account_id }) => account_id))
    const crowded = new Set([...waiting, ...holding]).size
    for (const account_id of waiting) {
      if (heldBy(account_id) > 0 || without.has(account_id)) continue
      const atOnce = holding.size <= reserveOf(16)
      const bound_ms = atOnce ? 0 : LONGEST_MS * Math.ceil(crowded / total)
      without.set(account_id, { since: clock.monotonic(), bound_ms })
    }
  }

  for (let at = 0; at < 30 * 60_000; at += 1000) {
    if (clock.random() < 0.3) {
      const account_id = 1 + Math.floor(clock.random() * accounts)
      const more = items(1 + Math.floor(clock.random() * 40), account_id)
      wanted.set(account_id, (wanted.get(account_id) ?? 0) + more.length)
      add(...more)
      pump()
    }
    await clock.advance(1000)
    expect(running.length).toBeLessThanOrEqual(total)
  }
  for (const [, { since, bound_ms }] of without)
    waits.push({ waited_ms: clock.monotonic() - since, bound_ms })
  return { waits, queue }
}

describe('an account that holds no place', () => {
  it.each([1, 2, 3])('waits no longer than was said, among 40 (seed %i)', async (seed) => {
    const { waits } = await crowd(seed, 40)
    expect(waits.length).toBeGreaterThan(100)
    for (const { waited_ms, bound_ms } of waits) expect(waited_ms).toBeLessThanOrEqual(bound_ms)
    // They do wait.
    expect(waits.some(({ waited_ms }) => waited_ms > LONGEST_MS / 10)).toBe(true)
  })

  it('never waits beside two others', async () => {
    const { waits } = await crowd(4, 3)
    expect(waits).toEqual([])
  })
})
