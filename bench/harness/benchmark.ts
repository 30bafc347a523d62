/** What a benchmark is: contenders that do the same unit of work, and what is hoped of them. */

import type { Round } from './measure.ts'

/** Time that was spent elsewhere than in this process (a child), for the contender to tell. */
export interface Spent {
  readonly cpu_us: number
  readonly wall_us: number
}

export interface Contender {
  readonly name: string
  /** Units of one measured round. */
  readonly units: number
  /** Each unit is a process of its own, which nothing before it makes faster. */
  readonly cold?: true
  /** Not measured; before every round. */
  ready?(units: number): Promise<void> | void
  /** Does so many units. What it returns counts instead of what this process spent. */
  run(units: number): Promise<Spent | void> | Spent | void
  /** Not measured; after every round. */
  done?(): Promise<void> | void
}

/** A bound for the median of one contender: CPU µs per unit, or the ratio to a baseline of the same round. */
export interface Goal {
  readonly of: string
  readonly against?: string
  readonly at_most: number
}

/** A figure that is not a time per unit: bytes per entry, for example. */
export interface Fact {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly at_most?: number
}

export interface Prepared {
  readonly contenders: readonly Contender[]
  /** Name of the contender that ratios are shown against. */
  readonly baseline?: string
  readonly goals?: readonly Goal[]
  /** Asked once all rounds are over, with them. */
  facts?(rounds: readonly Round[]): Promise<readonly Fact[]> | readonly Fact[]
}

export interface Stage {
  /** Factor on units and on prepared data; 1 is a run of about half a minute per benchmark. */
  readonly scale: number
  /** Prepared results, where a benchmark reads history; it says itself how many otherwise. */
  readonly rows?: number
  /** A directory of its own, removed at the end. */
  readonly folder: string
  /** Undone in reverse order when the benchmark is over. */
  onEnd(undo: () => unknown): void
}

export interface Benchmark {
  readonly name: string
  readonly about: string
  /** What is counted: check, commit, delivery. */
  readonly unit: string
  prepare(stage: Stage): Promise<Prepared> | Prepared
}

/** Carries out `work` so many times, at most `concurrency` at once. */
export async function inFlight(
  units: number,
  concurrency: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < units) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(units, concurrency) }, lane))
}

/** Bytes of the heap after everything that can go has gone. */
export function heapBytes(): number {
  const { gc } = globalThis
  if (gc === undefined) throw new Error('bench needs --expose-gc')
  gc()
  gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
