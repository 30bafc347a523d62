/**
 * The lookups of the system (`getaddrinfo`) that are under way in this process, for all engines in it: the threads for
 * them belong to the process. libuv gives lookups half of its threads, rounded up: two of the four that there are by
 * default. A lookup cannot be cancelled, and a name server that stays silent holds its thread for 10 s and more. So one is
 * under way at a time; the other thread is for everything else that names a host: `fetch`, the drivers of databases.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { Address } from '../connection/endpoint.ts'
import { CheckFailure } from '../failure.ts'
import { createStop } from '../timing/stop.ts'
import type { StopSignal } from '../timing/stop.ts'
import { createSemaphore } from './semaphore.ts'
import type { Semaphore } from './semaphore.ts'

/** More than an engine checks at once by default; each waits no longer than its check. */
const MOST_WAITING = 1000

/** Of the time that is left. A caller that had to wait says so before its deadline, which would be counted as a failure of the name. */
const SHARE = 0.9

export interface LookupRequest {
  readonly host: string
  /** Whose turn it takes. Default: that of the operator. */
  readonly account_id: number | undefined
  readonly signal: StopSignal
  /** Milliseconds until the deadline of the caller, if there is one. */
  readonly within_ms: number | undefined
  readonly clock: Pick<Clock, 'timer'>
}

export interface SystemLookups {
  /**
   * Begins `work` at the turn of the account, once no other lookup is under way. A caller that ends before has none begun.
   *
   * @throws CheckFailure `probe_overloaded` if the turn does not come in time; the signal's reason when it aborts
   */
  run(request: LookupRequest, work: () => Promise<readonly Address[]>): Promise<readonly Address[]>
  /** Callers of the account that wait for their turn. */
  waiting(account_id: number): number
}

export function createSystemLookups(semaphore: Semaphore = createSemaphore(1)): SystemLookups {
  return {
    waiting: semaphore.waiting,
    async run({ host, account_id = 0, signal, within_ms, clock }, work) {
      signal.throwIfAborted()
      if (semaphore.waiting(account_id) >= MOST_WAITING) throw noTurn(host)
      const stop = createStop()
      const follow = (): void => stop.abort(signal.reason)
      signal.addEventListener('abort', follow, { once: true })
      const progress = { begun: false }
      const begin = (): ReturnType<typeof work> => {
        progress.begun = true
        return work()
      }
      const found = semaphore.run(stop, begin, account_id)
      // A lookup that begins at once has all the time there is: its deadline is that of the name.
      const late =
        progress.begun || within_ms === undefined
          ? undefined
          : clock.timer(within_ms * SHARE, () => stop.abort(noTurn(host)))
      try {
        return await found
      } finally {
        late?.cancel()
        signal.removeEventListener('abort', follow)
      }
    },
  }
}

/**
 * A registered symbol: the queue is shared by every copy of this module in a process, ESM and CommonJS. No more than the
 * queue is: a check knows the errors of its own copy alone.
 */
const QUEUE_OF_PROCESS = Symbol.for('watchpost.system-lookups')

export function lookupsOfProcess(): SystemLookups {
  const known = Reflect.get(globalThis, QUEUE_OF_PROCESS) as Semaphore | undefined
  if (known !== undefined) return createSystemLookups(known)
  const queue = createSemaphore(1)
  Reflect.set(globalThis, QUEUE_OF_PROCESS, queue)
  return createSystemLookups(queue)
}

function noTurn(host: string): CheckFailure {
  const text = `This location was busy with lookups of other names, and did not get to ${host} in time`
  return new CheckFailure('probe_overloaded', text, { phase: 'resolve' })
}
