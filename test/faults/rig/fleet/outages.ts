/**
 * Outages of targets by plan: long ones, which have to be told, and short ones, of which nobody is to hear.
 *
 * @module
 */

import { systemClock } from '../../../../src/clock.ts'
import type { EpochMs } from '../../../../src/model.ts'
import type { Dice } from '../dice.ts'
import type { Target } from '../farm.ts'

/** An interval, its confirmation, a takeover, and room for a busy machine. */
const LONG_MS = 90_000
/** Less than from a failing round to the one that would confirm it. */
const SHORT_MS = 4_000

export interface Outage {
  /** Of the target, from 0. */
  readonly index: number
  readonly long: boolean
  /** As it happened. */
  readonly from: EpochMs
  readonly to: EpochMs
}

export interface OutageOptions {
  readonly targets: readonly Target[]
  readonly dice: Dice
  readonly run_ms: number
}

/** Every tenth target is away for long, every twentieth for short; resolves when all are back. */
export async function playOutages({ targets, dice, run_ms }: OutageOptions): Promise<Outage[]> {
  const plans = targets.flatMap((target, index) => {
    const long = index % 10 === 3
    if (!long && index % 20 !== 7) return []
    const lasts_ms = long ? LONG_MS : SHORT_MS
    return [
      { target, index, long, lasts_ms, after_ms: dice.int(0, Math.max(0, run_ms - lasts_ms)) },
    ]
  })
  return Promise.all(
    plans.map(async ({ target, index, long, lasts_ms, after_ms }) => {
      await systemClock.sleep(after_ms)
      target.set(false)
      const from = systemClock.now()
      await systemClock.sleep(lasts_ms)
      const to = systemClock.now()
      target.set(true)
      return { index, long, from, to }
    }),
  )
}
