/**
 * Starts an engine and kills it, again and again, while its targets go down and come back; lets the last
 * one finish what is left, and balances the books.
 *
 * @module
 */

import { systemClock } from '../../../src/clock.ts'
import { diceOf } from './dice.ts'
import type { Dice } from './dice.ts'
import { startEngine } from './engine.ts'
import type { EngineProcess } from './engine.ts'
import type { Farm } from './farm.ts'
import { balance, lookAt } from './ledger.ts'
import type { Findings } from './ledger.ts'
import { POINTS } from './plan.ts'
import type { EnginePlan, Point, Said } from './plan.ts'
import type { Programs } from './programs.ts'
import { setScene } from './scene.ts'
import type { Answer } from './receiver.ts'
import { tablesOf } from './tables.ts'
import type { Database } from './tables.ts'

export interface KillOptions {
  readonly programs: Programs
  /** An empty folder. */
  readonly folder: string
  /** An empty schema of PostgreSQL. Default: an SQLite file. */
  readonly database?: Database
  readonly times: number
  readonly seed: number
  /** Fewer kills where the machine is slow, but `fewest`. Default: as long as it takes. */
  readonly within_ms?: number
  /** Default 1. */
  readonly fewest?: number
  readonly onKill?: (done: number) => void
}

export interface KillFigures extends Findings {
  readonly kills: number
  /** Where the engine killed itself, and at random times while it started or ran. */
  readonly killed_at: Readonly<Record<string, number>>
  /** Restarts that found attempts whose end nobody saw. */
  readonly resumed: number
  /** From the start of the process to the claim of what the one before was sending, ms of real time. */
  readonly slowest_resume_ms: number
}

const CONTACTS = ['/calm', '/flaky', '/late']
interface Pace {
  /** Fast milliseconds per real one. */
  readonly factor: number
  readonly interval_sec: number
  /** Real time. */
  readonly longest_life_ms: number
}
/** Ten seconds pass in one: an interval is 100 ms, a lease three seconds, all pauses together 45. */
const ALONE: Pace = { factor: 10, interval_sec: 1, longest_life_ms: 300 }
/** The monitors of a killed engine are free after ten seconds: most lives have to be longer than that. */
const SHARED: Pace = { factor: 30, interval_sec: 3, longest_life_ms: 900 }
/** What is left in the end is not waited for at that pace. The jump is what an engine sees that was away for long. */
const LAST_FACTOR = 60
const FLAP_MS = 60
/** A named point that is not reached in this time was not to be reached. */
const PATIENCE_MS = 2_500
/** What a start takes on a machine with nothing else to do. A slower one is given longer lives by as much. */
const START_MS = 250
/** Real time in which everything that is left has to be delivered; longer on a slow machine. */
const DRAIN_MS = 60_000
/** Look into the file after every so many kills; the engine itself recovers it after the others. */
const LOOK_EVERY = 10

export async function runKills(options: KillOptions): Promise<KillFigures> {
  const { programs, folder, times, seed } = options
  const dice = diceOf(seed)
  const until = systemClock.monotonic() + (options.within_ms ?? Infinity)
  const { factor, interval_sec, longest_life_ms } = options.database === undefined ? ALONE : SHARED
  const scene = await setScene({
    programs,
    folder,
    ...(options.database === undefined ? {} : { database: options.database }),
    targets: { http: 4, tcp: 4 },
    paths: CONTACTS,
    factor,
    settings: (index) => ({
      interval_sec,
      timeout_ms: interval_sec * 900,
      contact_delay: { 3: 1 },
      ...(index === 0 ? { notify_repeat_min: 1 } : {}),
    }),
  })
  const { farm, receiver, plan } = scene
  const tables = tablesOf(plan)
  const lives: Said[][] = []
  const problems: string[] = []
  const killed_at: Record<string, number> = {}
  const resumes: number[] = []
  const flapping = flap(farm, diceOf(seed + 1))
  await receiver.script('/flaky', flakyAnswers(diceOf(seed + 2), times * 20))

  let slowness = slownessOf(await setUp(programs.engine, plan)) ?? 1
  let kills = 0
  const fewest = options.fewest ?? 1
  while (kills < times && (kills < fewest || systemClock.monotonic() < until)) {
    const { engine, at } = await killOne(programs.engine, plan, {
      dice,
      slowness,
      longest_life_ms,
      ...(kills % 2 === 0 ? { point: POINTS[((seed + kills) >> 1) % POINTS.length]! } : {}),
    })
    slowness = slownessOf(engine) ?? slowness
    killed_at[at] = (killed_at[at] ?? 0) + 1
    lives.push([...engine.said])
    resumes.push(...resumeOf(engine))
    if (++kills % LOOK_EVERY === 0) problems.push(...(await lookAt(tables, CONTACTS.length)))
    options.onKill?.(kills)
  }

  flapping.stop()
  farm.setAll(true)
  await receiver.script('/flaky', [])
  const last = startEngine(programs.engine, {
    ...plan,
    // Deadlines pass at that pace as well: a machine that is slow keeps them at a slower one.
    pace: { ...plan.pace, factor: Math.max(factor, LAST_FACTOR / slowness) },
  })
  problems.push(...(await drain(last, DRAIN_MS * slowness)))
  lives.push([...last.said])
  resumes.push(...resumeOf(last))
  const findings = await balance({
    tables,
    said: lives.flat(),
    received: receiver.entries(),
    contacts: CONTACTS.length,
    healthy: { path: '/calm', id: 1 },
    secret: scene.secret,
  })
  await scene.close()
  return {
    ...findings,
    problems: [...problems, ...findings.problems],
    kills,
    killed_at,
    resumed: resumes.length,
    slowest_resume_ms: Math.max(0, ...resumes),
  }
}

