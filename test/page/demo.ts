/**
 * A shop that was watched for ninety days, made by the engine itself under a clock that is moved: what the
 * pages are tested with in a browser, and what the pictures in the documentation show.
 */

import { builtinCheckers } from '../../src/checkers/index.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { JsonObject, Outcome } from '../../src/model.ts'
import type { CheckOrder, ProbeHost, ProbeTransport } from '../../src/probes/transport.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { leapingClock } from './demo-clock.ts'
import type { LeapingClock } from './demo-clock.ts'
import { outages, services } from './demo-data.ts'
import type { Outage, Service } from './demo-data.ts'

export const DEMO_KEY = 'demo-key-of-the-page'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
export const NOW = Date.UTC(2026, 2, 12, 14, 36, 20)

export interface Demo {
  readonly engine: Engine
  readonly clock: LeapingClock
  /** Ids by name. */
  readonly ids: ReadonlyMap<string, number>
  /** Makes a service fail from now on, or work again. */
  say(name: string, cause: Outage['cause'] | null): void
}

export interface DemoOptions {
  /** Fewer make a quicker start, and emptier pages. Default 90. */
  readonly days?: number
}

export async function demo({ days = 90 }: DemoOptions = {}): Promise<Demo> {
  const clock = leapingClock(NOW - days * DAY)
  const failing = new Map<string, Outage['cause']>()
  const names = new Map<number, string>()
  const engine: Engine = createEngine({
    clock,
    store: memoryStore({ clock }),
    checkers: builtinCheckers(),
    contacts: [chat()],
    locations: ['Frankfurt', 'Stockholm', 'Virginia'],
    probes: scriptedProbes(clock, (order) => {
      const name = names.get(order.monitor_id) ?? ''
      const service = services.find((each) => each.name === name)
      return outcomeOf({ clock, service, order, cause: failing.get(name) })
    }),
    retention: { resultsDays: 30, notificationsDays: 100 },
  })
  await engine.start()
  await engine.keys.create({ name: 'demo', key: DEMO_KEY })
  for (const name of ['On-call phone', 'Team chat'])
    await engine.contacts.create({ kind: 'chat', name, all_monitors: true })
  const ids = new Map<string, number>()
  for (const { input, name } of services) {
    const { id } = await engine.monitors.create({ ...input, name, interval_sec: 8 * 3600 })
    names.set(id, name)
    ids.set(name, id)
  }
  const say = (name: string, cause: Outage['cause'] | null): void => {
    if (cause === null) failing.delete(name)
    else failing.set(name, cause)
  }
  const demo = { engine, clock, ids, say }
  await live(demo, days)
  return demo
}

/** Goes through the ninety days, from one outage to the next. */
async function live({ engine, clock, ids, say }: Demo, days: number): Promise<void> {
  const steps = outages
    .filter(({ ago_days }) => ago_days < days - 0.5)
    .flatMap(({ name, ago_days, minutes, cause }) => {
      const at = NOW - ago_days * DAY
      const begin = { at, name, cause }
      return minutes === null ? [begin] : [begin, { at: at + minutes * MINUTE, name, cause: null }]
    })
    .sort((a, b) => a.at - b.at)
  const beat = (): Promise<unknown> => signalBackups(engine, ids)
  /** An hour at a time; within the last day five minutes, and at the end second by second. */
  const until = async (at: number): Promise<void> => {
    while (clock.now() < at) {
      const left = at - clock.now()
      const end = NOW - clock.now()
      await beat()
      if (end <= 15 * MINUTE) await clock.advance(Math.min(MINUTE, left))
      else await clock.leap(Math.min(end > DAY ? 4 * HOUR : 5 * MINUTE, left))
    }
  }
  for (const { at, name, cause } of steps.filter((step) => step.at < NOW - DAY)) {
    await until(at)
    await changed({ engine, clock, ids, say }, name, cause)
  }
  await until(NOW - DAY)
  await quicken(engine, ids, { interval_sec: 300, types: ['http'] })
  for (const { at, name, cause } of steps.filter((step) => step.at >= NOW - DAY)) {
    await until(at)
    await changed({ engine, clock, ids, say }, name, cause)
  }
  await until(NOW - 15 * MINUTE)
  await quicken(engine, ids, { interval_sec: 60, types: WATCHED_CLOSELY })
  await until(NOW)
}

