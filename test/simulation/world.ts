/** What the parts of a simulation share. */
import type { Engine } from '../../src/engine/api/engine.ts'
import type { MonitorRecord } from '../../src/model.ts'
import type { FullStore } from '../../src/store/store.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'
import type { Dice } from './dice.ts'
import type { Plan } from './plan.ts'
import type { Process } from './process.ts'
import type { Recording } from './recorded-store.ts'
import type { Tape } from './tape.ts'
import type { Targets, Watched } from './targets.ts'
import { DAY } from './time.ts'
import type { Trouble } from './trouble.ts'

export interface Life {
  readonly engine: Engine
  readonly process: Process
  running: boolean
}

/** Where one process runs at a time: when it dies, another one follows. */
export interface Machine {
  /** The one in charge. */
  current: Life | undefined
}

export interface World {
  readonly plan: Plan
  readonly clock: SimulatedClock
  readonly dice: Dice
  /** What happens to the machine while no process runs; apart, so that all else stays as it is. */
  readonly absences: Dice
  /** What contacts want for themselves; apart for the same reason. */
  readonly preferences: Dice
  /** Which of several machines it is; apart for the same reason. */
  readonly choices: Dice
  /** When users create monitors at the same moment, and who; apart for the same reason. */
  readonly customers: Dice
  /** Which scenes are played, when, and of whom; apart for the same reason. */
  readonly scenes: Dice
  readonly tape: Tape
  readonly store: FullStore
  readonly recording: Recording
  readonly targets: Targets
  readonly trouble: Trouble
  /** What each account after the first has on the shared hosts. */
  readonly guests: Map<number, readonly Watched[]>
  /** Names of locations that are silent. */
  readonly silent: Set<string>
  /** Every process that has begun. */
  readonly lives: Life[]
  readonly machines: readonly Machine[]
  /** Nothing goes wrong: while the world is set up, and in the end. */
  calm: boolean
  /** A process kept time from passing; none follows it. */
  spun: boolean
  /** Things that were given a number. */
  made: number
}

/** Calls `happen` at times that know nothing of each other, `per_day` on average, until the world is calm. */
export function atTimes(world: World, per_day: number, happen: () => void): void {
  if (per_day <= 0) return
  world.clock.timer(world.dice.wait(DAY / per_day), () => {
    if (world.calm) return
    happen()
    atTimes(world, per_day, happen)
  })
}

/** Sets the wall clock. */
export function jump({ clock, tape }: World, ms: number): void {
  clock.jump(ms)
  tape.add({ kind: 'jump', ms })
}

/** A process that takes requests; any of several. */
export function listening(world: World): Life | undefined {
  const lives = world.machines.flatMap(({ current }) =>
    current?.running === true && current.process.state === 'running' ? [current] : [],
  )
  return lives.length > 1 ? world.choices.pick(lives) : lives[0]
}

/** Any of them. */
export function someMachine({ machines, choices }: World): Machine {
  return machines.length > 1 ? choices.pick(machines) : machines[0]!
}

/** The engine of the first process, while the world is set up and in the end. */
export function firstEngine({ machines }: World): Engine {
  return machines[0]!.current!.engine
}

/** The monitors that the store holds. */
export function monitorsOf({ store }: World): Promise<readonly MonitorRecord[]> {
  return store.monitors.list({ account_id: 'all', limit: 1_000_000 })
}

/** An error that a caller or a listener saw. */
export function noteError({ tape }: World, error: unknown): void {
  const { name, message, stack = '' } = error as Error
  tape.add({ kind: 'error', name, message, stack })
}
