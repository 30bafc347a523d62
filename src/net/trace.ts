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
  /** Milliseconds in one of them so far, not rounded. */
  spent_ms(name: Phase): number
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

/** Made for every check, hence without a collection that most of them would leave empty. */
export function createTrace(clock: Pick<Clock, 'monotonic'>): Trace {
  const spent: Partial<Record<Phase, number>> = {}
  const open: Span[] = []
  let current: Phase | null = null
  let loading_ms = 0

  const since = (from: number): number => Math.max(0, clock.monotonic() - from)

  function start(name: Phase): Span {
    const span = { name, from: clock.monotonic(), before: current }
    current = name
    open.push(span)
    return span
  }

  function end(span: Span, failed: boolean): number {
    const at = open.indexOf(span)
    if (at < 0) return 0
    open.splice(at, 1)
    const ms = since(span.from)
    spent[span.name] = (spent[span.name] ?? 0) + ms
    // After a failure the phase stays current, so that the cause can name it.
    if (!failed && current === span.name) current = span.before
    return ms
  }

  function spent_ms(name: Phase): number {
    let ms = spent[name] ?? 0
    // What was cut off by the deadline took its time as well.
    for (const span of open) if (span.name === name) ms += since(span.from)
    return ms
  }

  return {
    remote_ip: null,
    get current() {
      return current
    },
    get phases() {
      const all: { -readonly [K in keyof Phases]: Phases[K] } = {}
      for (const name in spent) all[`${name as Phase}_ms`] = round(spent_ms(name as Phase))
      for (const { name } of open) all[`${name}_ms`] = round(spent_ms(name))
      return all
    },
    spent_ms,
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
      const span = start(name)
      return () => end(span, false)
    },
    async phase(name, work) {
      const span = start(name)
      try {
        const value = await work()
        end(span, false)
        return value
      } catch (error) {
        end(span, true)
        throw error
      }
    },
  }
}

interface Span {
  readonly name: Phase
  readonly from: number
  /** The phase under way when this one began. */
  readonly before: Phase | null
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
