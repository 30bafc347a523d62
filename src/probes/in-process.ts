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

/** What goes on at one host. Orders are parked only while the host has as many as it may. */
interface Lane {
  busy: number
  readonly parked: CheckOrder[]
}

export function inProcessProbes({
  clock,
  concurrency = 64,
  perHost = 2,
}: InProcessOptions): ProbeTransport {
  /** First come, first served; an order that has to wait for its host is parked there. */
  const waiting: CheckOrder[] = []
  const lanes = new Map<string, Lane>()
  const running = new Set<Running>()
  let host: ProbeHost | undefined
  let idle: (() => void) | undefined

  function pump(): void {
    while (running.size < concurrency) {
      const order = waiting.shift()
      if (order === undefined) break
      const lane = laneOf(order.host)
      if (lane.busy < perHost) begin(order, lane)
      else lane.parked.push(order)
      tidy(order.host, lane)
    }
    if (running.size === 0 && waiting.length === 0) idle?.()
  }

  function laneOf(name: string): Lane {
    const known = lanes.get(name)
    if (known !== undefined) return known
    const lane: Lane = { busy: 0, parked: [] }
    lanes.set(name, lane)
    return lane
  }

  function begin(order: CheckOrder, lane: Lane): void {
    if (host === undefined) return
    const lag_ms = Math.max(0, clock.now() - order.round)
    if (clock.now() > order.expires_at) {
      answer(order, tooLate(clock), lag_ms)
      return
    }
    const run: Running = { order, stop: new AbortController() }
    running.add(run)
    lane.busy++
    void host.run(order, run.stop.signal).then((report) => {
      running.delete(run)
      lane.busy--
      answer(order, report, lag_ms)
      leave(order.host, lane)
      pump()
    })
  }

  /** The place goes to who has waited for this host, longer than anybody who waits for none. */
  function leave(name: string, lane: Lane): void {
    while (lane.busy < perHost && running.size < concurrency) {
      const next = lane.parked.shift()
      if (next === undefined) break
      begin(next, lane)
    }
    tidy(name, lane)
  }

  function tidy(name: string, lane: Lane): void {
    if (lane.busy === 0 && lane.parked.length === 0) lanes.delete(name)
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
      drop(waiting, monitor_id)
      for (const { parked } of lanes.values()) drop(parked, monitor_id)
      for (const { order, stop } of running)
        if (order.monitor_id === monitor_id) stop.abort(stopped())
    },
    async stop(drain_ms) {
      waiting.length = 0
      for (const { parked } of lanes.values()) parked.length = 0
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

function drop(orders: CheckOrder[], monitor_id: number): void {
  for (let i = orders.length - 1; i >= 0; i--)
    if (orders[i]?.monitor_id === monitor_id) orders.splice(i, 1)
}

function stopped(): ClosedError {
  return new ClosedError('The check was stopped')
}

function tooLate(clock: Clock): CheckReport {
  const text = 'The check could not begin before its round was over'
  return unmeasured(clock.now(), 'probe_overloaded', text)
}
