/**
 * The early end of a check, at its deadline or by cancellation, and waits that end with it.
 *
 * Has the interface of an `AbortSignal`, but creates a real one only on request. In Node a signal
 * costs 3 µs and two listeners as much again; most checks never need it, and some take only 60 µs.
 *
 * @module
 */

/** The part of `AbortSignal` that is used here; a real one fits. */
export interface StopSignal {
  readonly aborted: boolean
  /** All waits reject with it; unset before the end. */
  readonly reason: Error
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options: { readonly once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export interface Stop extends StopSignal {
  /** Later calls have no effect. */
  abort(reason: Error): void
  /** A real `AbortSignal` for APIs that need one; always the same object. */
  platformSignal(): AbortSignal
}

/** The state behind `STOP`. */
interface State {
  aborted: boolean
  reason: Error | undefined
  /** Usually fewer than ten. */
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

/** A shared prototype: every check creates one. */
const STOP: ThisType<State> & Omit<Stop, 'aborted' | 'reason'> = {
  throwIfAborted() {
    if (this.aborted) throw this.reason as Error
  },
  addEventListener(_type, listener) {
    // As with a real signal, a listener added after the abort is not called, and none is called
    // twice.
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
    // A listener that another one removes before its turn is not called.
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

interface Settle<T> {
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

/**
 * A promise that rejects with the signal's reason when it aborts. `begin` starts the work and
 * returns a function that removes its listeners; that is called exactly once, whatever the result.
 */
export function waitFor<T>(
  signal: StopSignal,
  begin: (settle: Settle<T>) => () => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    let release: (() => void) | undefined
    // Errors are passed on unchanged.
    const fail: (error: unknown) => void = reject
    const wait: { over: boolean } = { over: false }
    function finish(): void {
      if (wait.over) return
      wait.over = true
      signal.removeEventListener('abort', stop)
      release?.()
    }
    function stop(): void {
      reject(signal.reason)
      finish()
    }
    signal.addEventListener('abort', stop, { once: true })
    try {
      release = begin({
        resolve(value) {
          resolve(value)
          finish()
        },
        reject(error) {
          fail(error)
          finish()
        },
      })
    } catch (error) {
      fail(error)
      finish()
    }
    // Settled within `begin`, before there was a function to call.
    if (wait.over) release?.()
  })
}

/** The result of `work`, or the signal's reason if it aborts first; the work itself continues. */
export async function orAborted<T>(signal: StopSignal, work: Promise<T>): Promise<T> {
  // After an abort the error of `work` is ignored.
  work.catch(() => undefined)
  return waitFor<T>(signal, ({ resolve, reject }) => {
    work.then(resolve, reject)
    return () => undefined
  })
}
