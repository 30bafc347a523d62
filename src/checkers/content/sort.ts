/**
 * Sorts in steps: the built-in sort blocks the event loop for its whole duration.
 *
 * @module
 */

interface Keyed {
  readonly key: string
}

/** Items sorted per step. */
const RUN = 256

/** Comparisons before other work runs. */
const STEP = 2048

/** By key, in the order of UTF-16 code units; of equal keys only the last one is kept. */
export function* inOrder<T extends Keyed>(items: readonly T[]): Generator<void, readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let at = 0; at < items.length; at += RUN) {
    if (at > 0) yield
    runs.push(withoutRepeats(items.slice(at, at + RUN).sort(byKey)))
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = []
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? []))
    }
    runs = merged
  }
  return runs[0] ?? []
}

/** For equal keys, items of `later` follow those of `earlier`. */
function* merge<T extends Keyed>(
  earlier: readonly T[],
  later: readonly T[],
): Generator<void, readonly T[]> {
  const merged: T[] = []
  let [a, b] = [0, 0]
  for (let compared = 1; ; compared++) {
    const [one, other] = [earlier[a], later[b]]
    if (one === undefined || other === undefined) break
    if (one.key <= other.key) {
      if (one.key !== other.key) merged.push(one)
      a++
    } else {
      merged.push(other)
      b++
    }
    if (compared % STEP === 0) yield
  }
  for (const rest of [earlier.slice(a), later.slice(b)]) {
    for (let at = 0; at < rest.length; at += STEP) {
      merged.push(...rest.slice(at, at + STEP))
      yield
    }
  }
  return merged
}

/** Equal keys are in input order. */
function withoutRepeats<T extends Keyed>(sorted: readonly T[]): readonly T[] {
  return sorted.filter(({ key }, at) => sorted[at + 1]?.key !== key)
}

function byKey(one: Keyed, other: Keyed): number {
  if (one.key === other.key) return 0
  return one.key < other.key ? -1 : 1
}
