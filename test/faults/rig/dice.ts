/**
 * Chance from a seed: the same seed draws the same plan.
 *
 * @module
 */

export interface Dice {
  /** Uniform in [0, 1). */
  random(): number
  chance(p: number): boolean
  /** Between the two, both included. */
  int(min: number, max: number): number
  pick<const T>(from: readonly T[]): T
}

/** mulberry32. */
export function diceOf(seed: number): Dice {
  let state = (seed * 2654435761) >>> 0
  function random(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (min: number, max: number) => min + Math.floor(random() * (max - min + 1))
  return {
    random,
    chance: (p) => random() < p,
    int,
    pick: (from) => from[int(0, from.length - 1)]!,
  }
}
