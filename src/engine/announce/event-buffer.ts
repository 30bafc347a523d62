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
  const buffered: StreamedEvent[] = []
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
    buffered.length = 0
    end()
  }

  /** The next event, with the number of events that were dropped before it. */
  function take(): StreamedEvent | undefined {
    const next = buffered.shift()
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
      if (buffered.length <= limit) return
      buffered.shift()
      missed += 1
    },
    end,
    abort,
  }
}