/** Twice, since the second look is what confirms. */
async function changed(
  { engine, clock, ids, say }: Demo,
  name: string,
  cause: Outage['cause'] | null,
) {
  const id = ids.get(name) ?? 0
  say(name, cause)
  if (cause === 'paused') {
    await engine.monitors.pause(id)
    return
  }
  await engine.monitors.queueCheck(id)
  await clock.leap(20_000)
  await engine.monitors.queueCheck(id)
  await clock.leap(10_000)
}

/** Nobody looks at a certificate or a registration every minute. */
const WATCHED_CLOSELY = services
  .map(({ input }) => input.type)
  .filter((type) => !['ssl', 'domain', 'heartbeat'].includes(type))

/** The past is looked at coarsely, the present as anybody would. */
async function quicken(
  engine: Engine,
  ids: ReadonlyMap<string, number>,
  { interval_sec, types }: { readonly interval_sec: number; readonly types: readonly string[] },
) {
  const quick = services.filter(
    ({ name, input }) => types.includes(input.type) && name !== 'Staging',
  )
  for (const { name } of quick) await engine.monitors.update(ids.get(name) ?? 0, { interval_sec })
}

async function signalBackups(engine: Engine, ids: ReadonlyMap<string, number>): Promise<void> {
  const { token = '' } = await engine.monitors.get(ids.get('Nightly backup') ?? 0)
  const message = 'backup complete: 41 tables, 18.2 GB'
  await engine.signal(token, { kind: 'success', exit_code: 0, duration_ms: 1_264_000, message })
}

/** A contact that takes everything but, now and then, at the second attempt. */
function chat() {
  let count = 0
  return defineContactKind({
    kind: 'chat',
    title: 'Chat',
    fields: { room: field.text({ description: 'Room' }).default('ops') },
    policy: () => undefined,
    check: () => Promise.resolve({}),
    deliver() {
      const end = { answer: null, error: null, retry_after_ms: null }
      return Promise.resolve(
        ++count % 5 === 0
          ? { ...end, class: 'temporary', http_status: 503, duration_ms: 88 }
          : { ...end, class: 'delivered', http_status: 200, duration_ms: 41 },
      )
    },
  })
}

/** Answers every order at once, in the words of the script. */
function scriptedProbes(
  clock: LeapingClock,
  answer: (order: CheckOrder) => Outcome,
): ProbeTransport {
  let host: ProbeHost | undefined
  return {
    start(given) {
      host = given
      return Promise.resolve()
    },
    send(order) {
      const { id, monitor_id, version, round, location } = order
      const outcome = answer(order)
      queueMicrotask(() =>
        host?.onAnswer({
          order: { id, monitor_id, version, round, location_id: location.id },
          report: { outcome },
          lag_ms: Math.max(0, clock.now() - round),
        }),
      )
      return Promise.resolve()
    },
    cancel: () => undefined,
    stop: () => Promise.resolve(),
    online: () => true,
  }
}

interface Asked {
  readonly clock: LeapingClock
  readonly service: Service | undefined
  readonly order: CheckOrder
  readonly cause: Outage['cause'] | undefined
}

const DISTANCE: Readonly<Record<string, number>> = { Frankfurt: 1, Stockholm: 1.5, Virginia: 3.1 }

function outcomeOf({ clock, service, order, cause }: Asked): Outcome {
  const far = DISTANCE[order.location.name] ?? 1
  // Slower by day, and a few that are much slower: as on any evening.
  const hour = new Date(clock.now()).getUTCHours()
  const busy = 1 + 0.35 * Math.sin(((hour - 6) / 24) * 2 * Math.PI)
  const wobble = () => 0.8 + 0.4 * clock.random() + (clock.random() > 0.96 ? 1.6 : 0)
  const phases: Record<string, number> = {}
  for (const [name, ms] of Object.entries(service?.phases ?? { connect_ms: 12 })) {
    const travels = name !== 'resolve_ms'
    phases[name] =
      Math.round(ms * wobble() * (travels ? far : 1) * (name === 'first_byte_ms' ? busy : 1) * 10) /
      10
  }
  const ends = service?.duration_ms ?? Object.values(phases).reduce((sum, ms) => sum + ms, 0)
  const details: JsonObject = service?.details?.(clock.now()) ?? {}
  const good = cause === undefined || cause === 'paused'
  return {
    verdict: good ? 'ok' : 'fail',
    cause_code: good ? null : cause.code,
    cause_text: good ? null : cause.text,
    phase: good ? null : cause.phase,
    started_at: new Date(clock.now()).toISOString(),
    duration_ms: Math.round((good ? ends : Math.max(ends, cause.ms ?? 0)) * 10) / 10,
    phases,
    remote_ip: service?.ip ?? null,
    details: good ? details : { ...details, ...cause.details },
  }
}
