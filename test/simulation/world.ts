/**
 * Monitors, receivers and a clock under a seeded plan of faults. One seed is one history, always the same.
 */
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api.ts'
import { defineChecker, down, unknown, up } from '../../src/checkers/checker.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { Store } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'
import type { DeliveryEnd } from '../../src/webhook/contact-kind.ts'
import { spawnProcess } from './process.ts'
import type { Process } from './process.ts'

export interface Plan {
  readonly seed: number
  readonly days: number
  readonly monitors: number
  readonly locations: readonly string[]
  /** Chances per store call. */
  readonly killChance: number
  readonly failChance: number
  /** Wall clock jumps per day. */
  readonly jumps: number
}

/** One request that reached a receiver, whatever it answered. */
export interface Received {
  readonly at: number
  readonly to: string
  readonly notification_id: number
  readonly event: string
  readonly incident_id: number | null
  readonly text: string
  readonly status: number | 'timeout'
}

export interface History {
  readonly plan: Plan
  readonly store: Store
  readonly received: readonly Received[]
  readonly kills: number
  readonly storeFailures: number
  readonly rounds: number
  readonly monitor_ids: readonly number[]
  readonly contacts: readonly string[]
  /** When each target was bad and could be seen, by monitor. Wall time. */
  readonly badTimes: ReadonlyMap<number, readonly { readonly from: number; readonly to: number }[]>
  readonly from: number
  readonly to: number
  /** Faults of the last hours are off, so that everything under way can end. */
  readonly quietFrom: number
}

const HOUR = 3_600_000
const STEP = 10 * 60_000
const QUIET = 6 * HOUR

export async function simulate(plan: Plan): Promise<History> {
  const clock = simulatedClock({ seed: plan.seed })
  const dice = diceOf(plan.seed)
  const world = {
    clock,
    dice,
    plan,
    store: memoryStore(),
    received: [] as Received[],
    rounds: 0,
    kills: 0,
    storeFailures: 0,
  }
  const targets = new Map<string, { bad: boolean; silent: boolean }>()
  for (let i = 0; i < plan.monitors; i++) targets.set(`m${i}.test`, { bad: false, silent: false })
  await world.store.open()
  const from = clock.now()
  const until = plan.days * 24 * HOUR
  const quietFrom = clock.monotonic() + until - QUIET
  let settingUp = true
  const calm = () => settingUp || clock.monotonic() >= quietFrom

  let life = await boot(world, targets, calm)
  const contacts = ['calm', 'flaky', 'dead', 'late']
  const ids: Record<string, number> = {}
  for (const to of contacts)
    ids[to] = (
      await life.engine.contacts.create({ kind: 'recorder', name: to, to, all_monitors: true })
    ).id
  const monitor_ids: number[] = []
  for (const host of targets.keys()) {
    const monitor = await life.engine.monitors.create({
      type: 'simulated',
      host,
      interval_sec: dice.pick([60, 300, 900]),
      fail_threshold: dice.pick([1, 2, 3]),
      recover_threshold: dice.pick([1, 2]),
      notify_repeat_min: dice.pick([0, 15, 60]),
      notify_repeat_max: dice.pick([0, 2]),
      contact_delay: { [ids.late!]: 20 },
    } as never)
    monitor_ids.push(monitor.id)
  }

  settingUp = false

  const badTimes = new Map(monitor_ids.map((id) => [id, [] as { from: number; to: number }[]]))
  for (let passed = 0; passed < until; passed += STEP) {
    flap(targets, dice, calm())
    if (!calm() && dice.chance((plan.jumps * STEP) / (24 * HOUR)))
      clock.jump(dice.pick([-HOUR, HOUR, -24 * HOUR, 24 * HOUR]))
    const begin = clock.now()
    await clock.advance(STEP)
    if (life.process.dead) {
      world.kills++
      await clock.advance(dice.int(1, 120) * 1000)
      life = await boot(world, targets, calm)
    }
    ;[...targets.values()].forEach(({ bad, silent }, i) => {
      if (bad && !silent) badTimes.get(monitor_ids[i]!)?.push({ from: begin, to: clock.now() })
    })
  }
  await life.engine.stop()
  return { ...world, monitor_ids, contacts, badTimes, from, to: clock.now(), quietFrom }
}

interface World {
  readonly clock: SimulatedClock
  readonly dice: Dice
  readonly plan: Plan
  readonly store: Store
  readonly received: Received[]
  rounds: number
  kills: number
  storeFailures: number
}

