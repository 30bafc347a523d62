/** What the soak says of the memory of a process; docs/reliability.md has the long runs. */
import { expect, test } from 'vitest'
import { figuresOf, growthOf } from './rig/flatness.ts'
import type { Sample } from './rig/plan.ts'

/** A life of half an hour with a sample every ten seconds; `heap` by the minute. */
function life(heap: (minute: number) => number): Sample[] {
  return Array.from({ length: 180 }, (_, nth) => ({
    at: nth * 10_000,
    rss_mib: 100 + (nth % 7),
    heap_mib: heap(nth / 6),
    files: 20 + (nth % 3),
    timers: nth % 11,
  }))
}

test('a process that warms up and then comes and goes is flat', () => {
  const flat = life((minute) => Math.min(30, 10 * minute) + (minute % 4))
  expect(growthOf(flat)).toEqual([])
  expect(figuresOf(flat)).toMatchObject({ minutes: 29.8 })
})

test('one whose heap grows steadily is not', () => {
  expect(growthOf(life((minute) => 10 + minute / 2))).toEqual(['heap_mib grew by 9 in one life'])
})

test('a life that is too short says nothing', () => {
  const short = life((minute) => minute * 100).slice(0, 12)
  expect(growthOf(short)).toEqual([])
  expect(figuresOf(short)).toBeUndefined()
})
