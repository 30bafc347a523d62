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
  const isBefore = (time: EpochMs, id: number, i: number): boolean =>
    time < timeAt(i) || (time === timeAt(i) && id < idAt(i))

  function put(i: number, id: number, time: EpochMs): void {
    ids[i] = id
    times[i] = time
    places.set(id, i)
  }

  /** Puts an entry at the free place `from`, or above or below it where the order requires. */
  function settle(from: number, id: number, time: EpochMs): void {
    let i = from
    for (; i > 0;) {
      const parent = (i - 1) >> 1
      if (!isBefore(time, id, parent)) break
      put(i, idAt(parent), timeAt(parent))
      i = parent
    }
    for (; i >= from;) {
      const left = 2 * i + 1
      const right = left + 1
      const child = right < ids.length && isBefore(timeAt(right), idAt(right), left) ? right : left
      if (child >= ids.length || isBefore(time, id, child)) break
      put(i, idAt(child), timeAt(child))
      i = child
    }
    put(i, id, time)
  }

  function removeAt(i: number): void {
    const last = ids.length - 1
    const [id, time] = [idAt(last), timeAt(last)]
    places.delete(idAt(i))
    ids.pop()
    times.pop()
    if (i < last) settle(i, id, time)
  }

  const queue: DueQueue = {
    get size() {
      return ids.length
    },
    set(id, due_at) {
      settle(places.get(id) ?? ids.length, id, due_at)
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
