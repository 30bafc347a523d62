/**
 * Answers of a probe that wait for Redis: kept in order for at most an hour and a hundred thousand of them. The
 * oldest are dropped first, since their rounds are over.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'
import type { ThrottledLog } from './throttled-log.ts'
import type { AnswerJob } from './wire.ts'

const RETRY_MS = 1000
const AT_ONCE = 100

export interface PendingAnswer {
  /** Id of the engine that sent the order. */
  readonly engine: string
  readonly order_id: string
  readonly job: AnswerJob
}

export interface BufferOptions {
  readonly clock: Clock
  readonly throttledLog: ThrottledLog
  /** Delivers answers for one engine, in order; all, or none if it rejects. */
  readonly deliver: (engine: string, pending: readonly PendingAnswer[]) => Promise<void>
  /** Default 100 000. */
  readonly limit?: number
  /** Default one hour. */
  readonly max_age_ms?: number
}

export interface Buffer {
  readonly size: number
  /** Dropped since the start. */
  readonly dropped: number
  /** Resolves when the answer is on its queue or dropped. */
  add(answer: PendingAnswer): Promise<void>
  /** Retries immediately: Redis is connected again. */
  wake(): void
  /** Resolves when no answer is waiting. */
  empty(): Promise<void>
  stop(): void
}

interface Kept extends PendingAnswer {
  readonly added_at: number
  readonly done: () => void
}

export function createBuffer(options: BufferOptions): Buffer {
  const { clock, throttledLog, deliver, limit = 100_000, max_age_ms = 3_600_000 } = options
  const kept = new Set<Kept>()
  const waiting = new Set<() => void>()
  let delivering = false
  let retry: Timer | undefined
  let stopped = false
  let dropped = 0

  function remove(answer: Kept): void {
    kept.delete(answer)
    answer.done()
    if (kept.size > 0) return
    for (const resolve of waiting) resolve()
    waiting.clear()
  }

  /** The oldest come first. */
  function dropWhatIsTooMuch(): void {
    const before = clock.monotonic() - max_age_ms
    for (const answer of kept) {
      if (kept.size <= limit && answer.added_at >= before) return
      remove(answer)
      dropped++
      throttledLog.warn({ dropped }, 'answers were dropped: Redis was away for too long')
    }
  }

  /** The next answers for one engine. */
  function batch(): readonly Kept[] {
    const found: Kept[] = []
    for (const answer of kept) {
      if (found.length === AT_ONCE || (found[0] ?? answer).engine !== answer.engine) break
      found.push(answer)
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
      throttledLog.warn({ err, waiting: kept.size }, 'answers wait for Redis')
      retry = clock.timer(RETRY_MS, wake, { background: true })
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
    add(answer) {
      return new Promise((resolve) => {
        kept.add({ ...answer, added_at: clock.monotonic(), done: resolve })
        dropWhatIsTooMuch()
        // After a failure the answer waits for the retry with the others.
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
      for (const answer of kept) answer.done()
      kept.clear()
    },
  }
}
