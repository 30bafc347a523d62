/**
 * Values as paths in a picture of 1000 by 200, which the page stretches. Zero is at its foot.
 *
 * @module
 */

import type { AvailabilitySpan } from '../../engine/api/hours.ts'
import type { EpochMs } from '../../model.ts'
import { sumsOf } from './axis.ts'
import type { Line, Values } from './panels.ts'
import type { Steps } from './ranges.ts'

export const WIDTH = 1000
export const HEIGHT = 200

/** What the shapes of a chart have in common. */
export interface Ground {
  readonly steps: Steps
  /** The value at the top. */
  readonly top: number
  /**
   * Whether a step is a gap even where its neighbours are near: it was checked, or should have been, and nothing was
   * measured.
   */
  readonly breaks: readonly boolean[]
  /** Neighbours this many steps apart are connected. */
  readonly reach: number
}

/** Consecutive steps with values, by their numbers. */
export function runsOf(
  values: Values,
  { breaks, reach }: Pick<Ground, 'breaks' | 'reach'>,
): readonly (readonly number[])[] {
  const runs: number[][] = []
  let last: number | undefined
  for (const [at, value] of values.entries()) {
    if (value === null) {
      if (breaks[at] === true) last = undefined
      continue
    }
    if (last !== undefined && at - last <= reach) runs.at(-1)?.push(at)
    else runs.push([at])
    last = at
  }
  return runs
}

/** A step alone is drawn as wide as it is: a line without length is invisible. */
export function linePath(values: Values, ground: Ground): string {
  return runsOf(values, ground)
    .map((run) => pathOf(spotsOf(run, values, ground)))
    .join('')
}

export function bandPath(low: Values, high: Values, ground: Ground): string {
  return runsOf(low, ground)
    .map((run) => {
      const back = [...spotsOf(run, low, ground)].reverse()
      return `${pathOf(spotsOf(run, high, ground))}${back.map(([x, y]) => `L${x} ${y}`).join('')}Z`
    })
    .join('')
}

/** Areas one above the other, the first at the foot. */
export function stackPaths(
  lines: readonly Line[],
  ground: Ground,
): readonly { readonly key: string; readonly d: string }[] {
  let below: Values = lines[0]?.values.map((value) => (value === null ? null : 0)) ?? []
  return lines.map(({ key, values }) => {
    const above = sumsOf([below, values])
    const d = bandPath(below, above, ground)
    below = above
    return { key, d }
  })
}

/** Short marks at single extremes; `over` are those beyond the top, at the edge. */
export function peakPaths(
  values: Values,
  { steps, top }: Pick<Ground, 'steps' | 'top'>,
): { readonly within: string; readonly over: string } {
  const half = Math.min(6, (WIDTH / steps.count) * 0.35)
  const paths = { within: '', over: '' }
  for (const [at, value] of values.entries()) {
    if (value === null) continue
    const x = middleOf(at, steps)
    if (value <= top) paths.within += `M${round(x - half)} ${yOf(value, top)}h${round(2 * half)}`
    else paths.over += `M${round(x)} 0v7`
  }
  return paths
}

/** Marks at the foot where something failed. */
export function failPath(failed: readonly boolean[], steps: Steps): string {
  return failed
    .map((is, at) => (is ? `M${round(middleOf(at, steps))} ${HEIGHT - 14}V${HEIGHT}` : ''))
    .join('')
}

export interface Shade {
  readonly availability: AvailabilitySpan['availability']
  readonly x: number
  readonly width: number
}

/** Where the monitor was not simply up; a short time is still visible. Nothing is shaded where nothing was known. */
export function shadesOf(
  spans: readonly AvailabilitySpan[],
  { begin, step_ms, count }: Steps,
): readonly Shade[] {
  const length = step_ms * count
  const at = (time: EpochMs): number =>
    Math.min(WIDTH, Math.max(0, ((time - begin) / length) * WIDTH))
  return spans.flatMap(({ availability, from, to }) => {
    const [start, end] = [Date.parse(from), Date.parse(to)]
    if (availability === 'unknown' || end <= begin || start >= begin + length) return []
    const x = at(start)
    return [{ availability, x: round(x), width: round(Math.max(2, at(end) - x)) }]
  })
}

type Spot = readonly [x: number, y: number]

function spotsOf(
  run: readonly number[],
  values: Values,
  { steps, top }: Pick<Ground, 'steps' | 'top'>,
): readonly Spot[] {
  const spots = run.map((at): Spot => [round(middleOf(at, steps)), yOf(values[at] ?? 0, top)])
  const [first] = spots
  if (spots.length > 1 || first === undefined) return spots
  const half = WIDTH / steps.count / 2
  return [
    [round(first[0] - half), first[1]],
    [round(first[0] + half), first[1]],
  ]
}

function pathOf(spots: readonly Spot[]): string {
  return spots.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('')
}

function middleOf(at: number, { count }: Pick<Steps, 'count'>): number {
  return ((at + 0.5) * WIDTH) / count
}

function yOf(value: number, top: number): number {
  return round(HEIGHT - (Math.min(value, top) / top) * HEIGHT)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
