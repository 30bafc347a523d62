/**
 * An engine over many hours of its own time, with a trouble every minute; then the books, and what its process
 * took over time.
 *
 * @module
 */

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/clock.ts'
import { diceOf } from './dice.ts'
import { startEngine } from './engine.ts'
import type { EngineProcess } from './engine.ts'
import { figuresOf, growthOf } from './flatness.ts'
import type { LifeFigures } from './flatness.ts'
import { drain } from './kills.ts'
import { balance, lookAt } from './ledger.ts'
import type { Findings } from './ledger.ts'
import type { Programs } from './programs.ts'
import type { Sample } from './plan.ts'
import { setScene } from './scene.ts'
import type { Scene } from './scene.ts'
import { tablesOf } from './tables.ts'
import { troublesOf } from './troubles.ts'
import type { Machine } from './troubles.ts'

export interface SoakOptions {
  readonly programs: Programs
  /** An empty folder. */
  readonly folder: string
  readonly machine?: Machine
  /** Real time. */
  readonly minutes: number
  /** Fast milliseconds per real one. */
  readonly factor: number
  readonly seed: number
  /** From one trouble to the next, real time. */
  readonly every_ms: number
  /** Each so manieth trouble is kill -9. */
  readonly kill_every: number
  readonly onTrouble?: (line: string) => void
}

export interface SoakFigures extends Findings {
  readonly troubles: Readonly<Record<string, number>>
  readonly lives: readonly LifeFigures[]
  /** Incidents of targets that never failed. */
  readonly false_incidents: number
}

const CONTACTS = ['/calm', '/moody', '/late']
const MOODY = '/moody'
const MEASURE_MS = 10_000
const FLAP_MS = 2_000
const SETTLE_MS = 120_000
/** Every third target never fails; the others do. Every other one has a name. */
const isSteady = (index: number): boolean => index % 3 === 2

export async function runSoak(options: SoakOptions): Promise<SoakFigures> {
  const { programs, seed, machine } = options
  const dice = diceOf(seed)
  const scene = await sceneOf(options)
  const { farm, receiver } = scene
  const plan = {
    ...scene.plan,
    ...(machine === undefined ? {} : { file: join(machine.disk, 'watchpost.db') }),
    anchors: [`127.0.0.1:${farm.targets[2]?.port}`],
    measure_ms: MEASURE_MS,
  }
  const tables = tablesOf(plan)
  const problems: string[] = []
  const lives: EngineProcess[] = []
  let expected: EngineProcess | undefined

  function begin(): EngineProcess {
    const life = startEngine(programs.engine, plan)
    lives.push(life)
    void life.ended.then((code) => {
      if (life === expected) return
      problems.push(`the engine ended by itself with ${code}`)
      engine = begin()
    })
    return life
  }
  async function kill(): Promise<void> {
    expected = engine
    engine.signal('SIGKILL')
    await engine.ended
    problems.push(...(await lookAt(tables, CONTACTS.length)))
    engine = begin()
  }

  let engine = begin()
  await engine.hears('ready')
  const fickle = farm.targets.filter((_, index) => !isSteady(index))
  const world = { engine: () => engine, receiver, moody: MOODY, fickle }
  const troubles = troublesOf(machine === undefined ? world : { ...world, machine })
  const count: Record<string, number> = {}
  const flapDice = diceOf(seed + 1)
  const flapping = setInterval(() => {
    const target = flapDice.pick(fickle)
    target.set(!target.good)
  }, FLAP_MS)
  const from = systemClock.monotonic()
  const total = Math.floor((options.minutes * 60_000) / options.every_ms)
  for (let nth = 1; nth <= total; nth++) {
    await sleep(Math.max(0, from + nth * options.every_ms - systemClock.monotonic()))
    const isKill = nth % options.kill_every === 0 && nth < total
    const trouble = dice.pick(troubles)
    const lasts_ms = Math.min(dice.int(...trouble.lasts_ms), 0.9 * options.every_ms)
    const name = isKill ? 'kill -9' : trouble.name
    count[name] = (count[name] ?? 0) + 1
    options.onTrouble?.(`${nth}: ${name}${isKill ? '' : ` for ${lasts_ms} ms`}; ${lastOf(engine)}`)
    if (isKill) {
      await kill()
      continue
    }
    await trouble.begin()
    await sleep(lasts_ms)
    await trouble.end()
  }

  clearInterval(flapping)
  farm.setAll(true)
  problems.push(...(await settled(engine)))
  expected = engine
  problems.push(...(await drain(engine, SETTLE_MS)))
  const steady = farm.targets.flatMap((_, index) => (isSteady(index) ? [index + 1] : []))
  const [wrong = []] = await tables.read([
    `SELECT id, monitor_id, cause_code FROM incidents WHERE monitor_id IN (${steady.join()})`,
  ])
  const findings = await balance({
    tables,
    said: lives.flatMap(({ said }) => said),
    received: receiver.entries(),
    contacts: CONTACTS.length,
    healthy: { path: '/calm', id: 1 },
    secret: scene.secret,
  })
  await scene.close()
  const samples = lives.map(samplesOf)
  return {
    ...findings,
    problems: [
      ...problems,
      ...findings.problems,
      ...wrong.map((row) => `an incident of a target that never failed: ${JSON.stringify(row)}`),
      ...samples.flatMap(growthOf),
    ],
    false_incidents: wrong.length,
    troubles: count,
    lives: samples.flatMap((life) => figuresOf(life) ?? []),
  }
}

function sceneOf({ programs, folder, machine, factor }: SoakOptions): Promise<Scene> {
  return setScene({
    ...{ programs, folder, factor },
    targets: { http: 12, tcp: 12 },
    paths: CONTACTS,
    nameOf: (index) =>
      machine === undefined || index % 2 === 0 ? '127.0.0.1' : `shop-${index}.example`,
    settings: (index) => ({
      interval_sec: 30,
      timeout_ms: 20_000,
      fail_threshold: 2,
      contact_delay: { 3: 1 },
      ...(index === 0 ? { notify_repeat_min: 5 } : {}),
    }),
  })
}

/** All targets are well: no incident may stay open. */
async function settled(engine: EngineProcess): Promise<string[]> {
  const until = systemClock.monotonic() + SETTLE_MS
  for (;;) {
    const from = engine.said.length
    engine.tell({ do: 'depth' })
    const { open } = await engine.hears('depth', from)
    if (open === 0) return []
    if (systemClock.monotonic() > until) return [`${open} incidents are open though all is well`]
    await sleep(1_000)
  }
}

function samplesOf({ said }: EngineProcess): readonly Sample[] {
  return said.filter((line) => line.kind === 'measured')
}

function lastOf(engine: EngineProcess): string {
  const sample = samplesOf(engine).at(-1)
  if (sample === undefined) return 'just begun'
  const { rss_mib, heap_mib, files, timers } = sample
  return `rss ${rss_mib.toFixed(0)} MiB, heap ${heap_mib.toFixed(1)} MiB, ${files} files, ${timers} timers`
}
