/**
 * Totals of single results, in the form of hourly totals: for charts whose steps are shorter than an hour.
 *
 * @module
 */

import type { LocationTotals, TotalsView } from '../../engine/api/hours.ts'
import type { AccountScope, TypeView } from '../../engine/api/engine.ts'
import type { ResultView } from '../../engine/api/views.ts'
import type { EpochMs } from '../../model.ts'

/** What a chart needs of a result. */
export type Counted = Pick<
  ResultView,
  'round' | 'location_id' | 'verdict' | 'response_ms' | 'phases' | 'details'
>

/** Totals in all, and those of each location. */
export interface StepTotals extends TotalsView {
  readonly locations: readonly LocationTotals[]
}

/** Maximum number of pages read; a page with long details has fewer rows. */
const PAGES = 20
const PAGE_ROWS = 1000

interface ResultsRead {
  /** Newest first. */
  readonly results: readonly Counted[]
  readonly complete: boolean
}

export async function resultsSince(
  scope: Pick<AccountScope, 'results'>,
  { id, from, most }: { readonly id: number; readonly from: EpochMs; readonly most: number },
): Promise<ResultsRead> {
  const results: Counted[] = []
  let after: number | undefined
  for (let page = 0; page < PAGES && results.length < most; page++) {
    const { items, next } = await scope.results.list(id, {
      from,
      limit: Math.min(PAGE_ROWS, most),
      ...(after === undefined ? {} : { after }),
    })
    results.push(...items)
    if (next === null) return { results, complete: true }
    after = next
  }
  return { results, complete: false }
}

/** By step: `undefined` without results. Results outside of the steps are left out. */
export function binned<T extends Pick<Counted, 'round'>>(
  results: readonly T[],
  {
    begin,
    step_ms,
    count,
  }: { readonly begin: EpochMs; readonly step_ms: number; readonly count: number },
): readonly (readonly T[])[] {
  const bins: T[][] = Array.from({ length: count }, () => [])
  for (const result of results)
    bins[Math.floor((Date.parse(result.round) - begin) / step_ms)]?.push(result)
  return bins
}

export function totalsOf(results: readonly Counted[], type: TypeView | undefined): StepTotals {
  const locations = [...new Set(results.map(({ location_id }) => location_id))].sort(
    (a, b) => a - b,
  )
  return {
    ...totals(results, type),
    locations: locations.map((location_id) => ({
      location_id,
      ...totals(
        results.filter((each) => each.location_id === location_id),
        type,
      ),
    })),
  }
}

function totals(results: readonly Counted[], type: TypeView | undefined): TotalsView {
  const good = results.filter(({ verdict }) => verdict === 'ok')
  const times = good
    .flatMap(({ response_ms }) => (response_ms === null ? [] : [response_ms]))
    .sort((a, b) => a - b)
  const counted = (verdict: ResultView['verdict']): number =>
    results.filter((each) => each.verdict === verdict).length
  const names = (type?.charts ?? []).flatMap(({ figures }) => figures.map(({ name }) => name))
  return {
    ...{ ok: good.length, fail: counted('fail'), unknown: counted('unknown') },
    degraded: good.filter(({ details }) => details['warning'] !== undefined).length,
    ...{ avg_ms: meanOf(times), min_ms: times[0] ?? null, max_ms: times.at(-1) ?? null },
    ...{ p50_ms: rank(times, 0.5), p95_ms: rank(times, 0.95), p99_ms: rank(times, 0.99) },
    phases: phasesOf(good),
    figures: Object.fromEntries(names.flatMap((name) => figureOf(results, name))),
  }
}

/** The mean over all good results, so that phases add up. */
function phasesOf(good: readonly Counted[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { phases } of good)
    for (const [name, ms] of Object.entries(phases)) sums[name] = (sums[name] ?? 0) + ms
  for (const name of Object.keys(sums)) sums[name] = (sums[name] ?? 0) / good.length
  return sums
}

function figureOf(
  results: readonly Counted[],
  name: string,
): readonly (readonly [string, TotalsView['figures'][string]])[] {
  const values = results.flatMap(({ details }) => {
    const value = details[name]
    return typeof value === 'number' ? [value] : []
  })
  const avg = meanOf(values)
  if (avg === null) return []
  return [[name, { avg, min: Math.min(...values), max: Math.max(...values) }]]
}

function meanOf(values: readonly number[]): number | null {
  if (values.length === 0) return null
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Nearest rank. */
function rank(sorted: readonly number[], p: number): number | null {
  return sorted[Math.ceil(p * sorted.length) - 1] ?? null
}
