/**
 * Runs checks in the engine's own process: slots shared fairly among accounts, and a limit per account and host, so
 * that many monitors of one server neither overload it nor delay each other into timeouts.
 *
 * @module
 */

import { turnWatchOf } from '../clock.ts'
import type { Clock, Timer } from '../clock.ts'
import { ClosedError } from '../errors.ts'
import type { CheckReport } from '../model.ts'
import { createFairQueue } from '../fair-queue.ts'
import { unmeasured } from './transport.ts'
import type { CheckOrder, ProbeHost, ProbeTransport } from './transport.ts'

export interface InProcessOptions {
  readonly clock: Clock
  /**
   * Maximum number of concurrent checks, default 64. An eighth more, at least one, is reserved for accounts without a
   * running check, so that checks that hang delay no other account (see fair-queue.ts).
   */
  readonly concurrency?: number
  /** Concurrent checks of one account against one host, default 2. */
  readonly perHost?: number
}

/** Expired orders answered in one turn of the event loop: an account may have thousands of them at once. */
const EXPIRED_AT_ONCE = 50

interface Running {
  readonly order: CheckOrder
  readonly stop: AbortController
}

export function inProcessProbes({
  clock,
  concurrency = 64,
  perHost = 2,
}: InProcessOptions): ProbeTransport {
  let expired = 0
  let rest: Timer | undefined
  const queue = createFairQueue<CheckOrder>({
    slots: concurrency,
    perHost,
    isOver(order) {
      const over = clock.now() > order.expires_at
      if (over) {
        expired++
        answer(order, tooLate(clock), lagOf(order))
      }
      return over
    },
    isEnough: () => expired >= EXPIRED_AT_ONCE,
  })
  const running = new Set<Running>()
  const isTurnLong = turnWatchOf(clock)
  let host: ProbeHost | undefined
  let idle: (() => void) | undefined

  function pump(): void {
    if (host === undefined) return
    if (rest === undefined && queue.waiting > 0) startWaiting(host)
    if (running.size === 0) idle?.()
  }

  /** Checks that end in the turn in which they begin free their slots at once: thousands would share that turn. */
  function startWaiting(given: ProbeHost): void {
    while (!isTurnLong()) {
      const order = queue.take()
      if (order !== undefined) begin(order, given)
      else if (expired < EXPIRED_AT_ONCE) return
      else break
    }
    rest = clock.timer(0, () => {
      rest = undefined
      expired = 0
      pump()
    })
  }

  function begin(order: CheckOrder, { run }: ProbeHost): void {
    const lag_ms = lagOf(order)
    const own: Running = { order, stop: new AbortController() }
    running.add(own)
    void run(order, own.stop.signal).then((report) => {
      running.delete(own)
      queue.release(order)
      answer(order, report, lag_ms)
      pump()
    })
  }

  function lagOf({ round }: CheckOrder): number {
    return Math.max(0, clock.now() - round)
  }

  function answer(
    { id, monitor_id, version, round, location }: CheckOrder,
    report: CheckReport,
    lag_ms: number,
  ): void {
    host?.onAnswer({
      order: { id, monitor_id, version, round, location_id: location.id },
      report,
      lag_ms,
    })
  }

  return {
    start(given) {
      host = given
      pump()
      return Promise.resolve()
    },
    send(order) {
      queue.add(order)
      pump()
      return Promise.resolve()
    },
    cancel(monitor_id) {
      queue.drop((order) => order.monitor_id === monitor_id)
      for (const { order, stop } of running)
        if (order.monitor_id === monitor_id) stop.abort(stopped())
    },
    async stop(drain_ms) {
      queue.drop(() => true)
      rest?.cancel()
      rest = undefined
      if (running.size > 0) {
        const drained = new Promise<void>((resolve) => (idle = resolve))
        const timer = clock.timer(drain_ms, () => {
          for (const { stop } of running) stop.abort(stopped())
        })
        await drained
        timer.cancel()
      }
      host = undefined
    },
    online: () => host !== undefined,
  }
}

function stopped(): ClosedError {
  return new ClosedError('The check was stopped')
}

function tooLate(clock: Clock): CheckReport {
  const text = 'The check could not begin before its round was over'
  return unmeasured(clock.now(), 'probe_overloaded', text)
}
