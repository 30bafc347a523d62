/** The facts of a chart, without a page: its steps, its axes, its gaps and its marks. */

import { describe, expect, it } from 'vitest'
import type { TotalsView } from '../../src/engine/api/hours.ts'
import { axisLabelsOf, topOf } from '../../src/page/chart/axis.ts'
import { panelsOf, valueText } from '../../src/page/chart/panels.ts'
import type { Panel } from '../../src/page/chart/panels.ts'
import { reachOf } from '../../src/page/chart/chart-data.ts'
import type { ChartData } from '../../src/page/chart/chart-data.ts'
import { stepsOfHours, stepsOfResults } from '../../src/page/chart/ranges.ts'
import type { Range } from '../../src/page/chart/ranges.ts'
import { binned, totalsOf } from '../../src/page/chart/result-totals.ts'
import type { Counted, StepTotals } from '../../src/page/chart/result-totals.ts'
import {
  failPath,
  linePath,
  peakPaths,
  runsOf,
  shadesOf,
  stackPaths,
} from '../../src/page/chart/shapes.ts'
import { ENGLISH } from '../../src/page/words/language.ts'

const at = (iso: string): number => Date.parse(`2026-03-12T${iso}Z`)
const NOW = at('14:36:20')
const LONG_AGO = Date.parse('2020-01-01')

describe('the steps of a chart', () => {
  it.each<[Range, number, string]>([
    ['24h', 24, '2026-03-11T15:00:00.000Z'],
    ['7d', 159, '2026-03-06T00:00:00.000Z'],
    ['30d', 178, '2026-02-11T00:00:00.000Z'],
    ['90d', 90, '2025-12-13T00:00:00.000Z'],
  ])('of %s are %i, with the one that goes on', (range, count, begin) => {
    const steps = stepsOfHours(range, NOW, LONG_AGO)
    expect([steps.count, new Date(steps.begin).toISOString()]).toEqual([count, begin])
    expect(steps.begin + steps.count * steps.step_ms).toBeGreaterThan(NOW)
  })

  it('begin with the one in which the monitor was created', () => {
    const created = at('13:59:59.999')
    expect(stepsOfResults('1h', NOW, created)).toMatchObject({ begin: at('13:59:00'), count: 38 })
    expect(stepsOfHours('7d', NOW, created)).toMatchObject({ begin: at('13:00:00'), count: 2 })
    expect(stepsOfHours('90d', NOW, NOW)).toMatchObject({ begin: at('00:00:00'), count: 1 })
    // At the full hour a step begins, and none is left out.
    expect(stepsOfHours('24h', at('14:00:00'), at('14:00:00'))).toMatchObject({ count: 1 })
    // A clock that was set back.
    expect(stepsOfResults('24h', NOW, NOW + 3_600_000).count).toBe(1)
  })
})

const result = (time: string, change: Partial<Counted> = {}): Counted => ({
  ...{ round: new Date(at(time)).toISOString(), location_id: 1, verdict: 'ok' },
  ...{ response_ms: 20, phases: { connect_ms: 20 }, details: {} },
  ...change,
})

describe('the totals of results', () => {
  it('count a result to the step in which it was due', () => {
    const steps = { begin: at('14:00:00'), step_ms: 60_000, count: 2 }
    const bins = binned(
      [result('14:00:00'), result('14:00:59.999'), result('14:01:00'), result('14:02:00')],
      steps,
    )
    expect(bins.map(({ length }) => length)).toEqual([2, 1])
  })

  it('have exact percentiles, of good checks alone, and phases that add up', () => {
    const all = Array.from({ length: 100 }, (_, index) =>
      result('14:00:00', { response_ms: index + 1 }),
    )
    const bad = result('14:00:00', { verdict: 'fail', response_ms: 9000, location_id: 2 })
    const { locations, ...some } = totalsOf([...all, bad], undefined)
    expect(some).toMatchObject({
      ok: 100,
      fail: 1,
      p50_ms: 50,
      p95_ms: 95,
      p99_ms: 99,
      max_ms: 100,
    })
    expect(locations.map(({ location_id, p50_ms }) => [location_id, p50_ms])).toEqual([
      [1, 50],
      [2, null],
    ])
    const half = [result('14:00:00'), result('14:00:00', { phases: { tls_ms: 5, connect_ms: 10 } })]
    expect(totalsOf(half, undefined).phases).toEqual({ connect_ms: 15, tls_ms: 2.5 })
    expect(totalsOf([], undefined)).toMatchObject({ p50_ms: null, avg_ms: null, phases: {} })
  })
})

