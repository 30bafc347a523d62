/**
 * Waiting that always ends: with a value, an error, or the signal.
 *
 * @module
 */

import type { StopSignal } from './stop.ts'

export interface Settle<T> {
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

/**
 * A promise that the signal ends at the latest, with its reason. `begin` starts the work and returns
 * what takes its listeners off again; that is called exactly once, however it ends.
 */
export function waitFor<T>(
  signal: StopSignal,
  begin: (settle: Settle<T>) => () => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    let release: (() => void) | undefined
    // Whatever was thrown is passed on as it is.
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
    // Settled within `begin`: there was nothing to release yet.
    if (wait.over) release?.()
  })
}

/** The outcome of `work`, or the signal's reason when that comes first; the work itself goes on. */
export async function orAborted<T>(signal: StopSignal, work: Promise<T>): Promise<T> {
  // Where nobody waits for it any more, its failure is nobody's.
  work.catch(() => undefined)
  return waitFor<T>(signal, ({ resolve, reject }) => {
    work.then(resolve, reject)
    return () => undefined
  })
}