interface Life {
  readonly engine: Engine
  readonly process: Process
}

/** Starts an engine in a process of its own; a process that dies while starting is started again. */
async function boot(
  world: World,
  targets: Map<string, { bad: boolean; silent: boolean }>,
  calm: () => boolean,
): Promise<Life> {
  for (let tries = 0; tries < 100; tries++) {
    const process = spawnProcess(world.clock, world.store, {
      at(_call, when) {
        if (calm()) return undefined
        if (world.dice.chance(world.plan.killChance)) return 'kill'
        if (when === 'before' && world.dice.chance(world.plan.failChance)) {
          world.storeFailures++
          return 'fail'
        }
        return undefined
      },
    })
    const engine = createEngine({
      store: process.store,
      clock: process.clock,
      locations: world.plan.locations,
      checkers: [checkerOf(world, targets)],
      contacts: [recorderOf(world, process, calm)],
    }) as Engine
    const state = { started: false }
    engine.start().then(
      () => (state.started = true),
      () => process.kill(),
    )
    for (let i = 0; i < 50 && !state.started && !process.dead; i++) await world.clock.settle()
    if (state.started && !process.dead) return { engine, process }
    process.kill()
    world.kills++
    await world.clock.advance(1000)
  }
  throw new Error('The engine could not be started a hundred times in a row')
}

function checkerOf(world: World, targets: Map<string, { bad: boolean; silent: boolean }>) {
  return defineChecker({
    type: 'simulated',
    title: 'Simulated',
    description: 'A target of the simulation',
    fields: { host: field.host({ description: 'Target' }).required() },
    causes: { broken: { text: 'It is broken' } },
    target: (s) => s.host,
    run(_ctx, s) {
      world.rounds++
      const target = targets.get(s.host)
      if (target?.silent === true)
        return Promise.resolve(unknown('probe_offline', 'Nothing can be seen'))
      return Promise.resolve(target?.bad === true ? down('broken', 'It is broken') : up())
    },
  })
}

function recorderOf(world: World, process: Process, calm: () => boolean) {
  return defineContactKind({
    kind: 'recorder',
    title: 'Recorder',
    fields: { to: field.text({ description: 'Name' }).required() },
    policy: () => undefined,
    check: () => Promise.resolve({}),
    async deliver(_ctx, { to }, { notification_id, body }): Promise<DeliveryEnd> {
      // The way there takes time, and the process may die on it.
      await process.clock.sleep(world.dice.int(1, 2000))
      const status = answerOf(to, world.dice, calm())
      const text = Buffer.from(body).toString('utf8')
      const said = JSON.parse(text) as { event: string; incident: { id: number } | null }
      world.received.push({
        at: world.clock.monotonic(),
        to,
        notification_id,
        event: said.event,
        incident_id: said.incident?.id ?? null,
        text,
        status,
      })
      await process.clock.sleep(world.dice.int(1, 2000))
      const base = { answer: null, duration_ms: 1, retry_after_ms: null }
      if (status === 'timeout')
        return { ...base, class: 'temporary', http_status: null, error: 'timeout' }
      return {
        ...base,
        class: status < 300 ? 'delivered' : status < 500 ? 'failed' : 'temporary',
        http_status: status,
        error: null,
      }
    },
  })
}

function answerOf(to: string, dice: Dice, calm: boolean): number | 'timeout' {
  if (to === 'dead') return 503
  if (to === 'flaky' && !calm) return dice.pick([200, 200, 500, 'timeout', 404])
  return 200
}

function flap(
  targets: Map<string, { bad: boolean; silent: boolean }>,
  dice: Dice,
  calm: boolean,
): void {
  for (const target of targets.values()) {
    if (calm) target.bad = target.silent = false
    else if (dice.chance(0.05)) target.bad = !target.bad
    if (!calm && dice.chance(0.02)) target.silent = !target.silent
  }
}

export interface Dice {
  chance(p: number): boolean
  int(min: number, max: number): number
  pick<const T>(from: readonly T[]): T
}

/** mulberry32, apart from the clock's own chance. */
function diceOf(seed: number): Dice {
  let state = (seed * 2654435761) >>> 0
  function random(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (min: number, max: number) => min + Math.floor(random() * (max - min + 1))
  return {
    chance: (p) => random() < p,
    int,
    pick: (from) => from[int(0, from.length - 1)]!,
  }
}