describe('the axes', () => {
  const panel = (values: readonly (number | null)[], unit: Panel['unit'] = 'ms'): Panel => ({
    ...{ title: '', unit, lines: [{ key: 'p50', values }], columns: [] },
  })

  it.each([
    [[7], 'ms', 8],
    [[2.1], 'ms', 3],
    [[100], 'ms', 100],
    [[101], 'ms', 120],
    [[0.031], 'ms', 0.04],
    [[null], 'ms', 1],
    [[3], 'percent', 10],
    [[41], 'percent', 100],
    [[89], 'days', 100],
  ] as const)('of %j in %s ends at %d', (values, unit, top) => {
    expect(topOf(panel(values, unit))).toBe(top)
  })

  it.each<[Range]>([['24h'], ['7d'], ['30d'], ['90d']])(
    'of %s have times that do not run into each other, also on a phone',
    (range) => {
      const labels = axisLabelsOf(stepsOfHours(range, NOW, LONG_AGO), ENGLISH)
      expect(labels.length).toBeGreaterThan(2)
      const apart = (all: typeof labels) =>
        Math.min(...all.slice(1).map((label, index) => label.at - (all[index]?.at ?? 0)))
      // Of 300 pixels on a phone, and of 800 elsewhere; a text has about 45.
      expect(apart(labels) * 800).toBeGreaterThan(80)
      expect(apart(labels.filter(({ minor }) => !minor)) * 300).toBeGreaterThan(60)
      const ends = (all: typeof labels) =>
        Math.min(...all.map((label) => Math.min(label.at, 1 - label.at)))
      expect(ends(labels) * 800).toBeGreaterThan(75)
      expect(ends(labels.filter(({ minor }) => !minor)) * 300).toBeGreaterThan(55)
    },
  )
})

