/**
 * Waits that always end: with a value, an error, or the signal.
 *
 * @module
 */

import type { StopSignal } from './stop.ts'

export interface Settle<T> {
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
