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
  readonly phases: Phases
  /** Milliseconds of one phase so far, not rounded. */
  spent_ms(name: Phase): number
  /** The last address tried or connected. */
  remote_ip: string | null
  /** Times `work` as (part of) a phase; repeated phases are summed. */
  phase<T>(name: Phase, work: () => Promise<T>): Promise<T>
  /** Milliseconds spent loading packages on first use, which is not time of the target. */
  readonly loading_ms: number
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

/** The state behind `TRACE`. */
interface State {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly spent: Partial<Record<Phase, number>>
  readonly open: Span[]
  current: Phase | null
  /** Completed loading. */
  loaded_ms: number
  /** Packages that are being loaded, and since when. */
  loads: number
  loading_from: number
}

export function createTrace(clock: Pick<Clock, 'monotonic'>): Trace {
  const trace = Object.create(TRACE) as { -readonly [K in keyof State]: State[K] } & Omit<
    Trace,
    keyof State
  >
  trace.clock = clock
  trace.spent = {}
  trace.open = []
  trace.current = null
  trace.loaded_ms = 0
  trace.loads = 0
  trace.loading_from = 0
  trace.remote_ip = null
  return trace
}

/**
 * A shared prototype: an object literal with an accessor gets its own hidden class each time, which
 * costs a microsecond per check and slows down its users.
 */
const TRACE: ThisType<State & Trace> & Omit<Trace, 'current' | 'remote_ip'> = {
  get phases() {
    const all: { -readonly [K in keyof Phases]: Phases[K] } = {}
    for (const name in this.spent) all[`${name}_ms`] = round(this.spent_ms(name))
    for (const { name } of this.open) all[`${name}_ms`] = round(this.spent_ms(name))
    return all
  },
  spent_ms(name) {
    let ms = this.spent[name] ?? 0
    // A phase that the deadline interrupted counts until now.
    for (const span of this.open) if (span.name === name) ms += since(this, span.from)
    return ms
  },
  get loading_ms() {
    return this.loaded_ms + (this.loads > 0 ? passed(this, this.loading_from) : 0)
  },
  async loading(work) {
    if (this.loads++ === 0) this.loading_from = this.clock.monotonic()
    try {
      return await work()
    } finally {
      // Packages that load in parallel take the time of the longest, not the sum.
      if (--this.loads === 0) this.loaded_ms += passed(this, this.loading_from)
    }
  },
  begin(name) {
    const span = { name, from: busy(this), before: this.current }
    this.current = name
    this.open.push(span)
    return (failed = false) => end(this, span, failed)
  },
  async phase(name, work) {
    const over = this.begin(name)
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

function passed({ clock }: Pick<State, 'clock'>, from: number): number {
  return Math.max(0, clock.monotonic() - from)
}

/** A clock that stands still while packages load: no phase includes that time, whenever it began or ended. */
function busy(state: Pick<Trace, 'loading_ms'> & Pick<State, 'clock'>): number {
  return state.clock.monotonic() - state.loading_ms
}

function since(state: Pick<Trace, 'loading_ms'> & Pick<State, 'clock'>, from: number): number {
  return Math.max(0, busy(state) - from)
}

function end(state: State & Pick<Trace, 'loading_ms'>, span: Span, failed: boolean): number {
  const at = state.open.indexOf(span)
  if (at < 0) return 0
  state.open.splice(at, 1)
  const ms = since(state, span.from)
  state.spent[span.name] = (state.spent[span.name] ?? 0) + ms
  if (!failed && state.current === span.name) state.current = span.before
  return ms
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
export function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
