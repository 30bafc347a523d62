/** Chance of a seed: the same numbers in the same order, every time. */

import { mulberry32 } from '../support/mulberry32.ts'

export interface Dice {
  chance(p: number): boolean
  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number
  pick<const T>(from: readonly T[]): T
  /** One of the values by its weight. */
  weighted<const T>(from: readonly (readonly [T, number])[]): T
  /** A waiting time with this mean, as between accidents that know nothing of each other. */
  wait(mean_ms: number): number
}

/** Apart from the clock's own chance. `salt` makes several independent dice of one seed. */
export function diceOf(seed: number, salt = 0): Dice {
  const random = mulberry32(Math.imul(seed, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b))
  const int = (min: number, max: number) => min + Math.floor(random() * (max - min + 1))
  return {
    chance: (p) => random() < p,
    int,
    pick: (from) => from[int(0, from.length - 1)]!,
    weighted(from) {
      let left = random() * from.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [value, weight] of from) {
        left -= weight
        if (left < 0) return value
      }
      return from.at(-1)![0]
    },
    wait: (mean_ms) => Math.max(1, Math.round(-Math.log(1 - random()) * mean_ms)),
  }
}
