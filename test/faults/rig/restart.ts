/**
 * F5: PostgreSQL is stopped without a warning under a running engine, and comes back after a while. One target
 * is down beforehand and comes back meanwhile, one goes down meanwhile, the others stay well.
 *
 * @module
 */

import { systemClock } from '../../../src/clock.ts'
import type { PostgresServer } from '../../support/servers/postgres.ts'
import { startEngine } from './engine.ts'
import type { EngineProcess } from './engine.ts'
import { balance } from './ledger.ts'
import type { Findings } from './ledger.ts'
import type { Programs } from './programs.ts'
import { setScene } from './scene.ts'
import { tablesOf } from './tables.ts'
import type { Database } from './tables.ts'

export interface RestartOptions {
  readonly programs: Programs
  /** An empty folder. */
  readonly folder: string
  readonly server: PostgresServer
  /** An empty schema of it. */
  readonly database: Database
  /** Real time from the end of the server to its start. */
  readonly away_ms: number
  /** Fast milliseconds per real one. */
  readonly factor: number
  readonly interval_sec: number
}

export interface RestartFigures extends Findings {
  /** From the server's return until what had happened meanwhile was stored, fast ms. */
  readonly caught_up_ms: number
}

export async function runRestart(options: RestartOptions): Promise<RestartFigures> {
  const { programs, folder, server, database, away_ms, factor, interval_sec } = options
  const settings = () => ({ interval_sec, timeout_ms: interval_sec * 900 })
  const paths = ['/calm', '/slow']
  const targets = { http: 4, tcp: 4 }
  const scene = await setScene({ programs, folder, database, targets, paths, factor, settings })
  await scene.receiver.script('/slow', [], { status: 200, delay_ms: 100 })
  const [returning, leaving] = scene.farm.targets
  const engine = startEngine(programs.engine, scene.plan)
  try {
    await engine.hears('ready')
    returning?.set(false)
    const { monitor_id } = await engine.hears('down')
    server.signal('SIGQUIT')
    await server.halt()
    returning?.set(true)
    leaving?.set(false)
    await systemClock.sleep(away_ms)
    await server.restart()
    const back_at = systemClock.monotonic()
    await both(engine, monitor_id)
    const caught_up_ms = Math.round((systemClock.monotonic() - back_at) * factor)
    leaving?.set(true)
    await told(engine, 'up', 2)
    // Both incidents, their begin and their end, to both contacts.
    await told(engine, 'notification', 8)
    engine.tell({ do: 'stop' })
    const code = await engine.ended
    const findings = await balance({
      tables: tablesOf(scene.plan),
      said: engine.said,
      received: scene.receiver.entries(),
      contacts: paths.length,
      healthy: { path: '/calm', id: 1 },
      secret: scene.secret,
    })
    const problems = [
      ...findings.problems,
      ...(code === 0 ? [] : [`the engine ended with ${code}`]),
      ...(findings.incidents === 2 ? [] : [`${findings.incidents} incidents of two outages`]),
    ]
    return { ...findings, caught_up_ms, problems }
  } finally {
    engine.signal('SIGKILL')
    await scene.close()
  }
}

/** The one that was down is up, the other one is down. */
async function both(engine: EngineProcess, returning: number): Promise<void> {
  await engine.hears('up')
  const downs = await told(engine, 'down', 2)
  if (downs.filter(({ monitor_id }) => monitor_id === returning).length !== 1)
    throw new Error('the monitor that came back went down twice')
}

async function told<K extends 'up' | 'down' | 'notification'>(
  engine: EngineProcess,
  kind: K,
  count: number,
) {
  for (;;) {
    const from = engine.said.length
    const found = engine.said.filter((line) => line.kind === kind)
    if (found.length >= count) return found as Extract<(typeof found)[number], { kind: K }>[]
    await engine.hears(kind, from)
  }
}
