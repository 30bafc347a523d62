/** Processes: how they begin, and that another follows when one dies. */
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import type { Engine } from '../../src/engine/api.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { badPost } from './probes.ts'
import { spawnProcess } from './process.ts'
import type { Process } from './process.ts'
import { receivers } from './receivers.ts'
import { simulatedChecker } from './targets.ts'
import { HOUR, MINUTE, SECOND } from './time.ts'
import { noteError } from './world.ts'
import type { Life, World } from './world.ts'

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
  world.clock.timer(ms, () => {
    if (world.current === undefined) void boot(world)
  })
}

function downtime({ calm, dice }: World): number {
  if (calm) return SECOND
  return dice.chance(0.1) ? dice.int(1, 4 * HOUR) : dice.int(1, 2 * MINUTE)
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
  })
  return createEngine({
    store: process.store,
    clock: process.clock,
    locations: plan.locations,
    checkers: [simulatedChecker(targets, dice, () => (world.calm ? 500 : 1500)), heartbeat()],
    probes: badPost({ process, tape, dice, silent, share: () => (world.calm ? 0 : badPosts) }),
    contacts: [webhookContact({ transport, guard: { allowCidrs: ['192.0.2.0/24'] } })],
    ...(plan.shortMemory
      ? { retention: { results_days: 1, notifications_days: 1, history_days: 2 } }
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
  engine.on('error', (error) => {
    if (process.state !== 'dead') noteError(world, error)
  })
}
