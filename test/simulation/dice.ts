/** Chance of a seed: the same numbers in the same order, every time. */

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

/** mulberry32, apart from the clock's own chance. `salt` makes several independent dice of one seed. */
export function diceOf(seed: number, salt = 0): Dice {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b)) >>> 0

  function random(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

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
