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
import type { Life, World } from './world.ts'

/** For how long a claimed notification is its process's own. */
const CLAIM_MS = 30 * SECOND

/** Starts an engine in a process of its own. One that dies while starting is started again. */
export async function boot(world: World): Promise<void> {
  const { clock, tape, trouble } = world
  const life = world.lives.length + 1
  const process = spawnProcess({
    life,
    clock,
    store: world.recording.as(life),
    fate: (call) => (world.calm ? undefined : trouble.fate(call)),
    onDeath: () => died(world, process),
    onSpin() {
      world.spun = true
      tape.add({ kind: 'spins', life })
    },
  })
  tape.add({ kind: 'begins', life })
  const engine = engineOf(world, process)
  const mine: Life = { engine, process, running: false }
  world.lives.push(mine)
  world.current = mine
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

function died(world: World, process: Process): void {
  world.tape.add({ kind: 'dies', life: process.life })
  if (world.current?.process !== process) return
  world.current = undefined
  bootIn(world, downtime(world))
}

export function bootIn(world: World, ms: number): void {
  setClockWithin(world, ms)
  world.clock.timer(ms, () => {
    if (world.current === undefined && !world.spun) void boot(world)
  })
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
export function freeze(world: World): void {
  const { dice } = world
  const sleeps = dice.wait(dice.pick([10 * SECOND, MINUTE, 20 * MINUTE]))
  freezeFor(world, sleeps, dice.chance(0.7) ? dice.int(0, sleeps) : Infinity)
}

/** As {@link freeze}, with a delivery under way: it wakes up about when its successor repeats that. */
export function freezeSending(world: World): void {
  const { dice } = world
  freezeFor(world, CLAIM_MS + dice.int(-500, 3500), dice.int(0, CLAIM_MS))
}

function freezeFor(world: World, ms: number, replaced_ms: number): void {
  const { dice, clock, tape } = world
  const life = world.current
  if (life === undefined || !life.running || life.process.state !== 'running') return
  const { process } = life
  process.freeze()
  tape.add({ kind: 'freezes', life: process.life })
  if (replaced_ms < ms) replace(world, life, replaced_ms)
  clock.timer(ms, () => {
    if (process.state !== 'frozen') return
    tape.add({ kind: 'thaws', life: process.life })
    process.thaw()
    if (world.current !== life) clock.timer(dice.wait(MINUTE), () => process.kill())
  })
}

function replace(world: World, life: Life, ms: number): void {
  world.clock.timer(ms, () => {
    if (world.current !== life || life.process.state !== 'frozen') return
    world.current = undefined
    void boot(world)
  })
}

function engineOf(world: World, process: Process): Engine {
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
      if (world.current?.process === process) freezeSending(world)
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
