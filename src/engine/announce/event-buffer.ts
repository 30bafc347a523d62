/**
 * The buffer of a stream of events: bounded, the oldest event is dropped when it is full.
 *
 * @module
 */

import type { EngineEvents, StreamedEvent } from '../api/events.ts'

type Result = IteratorResult<StreamedEvent, undefined>

export interface EventBuffer {
  readonly iterator: AsyncIterableIterator<StreamedEvent>
  push(this: void, event: keyof EngineEvents, payload: unknown): void
  /** No more events; those in the buffer are still read. */
  end(this: void): void
  /** No more events; those in the buffer are dropped. */
  abort(this: void): void
}

/** `released` is called once, when no more events are taken. */
export function createEventBuffer(limit: number, released: () => void): EventBuffer {
  /** From `first` on. V8 moves every element of a long array when the first one is removed. */
  const buffered: (StreamedEvent | undefined)[] = []
  let first = 0
  const waiting: ((result: Result) => void)[] = []
  let missed = 0
  let ended = false

  function end(): void {
    if (ended) return
    ended = true
    released()
    for (const resolve of waiting.splice(0)) resolve({ done: true, value: undefined })
  }

  function abort(): void {
    buffered.length = first = 0
    end()
  }

  function shift(): StreamedEvent | undefined {
    const event = buffered[first]
    if (event === undefined) return undefined
    buffered[first++] = undefined
    if (first < limit && first < buffered.length) return event
    // In one go, so that each event is moved at most once.
    buffered.splice(0, first)
    first = 0
    return event
  }

  /** The next event, with the number of events that were dropped before it. */
  function take(): StreamedEvent | undefined {
    const next = shift()
    if (next === undefined) return undefined
    const event = { ...next, missed }
    missed = 0
    return event
  }

  const iterator: AsyncIterableIterator<StreamedEvent> = {
    next() {
      const value = take()
      if (value !== undefined) return Promise.resolve({ done: false, value })
      if (ended) return Promise.resolve({ done: true, value: undefined })
      return new Promise((resolve) => waiting.push(resolve))
    },
    return() {
      abort()
      return Promise.resolve({ done: true, value: undefined })
    },
    [Symbol.asyncIterator]: () => iterator,
  }

  return {
    iterator,
    push(event, payload) {
      const value = { event, payload, missed: 0 } as StreamedEvent
      const resolve = waiting.shift()
      if (resolve !== undefined) {
        resolve({ done: false, value })
        return
      }
      buffered.push(value)
      if (buffered.length - first <= limit) return
      shift()
      missed += 1
    },
    end,
    abort,
  }
}
