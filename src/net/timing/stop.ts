/**
 * The early end of a check, at its deadline or by cancellation, and waits that end with it.
 *
 * Has the interface of an `AbortSignal`, but creates a real one only on request. In Node a signal with eight
 * listeners costs 10 µs; most checks never need it, and some take only 60 µs.
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

export function createStop(): Stop {
  /** Usually fewer than ten. */
  const listeners: (() => void)[] = []
  let controller: AbortController | undefined

  const stop: Omit<Stop, 'aborted' | 'reason'> & { aborted: boolean; reason: Error | undefined } = {
    aborted: false,
    reason: undefined,
    throwIfAborted() {
      if (stop.aborted) throw stop.reason as Error
    },
    addEventListener(_type, listener) {
      // As with a real signal, a listener added after the abort is not called, and none is called
      // twice.
      if (!stop.aborted && !listeners.includes(listener)) listeners.push(listener)
    },
    removeEventListener(_type, listener) {
      const at = listeners.indexOf(listener)
      if (at >= 0) listeners.splice(at, 1)
    },
    abort(reason) {
      if (stop.aborted) return
      stop.aborted = true
      stop.reason = reason
      controller?.abort(reason)
      // A listener that another one removes before its turn is not called.
      for (let next = listeners.shift(); next !== undefined; next = listeners.shift()) next()
    },
    platformSignal() {
      controller ??= new AbortController()
      if (stop.aborted) controller.abort(stop.reason)
      return controller.signal
    },
  }
  return stop as Stop
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
