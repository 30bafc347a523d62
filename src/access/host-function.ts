/**
 * Functions of the host that a request waits for, such as `authenticate` and `balance`.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { ClosedError } from '../errors.ts'

/** Longest wait for a function of the host. */
const DEADLINE_MS = 10_000

type HostFunction<A, R> = (about: A) => R | Promise<R>

/** `ask` with a deadline of 10 s: a request neither hangs nor keeps its place forever. @throws ClosedError (503) after it */
export function withDeadline<A, R>(
  clock: Pick<Clock, 'timer'>,
  name: string,
  ask: HostFunction<A, R>,
): (about: A) => Promise<R> {
  return (about) =>
    new Promise((resolve, reject) => {
      const timer = clock.timer(DEADLINE_MS, () =>
        reject(new ClosedError(`${name} did not answer within 10 s`)),
      )
      // In a promise of its own, so that what it throws at once rejects as well.
      void Promise.resolve(about)
        .then(ask)
        .then(resolve, reject)
        .finally(() => timer.cancel())
    })
}
