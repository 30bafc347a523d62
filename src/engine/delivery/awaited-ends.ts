/**
 * Test deliveries whose callers wait for their end. The end may come from elsewhere: a row is cancelled with its
 * contact, removed with its account, or sent by another process.
 *
 * @module
 */

import type { Timer } from '../../clock.ts'
import { ConflictError, NotFoundError } from '../../errors.ts'
import type { NotificationRecord } from '../../model.ts'
import type { Core } from '../core/core.ts'

/** How often the store is polled for ends from elsewhere. */
const POLL_MS = 1_000

export interface AwaitedEnds {
  /** @throws NotFoundError for a removed row, ConflictError `stopped` if the engine stops first */
  of(id: number): Promise<NotificationRecord>
  has(id: number): boolean
  /** The row is final. */
  resolve(record: NotificationRecord): void
  /** Deliveries have stopped. */
  stop(): void
}

interface Waiter {
  readonly resolve: (record: NotificationRecord) => void
  readonly reject: (error: unknown) => void
}

export function createAwaitedEnds({
  clock,
  store,
  log,
}: Pick<Core, 'clock' | 'store' | 'log'>): AwaitedEnds {
  const waiters = new Map<number, Waiter>()
  const stopped = new ConflictError('stopped', 'The engine stops')
  let timer: Timer | undefined
  let isOver = false

  function pollLater(): void {
    timer ??= clock.timer(POLL_MS, () => void poll(), { background: true })
  }

  async function poll(): Promise<void> {
    try {
      for (const id of [...waiters.keys()]) await pollOne(id)
    } catch (err) {
      log.warn({ err }, 'the end of a test delivery could not be looked up yet')
    }
    timer = undefined
    if (waiters.size > 0) pollLater()
  }

  async function pollOne(id: number): Promise<void> {
    const record = await store.notifications.get(id)
    if (record === undefined) take(id)?.reject(new NotFoundError('notification'))
    else if (record.status !== 'queued' && record.status !== 'sending') take(id)?.resolve(record)
  }

  function take(id: number): Waiter | undefined {
    const waiter = waiters.get(id)
    waiters.delete(id)
    return waiter
  }

  return {
    of: (id) =>
      new Promise((resolve, reject) => {
        if (isOver) return reject(stopped)
        waiters.set(id, { resolve, reject })
        pollLater()
      }),
    has: (id) => waiters.has(id),
    resolve: (record) => take(record.id)?.resolve(record),
    stop() {
      timer?.cancel()
      timer = undefined
      isOver = true
      for (const id of [...waiters.keys()]) take(id)?.reject(stopped)
    },
  }
}
