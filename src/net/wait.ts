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
export async function waitFor<T>(
  signal: AbortSignal,
  begin: (settle: Settle<T>) => () => void,
): Promise<T> {
  signal.throwIfAborted()
  const release: (() => void)[] = []
  try {
    return await new Promise<T>((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error)
      signal.addEventListener('abort', stop, { once: true })
      release.push(() => signal.removeEventListener('abort', stop))
      release.push(begin({ resolve, reject }))
    })
  } finally {
    for (const each of release) each()
  }
}

/** The outcome of `work`, or the signal's reason when that comes first; the work itself goes on. */
export async function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  // Where nobody waits for it any more, its failure is nobody's.
  work.catch(() => undefined)
  return waitFor<T>(signal, ({ resolve, reject }) => {
    work.then(resolve, reject)
    return () => undefined
  })
}
