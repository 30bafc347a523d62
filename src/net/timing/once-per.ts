/**
 * Caches a value derived from an object, per object.
 *
 * @module
 */

/**
 * Weak cache by object identity. An object that is not frozen may change, so its value is computed
 * each time.
 */
export function oncePer<K extends object, V extends object>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    if (Object.isFrozen(key)) made.set(key, value)
    return value
  }
}
