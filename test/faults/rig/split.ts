/**
 * F10: four engines on one PostgreSQL. One is stopped while it sends, beyond all its leases, and continued;
 * another one's way to the database is cut for as long. Meanwhile targets go down and come back.
 *
 * @module
 */

import { systemClock } from '../../../src/clock.ts'
import { openProxy } from '../../support/open-proxy.ts'
import type { OpenProxy } from '../../support/open-proxy.ts'
import { startEngine } from './engine.ts'
import type { EngineProcess } from './engine.ts'
import { balance } from './ledger.ts'
import type { Findings } from './ledger.ts'
import type { Said } from './plan.ts'
import type { Programs } from './programs.ts'
import { setScene } from './scene.ts'
import type { Scene } from './scene.ts'
import { tablesOf } from './tables.ts'
import type { Database } from './tables.ts'

export interface SplitOptions {
  readonly programs: Programs
  /** An empty folder. */
  readonly folder: string
  /** An empty schema. */
  readonly database: Database
  /** How often one is stopped and one is cut off. */
  readonly times: number
  readonly factor: number
}

export interface SplitFigures extends Findings {
  readonly stopped: number
  /** Rows that another engine sent because the one that had begun was stopped. */
  readonly taken_over: number
}

const ENGINES = 4
/** Longer than the lease of a delivery, which is thirty seconds, and than that of the monitors. */
const AWAY_MS = 35_000
const ANSWER_MS = 300
const QUIET_MS = 60_000
/** Whoever is stopped after its answer leaves nothing to take over: then one more is stopped, so many times at most. */
const MOST_MORE = 5

export async function runSplit(options: SplitOptions): Promise<SplitFigures> {
  const { programs, folder, database, times, factor } = options
  const paths = ['/calm', '/slow']
  const scene = await setScene({
    ...{ programs, folder, database, paths, factor },
    targets: { http: 6, tcp: 6 },
    settings: () => ({ interval_sec: 5, timeout_ms: 4_500 }),
  })
  for (const path of paths)
    await scene.receiver.script(path, [], { status: 200, delay_ms: ANSWER_MS })
  const proxy = await openProxy(Number(new URL(database.url).port))
  const engines = await startAll(programs.engine, scene, proxy)
  try {
    let stopped = 0
    while (stopped < times || (takenOver(engines) === 0 && stopped < times + MOST_MORE)) {
      await disturb({ engines, proxy, scene, factor })
      stopped++
    }
    scene.farm.setAll(true)
    const left = await quiet(engines[0]!)
    for (const engine of engines) engine.tell({ do: 'stop' })
    const codes = await Promise.all(engines.map(({ ended }) => ended))
    const said = engines.flatMap((engine): readonly Said[] => engine.said)
    const findings = await balance({
      tables: tablesOf(scene.plan),
      said,
      received: scene.receiver.entries(),
      contacts: paths.length,
      healthy: { path: '/calm', id: 1 },
      secret: scene.secret,
    })
    const ends = codes.filter((code) => code !== 0).map((code) => `an engine ended with ${code}`)
    return {
      ...findings,
      stopped,
      taken_over: takenOver(engines),
      problems: [...findings.problems, ...left, ...ends],
    }
  } finally {
    for (const engine of engines) engine.signal('SIGKILL')
    await proxy.close()
    await scene.close()
  }
}

function takenOver(engines: readonly EngineProcess[]): number {
  const again = engines.flatMap(({ said }) =>
    said.flatMap((line) => (line.kind === 'claimed' ? line.again : [])),
  )
  return new Set(again).size
}

/** The last one reaches the database through the proxy. */
async function startAll(
  program: string,
  { plan }: Scene,
  proxy: OpenProxy,
): Promise<EngineProcess[]> {
  const engines: EngineProcess[] = []
  for (let index = 0; index < ENGINES; index++) {
    const url = new URL(plan.database?.url ?? '')
    if (index === ENGINES - 1) url.port = String(proxy.port)
    const schema = plan.database?.schema ?? ''
    const engine = startEngine(program, { ...plan, database: { url: url.href, schema } })
    engines.push(engine)
    // The first one makes the contacts and the monitors.
    if (index === 0) await engine.hears('ready')
  }
  await Promise.all(engines.map((engine) => engine.hears('ready')))
  return engines
}

interface Disturbance {
  readonly engines: readonly EngineProcess[]
  readonly proxy: OpenProxy
  readonly scene: Scene
  readonly factor: number
}

async function disturb({ engines, proxy, scene, factor }: Disturbance): Promise<void> {
  const free = engines.slice(0, -1)
  const claiming = Promise.race(
    free.map(async (engine) => {
      await engine.hears('claimed', engine.said.length)
      return engine
    }),
  )
  for (const target of scene.farm.targets) target.set(!target.good)
  const sender = await claiming
  // It has asked, and has no answer yet.
  sender.signal('SIGSTOP')
  proxy.set('blackhole')
  await systemClock.sleep(AWAY_MS / factor)
  sender.signal('SIGCONT')
  proxy.set('pass')
  await systemClock.sleep(AWAY_MS / factor)
}

/** Until nothing is left to deliver and no incident is open. */
async function quiet(engine: EngineProcess): Promise<string[]> {
  const from_ms = systemClock.monotonic()
  for (let resting = false; ;) {
    const from = engine.said.length
    engine.tell({ do: 'depth' })
    const { depth, open } = await engine.hears('depth', from)
    if (depth === 0 && open === 0) return []
    const spent_ms = systemClock.monotonic() - from_ms
    if (spent_ms > 3 * QUIET_MS) return [`${depth} rows and ${open} incidents are left`]
    // At this pace a busy machine goes on to find outages that are none.
    if (!resting && spent_ms > QUIET_MS) engine.tell({ do: 'rest' })
    resting ||= spent_ms > QUIET_MS
    await systemClock.sleep(200)
  }
}