/** A first life in peace, which makes contacts and monitors. */
async function setUp(program: string, plan: EnginePlan): Promise<EngineProcess> {
  const engine = startEngine(program, plan)
  await engine.hears('ready')
  engine.tell({ do: 'stop' })
  await engine.ended
  return engine
}

/** `undefined` for one that was killed before it was ready. */
function slownessOf({ said, spawned_at }: EngineProcess): number | undefined {
  const ready = said.find((line) => line.kind === 'ready')
  return ready === undefined ? undefined : Math.max(1, (ready.at - spawned_at) / START_MS)
}

async function killOne(
  program: string,
  plan: EnginePlan,
  {
    dice,
    slowness,
    longest_life_ms,
    point,
  }: Pick<Pace, 'longest_life_ms'> & {
    readonly dice: Dice
    readonly slowness: number
    /** Default: at random. */
    readonly point?: Point
  },
): Promise<{ readonly engine: EngineProcess; readonly at: string }> {
  if (point !== undefined) {
    const die = { at: point, nth: dice.int(1, 20) }
    const engine = startEngine(program, { ...plan, die })
    const late = systemClock.timer(PATIENCE_MS * slowness, () => engine.signal('SIGKILL'))
    await engine.ended
    late.cancel()
    return { engine, at: engine.said.some(({ kind }) => kind === 'dies') ? point : 'running' }
  }
  const starting = dice.chance(0.3)
  const engine = startEngine(program, plan)
  if (!starting) await engine.hears('ready')
  await systemClock.sleep(dice.int(0, longest_life_ms) * slowness)
  engine.signal('SIGKILL')
  await engine.ended
  return { engine, at: engine.said.some(({ kind }) => kind === 'ready') ? 'running' : 'starting' }
}

/** When it took up what the one before was sending, if there was anything. */
function resumeOf({ said, spawned_at }: EngineProcess): number[] {
  const first = said.find((line) => line.kind === 'claimed')
  return first === undefined || first.again.length === 0 ? [] : [first.at - spawned_at]
}

function flap(farm: Farm, dice: Dice): { stop(): void } {
  const stop = new AbortController()
  const run = async (): Promise<void> => {
    for (;;) {
      await systemClock.sleep(FLAP_MS, stop.signal)
      const target = dice.pick(farm.targets)
      target.set(!target.good)
    }
  }
  run().catch(() => undefined)
  return { stop: () => stop.abort() }
}

function flakyAnswers(dice: Dice, count: number): Answer[] {
  return Array.from({ length: count }, () =>
    dice.pick<Answer>([
      { status: 200 },
      { status: 204 },
      { status: 200, delay_ms: 20 },
      { status: 500 },
      { status: 503, headers: { 'Retry-After': '40' } },
      { status: 404 },
      { do: 'reset' },
      { do: 'close' },
      { do: 'garbage' },
      ...(dice.chance(0.2) ? [{ do: 'hang' } as const] : []),
    ]),
  )
}

/** Asks until nothing is left to deliver and no incident is open; then ends the engine in order. */
export async function drain(engine: EngineProcess, within_ms: number): Promise<string[]> {
  await engine.hears('ready')
  const until = systemClock.monotonic() + within_ms
  // At the pace of the last one a busy machine would go on to find outages that are none.
  engine.tell({ do: 'rest' })
  for (let quiet = 0; quiet < 2 && systemClock.monotonic() < until;) {
    const from = engine.said.length
    engine.tell({ do: 'depth' })
    const { depth, open } = await engine.hears('depth', from)
    quiet = depth === 0 && open === 0 ? quiet + 1 : 0
    await systemClock.sleep(200)
  }
  engine.tell({ do: 'stop' })
  const code = await engine.ended
  return code === 0 ? [] : [`the last engine ended with ${code}`]
}
