/**
 * A priority queue of due times: a binary heap over (time, id) that contains each id at most once.
 *
 * @module
 */

import type { EpochMs } from './model.ts'

export interface DueQueue {
  readonly size: number
  /** Sets or moves the time of an id. */
  set(id: number, due_at: EpochMs): void
  delete(id: number): void
  get(id: number): EpochMs | undefined
  /** The earliest, left in place. */
  peek(): { readonly id: number; readonly due_at: EpochMs } | undefined
  /** Removes and returns the earliest. */
  pop(): { readonly id: number; readonly due_at: EpochMs } | undefined
  ids(): IterableIterator<number>
}

export function dueQueue(): DueQueue {
  // Two flat arrays and one map instead of an object per entry, which saves memory for a million monitors.
  const ids: number[] = []
  const times: number[] = []
  const places = new Map<number, number>()

  const idAt = (i: number): number => ids[i] ?? 0
  const timeAt = (i: number): number => times[i] ?? Infinity
  const before = (a: number, b: number): boolean =>
    timeAt(a) < timeAt(b) || (timeAt(a) === timeAt(b) && idAt(a) < idAt(b))

  function put(i: number, id: number, time: number): void {
    ids[i] = id
    times[i] = time
    places.set(id, i)
  }

  function swap(a: number, b: number): void {
    const [id, time] = [idAt(a), timeAt(a)]
    put(a, idAt(b), timeAt(b))
    put(b, id, time)
  }

  function rise(from: number): void {
    for (let i = from; i > 0;) {
      const parent = (i - 1) >> 1
      if (!before(i, parent)) return
      swap(i, parent)
      i = parent
    }
  }

  function sink(from: number): void {
    for (let i = from; ;) {
      const left = 2 * i + 1
      const child = left + 1 < ids.length && before(left + 1, left) ? left + 1 : left
      if (child >= ids.length || !before(child, i)) return
      swap(i, child)
      i = child
    }
  }

  function removeAt(i: number): void {
    const last = ids.length - 1
    if (i !== last) swap(i, last)
    places.delete(idAt(last))
    ids.pop()
    times.pop()
    if (i >= ids.length) return
    rise(i)
    sink(i)
  }

  const queue: DueQueue = {
    get size() {
      return ids.length
    },
    set(id, due_at) {
      const place = places.get(id)
      if (place !== undefined) {
        times[place] = due_at
        rise(place)
        sink(places.get(id) ?? place)
        return
      }
      put(ids.length, id, due_at)
      rise(ids.length - 1)
    },
    delete(id) {
      const place = places.get(id)
      if (place !== undefined) removeAt(place)
    },
    get: (id) => {
      const place = places.get(id)
      return place === undefined ? undefined : timeAt(place)
    },
    peek: () => (ids.length === 0 ? undefined : { id: idAt(0), due_at: timeAt(0) }),
    pop() {
      const first = queue.peek()
      if (first !== undefined) removeAt(0)
      return first
    },
    ids: () => places.keys(),
  }
  return queue
}
