/**
 * Whether what a process takes stays what it is: of each of its lives, after a time for warming up.
 *
 * @module
 */

import { percentile } from './folder.ts'
import type { Sample } from './plan.ts'

/** Of each life, or a third of it where it is short. */
const WARM_UP_MS = 180_000
/** Fewer than this in each third say nothing. */
const SAMPLES_MIN = 4
/** By how much the middle of the last third may be above that of the first one. */
const LIMITS = { rss_mib: 32, heap_mib: 8, files: 12, timers: 40 } as const

type Measure = keyof typeof LIMITS
const MEASURES = Object.keys(LIMITS) as Measure[]

export interface LifeFigures {
  readonly minutes: number
  /** Middle of the first third after warming up → of the last one (slope per hour). */
  readonly rss_mib: string
  readonly heap_mib: string
  readonly files: string
  readonly timers: string
}

/** `undefined` for a life that was too short. */
export function figuresOf(life: readonly Sample[]): LifeFigures | undefined {
  const warm = warmOf(life)
  if (warm.length < 3 * SAMPLES_MIN) return undefined
  const spans = MEASURES.map((measure) => {
    const { first, last } = ends(warm, measure)
    return [measure, `${round(first)} → ${round(last)} (${round(slope(warm, measure))}/h)`]
  })
  const lived_ms = (life.at(-1)?.at ?? 0) - (life[0]?.at ?? 0)
  return { minutes: round(lived_ms / 60_000), ...Object.fromEntries(spans) } as LifeFigures
}

/** What grew, in words. */
export function growthOf(life: readonly Sample[]): string[] {
  const warm = warmOf(life)
  if (warm.length < 3 * SAMPLES_MIN) return []
  return MEASURES.flatMap((measure) => {
    const { first, last } = ends(warm, measure)
    const grown = last - first
    return grown > LIMITS[measure] ? [`${measure} grew by ${round(grown)} in one life`] : []
  })
}

function warmOf(life: readonly Sample[]): readonly Sample[] {
  const from = life[0]?.at ?? 0
  const warm_up_ms = Math.min(WARM_UP_MS, ((life.at(-1)?.at ?? 0) - from) / 3)
  return life.filter(({ at }) => at - from >= warm_up_ms)
}

function ends(warm: readonly Sample[], measure: Measure) {
  const third = Math.floor(warm.length / 3)
  const middle = (part: readonly Sample[]) =>
    percentile(
      part.map((sample) => sample[measure]),
      0.5,
    )
  return { first: middle(warm.slice(0, third)), last: middle(warm.slice(-third)) }
}

/** Least squares, per hour of real time. */
function slope(warm: readonly Sample[], measure: Measure): number {
  const mean = (of: (sample: Sample) => number) =>
    warm.reduce((sum, sample) => sum + of(sample), 0) / warm.length
  const hours = ({ at }: Sample) => at / 3_600_000
  const at = mean(hours)
  const value = mean((sample) => sample[measure])
  const both = mean((sample) => (hours(sample) - at) * (sample[measure] - value))
  return both / mean((sample) => (hours(sample) - at) ** 2)
}

function round(figure: number): number {
  return Math.round(figure * 10) / 10
}
