/**
 * A probe: takes the orders of one location from its queue, executes them and answers.
 *
 * @module
 */

import type { Job } from 'bullmq'
import type { Redis } from 'ioredis'
import { iso } from '../../clock.ts'
import { ConfigurationError } from '../../errors.ts'
import { VERSION } from '../../version.ts'
import type { ProbeHost } from '../transport.ts'
import { createBuffer } from './buffer.ts'
import type { PendingAnswer } from './buffer.ts'
import { createThrottledLog } from './throttled-log.ts'
import { createOrderConsumer } from './order-consumer.ts'
import { createLink } from './link.ts'
import { setupOf } from './options.ts'
import type { QueueOptions } from './options.ts'
import { sayProbe, unsayProbe, nameOfLocation } from './presence.ts'
import { createSelfCheck } from './self-check.ts'
import type { Session } from './session.ts'
import { within } from './session.ts'
import type { OrderJob } from './wire.ts'

const DRAIN_MS = 11_000
const DELIVER_MS = 5000
/** Limit for each of the last steps of a stop. */
const LEAVE_MS = 1000
/**
 * Orders taken from the queue per check slot: slots are shared among the orders taken, so that many of one account do
 * not keep others on the queue.
 */
const TAKEN_PER_CHECK = 16

export interface BullmqProbeOptions extends QueueOptions {
  /** Name of the location, or its id with the engine. */
  readonly location: string | number
  /** Executes one check. */
  readonly run: ProbeHost['run']
  /**
   * Maximum number of concurrent checks, default 64, at most 1000; an eighth more are reserved for accounts without a
   * running check.
   */
  readonly concurrency?: number | undefined
  /** Concurrent checks of one account against one host, default 2. */
  readonly perHost?: number | undefined
  /**
   * Whether this location has a working network: called every 30 s, with 5 s to answer. While it returns `false` or
   * throws, the location is offline and pending orders become `unknown`.
   */
  readonly selfCheck?: ((signal: AbortSignal) => Promise<boolean>) | undefined
}

export interface Probe {
  readonly id: string
  /**
   * Resolves after the first try to reach Redis; retries continue until `stop`.
   *
   * @throws ConfigurationError,
   * MissingDependencyError
   */
  start(): Promise<void>
  /** Accepts no more orders, waits up to `drainMs` (default 11000) for running ones and delivers their answers. */
  stop(options?: { readonly drainMs?: number | undefined }): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
  status(): ProbeStatus
}

export interface ProbeStatus {
  /** Redis is connected. */
  readonly connected: boolean
  /** Orders taken and not yet answered. */
  readonly running: number
  /** Answers waiting for Redis. */
  readonly buffered: number
  /**
   * Answers dropped since the start, because Redis was unreachable for more than an hour or there were more than 100
   * 000.
   */
  readonly dropped: number
}

/** @throws ConfigurationError */
export function bullmqProbe(options: BullmqProbeOptions): Probe {
  const setup = setupOf(options)
  const { clock, id, log, names, wire, beatMs } = setup
  const { concurrency = 64, perHost = 2 } = options
  if (!(Number.isInteger(concurrency) && concurrency > 0 && concurrency <= 1000))
    throw new ConfigurationError('concurrency is a whole number from 1 to 1000')
  const throttledLog = createThrottledLog(clock, log)
  const started_at = iso(clock.now())
  const selfCheck = createSelfCheck({ clock, log, check: options.selfCheck })
  const buffer = createBuffer({ clock, throttledLog, deliver })
  let location: string | undefined
  let offset_ms = 0
  let leaving = false

  const consumer = createOrderConsumer({
    clock,
    wire,
    throttledLog,
    buffer,
    concurrency,
    perHost,
    run: options.run,
    location: () => location,
    connected: () => selfCheck.passes,
    offset: () => offset_ms,
  })
  const link = createLink({
    setup,
    throttledLog,
    name: `watchpost-probe-${id}`,
    every_ms: beatMs,
    onUp,
    beat,
    onDown: () => undefined,
  })

  async function onUp(session: Session): Promise<void> {
    location = await nameOfLocation(beatingOn(session.redis), options.location, log)
    await listen(session, location)
    // The offset of the clock must be known before the first order is tested for its expiry.
    await beat(session)
    if (leaving) return
    session.work(names.orders(location), concurrency * TAKEN_PER_CHECK, (job, token) =>
      consumer.take(job as Job<OrderJob>, token),
    )
    buffer.wake()
    log.info({ location, probe: id }, 'at work')
  }

  async function listen(session: Session, where: string): Promise<void> {
    const ear = await session.connect()
    await ear.subscribe(names.cancel(where))
    ear.on('message', (_channel: string, text: string) => consumer.drop(wire.openCancel(text)))
  }

  async function beat(session: Session): Promise<void> {
    if (location === undefined) return
    const { passes: connected } = selfCheck
    const said = { id, version: VERSION, started_at, running: consumer.size, connected, leaving }
    offset_ms = (await sayProbe(beatingOn(session.redis), location, said)).offset_ms
  }

  async function deliver(engine: string, pending: readonly PendingAnswer[]): Promise<void> {
    const session = await link.whenUp(DELIVER_MS)
    const jobs = pending.map(({ order_id, job }) => ({
      name: 'answer',
      data: job,
      opts: { jobId: order_id, removeOnComplete: true, removeOnFail: true, attempts: 1 },
    }))
    await within(clock, DELIVER_MS, session.queue(names.answers(engine)).addBulk(jobs))
  }

  function beatingOn(redis: Redis) {
    return { redis, names, clock, beatMs }
  }

  async function stop({ drainMs = DRAIN_MS }: { readonly drainMs?: number } = {}): Promise<void> {
    if (leaving) return
    leaving = true
    const ignore = (): void => undefined
    const { session } = link
    if (session !== undefined) {
      await within(clock, LEAVE_MS, Promise.all([session.rest(), beat(session)])).catch(ignore)
    }
    await consumer.stop(drainMs)
    const last = link.session
    if (last !== undefined && location !== undefined) {
      await within(clock, LEAVE_MS, buffer.empty()).catch(ignore)
      await within(clock, LEAVE_MS, last.finished()).catch(ignore)
      await within(clock, LEAVE_MS, link.stopWork()).catch(ignore)
      await within(clock, LEAVE_MS, unsayProbe(beatingOn(last.redis), location, id)).catch(ignore)
    }
    if (buffer.size > 0) log.warn({ answers: buffer.size }, 'answers could not be delivered')
    buffer.stop()
    selfCheck.stop()
    await link.stop()
  }

  return {
    id,
    async start() {
      await selfCheck.start()
      await consumer.start()
      await link.start()
    },
    stop,
    [Symbol.asyncDispose]: () => stop(),
    status: () => ({
      connected: link.session !== undefined,
      running: consumer.size,
      buffered: buffer.size,
      dropped: buffer.dropped,
    }),
  }
}