describe('the lines', () => {
  const steps = { begin: 0, step_ms: 60_000, count: 4 }
  const ground = { steps, top: 100, breaks: [false, false, false, false], reach: 1 }

  it('have gaps where nothing was measured', () => {
    expect(runsOf([1, null, 3, 4], ground)).toEqual([[0], [2, 3]])
    expect(linePath([50, 100, null, 0], ground)).toBe('M125 100L375 0M750 200L1000 200')
    expect(linePath([null, null, null, null], ground)).toBe('')
  })

  it('connect checks that are rarer than steps, but not over one that measured nothing', () => {
    const rare = { ...ground, reach: 2 }
    expect(runsOf([1, null, 3, 4], rare)).toEqual([[0, 2, 3]])
    expect(runsOf([1, null, null, 4], rare)).toEqual([[0], [3]])
    expect(runsOf([1, null, 3, 4], { ...rare, breaks: [true, true, true, true] })).toEqual([
      [0],
      [2, 3],
    ])
  })

  it.each([
    ['every minute', [1, 1, 1, 1], 60, 1],
    ['every three minutes', [1, , , 1], 180, 4],
    ['every three minutes before, and every minute now', [1, , , 1, , , 1, 1], 60, 4],
    ['every minute, with an hour without the engine', [1, 1, 1, 1, 1, , , , , 1], 60, 1],
    ['never', [], 60, 1],
  ])('reach over the steps between checks: %s', (_, totals, interval_sec, reach) => {
    expect(reachOf(Array.from(totals), { interval_sec, step_ms: 60_000 })).toBe(reach)
  })

  it('stand one above the other, the sum on top', () => {
    const stack = stackPaths(
      [
        { key: 'connect', values: [25, 25, null, null] },
        { key: 'tls', values: [25, 50, null, null] },
      ],
      ground,
    )
    expect(stack).toEqual([
      { key: 'connect', d: 'M125 150L375 150L375 200L125 200Z' },
      { key: 'tls', d: 'M125 100L375 50L375 150L125 150Z' },
    ])
  })

  it('mark what is beyond the scale at its edge, and what failed at the foot', () => {
    const { within, over } = peakPaths([50, 101, null, 100], ground)
    expect([within.match(/M/g)?.length, over]).toEqual([2, 'M375 0v7'])
    expect(failPath([false, true, false, false], steps)).toBe('M375 186V200')
  })

  it('shade what was not up, cut to the chart, the shortest still visible', () => {
    const span = (from: number, to: number, availability: 'down' | 'unknown' = 'down') => ({
      ...{ availability, from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    })
    const shades = shadesOf(
      [span(-5000, 0), span(0, 1), span(120_000, 999_000), span(60_000, 70_000, 'unknown')],
      steps,
    )
    expect(shades.map(({ x, width }) => [x, width])).toEqual([
      [0, 2],
      [500, 500],
    ])
  })
})

describe('the panels', () => {
  const totals = (change: Partial<StepTotals> = {}): StepTotals => ({
    ...{ ok: 1, fail: 0, unknown: 0, degraded: 0, avg_ms: 5, min_ms: 5, max_ms: 5 },
    ...{ p50_ms: 5, p95_ms: 5, p99_ms: 5, phases: {}, figures: {}, locations: [] },
    ...change,
  })
  const place = (location_id: number, p50_ms: number): TotalsView & { location_id: number } => ({
    ...totals({ p50_ms }),
    location_id,
  })
  const ask = (all: readonly (StepTotals | undefined)[], charts: object[] = []) => ({
    data: { totals: all } as unknown as ChartData,
    type: { charts } as never,
    response: 'Response time',
    locations: new Map([[1, 'Oslo']]),
  })

  it('have a gap in the line of a location that was missing', () => {
    const both = totals({ locations: [place(1, 10), place(2, 20)] })
    const one = totals({ locations: [place(1, 12)] })
    const [response] = panelsOf(ask([both, one, undefined]), ENGLISH)
    const line = (key: string) => response?.lines.find((each) => each.key === key)?.values
    expect([line('at-0'), line('at-1')]).toEqual([
      [10, 12, null],
      [20, null, null],
    ])
    expect(panelsOf(ask([one]), ENGLISH)[0]?.lines.map(({ key }) => key)).toEqual(['p95', 'p50'])
  })

  it('have phases where there are several, each in its turn', () => {
    const phases = panelsOf(
      ask([totals({ phases: { tls_ms: 3, resolve_ms: 1 } }), totals()]),
      ENGLISH,
    )[1]
    expect(phases?.stack).toEqual([
      { key: 'resolve', values: [1, null] },
      { key: 'tls', values: [3, null] },
    ])
    expect(panelsOf(ask([totals({ phases: { connect_ms: 3 } })]), ENGLISH)).toHaveLength(1)
  })

  it('have what the type charts: extremes of a figure alone, the fewest of days', () => {
    const loss = { title: 'Loss', unit: 'percent', figures: [{ name: 'loss', label: 'Loss' }] }
    const days = { title: 'Left', unit: 'days', figures: [{ name: 'left', label: 'Left' }] }
    const figures = { loss: { avg: 4, min: 0, max: 20 }, left: { avg: 30.5, min: 30, max: 31 } }
    const [, percent, left] = panelsOf(ask([totals({ figures })], [loss, days]), ENGLISH)
    expect(percent?.columns.map(({ values }) => values[0])).toEqual([4, 0, 20])
    expect(percent?.band?.high).toEqual([20])
    expect(left?.columns.map(({ values }) => values[0])).toEqual([30])
    expect([
      valueText(4, 'percent', ENGLISH),
      valueText(30, 'days', ENGLISH),
      valueText(null, 'ms', ENGLISH),
    ]).toEqual(['4 %', '30 d', ''])
  })
})
