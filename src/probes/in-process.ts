/**
 * Checks made in the engine's own process: a queue with a limit for all and one per host, so that many
 * monitors of one server do not knock it over or time each other out.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { ClosedError } from '../errors.ts'
import type { CheckReport } from '../model.ts'
import { unmeasured } from './reports.ts'
import type { CheckOrder, ProbeHost, ProbeTransport } from './transport.ts'

export interface InProcessOptions {
  readonly clock: Clock
  /** Checks at the same time, default 64. */
  readonly concurrency?: number
  /** Checks at the same time against one host, default 2. */
  readonly perHost?: number
}

interface Running {
  readonly order: CheckOrder
  readonly stop: AbortController
}

export function inProcessProbes({
  clock,
  concurrency = 64,
  perHost = 2,
}: InProcessOptions): ProbeTransport {
  const waiting: CheckOrder[] = []
  const running = new Set<Running>()
  const busy = new Map<string, number>()
  let host: ProbeHost | undefined
  let idle: (() => void) | undefined

  function pump(): void {
    for (let i = 0; i < waiting.length && running.size < concurrency;) {
      const order = waiting[i]
      if (order === undefined || (busy.get(order.host) ?? 0) >= perHost) {
        i++
        continue
      }
      waiting.splice(i, 1)
      begin(order)
    }
    if (running.size === 0 && waiting.length === 0) idle?.()
  }

  function begin(order: CheckOrder): void {
    if (host === undefined) return
    const lag_ms = Math.max(0, clock.now() - order.round)
    if (clock.now() > order.expires_at) {
      answer(order, tooLate(clock), lag_ms)
      return
    }
    const run: Running = { order, stop: new AbortController() }
    running.add(run)
    busy.set(order.host, (busy.get(order.host) ?? 0) + 1)
    void host.run(order, run.stop.signal).then((report) => {
      running.delete(run)
      leave(order.host)
      answer(order, report, lag_ms)
      pump()
    })
  }

  function leave(name: string): void {
    const left = (busy.get(name) ?? 1) - 1
    if (left === 0) busy.delete(name)
    else busy.set(name, left)
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
      return Promise.resolve()
    },
    send(order) {
      waiting.push(order)
      pump()
      return Promise.resolve()
    },
    cancel(monitor_id) {
      for (let i = waiting.length - 1; i >= 0; i--)
        if (waiting[i]?.monitor_id === monitor_id) waiting.splice(i, 1)
      for (const { order, stop } of running)
        if (order.monitor_id === monitor_id) stop.abort(stopped())
    },
    async stop(drain_ms) {
      waiting.length = 0
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
