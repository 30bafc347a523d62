/**
 * The early end of a check: its time is up, or nobody wants it any more.
 *
 * It is heard as an `AbortSignal` is, but a real one is made only for whoever asks for it. Node makes one
 * in 3 µs and two listeners in as many more; most checks never need it, and some cost no more than 60.
 *
 * @module
 */

/** What is heard of an `AbortSignal` in here; every real one will do. */
export interface StopSignal {
  readonly aborted: boolean
  /** What all waits reject with; nothing before the end. */
  readonly reason: Error
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options: { readonly once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export interface Stop extends StopSignal {
  /** The first reason holds. */
  abort(reason: Error): void
  /** For those who need the platform's own; the same one every time. */
  platformSignal(): AbortSignal
}

/** What `STOP` works on. */
interface State {
  aborted: boolean
  reason: Error | undefined
  /** A handful at most. */
  listeners: (() => void)[]
  controller: AbortController | undefined
}

export function createStop(): Stop {
  const stop = Object.create(STOP) as State
  stop.aborted = false
  stop.reason = undefined
  stop.listeners = []
  stop.controller = undefined
  return stop as State & Stop
}

/** Shared by all, as every check makes one. */
const STOP: ThisType<State> & Omit<Stop, 'aborted' | 'reason'> = {
  throwIfAborted() {
    if (this.aborted) throw this.reason as Error
  },
  addEventListener(_type, listener) {
    // As with a real one, who comes after the end hears nothing, and nobody hears it twice.
    if (!this.aborted && !this.listeners.includes(listener)) this.listeners.push(listener)
  },
  removeEventListener(_type, listener) {
    const at = this.listeners.indexOf(listener)
    if (at >= 0) this.listeners.splice(at, 1)
  },
  abort(reason) {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    this.controller?.abort(reason)
    // A listener that is taken off by another one before its turn is not called.
    for (let next = this.listeners.shift(); next !== undefined; next = this.listeners.shift()) {
      next()
    }
  },
  platformSignal() {
    this.controller ??= new AbortController()
    if (this.aborted) this.controller.abort(this.reason)
    return this.controller.signal
  },
}
