/**
 * Engines under load: so many monitors of local targets, watched by so many engines on one PostgreSQL, or by
 * one on a file of SQLite. Says how many checks a second were made and stored, how late they began, and what
 * a check cost.
 *
 * `npm run bench -- load --engines 1,2,4 --monitors 6000 --interval 30 --seconds 60`
 * `npm run bench -- load --store sqlite --monitors 30000 --interval 60 --seconds 1800`
 */

import { parseArgs } from 'node:util'
import { startFarm } from './harness/farm.ts'
import { bear } from './load/bear.ts'
import type { Borne } from './load/bear.ts'
import { postgresPremises, sqlitePremises } from './load/places.ts'

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'postgres' },
    engines: { type: 'string', default: '1' },
    monitors: { type: 'string', default: '3000' },
    interval: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '60' },
    /** Default: two intervals, at least 30. */
    settle: { type: 'string' },
  },
})
const monitors = Number(values.monitors)
const interval_sec = Number(values.interval)
const seconds = Number(values.seconds)
const settle_sec = Number(values.settle ?? Math.max(30, 2 * interval_sec))

const ends: (() => unknown)[] = []
const stage = { onEnd: (end: () => unknown): void => void ends.unshift(end) }

try {
  await measure()
} finally {
  for (const end of ends) await end()
}

async function measure(): Promise<void> {
  const { http: target } = await startFarm(stage)
  const isShared = values.store !== 'sqlite'
  const premises = await (isShared ? postgresPremises() : sqlitePremises())
  stage.onEnd(() => premises.end())
  const wanted = Math.round(monitors / interval_sec)
  console.log(`${monitors} monitors every ${interval_sec} s: ${wanted} checks a second wanted`)
  const lines: object[] = []
  for (const engines of isShared ? values.engines.split(',').map(Number) : [1]) {
    const load = { engines, premises, target, monitors, interval_sec, settle_sec, seconds }
    lines.push(lineOf(engines, await bear({ ...load, ...(seconds > 60 && { onMinute }) }, stage)))
  }
  console.table(lines)
}

function onMinute(minute: number, megabytes: readonly number[]): void {
  console.log(`minute ${minute}: ${megabytes.join(' ')} MiB`)
}

function lineOf(engines: number, borne: Borne): Record<string, number | string> {
  return {
    engines,
    'checks/s': Math.round(borne.per_second),
    'late p50, ms': Math.round(borne.p50_ms),
    'late p99, ms': Math.round(borne.p99_ms),
    'engine CPU, ms a check': round(borne.engine_ms),
    'database CPU, ms a check': round(borne.database_ms),
    'bytes written a check': Math.round(borne.written_bytes),
    'bytes kept a result': Math.round(borne.kept_bytes),
    'engine MiB': borne.megabytes.join(' '),
  }
}

function round(each: number): number {
  return Math.round(each * 100) / 100
}
