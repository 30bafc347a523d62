import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_RATE, rateHeaders, slidingWindow } from '../../src/rest/rate-limit.ts'
import type { Taken } from '../../src/rest/rate-limit.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

function setUp() {
  const clock = simulatedClock()
  const window = slidingWindow(clock)
  return { clock, take: (key = 'a') => window.take(key, DEFAULT_RATE) as Taken }
}

describe('the request limit', () => {
  it('lets 60 requests pass and refuses the next', () => {
    const { take } = setUp()
    const taken = Array.from({ length: 61 }, () => take())
    expect(taken.map(({ allowed }) => allowed).indexOf(false)).toBe(60)
    expect(taken[0]).toEqual({ allowed: true, remaining: 59, reset_ms: 60_000 })
    expect(taken[60]).toEqual({ allowed: false, remaining: 0, reset_ms: 60_000 })
  })

  it('frees one place when the oldest request is a minute old, not all of them', async () => {
    const { clock, take } = setUp()
    take()
    await clock.advance(10_000)
    for (let n = 0; n < 59; n++) take()
    await clock.advance(49_999)
    expect(take()).toEqual({ allowed: false, remaining: 0, reset_ms: 1 })
    await clock.advance(1)
    expect([take().allowed, take().allowed]).toEqual([true, false])
  })

  it('does not count refused requests: whoever keeps asking is let in again', async () => {
    const { clock, take } = setUp()
    for (let n = 0; n < 60; n++) take()
    for (let n = 0; n < 59; n++) {
      await clock.advance(1000)
      expect(take().allowed).toBe(false)
    }
    await clock.advance(1000)
    expect(take().allowed).toBe(true)
  })

  it('counts each key by itself', () => {
    const { take } = setUp()
    for (let n = 0; n < 61; n++) take('a')
    expect(take('b')).toMatchObject({ allowed: true, remaining: 59 })
  })

  it('is not moved by the wall clock', () => {
    const { clock, take } = setUp()
    for (let n = 0; n < 60; n++) take()
    clock.jump(3_600_000)
    expect(take().allowed).toBe(false)
  })

  it('never lets more than 60 pass in any 60 seconds, however requests are spread', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 70, maxLength: 200 }),
        async (pauses) => {
          const { clock, take } = setUp()
          const passed: number[] = []
          for (const pause of pauses) {
            await clock.advance(pause)
            if (take().allowed) passed.push(clock.monotonic())
          }
          for (const [index, at] of passed.entries()) {
            const sixtieth_before = passed[index - 60]
            if (sixtieth_before !== undefined)
              expect(at - sixtieth_before).toBeGreaterThanOrEqual(60_000)
          }
        },
      ),
      { numRuns: 10 },
    )
  })

  it('is told in both families of headers', () => {
    const { clock } = setUp()
    expect(
      rateHeaders(DEFAULT_RATE, { allowed: true, remaining: 12, reset_ms: 16_200 }, clock),
    ).toEqual({
      'RateLimit-Policy': '"key";q=60;w=60',
      RateLimit: '"key";r=12;t=17',
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '12',
      'X-RateLimit-Reset': String(Date.UTC(2026, 0, 1) / 1000 + 17),
    })
  })
})
