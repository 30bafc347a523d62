/** The jobs that feed heartbeat monitors: mostly on time, sometimes silent, failing, or slow. */
import type { SignalInput } from '../../src/engine/api/engine.ts'
import { HOUR } from './time.ts'
import { listening, noteError } from './world.ts'
import type { World } from './world.ts'

export interface Job {
  readonly monitor_id: number
  readonly token: string
  readonly period_ms: number
}

/** Begins to report. The job runs outside of the process: what it reports while nobody listens is lost. */
export function beginJob(world: World, job: Job): void {
  world.clock.timer(world.dice.int(1, job.period_ms), () => report(world, job))
}

function report(world: World, job: Job): void {
  const { dice, clock } = world
  const mood = world.calm ? 'well' : dice.weighted(MOODS)
  if (mood === 'failing') signal(world, job, { kind: 'fail', exit_code: dice.int(1, 3) })
  else if (mood === 'talking') signal(world, job, { kind: 'log', message: 'half way' })
  else if (mood !== 'silent') signal(world, job, { kind: 'success' })
  if (mood === 'twice') signal(world, job, { kind: 'success' })
  const rest = mood === 'silent' ? dice.int(1, 6 * HOUR) : 0
  clock.timer((job.period_ms * dice.int(70, 95)) / 100 + rest, () => report(world, job))
}

const MOODS: readonly (readonly ['well' | 'twice' | 'failing' | 'talking' | 'silent', number])[] = [
  ['well', 80],
  ['twice', 4],
  ['failing', 4],
  ['talking', 4],
  ['silent', 4],
]

function signal(world: World, { token, monitor_id }: Job, input: SignalInput): void {
  const life = listening(world)
  world.tape.add({ kind: 'signal', monitor_id, signal: input.kind, heard: life !== undefined })
  // A signal for a monitor that is gone, or that the store could not take, is answered with an error.
  life?.engine.signal(token, input).catch((error: unknown) => noteError(world, error))
}
