/**
 * State that the checks of one engine or probe share, by the key of the checker that made it.
 *
 * @module
 */

export interface SharedState {
  of<T extends object>(key: symbol, make: () => T): T
}

export function createSharedState(): SharedState {
  const states = new Map<symbol, object>()
  return {
    of<T extends object>(key: symbol, make: () => T) {
      const known = states.get(key) as T | undefined
      if (known !== undefined) return known
      const state = make()
      states.set(key, state)
      return state
    },
  }
}
