/**
 * Queues of queries per registry: one query at a time, a pause between two, and none while a
 * registry has asked not to be queried. Accounts are served round-robin, so that one with many
 * names does not delay the others.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { createSemaphore } from '../../net/resolve/semaphore.ts'
import type { Semaphore } from '../../net/resolve/semaphore.ts'

export interface QueuedQuery {
  readonly account_id: number
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Maximum wait in the queue. */
  readonly wait_ms: number
}

export type QueueResult<T> =
  | { readonly state: 'done'; readonly value: T }
  /** The registry has asked not to be queried for this time. */
  | { readonly state: 'held'; readonly held_ms: number }
  /** The queue was too long. */
  | { readonly state: 'busy' }

export interface Queues {
  /** Rejects as `work` does, and with the signal's reason. */
  run<T>(key: string, query: QueuedQuery, work: () => Promise<T>): Promise<QueueResult<T>>
  /** No query to `key` for `ms`. */
  hold(key: string, ms: number, clock: Clock): void
}

interface Queue {
  readonly semaphore: Semaphore
  users: number
  /** Monotonic times of the end of the last query and of the requested pause. */
  ended_at: number
  held_until: number
}

/** Maximum number of queues; idle ones are dropped first. */
const MAX_QUEUES = 1000

const BUSY = new Error('The turn did not come in time')

export function createQueues(gap_ms: number): Queues {
  const queues = new Map<string, Queue>()

  function queueOf(key: string): Queue {
    const known = queues.get(key)
    if (known !== undefined) return known
    if (queues.size >= MAX_QUEUES) forgetIdle(queues)
    const queue = {
      semaphore: createSemaphore(1),
      users: 0,
      ended_at: -Infinity,
      held_until: -Infinity,
    }
    queues.set(key, queue)
    return queue
  }

  return {
    hold(key, ms, clock) {
      const queue = queueOf(key)
      queue.held_until = Math.max(queue.held_until, clock.monotonic() + ms)
    },
    async run(key, query, work) {
      const queue = queueOf(key)
      queue.users += 1
      try {
        return await runPaced(queue, { ...query, gap_ms }, work)
      } finally {
        queue.users -= 1
      }
    },
  }
}

async function runPaced<T>(
  queue: Queue,
  { account_id, clock, signal, wait_ms, gap_ms }: QueuedQuery & { readonly gap_ms: number },
  work: () => Promise<T>,
): Promise<QueueResult<T>> {
  const latest = clock.monotonic() + wait_ms
  const waiting = new AbortController()
  const timer = clock.timer(wait_ms, () => waiting.abort(BUSY))
  try {
    const paced = async (): Promise<QueueResult<T>> => {
      const now = clock.monotonic()
      if (queue.held_until > now) return { state: 'held', held_ms: queue.held_until - now }
      const pause_ms = Math.max(0, queue.ended_at + gap_ms - now)
      if (now + pause_ms > latest) return { state: 'busy' }
      timer.cancel()
      if (pause_ms > 0) await clock.sleep(pause_ms, signal)
      try {
        return { state: 'done', value: await work() }
      } finally {
        queue.ended_at = clock.monotonic()
      }
    }
    return await queue.semaphore.run(AbortSignal.any([signal, waiting.signal]), paced, account_id)
  } catch (error) {
    if (error === BUSY) return { state: 'busy' }
    throw error
  } finally {
    timer.cancel()
  }
}

function forgetIdle(queues: Map<string, Queue>): void {
  for (const [key, { users }] of queues) {
    if (queues.size < MAX_QUEUES) return
    if (users === 0) queues.delete(key)
  }
}
