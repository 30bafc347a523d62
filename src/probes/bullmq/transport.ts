/**
 * The engine's side: orders go to a queue per location, answers arrive on a queue of this engine.
 *
 * @module
 */

import type { Job } from 'bullmq'
import type { Timer } from '../../clock.ts'
import { ClosedError } from '../../errors.ts'
import type { CheckReport } from '../../model.ts'
import { VERSION } from '../../version.ts'
import { unmeasured } from '../transport.ts'
import type { CheckAnswer, CheckOrder, ProbeHost, ProbeTransport } from '../transport.ts'
import { createThrottledLog } from './throttled-log.ts'
import { createPendingOrders, withdraw, withdrawWaiting } from './pending-orders.ts'
import type { Asked } from './pending-orders.ts'
import { createLink } from './link.ts'
import { clearUpAfterDead, findLost } from './losses.ts'
import { checkOptions } from '../../options.ts'
import { queueOptions, setupOf } from './options.ts'
import type { QueueOptions } from './options.ts'
import { LASTS, readProbes, sayEngine, unsayEngine, createProbePresence } from './presence.ts'
import type { Session } from './session.ts'
import { within } from './session.ts'
import type { AnswerJob, Refusal } from './wire.ts'

/** How long an order waits for the connection to Redis, and then for the command. */
const REACH_MS = 2000
const SEND_MS = 5000
/** Limit for each step of a stop that needs Redis. */
const LEAVE_MS = 1000
/** Time after its own deadline before an order is tested for being lost. */
const LOST_AFTER_MS = 5000
const CLEAR_UP_EVERY_MS = 3_600_000
/** BullMQ's highest number for a priority; the lowest comes first. */
const LAST_RANK = 2 ** 21 - 1

export type BullmqProbesOptions = QueueOptions

/**
 * Probes at remote locations, reached over Redis; pass it to `createEngine({ probes })`.
 *
 * @throws ConfigurationError for options that cannot work. The packages bullmq and ioredis are loaded
 */
