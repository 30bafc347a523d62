import { describe, expect, it } from 'vitest'
import { http } from '../../src/checkers/http/index.ts'
import { percentileOf, withResponse } from '../../src/checkers/http/response-window.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { withDeadline } from '../support/deadlines.ts'
import { serve } from '../support/http-exchange.ts'

describe('max_response_percentile', () => {
  it('is judged over the last checks, which a restart keeps, and one outlier is none', async () => {
    let takes_ms = 0
    await using server = await serve((request, response) => {
      response.statusCode = request.url === '/gone' ? 500 : 200
      setTimeout(() => response.end('Shop'), takes_ms)
    })
    // What is quick has to stay below the limit, and what is slow takes a third longer.
    await withDeadline(900, async (max_response_ms) => {
      const slow_ms = (max_response_ms * 4) / 3
      const store = memoryStore()
      const started = async () => {
        const made = createEngine({ store, checkers: [http] })
        await made.start()
        return made
      }
      let engine = await started()
      try {
        const { id } = await engine.monitors.create({
          ...{ type: 'http', url: `${server.origin}/`, max_response_ms, timeout_ms: 60_000 },
          ...{ max_response_percentile: 60, max_response_checks: 3, interval_sec: 86_400 },
        })
        const checked = async (ms: number) => {
          takes_ms = ms
          const { results } = await engine.monitors.check(id)
          const { cause_code, details } = results[0]!
          return [cause_code, details.response_percentile_ms !== undefined]
        }
        expect(await checked(slow_ms)).toEqual([null, false])
        expect(await checked(0)).toEqual([null, false])
        expect(await checked(0)).toEqual([null, true])
        expect(await checked(slow_ms)).toEqual([null, true])
        await engine.stop()
        engine = await started()
        expect(await checked(slow_ms)).toEqual(['slow_response', true])
        const [last] = (await engine.results.list(id, { limit: 1 })).items
        const [, p60_ms, limit_ms] =
          /^p60 of the last checks is ([\d.]+) ms, allowed are (\d+) ms$/.exec(
            last?.cause_text ?? '',
          ) ?? []
        expect(Number(p60_ms)).toBeGreaterThanOrEqual(slow_ms)
        expect(Number(limit_ms)).toBe(max_response_ms)
        expect(await checked(0)).toEqual(['slow_response', true])
        expect(await checked(0)).toEqual([null, true])
      } finally {
        await engine.stop()
      }
    })
  })
})

describe('the percentile of response times', () => {
  it.each([
    [50, [1, 2, 3, 4], 2],
    [75, [4, 3, 2, 1], 3],
    [95, [10, 10, 10, 900], 900],
    [1, [5, 6, 7, 8], 5],
    [100, [5, 9, 7, 8], 9],
    [50, [1, 2, 3], undefined],
  ])('p%i of %j is %s', (percentile, times, expected) => {
    expect(percentileOf(times, percentile, 4)).toBe(expected)
  })

  it('takes the last of them, and nothing that is none', () => {
    expect(withResponse({ response_ms: [1, 2, 3] }, 4, 3)).toEqual([2, 3, 4])
    for (const memo of [undefined, null, 'x', {}, { response_ms: 'x' }, { response_ms: ['1'] }])
      expect(withResponse(memo, 4, 3)).toEqual([4])
    expect(withResponse({ response_ms: Array(101).fill(1) }, 4, 3)).toEqual([4])
  })
})
