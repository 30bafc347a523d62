/** Processes: how they begin, and that another follows when one dies. */
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { silentLogger } from '../../src/logger.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { badPost } from './probes.ts'
import { spawnProcess } from './process.ts'
import type { Process } from './process.ts'
import { receivers } from './receivers.ts'
import { simulatedChecker } from './targets.ts'
import { HOUR, MINUTE, SECOND } from './time.ts'
import { jump, noteError } from './world.ts'
import type { Life, Machine, World } from './world.ts'

/** For how long a claimed notification is its process's own. */
const CLAIM_MS = 30 * SECOND

/** Starts an engine in a process of its own. One that dies while starting is started again. */
export async function boot(world: World, machine: Machine): Promise<void> {
  const { clock, tape, trouble } = world
  const life = world.lives.length + 1
  const process = spawnProcess({
    life,
    clock,
    store: world.recording.as(life),
    fate: (call) =>
      world.calm ? undefined : trouble.fate(call, () => freezeSending(world, machine)),
    onDeath: () => died(world, { machine, process }),
    onSpin() {
      world.spun = true
      tape.add({ kind: 'spins', life })
    },
  })
  tape.add({ kind: 'begins', life })
  const engine = engineOf(world, { machine, process })
  const mine: Life = { engine, process, running: false }
  world.lives.push(mine)
  machine.current = mine
  listen(world, mine)
  try {
    await process.arrive(engine.start())
    // It may have died just now.
    if (process.state === 'dead') return
    mine.running = true
    tape.add({ kind: 'runs', life })
  } catch {
    process.kill()
  }
}

interface Place {
  readonly machine: Machine
  readonly process: Process
}

function died(world: World, { machine, process }: Place): void {
  world.tape.add({ kind: 'dies', life: process.life })
  if (machine.current?.process !== process) return
  machine.current = undefined
  bootIn(world, machine, downtime(world))
}

export function bootIn(world: World, machine: Machine, ms: number): void {
  setClockWithin(world, ms)
  world.clock.timer(ms, () => {
    if (machine.current === undefined && !world.spun) void boot(world, machine)
  })
}

/** The process of a machine dies, and another follows it after this time. */
export function absentFor(world: World, machine: Machine, ms: number): void {
  const life = machine.current
  if (life === undefined) return
  machine.current = undefined
  life.process.kill()
  bootIn(world, machine, ms)
}

/** The wall clock may be set while no process runs: the next one knows only what is stored. */
function setClockWithin(world: World, ms: number): void {
  const { plan, absences, clock } = world
  if (world.calm || plan.faults.jumps === 0 || !absences.chance(0.2)) return
  const size = absences.pick([MINUTE, HOUR, 5 * HOUR])
  const by_ms = absences.chance(0.5) ? size : -size
  clock.timer(Math.floor(ms / 2), () => {
    if (!world.calm) jump(world, by_ms)
  })
}

function downtime({ calm, dice }: World): number {
  if (calm) return SECOND
  const longest = dice.weighted([
    [2 * MINUTE, 16],
    [30 * MINUTE, 2],
    [4 * HOUR, 2],
  ])
  return dice.int(1, longest)
}

/**
 * The process stands still. Mostly another takes its place; the old one wakes up beside that, and is ended
 * some time later.
 */
export function freeze(world: World, machine: Machine): void {
  const { dice } = world
  const ms = dice.wait(dice.pick([10 * SECOND, MINUTE, 20 * MINUTE]))
  freezeFor(world, machine, { ms, replaced_ms: dice.chance(0.7) ? dice.int(0, ms) : Infinity })
}

/** As {@link freeze}, with a delivery under way: it wakes up about when its successor repeats that. */
function freezeSending(world: World, machine: Machine): void {
  const { dice } = world
  const ms = CLAIM_MS + dice.int(-500, 3500)
  freezeFor(world, machine, { ms, replaced_ms: dice.int(0, CLAIM_MS) })
}

interface Freezing {
  readonly ms: number
  /** After this another process takes its place. */
  readonly replaced_ms: number
}

function freezeFor(world: World, machine: Machine, { ms, replaced_ms }: Freezing): void {
  const { dice, clock, tape } = world
  const life = machine.current
  if (life === undefined || !life.running || life.process.state !== 'running') return
  const { process } = life
  process.freeze()
  tape.add({ kind: 'freezes', life: process.life })
  if (replaced_ms < ms)
    clock.timer(replaced_ms, () => {
      if (machine.current !== life || process.state !== 'frozen') return
      machine.current = undefined
      void boot(world, machine)
    })
  clock.timer(ms, () => {
    if (process.state !== 'frozen') return
    tape.add({ kind: 'thaws', life: process.life })
    process.thaw()
    if (machine.current !== life) clock.timer(dice.wait(MINUTE), () => process.kill())
  })
}

function engineOf(world: World, { machine, process }: Place): Engine {
  const { plan, dice, tape, clock, targets, silent, trouble } = world
  const { badPosts, badAnswers } = plan.faults
  const transport = receivers({
    clock,
    process,
    tape,
    dice,
    badAnswers: () => (world.calm ? 0 : badAnswers),
    fate: () => (world.calm ? undefined : trouble.onTheWay()),
    freeze: () => {
      if (machine.current?.process === process) freezeSending(world, machine)
    },
  })
  return createEngine({
    store: process.store,
    // Stores and listeners fail on purpose.
    logger: silentLogger,
    clock: process.clock,
    locations: plan.locations,
    checkers: [simulatedChecker(targets, dice, () => (world.calm ? 500 : 1500)), heartbeat()],
    probes: badPost({
      ...{ process, tape, dice, silent, places: plan.places },
      share: () => (world.calm ? 0 : badPosts),
    }),
    contacts: [webhookContact({ transport, guard: { allowCidrs: ['192.0.2.0/24'] } })],
    ...(plan.shortMemory
      ? { retention: { resultsDays: 1, notificationsDays: 1, historyDays: 2 } }
      : {}),
  }) as Engine
}

function listen(world: World, { engine, process }: Life): void {
  const { life } = process
  const say = (event: 'down' | 'up' | 'state' | 'notification', id: number): void => {
    if (process.state !== 'dead') world.tape.add({ kind: 'said', life, event, id })
  }
  engine.on('down', ({ incident }) => say('down', incident.id))
  engine.on('up', ({ incident }) => say('up', incident.id))
  engine.on('notification', ({ id }) => say('notification', id))
  engine.on('starved', ({ monitor, stale }) => {
    if (process.state !== 'dead')
      world.tape.add({ kind: 'starved', life, monitor_id: monitor.id, stale })
  })
  engine.on('error', (error) => {
    if (process.state !== 'dead') noteError(world, error)
  })
}
