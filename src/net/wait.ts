/**
 * Waiting that always ends: with a value, an error, or the signal.
 *
 * @module
 */

export interface Settle<T> {
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

/**
 * A promise that the signal ends at the latest, with its reason. `begin` starts the work and returns
 * what takes its listeners off again; that is called exactly once, however it ends.
 */
export function waitFor<T>(
  signal: AbortSignal,
  begin: (settle: Settle<T>) => () => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error)
      return
    }
    let settled = false
    let undo: (() => void) | undefined
    const settle = (finish: () => void): void => {
      if (settled) return
      settled = true
      signal.removeEventListener('abort', stop)
      undo?.()
      finish()
    }
    const stop = (): void => settle(() => reject(signal.reason as Error))
    signal.addEventListener('abort', stop, { once: true })
    undo = begin({
      resolve: (value) => settle(() => resolve(value)),
      reject: (error) => settle(() => reject(error as Error)),
    })
    // `begin` may have settled at once, when there was nothing to undo yet.
    if (settled) undo()
  })
}

/** The outcome of `work`, or the signal's reason when that comes first; the work itself goes on. */
export function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return waitFor<T>(signal, ({ resolve, reject }) => {
    work.then(resolve, reject)
    return () => undefined
  })
}
