/**
 * Handles an order on a probe: decrypts it, executes it in this process, encrypts the answer.
 *
 * @module
 */

import type { Job } from 'bullmq'
import type { Clock } from '../../clock.ts'
import type { CheckReport } from '../../model.ts'
import { inProcessProbes } from '../in-process.ts'
import { unmeasured } from '../transport.ts'
import type { CheckOrder, ProbeHost } from '../transport.ts'
import type { Buffer } from './buffer.ts'
import { isEngineId } from './options.ts'
import type { ThrottledLog } from './throttled-log.ts'
import { orderShifted, reportShifted } from './wire.ts'
import type { OrderJob, Refusal, Wire } from './wire.ts'

/** Smaller differences between clocks are ignored: the round trip to Redis is less exact. */
const SAME_CLOCK_MS = 500

/** Finished orders that are remembered, so that a duplicate or a late one is not executed. */
const REMEMBERED = 10_000

export interface OrderConsumerOptions {
  readonly clock: Clock
  readonly wire: Wire
  readonly throttledLog: ThrottledLog
  readonly buffer: Buffer
  readonly concurrency: number
  readonly perHost: number
  readonly run: ProbeHost['run']
  /** Name of this location; `undefined` before the first order. */
  readonly location: () => string | undefined
  /** Whether this location has a network. */
  readonly connected: () => boolean
  /** Redis' clock minus the local clock, in ms. */
  readonly offset: () => number
}

export interface OrderConsumer {
  /** Orders being executed or waiting. */
  readonly size: number
  start(): Promise<void>
  /** Resolves when the answer is on its queue: only then may the order leave its own. */
  take(job: Job<OrderJob>, token: string | undefined): Promise<void>
  /** Drops cancelled orders, by the ids of their jobs. */
  drop(job_ids: readonly string[]): void
  /** Returns orders that have not started to the queue, and waits up to `drain_ms` for the rest. */
  stop(drain_ms: number): Promise<void>
}

interface Held {
  readonly order: CheckOrder
  /** Replaces the monitor id in this process: two engines may each have a monitor 1. */
  readonly serial: number
  begun: boolean
  readonly end: (ending: Ending) => void
}

type Ending = { readonly report: CheckReport; readonly lag_ms: number } | 'dropped' | 'returned'

export function createOrderConsumer(options: OrderConsumerOptions): OrderConsumer {
  const { clock, wire, throttledLog, buffer, concurrency, perHost } = options
  const runner = inProcessProbes({ clock, concurrency, perHost })
  const held = new Map<string, Held>()
  const done = new Set<string>()
  let serial = 0
  let stopped = false

  /** The runner identifies an order by the id of its job. */
  function run(local: CheckOrder, signal: AbortSignal): Promise<CheckReport> {
    const own = held.get(local.id)
    if (!options.connected()) {
      const text = 'The location itself has no network'
      return Promise.resolve(unmeasured(clock.now(), 'probe_offline', text))
    }
    if (own === undefined) return options.run(local, signal)
    own.begun = true
    const { id, monitor_id } = own.order
    return options.run({ ...local, id, monitor_id }, signal)
  }

  function carry(job_id: string, order: CheckOrder, skew_ms: number): Promise<Ending> {
    return new Promise<Ending>((end) => {
      const own: Held = { order, serial: ++serial, begun: false, end }
      held.set(job_id, own)
      const local = { ...orderShifted(order, skew_ms), id: job_id, monitor_id: own.serial }
      void runner.send(local)
    }).finally(() => held.delete(job_id))
  }

  async function refuse(job: OrderJob, refusal: Refusal, problem: string): Promise<void> {
    const { engine, order_id } = job
    // Whoever can write to Redis can send this. An answer that fits no queue would make those behind it wait.
    if (!isEngineId(engine) || !ORDER_ID.test(order_id)) {
      throttledLog.warn({ problem }, 'an order names no engine or has no id; it is dropped')
      return
    }
    throttledLog.warn({ engine, order_id, problem }, REFUSALS[refusal])
    await buffer.add({ engine, order_id, job: { refused: refusal } })
  }

  async function take(job: Job<OrderJob>, token: string | undefined): Promise<void> {
    const job_id = String(job.id)
    const { engine, order_id } = job.data
    if (stopped) return giveBack(job, token)
    if (done.has(job_id) || held.has(job_id)) return
    const opened = wire.openOrder(job.data)
    if (!opened.ok) return refuse(job.data, opened.refusal, opened.problem)
    const { order, offset_ms } = opened.value
    // Whoever can write to Redis can copy an encrypted order: to run it again, or at another location.
    if (job_id !== `${engine}-${order_id}` || order.location.name !== options.location()) {
      throttledLog.warn({ engine, order_id }, 'an order was moved or repeated; it is dropped')
      return
    }
    const skew_ms = skew(offset_ms - options.offset())
    const ending = await carry(job_id, order, skew_ms)
    if (ending === 'returned') return giveBack(job, token)
    if (ending === 'dropped') return
    remember(done, job_id)
    const { id, monitor_id, version, round, location } = order
    const answer = {
      order: { id, monitor_id, version, round, location_id: location.id },
      report: reportShifted(ending.report, -skew_ms),
      lag_ms: ending.lag_ms,
    }
    await buffer.add({ engine, order_id, job: wire.answer(engine, answer) })
  }

  return {
    get size() {
      return held.size
    },
    start: () =>
      runner.start({
        run,
        locations: [],
        onAnswer: ({ order, report, lag_ms }) => held.get(order.id)?.end({ report, lag_ms }),
      }),
    take,
    drop(job_ids) {
      for (const job_id of job_ids) {
        // The order may be on its way from the queue.
        remember(done, job_id)
        const own = held.get(job_id)
        if (own === undefined) continue
        own.end('dropped')
        runner.cancel(own.serial)
      }
    },
    async stop(drain_ms) {
      stopped = true
      for (const { begun, end } of held.values()) if (!begun) end('returned')
      await runner.stop(drain_ms)
    },
  }
}

/** As {@link CheckOrder.id}. */
const ORDER_ID = /^\d{1,15}(?:-\d{1,15}){3}$/

const REFUSALS: Readonly<Record<Refusal, string>> = {
  key: 'an order cannot be opened: this probe has another secret key than the engine',
  format: 'an order cannot be read: this probe is of another version than the engine',
  unreadable: 'an order cannot be read',
}

/** Returns the order to the queue, for another probe of the location. */
async function giveBack(job: Job<OrderJob>, token: string | undefined): Promise<void> {
  const { WaitingError } = await import('bullmq')
  await job.moveToWait(token)
  throw new WaitingError()
}

function skew(ms: number): number {
  return Math.abs(ms) < SAME_CLOCK_MS ? 0 : ms
}

function remember(done: Set<string>, job_id: string): void {
  done.add(job_id)
  if (done.size <= REMEMBERED) return
  const [oldest] = done
  if (oldest !== undefined) done.delete(oldest)
}
