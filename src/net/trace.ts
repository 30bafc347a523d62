/**
 * Where the time of one check went, and which phase was under way when it ended.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import type { Phase, Phases } from '../model.ts'

export interface Trace {
  /** The phase under way, or the last one that ended in an error. */
  readonly current: Phase | null
  /** Milliseconds per phase so far. */
  readonly phases: Phases
  /** The address tried or reached last. */
  remote_ip: string | null
  /** Times `work` as (part of) a phase; phases met again are summed. */
  phase<T>(name: Phase, work: () => Promise<T>): Promise<T>
  /** Milliseconds in which a package was loaded, on its first use: our own time, not the target's. */
  readonly loading_ms: number
  /** Loads a package outside of every measurement. */
  loading<T>(work: () => Promise<T>): Promise<T>
  /** For code that cannot be wrapped (callbacks): begins a phase; the returned function ends it and gives its length in ms. */
  begin(name: Phase): () => number
}

export function createTrace(clock: Pick<Clock, 'monotonic'>): Trace {
  const spent = new Map<Phase, number>()
  const open = new Set<{ readonly name: Phase; readonly from: number }>()
  let current: Phase | null = null
  let loading_ms = 0

  const since = (from: number): number => Math.max(0, clock.monotonic() - from)
  const add = (name: Phase, ms: number): void => void spent.set(name, (spent.get(name) ?? 0) + ms)

  function start(name: Phase): (outcome: 'done' | 'failed') => number {
    const span = { name, from: clock.monotonic() }
    const before = current
    current = name
    open.add(span)
    return (outcome) => {
      if (!open.delete(span)) return 0
      const ms = since(span.from)
      add(name, ms)
      // After a failure the phase stays current, so that the cause can name it.
      if (outcome === 'done' && current === name) current = before
      return ms
    }
  }

  return {
    remote_ip: null,
    get current() {
      return current
    },
    get phases() {
      const all = new Map(spent)
      // What was cut off by the deadline took its time as well.
      for (const { name, from } of open) all.set(name, (all.get(name) ?? 0) + since(from))
      return Object.fromEntries([...all].map(([name, ms]) => [`${name}_ms`, round(ms)]))
    },
    get loading_ms() {
      return loading_ms
    },
    async loading(work) {
      const from = clock.monotonic()
      try {
        return await work()
      } finally {
        loading_ms += since(from)
      }
    },
    begin(name) {
      const end = start(name)
      return () => end('done')
    },
    async phase(name, work) {
      const end = start(name)
      try {
        const value = await work()
        end('done')
        return value
      } catch (error) {
        end('failed')
        throw error
      }
    },
  }
}

/** Times pieces of work that run beside each other as one phase: what passes while any of them runs. */
export function overlapping(
  trace: Pick<Trace, 'begin'>,
  name: Phase,
  signal: AbortSignal,
): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  let end = (): number => 0
  return async (work) => {
    if (running++ === 0) end = trace.begin(name)
    try {
      return await work()
    } finally {
      // After an abort the phase stays current, so that the cause can name it.
      if (--running === 0 && !signal.aborted) end()
    }
  }
}

/** Hundredths of a millisecond are all a network measurement can carry. */
export function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
