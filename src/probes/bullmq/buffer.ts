/**
 * Answers of a probe on their way: kept in order while Redis is away, at most an hour and a hundred
 * thousand of them. What is dropped is the oldest, whose round is long over.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'
import type { Complaints } from './throttled-log.ts'
import type { AnswerJob } from './wire.ts'

const AGAIN_MS = 1000
const AT_ONCE = 100

export interface Parcel {
  /** Id of the engine that asked. */
  readonly engine: string
  readonly order_id: string
  readonly job: AnswerJob
}

export interface BufferOptions {
  readonly clock: Clock
  readonly complaints: Complaints
  /** Parcels for one engine, in order; delivered all or none when it rejects. */
  readonly deliver: (engine: string, parcels: readonly Parcel[]) => Promise<void>
  /** Default 100 000. */
  readonly limit?: number
  /** Default one hour. */
  readonly max_age_ms?: number
}

export interface Buffer {
  readonly size: number
  /** Dropped since the start. */
  readonly dropped: number
  /** Resolves once the answer is on its queue, or dropped. */
  add(parcel: Parcel): Promise<void>
  /** Tries at once: Redis is back. */
  wake(): void
  /** Resolves when nothing is left to deliver. */
  empty(): Promise<void>
  stop(): void
}

interface Kept extends Parcel {
  readonly added_at: number
  readonly done: () => void
}

export function createBuffer(options: BufferOptions): Buffer {
  const { clock, complaints, deliver, limit = 100_000, max_age_ms = 3_600_000 } = options
  const kept = new Set<Kept>()
  const waiting = new Set<() => void>()
  let delivering = false
  let retry: Timer | undefined
  let stopped = false
  let dropped = 0

  function remove(parcel: Kept): void {
    kept.delete(parcel)
    parcel.done()
    if (kept.size > 0) return
    for (const resolve of waiting) resolve()
    waiting.clear()
  }

  /** The oldest stand first. */
  function dropWhatIsTooMuch(): void {
    const before = clock.monotonic() - max_age_ms
    for (const parcel of kept) {
      if (kept.size <= limit && parcel.added_at >= before) return
      remove(parcel)
      dropped++
      complaints.warn({ dropped }, 'answers were dropped: Redis was away for too long')
    }
  }

  /** The next ones for one engine. */
  function batch(): readonly Kept[] {
    const found: Kept[] = []
    for (const parcel of kept) {
      if (found.length === AT_ONCE || (found[0] ?? parcel).engine !== parcel.engine) break
      found.push(parcel)
    }
    return found
  }

  async function run(): Promise<void> {
    if (delivering || stopped) return
    delivering = true
    retry?.cancel()
    retry = undefined
    try {
      for (let next = batch(); next.length > 0 && !isStopped(); next = batch()) {
        await deliver(next[0]?.engine ?? '', next)
        next.forEach(remove)
      }
    } catch (err) {
      complaints.warn({ err, waiting: kept.size }, 'answers wait for Redis')
      retry = clock.timer(AGAIN_MS, wake, { background: true })
    } finally {
      delivering = false
    }
  }

  const isStopped = (): boolean => stopped

  function wake(): void {
    dropWhatIsTooMuch()
    void run()
  }

  return {
    get size() {
      return kept.size
    },
    get dropped() {
      return dropped
    },
    add(parcel) {
      return new Promise((resolve) => {
        kept.add({ ...parcel, added_at: clock.monotonic(), done: resolve })
        dropWhatIsTooMuch()
        // After a failure it waits for its turn with the others.
        if (retry === undefined && !delivering) void run()
      })
    },
    wake,
    empty: () =>
      kept.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.add(resolve)
          }),
    stop() {
      stopped = true
      retry?.cancel()
      for (const parcel of kept) parcel.done()
      kept.clear()
    },
  }
}