export function bullmqProbes(options: BullmqProbesOptions): ProbeTransport {
  checkOptions('bullmqProbes', options, queueOptions)
  const setup = setupOf(options)
  const { clock, id, log, names, wire, beatMs } = setup
  const throttledLog = createThrottledLog(clock, log)
  const pending = createPendingOrders()
  const presence = createProbePresence(log)
  let host: ProbeHost | undefined
  let stopping = false
  let offset_ms = 0
  let up_at = 0
  let cleared_at = -Infinity
  let givingUp: Timer | undefined
  let onDown: () => void = () => undefined

  const link = createLink({
    setup,
    throttledLog,
    name: `watchpost-engine-${id}`,
    // Twice as often as probes send beats, so that a lost one is detected within three of its beats.
    every_ms: beatMs / 2,
    onUp(session) {
      givingUp?.cancel()
      up_at = clock.monotonic()
      session.queue(names.answers(id), 'own')
      // One at a time, in the order of arrival.
      session.work(names.answers(id), 1, take)
      return Promise.resolve()
    },
    beat,
    onDown() {
      onDown()
      givingUp = clock.timer(
        3 * beatMs,
        () =>
          giveUp(
            pending.takeAll(() => true),
            'Redis, over which the location reports, is away',
          ),
        { background: true },
      )
    },
  })

  async function beat(session: Session): Promise<void> {
    if (host === undefined) return
    const beating = { redis: session.redis, names, clock, beatMs }
    const { locations } = host
    offset_ms = (await sayEngine(beating, id, { version: VERSION, locations })).offset_ms
    const all = new Set(locations.map(({ name }) => name))
    presence.note(await readProbes(beating, [...all]))
    if (clock.monotonic() - up_at > LASTS * beatMs) giveUpDeserted(session)
    const lost = await findLost({ session, names, engine: id, pending, clock, beatMs })
    giveUp(lost, 'The probe was lost with the order', session)
    if (clock.monotonic() - cleared_at < CLEAR_UP_EVERY_MS) return
    cleared_at = clock.monotonic()
    await clearUpAfterDead(session, beating)
  }

  /** Not just after a reconnect: probes have not sent their beats yet. */
  function giveUpDeserted(session: Session): void {
    const deserted = pending.takeAll(({ location }) => !presence.present(location))
    giveUp(deserted, 'The location has no probe at work', session)
  }

  /** Handles one answer from the queue. Never rejects, since BullMQ would only log it. */
  function take(job: Job<unknown>): Promise<void> {
    const order_id = String(job.id)
    const opened = wire.openAnswer(job.data as AnswerJob, id, order_id)
    const asked = pending.take(order_id)
    if (opened.ok) hand({ ...opened.value, order: asked?.order ?? opened.value.order })
    else {
      const { refusal, problem } = opened
      throttledLog.warn({ order_id, problem }, 'an answer of a probe says nothing')
      if (asked !== undefined) {
        hand(answerOf(asked, unmeasured(clock.now(), 'probe_unsupported', REFUSALS[refusal])))
      }
    }
    return Promise.resolve()
  }

  /** With a session, what is still queued is withdrawn; a probe that returns drops expired orders in any case. */
  function giveUp(orders: readonly Asked[], text: string, session?: Session): void {
    for (const asked of orders)
      hand(answerOf(asked, unmeasured(clock.now(), 'probe_no_report', text)))
    if (session === undefined) return
    withdraw(session, setup, orders).catch((err: unknown) =>
      throttledLog.warn({ err }, 'orders that were given up could not be withdrawn'),
    )
  }

  function hand(answer: CheckAnswer): void {
    try {
      host?.onAnswer(answer)
    } catch (err) {
      log.error({ err, order_id: answer.order.id }, 'an answer could not be handed over')
    }
  }

  async function post(order: CheckOrder): Promise<void> {
    const session = await link.whenUp(REACH_MS)
    const { name } = order.location
    const job_id = `${id}-${order.id}`
    const look_at = clock.monotonic() + order.timeout_ms + LOST_AFTER_MS
    const until = Math.max(look_at, look_at + order.expires_at - clock.now())
    const rank = pending.add(order, job_id, { look_at, until })
    if (!presence.online(name)) {
      const asked = pending.take(order.id)
      if (asked !== undefined) giveUp([asked], 'The location has no probe at work')
      return
    }
    const job = wire.order(id, { order, offset_ms })
    const gone = { removeOnComplete: true, removeOnFail: true, attempts: 1 }
    // The first order of each account precedes the second of any, since the queue is shared.
    const options = { jobId: job_id, priority: Math.min(rank, LAST_RANK), ...gone }
    const added = session.queue(names.orders(name), 'own').add('order', job, options)
    await within(clock, SEND_MS, added)
  }

  async function leave(session: Session): Promise<void> {
    await withdraw(
      session,
      setup,
      pending.takeAll(() => true),
    )
    await link.stopWork()
    await unsayEngine({ redis: session.redis, names, clock, beatMs }, id)
  }

  /** Waits until all orders are answered, the time is over, or Redis is disconnected. */
  async function drain(drain_ms: number): Promise<void> {
    const down = new Promise<void>((resolve) => (onDown = resolve))
    await within(clock, drain_ms, Promise.race([pending.empty(), down])).catch(() => undefined)
  }

  return {
    remote: true,
    async start(given) {
      host = given
      await link.start()
    },
    async send(order) {
      if (host === undefined || stopping) throw new ClosedError('The probe transport is stopped')
      if (pending.has(order.id)) return
      try {
        await post(order)
      } catch (error) {
        pending.take(order.id)
        throw error
      }
    },
    cancel(monitor_id) {
      const orders = pending.takeAll(({ order }) => order.monitor_id === monitor_id)
      const { session } = link
      if (session === undefined || orders.length === 0) return
      within(clock, SEND_MS, withdraw(session, setup, orders)).catch((err: unknown) => {
        throttledLog.warn({ err }, 'orders could not be withdrawn')
      })
    },
    async stop(drain_ms) {
      if (stopping) return
      stopping = true
      const { session } = link
      if (session !== undefined) {
        const ignore = (): void => undefined
        await within(clock, LEAVE_MS, withdrawWaiting(session, names, pending)).catch(ignore)
        await drain(drain_ms)
        await within(clock, LEAVE_MS, leave(session)).catch(ignore)
      }
      await link.stop()
      givingUp?.cancel()
      host = undefined
    },
    online(location_id) {
      const name = host?.locations.find((each) => each.id === location_id)?.name
      return name !== undefined && link.session !== undefined && presence.online(name)
    },
  }
}

const REFUSALS: Readonly<Record<Refusal, string>> = {
  key: 'The probe has another secret key than the engine',
  format: 'The probe is of another version than the engine',
  unreadable: 'The probe and the engine do not understand each other',
}

function answerOf({ order }: Asked, report: CheckReport): CheckAnswer {
  return { order, report, lag_ms: 0 }
}
