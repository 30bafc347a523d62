/**
 * What is made of an object once, and not again in every check that brings the same one.
 *
 * @module
 */

/** Kept as long as the object is in use. One that is not frozen may change: it is read anew each time. */
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
