/**
 * Measures the phases of one check and records the current one.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { Phase, Phases } from '../../model.ts'
import type { StopSignal } from './stop.ts'

export interface Trace {
  /** The current phase, or the last one that ended in an error. */
  readonly current: Phase | null
  /** Milliseconds per phase so far. */
  phases(): Phases
  /** Milliseconds of one phase so far, not rounded. */
  spent_ms(name: Phase): number
  /** The last address tried or connected. */
  readonly remote_ip: string | null
  /** An address is tried, or connected. */
  reaches(address: string): void
  /** Times `work` as (part of) a phase; repeated phases are summed. */
  phase<T>(name: Phase, work: () => Promise<T>): Promise<T>
  /** Milliseconds spent loading packages on first use, which is not time of the target. */
  loading_ms(): number
  /** Loads a package; the time is excluded from all measurements. */
  loading<T>(work: () => Promise<T>): Promise<T>
  /** For code that cannot be wrapped in `phase` (callbacks), or where wrapping is too expensive. */
  begin(name: Phase): EndOfPhase
}

/**
 * Returns the length of the phase in ms. A phase that `failed` stays current, so that the cause can
 * name it.
 */
export type EndOfPhase = (failed?: boolean) => number

interface Span {
  readonly name: Phase
  /** Time of `busy` when it began. */
  readonly from: number
  /** The current phase when this one began. */
  readonly before: Phase | null
}

export function createTrace(clock: Pick<Clock, 'monotonic'>): Trace {
  const spent: Partial<Record<Phase, number>> = {}
  const open: Span[] = []
  /** Completed loading. */
  let loaded_ms = 0
  /** Packages that are being loaded, and since when. */
  let loads = 0
  let loading_from = 0

  function loadingSince(): number {
    return Math.max(0, clock.monotonic() - loading_from)
  }

  /** A clock that stands still while packages load: no phase includes that time, whenever it began or ended. */
  function busy(): number {
    return clock.monotonic() - trace.loading_ms()
  }

  function since({ from }: Span): number {
    return Math.max(0, busy() - from)
  }

  function end(span: Span, failed: boolean): number {
    const at = open.indexOf(span)
    if (at < 0) return 0
    open.splice(at, 1)
    const ms = since(span)
    spent[span.name] = (spent[span.name] ?? 0) + ms
    if (!failed && trace.current === span.name) trace.current = span.before
    return ms
  }

  const trace: { -readonly [K in keyof Trace]: Trace[K] } = {
    current: null,
    remote_ip: null,
    reaches: (address) => void (trace.remote_ip = address),
    phases() {
      const all: { -readonly [K in keyof Phases]: Phases[K] } = {}
      for (const name in spent) all[`${name}_ms`] = hundredths(trace.spent_ms(name))
      for (const { name } of open) all[`${name}_ms`] = hundredths(trace.spent_ms(name))
      return all
    },
    spent_ms(name) {
      let ms = spent[name] ?? 0
      // A phase that the deadline interrupted counts until now.
      for (const span of open) if (span.name === name) ms += since(span)
      return ms
    },
    loading_ms: () => loaded_ms + (loads > 0 ? loadingSince() : 0),
    async loading(work) {
      if (loads++ === 0) loading_from = clock.monotonic()
      try {
        return await work()
      } finally {
        // Packages that load in parallel take the time of the longest, not the sum.
        if (--loads === 0) loaded_ms += loadingSince()
      }
    },
    begin(name) {
      const span = { name, from: busy(), before: trace.current }
      trace.current = name
      open.push(span)
      return (failed = false) => end(span, failed)
    },
    async phase(name, work) {
      const over = trace.begin(name)
      try {
        const value = await work()
        over()
        return value
      } catch (error) {
        over(true)
        throw error
      }
    },
  }
  return trace
}

/** Times parallel pieces of work as one phase: the time while any of them runs. */
export function overlapping(
  trace: Pick<Trace, 'begin'>,
  name: Phase,
  signal: StopSignal,
): () => () => void {
  let running = 0
  let end: EndOfPhase | undefined
  return () => {
    if (running++ === 0) end = trace.begin(name)
    return () => {
      // After an abort the phase stays current, so that the cause can name it.
      if (--running === 0 && !signal.aborted) end?.()
    }
  }
}

/** Rounds to hundredths of a millisecond, the precision of a network measurement. */
export function hundredths(ms: number): number {
  return Math.round(ms * 100) / 100
}
