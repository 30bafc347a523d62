/**
 * Webhooks as the engine sends them: real checkers over a staged network, a simulated clock, and a
 * transport that keeps what it is given. The same at every run.
 */

import { SOFT_EVENTS } from '../../src/model.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import type { Clock } from '../../src/clock.ts'
import { executeCheck } from '../../src/engine/checks/execute-check.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { silentLogger } from '../../src/logger.ts'
import type { OwnedNet } from '../../src/net/create-net.ts'
import type { Net } from '../../src/net/net.ts'
import { createTurns } from '../../src/net/timing/turns.ts'
import type { CheckOrder, ProbeHost, ProbeTransport } from '../../src/probes/transport.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { recordingTransport } from '../../src/testing/recording-transport.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { plays } from './staged-network.ts'
import type { Play } from './staged-network.ts'

export interface WebhookExample {
  readonly event: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Readonly<Record<string, unknown>>
}

/** A moment that dates in the examples lie around. */
const NOW = Date.UTC(2026, 4, 4, 9, 0)
const EXAMPLE_SECRET = 'example-secret'
const MINUTE = 60_000
const DAY = 1440 * MINUTE
/** From the first moment on. */
const QUIET = { time_zone: 'UTC', hours: [{ from: '09:00', to: '10:00' }] }

export async function webhookExamples(
  checkers: readonly AnyChecker[],
): Promise<readonly WebhookExample[]> {
  const found = new Map<string, WebhookExample>()
  const known = plays.filter(({ type }) => checkers.some((checker) => checker.type === type))
  for (const play of known) {
    for (const example of await perform(play, checkers)) {
      if (!found.has(example.event)) found.set(example.event, example)
    }
  }
  const lost = known.flatMap(({ shows }) => shows).filter((event) => !found.has(event))
  if (lost.length > 0) throw new Error(`no webhook was sent for ${lost.join(', ')}`)
  return [...found.values()]
}

async function perform(
  play: Play,
  checkers: readonly AnyChecker[],
): Promise<readonly WebhookExample[]> {
  const clock = simulatedClock({ now: NOW })
  const transport = recordingTransport()
  const contact = webhookContact({ transport, guard: { allowHosts: ['hooks.example.com'] } })
  const stage = { net: play.first }
  const probes = stagedProbes({ clock, checkers, net: (time) => stage.net(time) })
  holdFor(clock, probes)
  const engine = createEngine({
    store: memoryStore({ clock }),
    checkers,
    contacts: [{ ...contact, check: () => Promise.resolve({}) }],
    probes,
    clock,
  })
  await engine.start()
  await engine.contacts.create({
    kind: 'webhook',
    name: 'ops',
    url: 'https://hooks.example.com/watchpost',
    secret: EXAMPLE_SECRET,
    all_monitors: true,
    events: SOFT_EVENTS,
    ...(play.quiet === true ? { quiet: QUIET } : {}),
    ...(play.grouped === true ? { group_window_sec: 300 } : {}),
  })
  if (play.test === true) await settled(clock, engine.contacts.test(1))
  await engine.monitors.create({
    type: play.type,
    ...play.settings,
    ...(play.repeats === true ? { notify_repeat_min: 30, notify_repeat_max: 3 } : {}),
  })
  if (play.grouped === true) {
    const second = { name: 'Shop search', url: 'https://shop.example.com/search' }
    await engine.monitors.create({ type: play.type, ...play.settings, ...second })
  }
  await clock.advance(5 * MINUTE)
  if (play.then !== undefined) {
    stage.net = play.then
    await clock.advance(play.days === true ? 3 * DAY : 40 * MINUTE)
  }
  if (play.acknowledged === true) await settled(clock, engine.incidents.acknowledge(1))
  if (play.last !== undefined) {
    stage.net = play.last
    await clock.advance(play.quiet === true ? 60 * MINUTE : 5 * MINUTE)
  }
  await settled(clock, engine.stop())
  return transport.requests.map(({ headers, json }) => ({
    event: String(json['event']),
    headers,
    body: json,
  }))
}

/** Waits without moving time where that is enough; what still waits then waits for time. */
async function settled<T>(clock: SimulatedClock, promise: Promise<T>): Promise<T> {
  const state = { pending: true }
  const end = (): void => void (state.pending = false)
  promise.then(end, end)
  for (let turn = 0; state.pending; turn++) await (turn < 50 ? clock.settle() : clock.advance(100))
  return promise
}

/** Time stands still while a check is under way, however long it really takes: the same at every run. */
function holdFor(clock: SimulatedClock, probes: StagedProbes): void {
  const { settle } = clock
  const settleAll = async (): Promise<void> => {
    await settle()
    if (!probes.busy()) return
    await new Promise((resolve) => setTimeout(resolve, 1))
    await settleAll()
  }
  Object.assign(clock, { settle: settleAll })
}

/** For the inside of a check: waiting takes no time and is counted, deadlines never come. */
function insideClock(clock: Clock): Clock {
  let waited_ms = 0
  return {
    now: () => clock.now() + waited_ms,
    monotonic: () => clock.monotonic() + waited_ms,
    random: () => clock.random(),
    timer: () => ({ cancel: () => undefined }),
    sleep(ms) {
      waited_ms += ms
      return Promise.resolve()
    },
  }
}

interface Stage {
  readonly clock: SimulatedClock
  readonly checkers: readonly AnyChecker[]
  readonly net: (clock: Clock) => Partial<Net>
}

interface StagedProbes extends ProbeTransport {
  /** A check is under way. */
  busy(): boolean
}

/** Runs the checker itself; only what it reaches through `ctx.net` is staged. */
function stagedProbes({ clock, checkers, net }: Stage): StagedProbes {
  let host: ProbeHost | undefined
  let running = 0

  async function carryOutOrder(order: CheckOrder): Promise<void> {
    const checker = checkers.find(({ type }) => type === order.type)
    if (checker === undefined) throw new Error(`no checker ${order.type}`)
    const time = insideClock(clock)
    const report = await executeCheck(checker, order.settings, {
      clock: time,
      network: {
        open: () => ({ ...(net(time) as OwnedNet), close: () => Promise.resolve() }),
        turns: createTurns(time),
        proxyFor: () => undefined,
      },
      timeout_ms: order.timeout_ms,
      location: order.location,
      log: silentLogger,
      ...(order.memo === null ? {} : { memo: order.memo }),
    })
    const { id, monitor_id, version, round, location } = order
    const answered = { id, monitor_id, version, round, location_id: location.id }
    host?.onAnswer({ order: answered, report, lag_ms: 0 })
  }

  return {
    busy: () => running > 0,
    start(given) {
      host = given
      return Promise.resolve()
    },
    send(order) {
      running += 1
      void carryOutOrder(order).finally(() => (running -= 1))
      return Promise.resolve()
    },
    cancel: () => undefined,
    stop: () => Promise.resolve(),
    online: () => true,
  }
}
