/**
 * Chance from a seed: the same seed draws the same plan.
 *
 * @module
 */

import { mulberry32 } from '../../support/mulberry32.ts'

export interface Dice {
  /** Uniform in [0, 1). */
  random(): number
  chance(p: number): boolean
  /** Between the two, both included. */
  int(min: number, max: number): number
  pick<const T>(from: readonly T[]): T
}

export function diceOf(seed: number): Dice {
  const random = mulberry32(seed * 2654435761)
  const int = (min: number, max: number) => min + Math.floor(random() * (max - min + 1))
  return {
    random,
    chance: (p) => random() < p,
    int,
    pick: (from) => from[int(0, from.length - 1)]!,
  }
}
